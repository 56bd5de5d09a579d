// cut_tiles, a warp per part, writes the tiles of rank. It knows the floors that the passes before
// have found: lists that cannot add hits get no tiles, and the other tiles are as long as it takes to
// fill a sieve. Shorter ones locate few docIDs at the cost of many, longer ones keep a warp busy
// when others have nothing left to do.
//
// Bound: 12 bytes written a tile, instead of as many that the host writes and copies.
#include "rank.h"

// sifted returns an upper bound, if terms are independent, on the share of the docIDs of a block
// that pass the sieve. The bounds of the lists after it that may contain a docID must sum to the
// floor less the block's own bound, and the share of those for which they do is at most their
// mean over that (Markov's inequality).
DEV float sifted(const TileParams &p, const QueryDesc &q, const Term *terms, float bound, const Pruner &prune) {
    float need = prune.cut - bound, share = 0;
    if (!prune.can(bound + terms[q.driver].rest)) return 0;
    for (uint32_t i = q.driver + 1; i < q.nTerms && need > 0; i++) {
        const ListDesc &l = at<ListDesc>(p.lists)[terms[i].list];
        float holds = l.presence ? (float)l.n / (float)q.docs : 1;
        if (l.presence && l.presenceScale != PRESENCE_EXACT) holds += 0.04f;
        share += terms[i].bound < need ? holds * terms[i].bound / need : holds;
    }
    return need > 0 && share < 1 ? share : 1;
}

// cut_part is the body of a kernel: a warp cuts one part.
template <bool FIELDS> DEV void cut_part(const TileParams &p) {
    uint32_t i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, first = 0, run = p.run;
    if (i >= p.nParts) return;
    const RankPart o = at<RankPart>(p.parts)[i];
    const QueryDesc &q = at<QueryDesc>(p.queries)[o.query];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const Term own = terms[q.driver];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.floors)[q.slot]);
    if (FIELDS) prune.leave(q.most);
    if (!prune.can(own.bound + own.rest)) return;
    if (run < p.most && prune.cut >= 0) { // look at 32 of the blocks
        const ListDesc &l = at<ListDesc>(p.lists)[own.list];
        uint32_t block = o.from + lane * (o.to - o.from) / 32;
        float bound = own.bound;
        if (l.quads && FIELDS) bound = field_bound(at<FieldScore>(p.fields)[q.firstTerm + q.driver], __ldg(at<unsigned long long>(l.quads) + block), own.weight);
        else if (l.quads) bound = block_bound(l, block, own.weight, at<float>(p.codes));
        float share = sifted(p, q, terms, bound, prune);
#pragma unroll
        for (int d = 16; d; d >>= 1) share += __shfl_xor_sync(FULL, share, d);
        while (run < p.most && 2 * run * share <= 32) run *= 2;
    }
    uint32_t n = (o.to - o.from + run - 1) / run;
    if (lane == 0) first = atomicAdd(at_rw<uint32_t>(p.count), n);
    RankTile *tiles = at_rw<RankTile>(p.tiles) + __shfl_sync(FULL, first, 0);
    for (uint32_t k = lane; k < n; k += 32) {
        uint32_t from = o.from + k * run, left = o.to - from;
        tiles[k] = {o.query, from, from + (left < run ? left : run)};
    }
}

KERNEL(cut_tiles, TileParams, 256, 8) { cut_part<false>(p); }

KERNEL(cut_tiles_fields, TileParams, 256, 8) { cut_part<true>(p); }
