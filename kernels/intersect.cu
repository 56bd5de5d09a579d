// Conjunctions over lists of any codec that return docIDs (conjoin.h), and the kernels
// that concatenate the docIDs of all tiles: a scan and a compaction, 8 bytes per docID
// found.
#include "conjoin.h"

KERNEL(intersect_docs, IntersectParams, 256, 4) {
    __shared__ Waiting shared[8];
    intersect_tile<false>(p, shared);
}

// intersect_elements is intersect_docs, except that lists of the linear-regression codecs
// are searched by single elements (element.h).
KERNEL(intersect_elements, IntersectParams, 256, 4) {
    __shared__ Waiting shared[8];
    intersect_tile<true>(p, shared);
}

// sum_tiles, a warp per query, computes where each tile's docIDs start within the
// query's.
KERNEL(sum_tiles, GatherParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t q = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (q >= p.nQueries) return;
    uint32_t i = at<uint32_t>(p.queryTiles)[q], end = at<uint32_t>(p.queryTiles)[q + 1], sum = 0;
    for (; i < end; i += 32) {
        uint32_t n = i + lane < end ? at<uint32_t>(p.counts)[i + lane] : 0, s = warp_scan(n, lane);
        if (i + lane < end) at_rw<uint32_t>(p.tileStarts)[i + lane] = sum + s - n;
        sum += __shfl_sync(FULL, s, 31);
    }
    if (lane == 0) at_rw<uint32_t>(p.totals)[q] = sum;
}

// scan_queries, one thread block, computes where each query's docIDs start.
KERNEL(scan_queries, GatherParams, 1024, 1) {
    __shared__ uint32_t sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t before = 0;
    for (uint32_t base = 0; base < p.nQueries; base += blockDim.x) {
        uint32_t i = base + threadIdx.x;
        uint32_t n = i < p.nQueries ? at<uint32_t>(p.totals)[i] : 0, s = warp_scan(n, lane);
        if (lane == 31) sums[warp] = s;
        __syncthreads();
        uint32_t w = sums[lane], ws = warp_scan(w, lane);
        uint32_t mine = __shfl_sync(FULL, ws - w, warp), all = __shfl_sync(FULL, ws, 31);
        if (i < p.nQueries) at_rw<uint32_t>(p.starts)[i] = before + mine + s - n;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) at_rw<uint32_t>(p.starts)[p.nQueries] = before;
}

// gather_docs, a warp per tile, copies the tile's docIDs to their place.
KERNEL(gather_docs, GatherParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    uint32_t n = at<uint32_t>(p.counts)[tile];
    if (!n) return;
    const uint32_t *first = at<uint32_t>(p.queryTiles);
    uint32_t lo = 0, hi = p.nQueries; // the last query whose first tile is at or before this one
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) >> 1;
        if (__ldg(first + mid) <= tile) lo = mid;
        else hi = mid;
    }
    uint32_t to = at<uint32_t>(p.starts)[lo] + at<uint32_t>(p.tileStarts)[tile];
    const uint32_t *in = at<uint32_t>(p.in) + (uint64_t)tile * p.stride;
    for (uint32_t i = lane; i < n; i += 32)
        if (to + i < p.limit) at_rw<uint32_t>(p.out)[to + i] = in[i];
}
