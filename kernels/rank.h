// Ranked queries over compressed lists: BM25 as the lists come, shortest first, in
// the canonical order of terms (Ding 2009 section 8), conjunctive or disjunctive.
//
// A query is answered list by list. The documents whose first list, in canonical
// order, is the driver are the driver's postings that are in no list before it; each
// is looked for in the lists behind it (search.h), and its score is complete. With a
// floor, the k-th best key that is known, most are never looked at: a block whose
// bound (its quad) and the bounds of the lists behind it do not reach the floor is
// not decoded, a posting whose own score and those bounds do not reach it is not
// looked for, and a driver whose list and all behind it do not reach it has nothing
// to do: MaxScore's non-essential lists (Turtle and Flood 1995), decided here so that
// the device need not wait for the host. Only what beats the floor is then looked for
// in the lists before.
//
// A conjunction has the first list as its only driver, and a document must be in all.
//
// Bound: that of search.h for what survives the bounds; for what does not, 8 bytes and
// five instructions of a warp a block.
#ifndef PINION_RANK_H
#define PINION_RANK_H
#include "search.h"

// Pruner knows from which sum of scores on a document can be among the best.
struct Pruner {
    uint64_t floor;
    float cut; // sums below it cannot reach the floor, rounding included; or -1

    DEV_MEMBER void begin(uint64_t key) {
        floor = key;
        cut = key ? __fmul_rn(__uint_as_float((uint32_t)(key >> 32)), 0.99999f) : -1.0f;
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

// own_scores scores the lane's docIDs of chunk c of a block of the driver.
DEV void own_scores(const QueryDesc &q, const ListDesc &l, float w, uint32_t block, uint32_t c, const uint32_t *d,
                    uint32_t alive, float *norm, float *score, int lane) {
    Freqs f;
    f.begin(l, block);
    uint4 v = make_uint4(0, 0, 0, 0);
    for (uint32_t i = 0; i <= c; i++) v = f.get(i, lane);
    uint32_t tf[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(alive >> k & 1)) continue;
        norm[k] = __ldg(at<float>(q.norms) + d[k]);
        score[k] = posting_score(w, tf[k], norm[k]);
    }
}

// push_keys appends the lane's hits to the query's keys, in any order: keys are
// distinct and a selection follows. The counter tells when there was no room.
DEV void push_keys(const RankParams &p, const QueryDesc &q, const uint32_t *d, const float *score, uint32_t alive,
                   int lane) {
    uint32_t n = __popc(alive), sum = warp_scan(n, lane), start = 0;
    if (lane == 31 && sum) start = atomicAdd(at_rw<uint32_t>(p.counts) + q.slot, sum);
    uint32_t at_ = __shfl_sync(FULL, start, 31) + sum - n;
    uint64_t *out = at_rw<uint64_t>(q.out);
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alive >> k & 1) {
            if (at_ < q.cap) out[at_] = hit_key(score[k], q.docBase + d[k]);
            at_++;
        }
}

// rank_chunk answers for one chunk of the driver's docIDs.
DEV void rank_chunk(const RankParams &p, const QueryDesc &q, const Term *terms, const ListDesc &driver, uint32_t block,
                    uint32_t c, uint4 v, uint32_t count, const Pruner &prune, Probes &shared, int lane) {
    uint32_t d[4] = {v.x, v.y, v.z, v.w}, blk[4], pos[4] = {0, 0, 0, 0}, alive = 0;
    float norm[4] = {0, 0, 0, 0}, score[4] = {0, 0, 0, 0};
    const Term own = terms[q.driver];
    // A conjunction without a floor looks first: most docIDs fail.
    bool scored = !p.required || prune.cut >= 0 || q.nTerms == 1;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (4 * lane + k < count && is_live(q, d[k])) alive |= 1u << k;
    if (scored) {
        own_scores(q, driver, own.weight, block, c, d, alive, norm, score, lane);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (!prune.can(score[k] + own.rest)) alive &= ~(1u << k);
    }
    for (uint32_t i = q.driver + 1; i < q.nTerms; i++) {
        if (!__any_sync(FULL, alive != 0)) return;
        const Term t = terms[i];
        const ListDesc l = at<ListDesc>(p.lists)[t.list];
        uint32_t found = search<true>(l, d, alive, p.locate, blk, pos, shared, lane);
        if (p.required) alive = found;
        if (!scored && __any_sync(FULL, alive != 0)) {
            own_scores(q, driver, own.weight, block, c, d, alive, norm, score, lane);
            scored = true;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (found >> k & 1)
                score[k] = __fadd_rn(score[k], posting_score(t.weight, freq_at(l, blk[k], pos[k]), norm[k]));
            if (!prune.can(score[k] + t.rest)) alive &= ~(1u << k);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if ((alive >> k & 1) && hit_key(score[k], q.docBase + d[k]) <= prune.floor) alive &= ~(1u << k);
    for (uint32_t i = 0; i < q.driver && __any_sync(FULL, alive != 0); i++) {
        const ListDesc l = at<ListDesc>(p.lists)[terms[i].list];
        alive &= ~search<false>(l, d, alive, p.locate, blk, pos, shared, lane);
    }
    if (__any_sync(FULL, alive != 0)) push_keys(p, q, d, score, alive, lane);
}

// rank_tile answers for one tile: the whole of a kernel. shared is the thread block's.
DEV void rank_tile(const RankParams &p, Probes *shared) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.nTiles) return;
    RankTile t = at<RankTile>(p.tiles)[tile];
    const QueryDesc q = at<QueryDesc>(p.queries)[t.query];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const Term own = terms[q.driver];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.floors)[q.slot]);
    if (!prune.can(own.bound + own.rest)) return;
    const ListDesc driver = at<ListDesc>(p.lists)[own.list];
    uint32_t rest = t.end - t.first, n = rest < p.run ? rest : p.run;
    bool want = (uint32_t)lane < n;
    if (want && prune.cut >= 0 && driver.quads)
        want = prune.can(block_bound(driver, t.first + lane, own.weight, at<float>(p.codes)) + own.rest);
    for (uint32_t vote = __ballot_sync(FULL, want); vote; vote &= vote - 1) {
        uint32_t block = t.first + __ffs(vote) - 1;
        each_docs(driver, block, lane, [&](uint32_t c, uint4 v, uint32_t count) {
            rank_chunk(p, q, terms, driver, block, c, v, count, prune, shared[warp], lane);
        });
    }
}

#endif
