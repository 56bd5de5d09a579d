// The search that the kernels of this folder share.
#ifndef PINION_PAPER_LOWER_H
#define PINION_PAPER_LOWER_H
#include "../../kernels/cuda.h"

// lower returns the first position in [lo, hi) of an ascending array whose value is at
// least x, or hi.
DEV uint32_t lower(const uint32_t *b, uint32_t x, uint32_t lo, uint32_t hi) {
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (__ldg(b + mid) < x) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

#endif
