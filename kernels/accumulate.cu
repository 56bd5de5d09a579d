// Disjunctions as in Ding 2009 section 8: for each query and segment, an accumulator per
// document in device memory. Lists are added term by term in canonical order, with one
// launch for the r-th lists of all queries, followed by a selection over the
// accumulators.
//
// A launch of accumulate adds the r-th lists of some queries, with a warp per block.
// Launches run one after the other, which keeps the order of additions of package query.
// The host fills the accumulators first and bounds the number of queries that have
// accumulators at a time.
//
// Bound, in bytes of device memory: per document 8, namely 4 filled and 4 read by the
// selection; per posting b_doc + b_freq bits and, if the documents of a list are more
// than 8 apart, one 32-byte sector read and one written, 64 bytes instead of the 8
// needed; its norm takes another 32 unless it is in L2. Measured on an H200 with 15.7 M
// documents: fill and selection run at 4.6 and 4.0 TB/s, accumulate at 2.0 TB/s, that is,
// about 70 G sectors/s a few hundred bytes apart, which seems to be the limit of the
// memory. Throughput with 32 blocks of a list per thread block is 16.8 k queries/s, with
// 8 it is 18.0, with 4 it is 18.3; with lists one after the other instead of side by side
// 15.8; with atomicAdd instead of load and store 18.8, but that flushes subnormals; with
// 32-byte fetches of L2 18.3.
#include "accumulate.h"
#include "queue.h"

KERNEL(accumulate, AccumulateParams, 256, 4) { accumulate_share(p); }

// collect_scores, a thread block per range, finds the top keys of the range. It works
// like the end of disjunct, but loads 16 documents per thread at once, since most runs of
// 4,096 documents contain none above the floor.
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
    const uint32_t end = (r.last + 3) >> 2; // in units of four; r.first is a multiple of four
    if (threadIdx.x == 0) {
        fill = 0;
        floor = *reinterpret_cast<volatile unsigned long long *>(floors);
    }
    __syncthreads();
    queue.floor = floor;
    for (uint32_t base = r.first >> 2; base < end; base += 4 * blockDim.x) {
        uint4 v[4];
        // As integers, touched accumulators are at least zero and the others negative.
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
