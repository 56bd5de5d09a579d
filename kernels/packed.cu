// The kernels of rank.cu, intersect.cu, check.cu and presence.cu for batches whose lists are all plain values, bp128 or bp256. Without calls to decode other codecs, the compiler keeps
// the state of a tile in registers.
#ifndef PINION_EMU
#define PACKED_ONLY true
#endif
#include "check.h"
#include "conjoin.h"
#include "mark.h"
#include "rank.h"

KERNEL(rank_packed, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile<false>(p, shared);
}

KERNEL(rank_packed_fields, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile<true>(p, shared);
}

KERNEL(intersect_packed, IntersectParams, 256, 4) {
    __shared__ Waiting shared[8];
    intersect_tile<false>(p, shared);
}

KERNEL(check_packed, CheckParams, 256, 3) { check_tile(p); }

KERNEL(mark_packed, PresenceParams, 256, 4) { mark_share(p); }
