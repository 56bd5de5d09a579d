// Scores added to accumulators, one for each document: what the disjunctions that keep
// accumulators share (disjunct.cu, accumulate.cu).
//
// An accumulator that no posting has touched holds minus zero. No score is below zero,
// so adding the first gives that score to the bit, and the sign says whether there was one.
#ifndef PINION_ACCUMULATE_H
#define PINION_ACCUMULATE_H
#include "list.h"

#define UNTOUCHED 0x80000000u

// add_block adds the scores of one block's postings in [lo, hi) to acc, which holds the
// accumulators from lo on. docIDs within a list are distinct, so nothing is atomic and a
// lane may load all its accumulators first.
DEV void add_block(const QueryDesc &q, const ListDesc &l, float w, uint32_t j, uint32_t lo, uint32_t hi, float *acc,
                   int lane) {
    Freqs f;
    f.begin(l, j);
    each_docs(l, j, lane, [&](uint32_t c, uint4 v, uint32_t count) {
        uint4 fv = f.get(c, lane);
        uint32_t d[4] = {v.x, v.y, v.z, v.w}, tf[4] = {fv.x, fv.y, fv.z, fv.w};
        float norm[4], old[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (4 * lane + k >= count || d[k] < lo || d[k] >= hi) continue;
            norm[k] = __ldg(at<float>(q.norms) + d[k]);
            old[k] = acc[d[k] - lo];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (4 * lane + k >= count || d[k] < lo || d[k] >= hi) continue;
            acc[d[k] - lo] = __fadd_rn(old[k], posting_score(w, tf[k], norm[k]));
        }
    });
}

// accumulate_share is the whole of a kernel: one share of one list a thread block, a
// warp a block of it. Neighbouring thread blocks take the same share of different lists,
// and so about the same documents, whose norms then come from L2.
DEV void accumulate_share(const AccumulateParams &p) {
    uint32_t part = blockIdx.x % p.nParts, share = blockIdx.x / p.nParts;
    if (share >= p.shares) return;
    const QueryDesc q = at<QueryDesc>(p.queries)[at<uint32_t>(p.parts)[part]];
    const Term t = at<Term>(p.terms)[q.firstTerm + p.rank];
    const ListDesc l = at<ListDesc>(p.lists)[t.list];
    uint32_t end = (uint32_t)((uint64_t)l.nb * (share + 1) / p.shares);
    for (uint32_t j = (uint32_t)((uint64_t)l.nb * share / p.shares) + (threadIdx.x >> 5); j < end; j += blockDim.x >> 5)
        add_block(q, l, t.weight, j, 0, q.docs, at_rw<float>(q.out), threadIdx.x & 31);
}

#endif
