// Scores of postings in fields, whose documents have norms of their own in each: what query.Scorer
// computes for lengths of tokens, for length codes, and for fields without lengths. All lanes of a
// warp score the same term, so that they branch alike.
#ifndef PINION_FIELDS_H
#define PINION_FIELDS_H
#include "list.h"

// norm_of returns the norm of a document: of a coded length, what its frequency is divided by.
DEV float norm_of(const FieldScore &f, uint32_t doc) {
    if (!f.norms) return __ldg(at<float>(f.codes) + 256);
    if (f.coded) return __ldg(at<float>(f.codes) + 256 + __ldg(at<uint8_t>(f.norms) + doc));
    return __ldg(at<float>(f.norms) + doc);
}

// coded_part is what the weight is divided by in the score of a posting with a coded length; inverse is
// 1/frequency.
DEV float coded_part(float norm, float inverse) { return __fadd_rn(1.0f, __fmul_rn(norm, inverse)); }

// field_score is query.Scorer.Score.
DEV float field_score(const FieldScore &f, float w, uint32_t tf, float norm) {
    if (!f.coded) return posting_score(w, tf, norm);
    return __fdiv_rn(w, coded_part(norm, __fdiv_rn(1.0f, __uint2float_rn(tf))));
}

// field_bound is block_bound (rank.h) in a field.
DEV float field_bound(const FieldScore &f, uint64_t quad, float w) {
    const float *codes = at<float>(f.codes);
    float max = 0;
#pragma unroll
    for (int i = 0; i < 4; i++, quad >>= 16) {
        float tf = __ldg(codes + (quad & 255)), norm = __ldg(codes + 256 + (quad >> 8 & 255));
        float s = f.coded ? __fdiv_rn(w, coded_part(norm, tf)) : __fsub_rn(w, __fdiv_rn(w, __fadd_rn(1.0f, __fmul_rn(tf, norm))));
        if (s > max) max = s;
    }
    return max;
}

#endif
