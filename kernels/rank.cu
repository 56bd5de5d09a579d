// rank: queries over lists of any codec; see rank.h. rank_fields: the same over fields.
#include "rank.h"

KERNEL(rank, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile<false>(p, shared);
}

KERNEL(rank_fields, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile<true>(p, shared);
}
