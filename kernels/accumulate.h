// Adding scores to accumulators, one per document (disjunct.cu).
//
// An accumulator is initially minus zero. Scores are never negative, so adding the first
// gives exactly that score, and the sign bit tells whether any was added.
#ifndef PINION_ACCUMULATE_H
#define PINION_ACCUMULATE_H
#include "fields.h"

#define UNTOUCHED 0x80000000u

// add_block adds the scores of a block's postings with docIDs in [lo, hi) to acc, the
// accumulators from lo on. DocIDs of a list are distinct, so no atomics are needed, and a
// lane may load all its accumulators first. With FIELDS the list is one of field.
template <bool FIELDS>
DEV void add_block(const QueryDesc &q, const FieldScore *field, const ListDesc &l, float w, uint32_t j, uint32_t lo, uint32_t hi, float *acc, int lane) {
    Freqs f;
    f.begin(l, j);
    each_docs(l, j, lane, [&](uint32_t c, uint4 v, uint32_t count) {
        uint4 fv = f.get(c, lane);
        uint32_t d[4] = {v.x, v.y, v.z, v.w}, tf[4] = {fv.x, fv.y, fv.z, fv.w};
        float norm[4], old[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (4 * lane + k >= count || d[k] < lo || d[k] >= hi) continue;
            norm[k] = FIELDS ? norm_of(*field, d[k]) : __ldg(at<float>(q.norms) + d[k]);
            old[k] = acc[d[k] - lo];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (4 * lane + k >= count || d[k] < lo || d[k] >= hi) continue;
            acc[d[k] - lo] = __fadd_rn(old[k], FIELDS ? field_score(*field, w, tf[k], norm[k]) : posting_score(w, tf[k], norm[k]));
        }
    });
}

#endif
