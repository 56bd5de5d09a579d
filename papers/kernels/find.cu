// Parallel Merge Find by levels of recursion, one launch each, and the compaction of what it
// finds (Ding 2009, section 7), on uncompressed lists.
#include "../../kernels/cuda.h"
#include "lower.h"
#include "keep.h"

// paper_find, a thread per splitter, finds every stride-th element of a in b, between those of
// the level before. The direct algorithm is one launch with stride 1; with n levels there are
// n launches before it.
//
// Bound, per splitter: log2 of the length of its section of b dependent loads, 4 bytes of a,
// 4 written. With strides a factor of 16 apart and lists of like lengths that is four or five
// loads in a section of 64 bytes; all launches of three levels write 1.07 words an element of
// a. On long lists the direct algorithm reads log2(nb) sectors an element, of which those
// near the top are in cache.
KERNEL(paper_find, FindParams, 256, 8) {
    uint32_t na = counted(p.count, p.na), m = (na + p.stride - 1) / p.stride;
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t *to = at_rw<uint32_t>(p.to);
    if (i == m && p.stride > 1) to[m] = p.nb;
    if (i >= m) return;
    uint32_t e = i * p.stride, lo = 0, hi = p.nb;
    if (p.from) {
        const uint32_t *from = at<uint32_t>(p.from) + e / p.parent;
        lo = __ldg(from);
        hi = __ldg(from + 1);
    }
    to[i] = lower(at<uint32_t>(p.b), __ldg(at<uint32_t>(p.a) + e), lo, hi);
}

// kept reports whether element i is kept.
DEV bool kept(const KeepParams &p, uint32_t i) {
    uint32_t pos = __ldg(at<uint32_t>(p.positions) + i);
    return pos < p.nb && (!p.b || __ldg(at<uint32_t>(p.b) + pos) == __ldg(at<uint32_t>(p.a) + i));
}

// paper_count, a thread block per tile of KEEP_TILE, counts kept elements. Bound: 8 bytes an
// element, and a sector of b.
KERNEL(paper_count, KeepParams, 256, 8) {
    count_tile(counted(p.count, p.na), p.counts, [&](uint32_t i) { return kept(p, i); });
}

// paper_keep, after paper_count and scan_queries, puts kept elements together. Bound: as
// paper_count, and 8 to 20 bytes a kept element.
KERNEL(paper_keep, KeepParams, 256, 8) {
    __shared__ uint32_t warps[8];
    place_tile(counted(p.count, p.na), p.starts, warps, [&](uint32_t i) { return kept(p, i); }, [&](uint32_t i, uint32_t rank, bool in) {
        if (!in) return;
        at_rw<uint32_t>(p.out)[rank - 1] = __ldg(at<uint32_t>(p.a) + i);
        if (p.outPositions) at_rw<uint32_t>(p.outPositions)[rank - 1] = __ldg(at<uint32_t>(p.positions) + i);
        if (p.outScores) at_rw<float>(p.outScores)[rank - 1] = __ldg(at<float>(p.scores) + i);
    });
}
