// Ranked queries over compressed lists, conjunctive or disjunctive: BM25 scores are
// computed list by list, shortest first, in the canonical order of terms (Ding 2009
// section 8).
//
// Each list in turn is the driver: its documents that are in no list before it are
// searched for in the lists after it (search.h), which completes their scores. Given a
// floor, the best known k-th key, most work is skipped:
//
//   - A block is not decoded if its bound (its quad) plus the bounds of the following lists
//     does not reach the floor.
//   - A docID is dropped if its block's bound plus the bounds of those following lists that
//     may contain it, by their presence words (presence.h), does not reach the floor.
//   - A posting is not searched for if its own score plus those bounds does not reach it.
//   - A driver is skipped if its bound plus those of all following lists does not reach it:
//     MaxScore's non-essential lists (Turtle and Flood 1995), decided on the device so that
//     it need not wait for the host.
//
// Only documents that exceed the floor are then searched for in the lists before the
// driver.
//
// Over fields, a query may add static scores after those of its terms. The greatest of them lowers what bounds are
// compared with.
//
// A conjunction has only one driver, the first list, and a document must be in all lists.
//
// DocIDs that pass the presence words are buffered until they fill a warp: only a few
// percent pass, and locating four docIDs costs a warp as much as locating 128.
//
// Bound: for a posting of a driver, decoding, and a load and ten instructions for each
// following list; for docIDs that pass, the bound of search.h; for a block that is ruled
// out by its bound, 8 bytes and five instructions of a warp.
#ifndef PINION_RANK_H
#define PINION_RANK_H
#include "presence.h"
#include "prune.h"
#include "search.h"

// push_keys appends the lane's hits to the query's keys in any order; keys are distinct
// and a selection follows. If the counter exceeds the capacity, keys are missing.
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

// Sieve is a warp's shared memory: the driver's postings that passed the presence words,
// oldest first from head on, and the memory for searches.
struct alignas(16) Sieve {
    uint32_t doc[256], at[256]; // at: the position in the list
    Probes probes;
};

// sift_chunk appends those docIDs of a chunk to the sieve that can be among the top k:
// live documents for which the block's bound plus the bounds of the lists that may
// contain them reaches the floor. first is the position of the chunk in the list. It
// returns the number of docIDs appended.
DEV uint32_t sift_chunk(const RankParams &p, const QueryDesc &q, const Term *terms, uint4 v, uint32_t count,
                        uint32_t first, float bound, const Pruner &prune, Sieve &s, uint32_t end, int lane) {
    uint32_t d[4] = {v.x, v.y, v.z, v.w}, alive = 0;
    float most[4] = {bound, bound, bound, bound};
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (4 * lane + k < count && d[k] < q.docs) alive |= 1u << k;
    if (q.live)
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((alive >> k & 1) && !is_live(q, d[k])) alive &= ~(1u << k);
    for (uint32_t i = q.driver + 1; i < q.nTerms; i++) {
        const Term t = terms[i];
        uint32_t in = may_hold(at<ListDesc>(p.lists)[t.list], d, alive);
        if (p.required) alive = in;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (in >> k & 1) most[k] = __fadd_ru(most[k], t.bound);
            if (!p.required && !prune.can(most[k] + t.rest)) alive &= ~(1u << k);
        }
        if (!__any_sync(FULL, alive != 0)) return 0;
    }
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

// freqs_at reads the frequencies of those of the lane's four postings that have a bit in want.
// Each is a chain of dependent loads, so the four chains advance together.
DEV void freqs_at(const ListDesc &l, const uint32_t *blk, const uint32_t *pos, uint32_t want, uint32_t *f) {
    if (l.freqsCodec == CODEC_RAW || (!PACKED_ONLY && l.freqsCodec != CODEC_BP128 && l.freqsCodec != CODEC_BP256)) {
#pragma unroll
        for (int k = 0; k < 4; k++) f[k] = want >> k & 1 ? freq_at(l, blk[k], pos[k]) : 1;
        return;
    }
    const uint32_t *ends = at<uint32_t>(l.freqEnds), *payload = at<uint32_t>(l.freqs);
    uint32_t j[4], lo[4], hi[4], b[4], s[4], v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        j[k] = want >> k & 1 ? blk[k] : 0;
        lo[k] = __ldg(ends + j[k]);
        hi[k] = __ldg(ends + j[k] + 1);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t i = want >> k & 1 ? pos[k] : 0;
        b[k] = bp_width((hi[k] - lo[k]) >> 2, (block_count(l, j[k]) + 3) >> 2);
        s[k] = (i >> 2) * b[k];
        const uint32_t *p = payload + lo[k] + 4 * (s[k] >> 5) + (i & 3);
        f[k] = __ldg(p);
        v[k] = __ldg(p + 4);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) f[k] = (__funnelshift_r(f[k], v[k], s[k] & 31) & low_mask(b[k])) + 1;
}

