// Adding scores to accumulators, one per document: shared by the two kinds of
// disjunctions that use accumulators (disjunct.cu, accumulate.cu).
//
// An accumulator is initially minus zero. Scores are never negative, so adding the first
// gives exactly that score, and the sign bit tells whether any was added.
#ifndef PINION_ACCUMULATE_H
#define PINION_ACCUMULATE_H
#include "list.h"

#define UNTOUCHED 0x80000000u

// add_block adds the scores of a block's postings with docIDs in [lo, hi) to acc, the
// accumulators from lo on. DocIDs of a list are distinct, so no atomics are needed, and a
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

// accumulate_share is the body of a kernel: a thread block adds one share of a list, a
// warp per block. Adjacent thread blocks process the same share of different lists, that
// is, roughly the same documents, whose norms are then in L2.
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
