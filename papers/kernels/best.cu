// The best k candidates by two or three levels of maxima of groups of 512, for k up to several
// thousand (Ding 2009, section 8).
#include "../../kernels/list.h"
#include "keep.h"

// candidate returns the key of candidate i, or 0.
DEV uint64_t candidate(const BestParams &p, uint32_t n, uint32_t i) {
    if (i >= n) return 0;
    float s = at<float>(p.scores)[i];
    return s > 0 ? hit_key(s, p.docs ? __ldg(at<uint32_t>(p.docs) + i) : i) : 0;
}

// groups returns the number of maxima of a level for n candidates.
DEV uint32_t groups(uint32_t n, uint32_t level) {
    for (uint32_t l = 0; l <= level; l++) n = (n + GROUP - 1) / GROUP;
    return n;
}

DEV uint64_t warp_best(uint64_t x) {
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        uint64_t y = __shfl_xor_sync(FULL, (unsigned long long)x, d);
        if (y > x) x = y;
    }
    return x;
}

// paper_maxima, a thread block per group of a level, finds its maximum. Bound: 4 or 8 bytes a
// candidate, once; 1/512 of that for the next level.
KERNEL(paper_maxima, BestParams, 128, 16) {
    __shared__ uint64_t warps[4];
    uint32_t n = counted(p.count, p.n), g = blockIdx.x;
    if (g >= groups(n, p.level)) return;
    uint32_t below = p.level ? groups(n, p.level - 1) : n;
    uint64_t x = 0;
#pragma unroll
    for (uint32_t k = threadIdx.x; k < GROUP; k += 128) {
        uint32_t i = g * GROUP + k;
        uint64_t y = !p.level ? candidate(p, n, i) : i < below ? at<uint64_t>(p.maxima[p.level - 1])[i] : 0;
        if (y > x) x = y;
    }
    x = warp_best(x);
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = x;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < 4; w++)
        if (warps[w] > x) x = warps[w];
    at_rw<uint64_t>(p.maxima[p.level])[g] = x;
}

// block_best returns the greatest x of the thread block of 512.
DEV uint64_t block_best(uint64_t x, uint64_t *warps) {
    x = warp_best(x);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = x;
    __syncthreads();
    for (uint32_t w = 0; w < GROUP / 32; w++)
        if (warps[w] > x) x = warps[w];
    return x;
}

// paper_extract, one thread block, takes the greatest key k times: it goes down from the top
// level to the group that the key came from, and puts the group's next key into the maxima on
// the way. Groups are read whole, 512 keys at once. Bound: for each of k keys a load and a
// reduction for each level and the candidates, about 0.7 us each: 2 to 3 us a key.
KERNEL(paper_extract, BestParams, 512, 1) {
    __shared__ uint64_t warps[GROUP / 32];
    __shared__ uint32_t found;
    uint32_t n = counted(p.count, p.n), top = p.levels - 1, taken = 0;
    uint32_t size[3] = {groups(n, 0), groups(n, 1), groups(n, 2)};
    for (; taken < p.k; taken++) {
        // At each level: the greatest key, where it is, and the greatest of the others.
        uint64_t key = 0, others[3] = {0, 0, 0};
        uint32_t path[3] = {0, 0, 0}, group = 0;
        for (int l = (int)top; l >= 0; l--) {
            uint32_t i = group * GROUP + threadIdx.x;
            uint64_t x = i < size[l] ? at<uint64_t>(p.maxima[l])[i] : 0;
            if (l == (int)top) key = block_best(x, warps);
            if (!key) break;
            if (x == key) found = i;
            others[l] = block_best(x == key ? 0 : x, warps);
            path[l] = group = found;
            __syncthreads(); // before the next level's thread writes found
        }
        if (!key) break;
        uint64_t x = candidate(p, n, group * GROUP + threadIdx.x);
        uint64_t next = block_best(x < key ? x : 0, warps);
        if (threadIdx.x == 0) {
            at_rw<uint64_t>(p.out)[taken] = key;
            for (uint32_t l = 0; l <= top; l++) {
                at_rw<uint64_t>(p.maxima[l])[path[l]] = next;
                if (others[l] > next) next = others[l];
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *at_rw<uint32_t>(p.outCount) = taken;
}
