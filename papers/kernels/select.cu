// Two ways to select the best of n scores on the GPU beside levels of maxima: sorting all of
// them, and bucket select (Griffin 2018, section 3.1.3, after Alabi 2012).
#include "../../kernels/list.h"
#include "params.h"

// Scored is a score inverted, so that the greatest comes first, and its docID.
struct Scored { uint32_t key, doc; };

DEV Scored scored(const RadixParams &p, uint32_t i) {
    uint32_t v = __ldg(at<uint32_t>(p.in) + i);
    Scored s;
    s.key = p.docs ? v : ~v;
    s.doc = p.docs ? __ldg(at<uint32_t>(p.docs) + i) : i;
    return s;
}

// paper_radix_count, a thread block per tile of RADIX_TILE, counts digits. Bound: 4 bytes a
// score, and 1 KB written a tile.
KERNEL(paper_radix_count, RadixParams, 256, 8) {
    __shared__ uint32_t bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    uint32_t first = blockIdx.x * RADIX_TILE;
#pragma unroll
    for (uint32_t r = threadIdx.x; r < RADIX_TILE; r += 256)
        if (first + r < p.n) atomicAdd(&bins[scored(p, first + r).key >> p.shift & 255], 1u);
    __syncthreads();
    at_rw<uint32_t>(p.counts)[threadIdx.x * p.tiles + blockIdx.x] = bins[threadIdx.x];
}

// paper_radix_scan, a thread block per digit, scans the digit's counts over the tiles. Bound:
// 1/512 of a word a score read and written.
KERNEL(paper_radix_scan, RadixParams, 256, 8) {
    __shared__ uint32_t sums[8];
    uint32_t *counts = at_rw<uint32_t>(p.counts) + blockIdx.x * p.tiles, before = 0;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (uint32_t base = 0; base < p.tiles; base += 256) {
        uint32_t i = base + threadIdx.x, n = i < p.tiles ? counts[i] : 0, s = warp_scan(n, lane), mine = 0, all = 0;
        if (lane == 31) sums[warp] = s;
        __syncthreads();
#pragma unroll
        for (int w = 0; w < 8; w++) {
            if (w == warp) mine = all;
            all += sums[w];
        }
        if (i < p.tiles) counts[i] = before + mine + s - n;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) at_rw<uint32_t>(p.totals)[blockIdx.x] = before;
}

