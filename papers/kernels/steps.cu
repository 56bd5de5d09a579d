// The steps of a query of Ding 2009, section 8, one launch each, so that events between them
// tell their times: which blocks of a list are needed, their decoding, the search in them, and
// scoring. The steps in between are in find.cu.
#include "../../kernels/list.h"
#include "keep.h"

DEV bool is_head(const HeadParams &p, uint32_t i) {
    const uint32_t *blocks = at<uint32_t>(p.blocks);
    uint32_t j = __ldg(blocks + i);
    return j < p.nb && (i == 0 || __ldg(blocks + i - 1) != j);
}

// paper_count_heads and paper_place_heads make the list of blocks to decode from the block of
// each candidate, which paper_find finds in the skip header. Bound: 8 bytes a candidate each,
// and 4 to 8 written.
KERNEL(paper_count_heads, HeadParams, 256, 8) {
    count_tile(counted(p.count, p.na), p.counts, [&](uint32_t i) { return is_head(p, i); });
}
KERNEL(paper_place_heads, HeadParams, 256, 8) {
    __shared__ uint32_t warps[8];
    place_tile(counted(p.count, p.na), p.starts, warps, [&](uint32_t i) { return is_head(p, i); }, [&](uint32_t i, uint32_t rank, bool head) {
        at_rw<uint32_t>(p.ranks)[i] = rank - 1;
        if (head) at_rw<uint32_t>(p.out)[rank - 1] = __ldg(at<uint32_t>(p.blocks) + i);
    });
}

// paper_decode, a warp per block, decodes blocks of 128 of any codec. Bound: decoding, and 4
// or 8 bytes written a posting.
KERNEL(paper_decode, BlockParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t i = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (i >= counted(p.count, p.n)) return;
    const ListDesc l = *at<ListDesc>(p.list);
    uint32_t j = p.blocks ? __ldg(at<uint32_t>(p.blocks) + i) : i;
    uint32_t *docs = at_rw<uint32_t>(p.docs) + 128 * (uint64_t)i + 4 * lane, k = 4 * lane;
    each_docs(l, j, lane, [&](uint32_t, uint4 v, uint32_t count) {
        if (k >= count) v.x = FULL;
        if (k + 1 >= count) v.y = FULL;
        if (k + 2 >= count) v.z = FULL;
        if (k + 3 >= count) v.w = FULL;
        *reinterpret_cast<uint4 *>(docs) = v;
    });
    if (!p.freqs) return;
    Freqs f;
    f.begin(l, j);
    *reinterpret_cast<uint4 *>(at_rw<uint32_t>(p.freqs) + 128 * (uint64_t)i + 4 * lane) = f.get(0, lane);
}

// paper_within, a thread per candidate, searches for it in its decoded block. Bound: 12 bytes,
// seven dependent loads within 512 bytes, 4 written.
KERNEL(paper_within, WithinParams, 256, 8) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= counted(p.count, p.na)) return;
    uint32_t j = __ldg(at<uint32_t>(p.blocks) + i), pos = FULL;
    if (j < p.nb) {
        const uint32_t *docs = at<uint32_t>(p.docs) + 128 * (uint64_t)__ldg(at<uint32_t>(p.ranks) + i);
        uint32_t x = __ldg(at<uint32_t>(p.a) + i), k = 0;
#pragma unroll
        for (uint32_t s = 64; s; s >>= 1)
            if (__ldg(docs + k + s - 1) < x) k += s;
        if (__ldg(docs + k) == x) pos = 128 * j + k;
    }
    at_rw<uint32_t>(p.positions)[i] = pos;
}

// paper_score, a thread per candidate, fetches its frequency without decoding the block, and
// adds its score. Bound: 12 bytes, a norm and a frequency, each a sector of its own where
// candidates are rare, and 4 written.
KERNEL(paper_score, ScoreParams, 256, 4) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= counted(p.count, p.n)) return;
    const ListDesc l = *at<ListDesc>(p.list);
    uint32_t pos = p.positions ? __ldg(at<uint32_t>(p.positions) + i) : i;
    float norm = __ldg(at<float>(p.norms) + __ldg(at<uint32_t>(p.docs) + i));
    float s = posting_score(p.weight, freq_at(l, pos >> 7, pos & 127), norm);
    float *score = at_rw<float>(p.scores) + i;
    *score = p.first ? s : __fadd_rn(*score, s);
}

// paper_add, a thread per posting, adds scores to the accumulators of all documents. Bound: 8
// bytes, a norm, and an accumulator read and written, each a sector where the list is sparse.
KERNEL(paper_add, ScoreParams, 256, 8) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    uint32_t d = __ldg(at<uint32_t>(p.docs) + i);
    float s = posting_score(p.weight, __ldg(at<uint32_t>(p.freqs) + i), __ldg(at<float>(p.norms) + d));
    float *score = at_rw<float>(p.scores) + d;
    *score = __fadd_rn(*score, s);
}
