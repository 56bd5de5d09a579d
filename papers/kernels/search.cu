// Conjunctions over resident uncompressed lists by the search algorithms of Ao 2011: one
// thread for each docID of each query's first list looks it up in the query's other
// lists, shortest first, until one lacks it (PARA, section 3.1). The found docIDs of a
// tile are put together; sum_tiles, scan_queries and gather_docs do the rest.
//
// What all have in common, per docID of a first list: 4 bytes read, and for each other
// list of the query its descriptor, which the whole thread block shares. Bounds below are
// per docID and list searched, for a list of n docIDs. A load beyond the top of a search
// touches a sector of 32 bytes of its own: neighboring threads look for neighboring docIDs
// and share sectors only where the list is as dense as theirs.
//
// A warp issues 87 instructions for a tile (code for sm_90), and for each list what is given
// below, with the steps of the slowest of its docIDs. On GOV at full size a warp with binary
// search issues 545, with HS16 289; its loads touch 111 and 78 sectors, 56 and 25 of them
// distinct. So HS16 gains 1.4 times if L1 bounds both, 1.9 if instructions do, 2.2 if L2 does.
#include "../../kernels/cuda.h"
#include "../../kernels/params.h"
#include "lower.h"
#include "params.h"

// multiprocessor returns the number of the multiprocessor that the thread runs on.
DEV uint32_t multiprocessor() {
#ifdef PINION_EMU
    return 0;
#else
    uint32_t i;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(i));
    return i;
#endif
}

// has searches docs[lo:hi] by halves.
DEV bool has(const uint32_t *docs, uint32_t lo, uint32_t hi, uint32_t x) {
    uint32_t end = hi;
    lo = lower(docs, x, lo, hi);
    return lo < end && __ldg(docs + lo) == x;
}

DEV bool find_bs(const RawList &l, uint32_t x) { return has(at<uint32_t>(l.docs), 0, l.n, x); }

DEV bool find_is(const RawList &l, uint32_t x) {
    const uint32_t *docs = at<uint32_t>(l.docs);
    int lo = 0, hi = (int)l.n - 1;
    while (lo <= hi) {
        uint32_t a = __ldg(docs + lo), b = __ldg(docs + hi);
        if (x < a || x > b) return false;
        if (a == b) return true;
        int m = lo + (int)__fmul_rn(__fdiv_rn(__uint2float_rn(x - a), __uint2float_rn(b - a)), __uint2float_rn(hi - lo));
        if (m > hi) m = hi;
        uint32_t v = __ldg(docs + m);
        if (v == x) return true;
        if (v < x) lo = m + 1;
        else hi = m - 1;
    }
    return false;
}

// safe_range returns the range of positions below n that a docID of a list can have by its line.
DEV uint2 safe_range(float slope, float intercept, uint32_t left, uint32_t right, uint32_t n, uint32_t x) {
    int at = __float2int_rd(__fadd_rn(__fmul_rn(__uint2float_rn(x), slope), intercept));
    int lo = at - (int)left, hi = at + (int)right + 1;
    if (lo < 0) lo = 0;
    if (hi > (int)n) hi = (int)n;
    return make_uint2((uint32_t)lo, (uint32_t)(hi < lo ? lo : hi));
}

DEV bool find_lr(const RawList &l, uint32_t x) {
    uint2 r = safe_range(l.slope, l.intercept, l.left, l.right, l.n, x);
    return has(at<uint32_t>(l.docs), r.x, r.y, x);
}

DEV bool find_lr_local(const RawList &l, uint32_t x) {
    const uint32_t *heads = at<uint32_t>(l.aux), *docs = at<uint32_t>(l.docs);
    uint32_t s = lower(heads, x + 1, 0, l.parts); // the first head above x
    if (s == 0) return false;
    uint32_t first = (s - 1) * l.step, n = l.n - first < l.step ? l.n - first : l.step;
    const RawLine line = at<RawLine>(l.lines)[s - 1];
    uint2 r = safe_range(line.slope, line.intercept, line.left, line.right, n, x);
    return has(docs + first, r.x, r.y, x);
}

DEV bool find_hs(const RawList &l, uint32_t x) {
    uint32_t h = x >> l.shift;
    if (h >= l.parts) return false;
    const uint32_t *starts = at<uint32_t>(l.aux) + h;
    return has(at<uint32_t>(l.docs), __ldg(starts), __ldg(starts + 1), x);
}

// element returns element i of a bucket.
DEV uint32_t element(const RawBucket &b, const uint32_t *payload, uint32_t i) {
    uint32_t bit = i * b.width;
    const uint32_t *p = payload + b.word + (bit >> 5);
    uint32_t v = __funnelshift_r(__ldg(p), __ldg(p + 1), bit & 31);
    v &= b.width ? FULL >> (32 - b.width) : 0;
    return b.base + (uint32_t)__float2int_rd(__fmul_rn(__uint2float_rn(i), b.slope)) + v;
}

