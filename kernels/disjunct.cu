// Disjunctions with an accumulator per document, term by term (Ding 2009 section 8). The
// accumulators of a range of docIDs are in shared memory and the selection of the top k
// is fused, so accumulators are never written to device memory.
//
// A thread block processes a run of docIDs of one query in ranges of width documents. For
// each term in canonical order its warps decode the blocks that overlap the range and add
// their scores. DocIDs of a list are distinct, so no atomics are needed; a barrier
// between terms keeps the order of additions of package query.
//
// Bound: per posting, b_doc + b_freq bits read, one norm (4 bytes, from L2 after the
// first term), one division and about 25 instructions: 0.3 T postings/s; per document of
// the segment, 8 bytes of shared memory traffic: 25 T documents/s.
#include "accumulate.h"
#include "queue.h"

// first_block returns the first block of l whose last docID is at least x.
DEV uint32_t first_block(const ListDesc &l, uint32_t x) {
    uint32_t lo = 0, hi = l.nb;
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (__ldg(at<uint32_t>(l.last) + mid) < x) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

// add_term adds one term's scores for documents in [lo, hi). Only blocks from cursor on
// can overlap these; *next is set to the first block that can overlap documents from hi
// on.
template <bool FIELDS>
DEV void add_term(const QueryDesc &q, const FieldScore *field, const ListDesc &l, float w, uint32_t lo, uint32_t hi, float *acc, uint32_t cursor,
                  uint32_t *next, int lane, int warp, int warps) {
    for (uint32_t j = cursor + warp; j < l.nb; j += warps) {
        uint32_t prev = block_prev(l, j);
        if (j && prev >= hi) break;
        if (lane == 0 && __ldg(at<uint32_t>(l.last) + j) >= hi) *next = j;
        if (j && prev + 1 >= hi) break;
        add_block<FIELDS>(q, field, l, w, j, lo, hi, acc, lane);
    }
}

// disjunct_range is the body of a kernel: a thread block processes one range. The other parameters are shared memory:
// keys and accumulators, where the terms' next blocks are, the number of keys, and the floor.
template <bool FIELDS>
DEV void disjunct_range(const DisjunctParams &p, unsigned char *dynamic, uint32_t (&cursors)[2][MAX_TERMS], uint32_t &fill, uint64_t &floor) {
    if (blockIdx.x >= p.nRanges) return;
    const Range r = at<Range>(p.ranges)[blockIdx.x];
    const QueryDesc q = at<QueryDesc>(p.queries)[r.query];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const FieldScore *fields = FIELDS ? at<FieldScore>(p.fields) + q.firstTerm : nullptr;
    const ListDesc *lists = at<ListDesc>(p.lists);
    Queue queue = {reinterpret_cast<uint64_t *>(dynamic), &fill, p.buffer, p.keep, 0};
    float *acc = reinterpret_cast<float *>(dynamic + 8 * (uint64_t)p.buffer);
    unsigned long long *floors = at_rw<unsigned long long>(p.floors) + q.slot;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    if (threadIdx.x == 0) fill = 0;
    for (uint32_t t = threadIdx.x; t < q.nTerms; t += blockDim.x) cursors[0][t] = first_block(lists[terms[t].list], r.first);
    int now = 0;
    for (uint32_t lo = r.first; lo < r.last; lo += p.width, now ^= 1) {
        uint32_t hi = r.last - lo < p.width ? r.last : lo + p.width;
        if (threadIdx.x == 0) floor = *reinterpret_cast<volatile unsigned long long *>(floors);
        for (uint32_t t = threadIdx.x; t < q.nTerms; t += blockDim.x) cursors[now ^ 1][t] = lists[terms[t].list].nb;
        for (uint32_t i = threadIdx.x; i < hi - lo; i += blockDim.x) acc[i] = __uint_as_float(UNTOUCHED);
        __syncthreads();
        if (floor > queue.floor) queue.floor = floor;
        for (uint32_t t = 0; t < q.nTerms; t++) {
            const ListDesc l = lists[terms[t].list];
            add_term<FIELDS>(q, FIELDS ? fields + t : nullptr, l, terms[t].weight, lo, hi, acc, cursors[now][t], &cursors[now ^ 1][t], lane, warp, warps);
            __syncthreads();
        }
        for (uint32_t base = 0; base < hi - lo; base += 2 * blockDim.x) {
            queue_room(queue, 2 * blockDim.x);
            for (uint32_t i = base + threadIdx.x; i < base + 2 * blockDim.x; i += blockDim.x)
                if (i < hi - lo && __float_as_uint(acc[i]) < UNTOUCHED && is_live(q, lo + i)) {
                    float sum = acc[i];
                    if (FIELDS && q.statics) sum = __fadd_rn(sum, __ldg(at<float>(q.statics) + lo + i));
                    queue_push(queue, hit_key(sum, q.docBase + lo + i));
                }
        }
        __syncthreads();
        if (threadIdx.x == 0 && queue.floor > floor) atomicMax(floors, (unsigned long long)queue.floor);
    }
    queue_cut(queue);
    uint32_t n = fill;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        at_rw<uint64_t>(p.keys)[(uint64_t)blockIdx.x * p.keep + i] = queue.keys[i];
    if (threadIdx.x == 0) at_rw<uint32_t>(p.counts)[blockIdx.x] = n;
}

KERNEL(disjunct, DisjunctParams, 512, 2) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t cursors[2][MAX_TERMS], fill;
    __shared__ uint64_t floor;
    disjunct_range<false>(p, dynamic, cursors, fill, floor);
}

KERNEL(disjunct_fields, DisjunctParams, 512, 2) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t cursors[2][MAX_TERMS], fill;
    __shared__ uint64_t floor;
    disjunct_range<true>(p, dynamic, cursors, fill, floor);
}
