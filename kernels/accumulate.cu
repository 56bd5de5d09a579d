// Disjunctions as Ding 2009 section 8 has them: an accumulator for every document in
// device memory, for each query and segment; the lists term by term in canonical order,
// one launch for all lists that come r-th in their queries; then the selection over the
// accumulators.
//
// A launch of accumulate takes some queries' r-th lists, a warp a block; launches
// follow one another, which keeps the order of additions that query uses. The host
// fills the accumulators before and bounds how many queries have some at a time.
//
// Bound, bytes of device memory: for each document 8, 4 filled and 4 read by the
// selection; for each posting b_doc + b_freq bits, and where a list has no two documents
// within 8 of one another a 32-byte sector read and one written, 64 bytes for the 8 that
// are meant; its norm another 32 unless L2 has it.
// Measured on an H200, 15.7 M documents: the fill and the selection at 4.6 and 4.0 TB/s,
// accumulate at 2.0 TB/s: some 70 G sectors/s a few hundred bytes apart, which seems to
// be what the memory gives. 32 blocks of a list a thread block 16.8 k queries/s, 8 18.0,
// 4 18.3; lists one after another instead of side by side 15.8; atomicAdd instead of
// load and store 18.8, not worth its flush of subnormals; 32-byte fetches of L2 18.3.
#include "accumulate.h"
#include "queue.h"

KERNEL(accumulate, AccumulateParams, 256, 4) { accumulate_share(p); }

// collect_scores, a thread block a range, finds the best keys of the range: as the tail
// of disjunct, but 16 documents a thread are loaded at once, and most such 4,096 hold
// nothing above the floor.
KERNEL(collect_scores, DisjunctParams, 256, 5) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t fill;
    __shared__ uint64_t floor;
    if (blockIdx.x >= p.nRanges) return;
    const Range r = at<Range>(p.ranges)[blockIdx.x];
    const QueryDesc q = at<QueryDesc>(p.queries)[r.query];
    Queue queue = {reinterpret_cast<uint64_t *>(dynamic), &fill, p.buffer, p.keep, 0};
    unsigned long long *floors = at_rw<unsigned long long>(p.floors) + q.slot;
    const uint4 *acc = at<uint4>(q.out);
    const uint32_t end = (r.last + 3) >> 2; // in fours; r.first is a multiple of four
    if (threadIdx.x == 0) {
        fill = 0;
        floor = *reinterpret_cast<volatile unsigned long long *>(floors);
    }
    __syncthreads();
    queue.floor = floor;
    for (uint32_t base = r.first >> 2; base < end; base += 4 * blockDim.x) {
        uint4 v[4];
        // Touched accumulators are at least zero as integers, the others negative.
        int cut = (int)(queue.floor >> 32), best = -1;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t i = base + k * blockDim.x + threadIdx.x;
            v[k] = make_uint4(UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED);
            if (i < end) v[k] = load_stream(acc + i);
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int w[4] = {(int)v[k].x, (int)v[k].y, (int)v[k].z, (int)v[k].w};
#pragma unroll
            for (int e = 0; e < 4; e++) best = w[e] > best ? w[e] : best;
        }
        if (!__syncthreads_or(best >= cut)) continue;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t doc = 4 * (base + k * blockDim.x + threadIdx.x), w[4] = {v[k].x, v[k].y, v[k].z, v[k].w};
            queue_room(queue, 4 * blockDim.x);
#pragma unroll
            for (int e = 0; e < 4; e++)
                if ((int)w[e] >= cut && is_live(q, doc + e))
                    queue_push(queue, hit_key(__uint_as_float(w[e]), q.docBase + doc + e));
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (queue.floor > floor) atomicMax(floors, (unsigned long long)queue.floor);
            floor = *reinterpret_cast<volatile unsigned long long *>(floors);
        }
        __syncthreads();
        if (floor > queue.floor) queue.floor = floor;
    }
    queue_cut(queue);
    uint32_t n = fill;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        at_rw<uint64_t>(p.keys)[(uint64_t)blockIdx.x * p.keep + i] = queue.keys[i];
    if (threadIdx.x == 0) at_rw<uint32_t>(p.counts)[blockIdx.x] = n;
}
