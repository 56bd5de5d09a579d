// One prefix sum over a whole list (Ding 2009, section 6), which the papers' sums within blocks,
// from a base per block, replace.
#include "../../kernels/cuda.h"
#include "params.h"

// The upper half of a tile's state: what the lower half is the sum of. A state is one word, so
// no fence orders it.
enum { OF_TILE = 1, OF_LIST = 2 };

DEV void publish(const PrefixParams &p, uint32_t t, uint32_t of, uint32_t sum) {
    *(volatile uint64_t *)(at_rw<uint64_t>(p.states) + t) = (uint64_t)of << 32 | sum;
}

// sum_before returns the sum of the list before tile t, which is not its first. The warp reads
// the states of 32 tiles at once, the nearest in lane 0, until one has the sum of the list.
DEV uint32_t sum_before(const PrefixParams &p, uint32_t t, int lane) {
    const volatile uint64_t *states = at<uint64_t>(p.states);
    for (uint32_t sum = 0;; t -= 32) {
        uint64_t s;
        uint32_t whole, wanted, missing;
        do {
            s = (uint32_t)lane < t ? states[t - 1 - lane] : (uint64_t)OF_LIST << 32;
            whole = __ballot_sync(FULL, s >> 32 == OF_LIST);
            wanted = whole ^ (whole - 1); // up to the nearest with the sum of the list
            missing = __ballot_sync(FULL, s >> 32 == 0) & wanted;
        } while (missing);
        uint32_t x = warp_scan(wanted >> lane & 1 ? (uint32_t)s : 0, lane);
        sum += __shfl_sync(FULL, x, 31);
        if (whole) return sum;
    }
}

// paper_prefix, a thread block per tile of PREFIX_TILE gaps, turns the gaps of lists into docIDs
// in one pass, with decoupled look-back (Merrill and Garland 2016): a tile adds up its gaps,
// publishes the sum, and takes sums of the tiles before it until one includes the list's
// beginning. Tiles are numbered as thread blocks start, so those before are at work.
//
// Bound: 8 bytes a docID, 4 read and 4 written; and 32 a tile. Counting first and scanning after
// it reads the gaps twice: 12 bytes. At 4.3 TB/s, at which an H200 copies, that is 540 G docIDs/s;
// measured on 20 M docIDs, with the launch and the clearing of states: 320 to 330 G/s. With a
// decoder that writes c + 4 bytes for a docID of c compressed, docIDs by one sum take c + 12
// bytes, those by sums in blocks c + 4.
KERNEL(paper_prefix, PrefixParams, 256, 6) {
    __shared__ uint32_t ticket, before, warps[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) ticket = atomicAdd(at_rw<uint32_t>(p.next), 1u);
    __syncthreads();
    uint32_t t = ticket;
    if (t >= p.nTiles) return;
    const PrefixTile tile = at<PrefixTile>(p.tiles)[t];
    const uint32_t *in = at<uint32_t>(p.in) + tile.at;
    uint32_t first = warp * (PREFIX_TILE / 8) + 4 * lane, all = 0;
    uint4 v[PREFIX_TILE / 1024];
#pragma unroll
    for (int r = 0; r < PREFIX_TILE / 1024; r++) { // p.out may be p.in: no read-only loads
        uint4 zero = {0, 0, 0, 0};
        v[r] = first + 128 * r < tile.n ? *reinterpret_cast<const uint4 *>(in + first + 128 * r) : zero;
    }
#pragma unroll
    for (int r = 0; r < PREFIX_TILE / 1024; r++) {
        v[r].y += v[r].x;
        v[r].z += v[r].y;
        v[r].w += v[r].z;
        uint32_t sum = warp_scan(v[r].w, lane), add = all + sum - v[r].w;
        v[r].x += add;
        v[r].y += add;
        v[r].z += add;
        v[r].w += add;
        all += __shfl_sync(FULL, sum, 31);
    }
    if (lane == 0) warps[warp] = all;
    __syncthreads();
    uint32_t add = 0, total = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) {
        if (w == warp) add = total;
        total += warps[w];
    }
    if (warp == 0) {
        uint32_t sum = FULL; // the docID before a list's first
        if (!tile.first) {
            if (lane == 0) publish(p, t, OF_TILE, total);
            sum = sum_before(p, t, lane);
        }
        if (lane == 0) {
            publish(p, t, OF_LIST, sum + total);
            before = sum;
        }
    }
    __syncthreads();
    add += before;
    uint32_t *out = at_rw<uint32_t>(p.out) + tile.at;
#pragma unroll
    for (int r = 0; r < PREFIX_TILE / 1024; r++) {
        v[r].x += add;
        v[r].y += add;
        v[r].z += add;
        v[r].w += add;
        if (first + 128 * r < tile.n) *reinterpret_cast<uint4 *>(out + first + 128 * r) = v[r];
    }
}