// paper_radix_place, a thread block per tile, puts scores in the order of their digits. Bound:
// 8 bytes read and 8 written a score; for four passes with the counting 72 bytes a score, so
// 45 G scores/s at 3.3 TB/s; below 100,000 scores, three launches a pass, 30 us.
KERNEL(paper_radix_place, RadixParams, 256, 8) {
    __shared__ uint32_t next[256], warps[8][256], sums[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t total = at<uint32_t>(p.totals)[threadIdx.x], s = warp_scan(total, lane);
    if (lane == 31) sums[warp] = s;
    __syncthreads();
    for (int w = 0; w < warp; w++) s += sums[w];
    next[threadIdx.x] = s - total + at<uint32_t>(p.counts)[threadIdx.x * p.tiles + blockIdx.x];
    uint32_t first = blockIdx.x * RADIX_TILE;
    for (uint32_t r = 0; r < RADIX_TILE && first + r < p.n; r += 256) {
#pragma unroll
        for (int w = 0; w < 8; w++) warps[w][threadIdx.x] = 0;
        __syncthreads();
        uint32_t i = first + r + threadIdx.x;
        bool in = i < p.n;
        Scored x = {0, 0};
        if (in) x = scored(p, i);
        uint32_t digit = x.key >> p.shift & 255, same = __ballot_sync(FULL, in);
#pragma unroll
        for (int b = 0; b < 8; b++) {
            uint32_t vote = __ballot_sync(FULL, digit >> b & 1);
            same &= digit >> b & 1 ? vote : ~vote;
        }
        uint32_t rank = __popc(same & ((1u << lane) - 1));
        if (in && rank == 0) warps[warp][digit] = __popc(same);
        __syncthreads();
        uint32_t at_ = next[threadIdx.x];
#pragma unroll
        for (int w = 0; w < 8; w++) {
            uint32_t n = warps[w][threadIdx.x];
            warps[w][threadIdx.x] = at_;
            at_ += n;
        }
        next[threadIdx.x] = at_;
        __syncthreads();
        if (in) {
            uint32_t to = warps[warp][digit] + rank;
            at_rw<uint32_t>(p.out)[to] = x.key;
            at_rw<uint32_t>(p.outDocs)[to] = x.doc;
        }
        __syncthreads();
    }
}

DEV unsigned long long key_of(const BucketParams &p, uint32_t i) {
    float s = i < p.n ? __ldg(at<float>(p.scores) + i) : 0;
    return s > 0 ? hit_key(s, i) : 0;
}

// bucket_of returns the bucket of a key from lo on. It rises with the key.
DEV uint32_t bucket_of(unsigned long long x, unsigned long long lo, float scale) {
    float b = __fmul_rn((float)(x - lo), scale);
    return b < BUCKETS - 1 ? (uint32_t)b : BUCKETS - 1;
}

// paper_range finds the least and the greatest key of the bucket that was picked last. Bound: 4
// bytes a score.
KERNEL(paper_range, BucketParams, 256, 8) {
    BucketState *s = at_rw<BucketState>(p.state);
    if (s->done) return;
    unsigned long long lo = s->lo, hi = s->hi, least = ~0ull, most = 0;
    float scale = s->scale;
    uint32_t bucket = s->bucket;
    for (uint32_t i = blockIdx.x * 256 + threadIdx.x; i < p.n; i += gridDim.x * 256) {
        unsigned long long x = key_of(p, i);
        if (!x || x < lo || x > hi || (scale > 0 && bucket_of(x, lo, scale) != bucket)) continue;
        if (x < least) least = x;
        if (x > most) most = x;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        unsigned long long a = __shfl_xor_sync(FULL, least, d), b = __shfl_xor_sync(FULL, most, d);
        if (a < least) least = a;
        if (b > most) most = b;
    }
    if ((threadIdx.x & 31) || !most) return;
    atomicMin(&s->nextLo, least);
    atomicMax(&s->nextHi, most);
}

// scale_of returns the buckets per key between two keys.
DEV float scale_of(unsigned long long lo, unsigned long long hi) {
    return __fdiv_rn((float)BUCKETS, __fadd_rn((float)(hi - lo), 1.0f));
}

// paper_buckets counts the keys of that range by bucket. Bound: 4 bytes a score, and an atomic
// operation in shared memory for each in the range.
KERNEL(paper_buckets, BucketParams, 256, 8) {
    __shared__ uint32_t bins[BUCKETS];
    const BucketState *s = at<BucketState>(p.state);
    if (s->done) return;
    for (uint32_t b = threadIdx.x; b < BUCKETS; b += 256) bins[b] = 0;
    __syncthreads();
    unsigned long long lo = s->nextLo, hi = s->nextHi;
    float scale = scale_of(lo, hi);
    for (uint32_t i = blockIdx.x * 256 + threadIdx.x; i < p.n; i += gridDim.x * 256) {
        unsigned long long x = key_of(p, i);
        if (x && x >= lo && x <= hi) atomicAdd(&bins[bucket_of(x, lo, scale)], 1u);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < BUCKETS; b += 256)
        if (bins[b]) atomicAdd(at_rw<uint32_t>(p.counts) + b, bins[b]);
}

// paper_pick, one thread block, picks the bucket of the last key to select. Bound: a launch.
KERNEL(paper_pick, BucketParams, 1024, 1) {
    __shared__ uint32_t sums[32];
    BucketState *s = at_rw<BucketState>(p.state);
    if (s->done) return;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t *counts = at_rw<uint32_t>(p.counts), b = BUCKETS - 1 - threadIdx.x; // from the top
    uint32_t n = counts[b], sum = warp_scan(n, lane), want = s->want;
    unsigned long long lo = s->nextLo, hi = s->nextHi;
    counts[b] = 0;
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++) sum += sums[w];
    uint32_t all = 0;
    for (int w = 0; w < 32; w++) all += sums[w];
    bool last = all < want ? b == 0 : sum >= want && sum - n < want; // of fewer keys than wanted all
    if (!last) return;
    s->lo = lo;
    s->hi = hi;
    s->scale = scale_of(lo, hi);
    s->bucket = b;
    s->want = want - (sum - n);
    s->done = all < want || s->want == n;
    s->nextLo = ~0ull;
    s->nextHi = 0;
}

// paper_selected puts the selected keys together, in any order. Bound: 4 bytes a score.
KERNEL(paper_selected, BucketParams, 256, 8) {
    const BucketState *s = at<BucketState>(p.state);
    if (!s->done) return;
    for (uint32_t i = blockIdx.x * 256 + threadIdx.x; i < p.n; i += gridDim.x * 256) {
        unsigned long long x = key_of(p, i);
        if (!x || x < s->lo || (x <= s->hi && bucket_of(x, s->lo, s->scale) < s->bucket)) continue;
        uint32_t to = atomicAdd(at_rw<uint32_t>(p.outCount), 1u);
        if (to < p.k) at_rw<uint64_t>(p.out)[to] = x;
    }
}
