// Trees of terms list by list: rank.h with a word of state for each document (clauses.h). The drivers of a query are lists of which each match has
// one: what must match, if that is one term, or all of which one must match. The documents of a driver are searched for in all other
// lists, and a test of the state says whether they match. Each driver has a list of terms of its own, in which it is the first, and
// the drivers before it exclude documents, as what must not match does.
#ifndef PINION_RANKCLAUSES_H
#define PINION_RANKCLAUSES_H
#include "rank.h"

// Tree is a driver of a query with the other terms.
struct Tree {
    const Term *terms;
    const Clause *clauses;
    uint32_t n, bias, mask, want;
    bool best;

    DEV_MEMBER void open(const RankClausesParams &p, const QueryDesc &q) {
        const Test &t = at<Test>(p.tests)[q.slot];
        terms = at<Term>(p.rank.terms) + q.firstTerm;
        clauses = at<Clause>(p.clauses) + q.firstTerm;
        n = q.nTerms;
        bias = t.bias;
        mask = t.mask[0];
        want = t.want[0];
        best = t.best;
    }
    // join adds a score to a sum, or takes the greater one; up rounds up, for bounds.
    DEV_MEMBER float join(float sum, float score) const { return best ? score > sum ? score : sum : __fadd_rn(sum, score); }
    DEV_MEMBER float up(float sum, float score) const { return best ? score > sum ? score : sum : __fadd_ru(sum, score); }

    // may returns which of the lane's documents may match and reach the floor, by the lists that may contain them. most is what they
    // score in the driver, at most.
    DEV_MEMBER uint32_t may(const RankClausesParams &p, const uint32_t *d, uint32_t alive, float *most, const Pruner &prune) const {
        uint32_t state[4];
#pragma unroll
        for (int k = 0; k < 4; k++) state[k] = clauses[0].set + clauses[0].add;
        for (uint32_t i = 1; i < n; i++) {
            const Term t = terms[i];
            const Clause c = clauses[i];
            uint32_t in = may_hold(at<ListDesc>(p.rank.lists)[t.list], d, alive);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if ((state[k] & c.before) != c.before) alive &= ~(1u << k);
                if (in >> k & 1) {
                    state[k] = (state[k] | c.set) + c.add;
                    most[k] = up(most[k], t.bound);
                }
                if (!prune.can(up(most[k], t.rest))) alive &= ~(1u << k);
            }
            if (!__any_sync(FULL, alive != 0)) return 0;
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((state[k] + bias & want) != want) alive &= ~(1u << k);
        return alive;
    }
};

// sift_clauses is sift_chunk (rank.h) for a Tree.
DEV uint32_t sift_clauses(const RankClausesParams &p, const QueryDesc &q, const Tree &tree, uint4 v, uint32_t count, uint32_t first, float bound,
                          const Pruner &prune, Sieve &s, uint32_t end, int lane) {
    uint32_t d[4] = {v.x, v.y, v.z, v.w}, alive = 0;
    float most[4] = {bound, bound, bound, bound};
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (4 * lane + k < count && is_live(q, d[k])) alive |= 1u << k;
    alive = tree.may(p, d, alive, most, prune);
    uint32_t n = __popc(alive), sum = warp_scan(n, lane), to = end + sum - n;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alive >> k & 1) {
            s.doc[to & 255] = d[k];
            s.at[to++ & 255] = first + 4 * lane + k;
        }
    __syncwarp();
    return __shfl_sync(FULL, sum, 31);
}

