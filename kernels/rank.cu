// rank: queries over lists of any codec; see rank.h.
#include "rank.h"

KERNEL(rank, RankParams, 256, 2) {
    __shared__ Sieve shared[8];
    rank_tile(p, shared);
}
