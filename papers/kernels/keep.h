// Compaction in three launches: count what a tile keeps, scan the counts (scan_queries),
// place what it keeps.
#ifndef PINION_PAPER_KEEP_H
#define PINION_PAPER_KEEP_H
#include "../../kernels/cuda.h"
#include "params.h"

// counted returns a count that a launch before has left, or n.
DEV uint32_t counted(uint64_t count, uint32_t n) { return count ? *at<uint32_t>(count) : n; }

// count_tile counts the elements of a tile below n that keep(i) keeps.
template <class F> DEV void count_tile(uint32_t n, uint64_t counts, F keep) {
    uint32_t first = blockIdx.x * KEEP_TILE, sum = 0;
#pragma unroll
    for (uint32_t r = 0; r < KEEP_TILE; r += 256) {
        uint32_t i = first + r + threadIdx.x;
        sum += __syncthreads_count(i < n && keep(i));
    }
    if (threadIdx.x == 0) at_rw<uint32_t>(counts)[blockIdx.x] = sum;
}

// place_tile calls put(i, rank, kept) for the elements of a tile below n, with the number of
// kept elements up to and with this one.
template <class F, class G> DEV void place_tile(uint32_t n, uint64_t starts, uint32_t *warps, F keep, G put) {
    uint32_t first = blockIdx.x * KEEP_TILE, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t rank = at<uint32_t>(starts)[blockIdx.x];
    for (uint32_t r = 0; r < KEEP_TILE; r += 256) {
        uint32_t i = first + r + threadIdx.x;
        bool kept = i < n && keep(i);
        uint32_t vote = __ballot_sync(FULL, kept), before = 0, all = 0;
        if (lane == 0) warps[warp] = __popc(vote);
        __syncthreads();
#pragma unroll
        for (uint32_t w = 0; w < 8; w++) {
            if (w == warp) before = all;
            all += warps[w];
        }
        if (i < n) put(i, rank + before + __popc(vote & (FULL >> (31 - lane))), kept);
        rank += all;
        __syncthreads();
    }
}

#endif