DEV bool find_hs_lrc(const RawList &l, uint32_t x) {
    uint32_t h = x >> l.shift;
    if (h >= l.parts) return false;
    const uint32_t *starts = at<uint32_t>(l.aux) + h, *payload = at<uint32_t>(l.payload);
    uint32_t n = __ldg(starts + 1) - __ldg(starts);
    if (n == 0) return false;
    const RawBucket b = at<RawBucket>(l.lines)[h];
    if ((int)(x - b.base) < 0) return false; // base may be below zero
    uint2 r = safe_range(b.inverse, 0, b.left, b.right, n, x - b.base);
    uint32_t lo = r.x, hi = r.y, end = r.y;
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (element(b, payload, mid) < x) lo = mid + 1;
        else hi = mid;
    }
    return lo < end && element(b, payload, lo) == x;
}

// search_tiles looks the docIDs of a tile up. With claims, the blocks take tiles as they
// come.
template <bool (*FIND)(const RawList &, uint32_t)> DEV void search_tiles(const SearchParams &p, uint32_t *shared) {
    if (p.sms && multiprocessor() >= p.sms) return;
    uint32_t tile = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const RawList *lists = at<RawList>(p.lists);
    for (;;) {
        if (p.claim) {
            if (threadIdx.x == 0) shared[4] = atomicAdd(at_rw<uint32_t>(p.claim), 1u);
            __syncthreads();
            tile = shared[4];
        }
        if (tile >= p.nTiles) return;
        const Tile t = at<Tile>(p.tiles)[tile];
        const RawQuery q = at<RawQuery>(p.queries)[t.job];
        const uint32_t *terms = at<uint32_t>(p.terms) + q.first;
        const RawList &first = lists[__ldg(terms)];
        uint32_t i = t.first + threadIdx.x, x = 0;
        bool in = i < first.n;
        if (in) x = __ldg(at<uint32_t>(first.docs) + i);
        for (uint32_t k = 1; k < q.n && in; k++) in = FIND(lists[__ldg(terms + k)], x);
        uint32_t vote = __ballot_sync(FULL, in);
        if (lane == 0) shared[warp] = __popc(vote);
        __syncthreads();
        uint32_t before = __popc(vote & ((1u << lane) - 1)), all = 0;
#pragma unroll
        for (uint32_t w = 0; w < SEARCH_TILE / 32; w++) {
            if (w == warp) before += all;
            all += shared[w];
        }
        if (in) at_rw<uint32_t>(p.out)[(uint64_t)tile * SEARCH_TILE + before] = x;
        if (threadIdx.x == 0) at_rw<uint32_t>(p.counts)[tile] = all;
        if (!p.claim) return;
        __syncthreads();
    }
}

// paper_bs is binary search (section 3.2). Bound: log2(n) + 1 dependent loads, of which
// the first log2(n / 128) or so find their sectors in L1 or L2; 26 instructions and 9 a step.
KERNEL(paper_bs, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_bs>(p, shared);
}

// paper_is is interpolation search (section 3.3). Bound: 3 loads, of which two do not
// depend on each other, and a division for each step; log2(log2(n)) steps on uniform
// lists, up to n on others, and a warp takes as many as its slowest thread.
KERNEL(paper_is, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_is>(p, shared);
}

// paper_lr is binary search in the safe range of the list's line (section 3.3). Bound:
// log2(contraction * n) + 1 dependent loads, and an addition, a multiplication and two
// conversions of floats.
KERNEL(paper_lr, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_lr>(p, shared);
}

// paper_lr_local is the same with a line for each segment, which is searched for first.
// Bound: log2(parts) loads of heads, 16 bytes of the line, and log2(contraction * step) + 1.
KERNEL(paper_lr_local, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_lr_local>(p, shared);
}

// paper_hs is HSn: binary search in the bucket of the docID's leading bits (section 3.4).
// Bound: 8 bytes of two starts, which are one sector, and log2(mean bucket) + 1 dependent
// loads: for HS16 four or five, within two or three sectors; 33 instructions and 9 a step.
KERNEL(paper_hs, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_hs>(p, shared);
}

// paper_hs_lrc is HSn_LRC: each bucket is a segment of SegLRC, and is searched by single
// elements in the safe range of its line (section 4.3). First lists are uncompressed
// here. Bound: 8 bytes of starts, 32 of the bucket, and 8 bytes for each of log2(contraction
// * bucket) + 1 elements; all of a bucket of 256 at 8 bits is 8 sectors.
KERNEL(paper_hs_lrc, SearchParams, 128, 16) {
    __shared__ uint32_t shared[5];
    search_tiles<find_hs_lrc>(p, shared);
}
