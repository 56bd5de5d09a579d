// What rules out documents and blocks by bounds on scores, given a floor: the best known k-th key.
#ifndef PINION_PRUNE_H
#define PINION_PRUNE_H
#include "fields.h"

// Pruner decides by a bound on its score whether a document can be among the top k.
struct Pruner {
    uint64_t floor;
    float cut; // lower sums cannot reach the floor, even with rounding; or -1

    DEV_MEMBER void begin(uint64_t key) {
        floor = key;
        cut = key ? __fmul_rn(__uint_as_float((uint32_t)(key >> 32)), 0.99999f) : -1.0f;
    }
    // leave lowers the cut by the most that is added to sums after all terms.
    DEV_MEMBER void leave(float most) {
        if (cut >= 0) cut = __fsub_rn(cut, most);
    }
    DEV_MEMBER bool can(float sum) const { return sum >= cut; }
};

// block_bound returns a score that no posting of block j exceeds.
DEV float block_bound(const ListDesc &l, uint32_t j, float w, const float *codes) {
    uint64_t quad = __ldg(at<unsigned long long>(l.quads) + j);
    float max = 0;
#pragma unroll
    for (int i = 0; i < 4; i++, quad >>= 16) {
        float tf = __ldg(codes + (quad & 255)), norm = __ldg(codes + 256 + (quad >> 8 & 255));
        float s = __fsub_rn(w, __fdiv_rn(w, __fadd_rn(1.0f, __fmul_rn(tf, norm))));
        if (s > max) max = s;
    }
    return max;
}

#endif