// rank_sieve processes count docIDs of a tile's driver, at most 128, in the sieve from
// head on. With FIELDS each term has norms of its own.
template <bool FIELDS> COLD void rank_sieve(const RankParams p, uint32_t tile, Sieve *s, uint32_t head, uint32_t count, int lane) {
    const QueryDesc q = at<QueryDesc>(p.queries)[at<RankTile>(p.tiles)[tile].query];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const ListDesc *lists = at<ListDesc>(p.lists);
    const FieldScore *fields = FIELDS ? at<FieldScore>(p.fields) + q.firstTerm : nullptr;
    const Term own = terms[q.driver];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.floors)[q.slot]);
    if (FIELDS) prune.leave(q.most);
    uint32_t d[4], blk[4], pos[4], freq[4], alive = 0;
    float norm[4], score[4], most[4];
    const ListDesc driver = lists[own.list];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        d[k] = s->doc[(head + 4 * lane + k) & 255];
        uint32_t i = s->at[(head + 4 * lane + k) & 255];
        blk[k] = i >> driver.logBlock;
        pos[k] = i & ((1u << driver.logBlock) - 1);
        if (4 * lane + k < count) alive |= 1u << k;
        if (FIELDS) norm[k] = norm_of(fields[q.driver], alive >> k & 1 ? d[k] : 0);
        else norm[k] = __ldg(at<float>(q.norms) + (alive >> k & 1 ? d[k] : 0));
    }
    freqs_at(driver, blk, pos, alive, freq);
#pragma unroll
    for (int k = 0; k < 4; k++)
        most[k] = score[k] = FIELDS ? field_score(fields[q.driver], own.weight, freq[k], norm[k]) : posting_score(own.weight, freq[k], norm[k]);
    for (uint32_t i = q.driver + 1; i < q.nTerms; i++) {
        const Term t = terms[i];
        uint32_t in = may_hold(lists[t.list], d, alive);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (in >> k & 1) most[k] = __fadd_ru(most[k], t.bound);
            if (!prune.can(most[k] + t.rest)) alive &= ~(1u << k);
        }
    }
    for (uint32_t i = q.driver + 1; i < q.nTerms; i++) {
        if (!__any_sync(FULL, alive != 0)) return;
        const Term t = terms[i];
        const ListDesc l = lists[t.list];
        uint32_t found = may_hold(l, d, alive);
        if (__any_sync(FULL, found != 0)) found = search<true>(l, d, found, p.locate, blk, pos, s->probes, lane);
        if (p.required) alive = found;
        if (__any_sync(FULL, found != 0)) freqs_at(l, blk, pos, found, freq);
        if (FIELDS)
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (found >> k & 1) norm[k] = norm_of(fields[i], d[k]);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (found >> k & 1)
                score[k] = __fadd_rn(score[k], FIELDS ? field_score(fields[i], t.weight, freq[k], norm[k]) : posting_score(t.weight, freq[k], norm[k]));
            if (!prune.can(score[k] + t.rest)) alive &= ~(1u << k);
        }
    }
    if (FIELDS && q.statics)
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (alive >> k & 1) score[k] = __fadd_rn(score[k], __ldg(at<float>(q.statics) + d[k]));
#pragma unroll
    for (int k = 0; k < 4; k++)
        if ((alive >> k & 1) && hit_key(score[k], q.docBase + d[k]) <= prune.floor) alive &= ~(1u << k);
    for (uint32_t i = 0; i < q.driver && __any_sync(FULL, alive != 0); i++) {
        const ListDesc l = lists[terms[i].list];
        uint32_t found = may_hold(l, d, alive);
        if (__any_sync(FULL, found != 0)) alive &= ~search<false>(l, d, found, p.locate, blk, pos, s->probes, lane);
    }
    if (__any_sync(FULL, alive != 0)) push_keys(p, q, d, score, alive, lane);
}

// rank_tile is the body of a kernel: it processes one tile. shared belongs to the thread
// block.
template <bool FIELDS> DEV void rank_tile(const RankParams &p, Sieve *shared) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.nTiles) return;
    RankTile t = at<RankTile>(p.tiles)[tile];
    if (p.count && tile >= *at<uint32_t>(p.count)) return;
    const QueryDesc q = at<QueryDesc>(p.queries)[t.query];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const Term own = terms[q.driver];
    Pruner prune;
    prune.begin(at<unsigned long long>(p.floors)[q.slot]);
    if (FIELDS) prune.leave(q.most);
    if (!prune.can(own.bound + own.rest)) return;
    const ListDesc driver = at<ListDesc>(p.lists)[own.list];
    uint32_t n = t.end - t.first;
    float bound = own.bound;
    bool want = (uint32_t)lane < n;
    uint32_t mine = t.first + (want ? lane : 0), prev = block_prev(driver, mine);
    uint32_t lo = __ldg(at<uint32_t>(driver.docEnds) + mine), hi = __ldg(at<uint32_t>(driver.docEnds) + mine + 1);
    if (want && prune.cut >= 0 && driver.quads) {
        if (FIELDS) bound = field_bound(at<FieldScore>(p.fields)[q.firstTerm + q.driver], __ldg(at<unsigned long long>(driver.quads) + mine), own.weight);
        else bound = block_bound(driver, mine, own.weight, at<float>(p.codes));
        want = prune.can(bound + own.rest);
    }
    Sieve &s = shared[warp];
    uint32_t head = 0, fill = 0;
    for (uint32_t vote = __ballot_sync(FULL, want); vote; vote &= vote - 1) {
        int src = __ffs(vote) - 1;
        uint32_t block = t.first + src;
        float most = __shfl_sync(FULL, bound, src);
        uint32_t from = __shfl_sync(FULL, lo, src), to = __shfl_sync(FULL, hi, src), before = __shfl_sync(FULL, prev, src);
        each_docs(driver, block, from, to, before, lane, [&](uint32_t c, uint4 v, uint32_t count) {
            fill += sift_chunk(p, q, terms, v, count, (block << driver.logBlock) + 128 * c, most, prune, s, head + fill, lane);
            if (fill < 128) return;
            rank_sieve<FIELDS>(p, tile, &s, head, 128, lane);
            head += 128;
            fill -= 128;
        });
    }
    if (fill) rank_sieve<FIELDS>(p, tile, &s, head, fill, lane);
}

#endif