// clause_sieve is rank_sieve (rank.h) for a Tree.
COLD void clause_sieve(const RankClausesParams p, uint32_t tile, Sieve *s, uint32_t head, uint32_t count, int lane) {
    const QueryDesc q = at<QueryDesc>(p.rank.queries)[at<RankTile>(p.rank.tiles)[tile].query];
    const ListDesc *lists = at<ListDesc>(p.rank.lists);
    const FieldScore *fields = at<FieldScore>(p.rank.fields) + q.firstTerm;
    Tree tree;
    tree.open(p, q);
    const Term driver = tree.terms[0];
    const Clause first = tree.clauses[0];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.rank.floors)[q.slot]);
    prune.leave(q.most);
    uint32_t d[4], blk[4], pos[4], freq[4], state[4], alive = 0;
    float own[4], most[4], score[4];
    const ListDesc list = lists[driver.list];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        d[k] = s->doc[(head + 4 * lane + k) & 255];
        uint32_t i = s->at[(head + 4 * lane + k) & 255];
        blk[k] = i >> list.logBlock;
        pos[k] = i & ((1u << list.logBlock) - 1);
        if (4 * lane + k < count) alive |= 1u << k;
        own[k] = most[k] = 0;
        score[k] = tree.best ? 0 : -0.0f;
        state[k] = first.set + first.add;
    }
    if (first.sum != FULL) {
        freqs_at(list, blk, pos, alive, freq);
#pragma unroll
        for (int k = 0; k < 4; k++) most[k] = own[k] = field_score(fields[0], driver.weight, freq[k], norm_of(fields[0], alive >> k & 1 ? d[k] : 0));
    }
    alive = tree.may(p, d, alive, most, prune);
    for (uint32_t i = 1; i <= tree.n && __any_sync(FULL, alive != 0); i++) {
        if (i == first.before && first.sum != FULL)
#pragma unroll
            for (int k = 0; k < 4; k++) score[k] = tree.join(score[k], own[k]);
        if (i == tree.n) break;
        const Term t = tree.terms[i];
        const Clause c = tree.clauses[i];
        const ListDesc l = lists[t.list];
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((state[k] & c.before) != c.before) alive &= ~(1u << k);
        uint32_t found = may_hold(l, d, alive);
        if (__any_sync(FULL, found != 0)) found = search<true>(l, d, found, p.rank.locate, blk, pos, s->probes, lane);
        if (c.sum != FULL && __any_sync(FULL, found != 0)) freqs_at(l, blk, pos, found, freq);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (found >> k & 1) {
                state[k] = (state[k] | c.set) + c.add;
                if (c.sum != FULL) score[k] = tree.join(score[k], field_score(fields[i], t.weight, freq[k], norm_of(fields[i], d[k])));
            }
            if (!prune.can(tree.up(i < first.before ? tree.up(score[k], own[k]) : score[k], t.rest))) alive &= ~(1u << k);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if ((state[k] + tree.bias & tree.mask) != tree.want) alive &= ~(1u << k);
        score[k] = __uint_as_float(__float_as_uint(score[k]) & 0x7fffffffu);
        if (q.statics && (alive >> k & 1)) score[k] = __fadd_rn(score[k], __ldg(at<float>(q.statics) + d[k]));
        if ((alive >> k & 1) && hit_key(score[k], q.docBase + d[k]) <= prune.floor) alive &= ~(1u << k);
    }
    if (__any_sync(FULL, alive != 0)) push_keys(p.rank, q, d, score, alive, lane);
}

// clause_tile is rank_tile (rank.h) for a Tree.
DEV void clause_tile(const RankClausesParams &p, Sieve *shared) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.rank.nTiles) return;
    if (p.rank.count && tile >= *at<uint32_t>(p.rank.count)) return;
    RankTile t = at<RankTile>(p.rank.tiles)[tile];
    const QueryDesc q = at<QueryDesc>(p.rank.queries)[t.query];
    Tree tree;
    tree.open(p, q);
    const Term own = tree.terms[0];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.rank.floors)[q.slot]);
    prune.leave(q.most);
    if (!prune.can(tree.up(own.bound, own.rest))) return;
    const ListDesc driver = at<ListDesc>(p.rank.lists)[own.list];
    uint32_t n = t.end - t.first;
    float bound = own.bound;
    bool want = (uint32_t)lane < n;
    uint32_t mine = t.first + (want ? lane : 0), prev = block_prev(driver, mine);
    uint32_t lo = __ldg(at<uint32_t>(driver.docEnds) + mine), hi = __ldg(at<uint32_t>(driver.docEnds) + mine + 1);
    if (want && prune.cut >= 0 && driver.quads && own.bound > 0) {
        bound = field_bound(at<FieldScore>(p.rank.fields)[q.firstTerm], __ldg(at<unsigned long long>(driver.quads) + mine), own.weight);
        want = prune.can(tree.up(bound, own.rest));
    }
    Sieve &s = shared[warp];
    uint32_t head = 0, fill = 0;
    for (uint32_t vote = __ballot_sync(FULL, want); vote; vote &= vote - 1) {
        int src = __ffs(vote) - 1;
        uint32_t block = t.first + src;
        float most = __shfl_sync(FULL, bound, src);
        uint32_t from = __shfl_sync(FULL, lo, src), to = __shfl_sync(FULL, hi, src), before = __shfl_sync(FULL, prev, src);
        each_docs(driver, block, from, to, before, lane, [&](uint32_t c, uint4 v, uint32_t count) {
            fill += sift_clauses(p, q, tree, v, count, (block << driver.logBlock) + 128 * c, most, prune, s, head + fill, lane);
            if (fill < 128) return;
            clause_sieve(p, tile, &s, head, 128, lane);
            head += 128;
            fill -= 128;
        });
    }
    if (fill) clause_sieve(p, tile, &s, head, fill, lane);
}

#endif
