// The kernels of rank.cu and intersect.cu for batches whose lists are all plain values, bp128,
// bp256 or newpfd. Like those of packed.cu, which use even fewer registers, they have no
// calls.
#ifndef PINION_EMU
#define NEWPFD_ONLY true
#endif
#include "conjoin.h"
#include "rank.h"

KERNEL(rank_newpfd, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile<false>(p, shared);
}

KERNEL(intersect_newpfd, IntersectParams, 256, 4) {
    __shared__ Waiting shared[8];
    intersect_tile<false>(p, shared);
}
