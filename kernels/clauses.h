// Trees of terms by ranges of documents: range.h with a word of state and several sums for each document. A posting sets bits of the state
// and adds to a counter in it, so that at the end of a range a test of the state says whether the document matches: whether it has
// what must match, enough of what should and nothing of what must not. Scores are added in the canonical order of terms, as there: all terms
// of a document that matches score, or all of an alternative, whose sums are apart.
//
// What cannot reach the floor is ruled out as there, and with it:
//
//   - A window in which the terms that have blocks cannot make a match.
//   - A posting of a document without what must match, if that is all of terms that came before.
//
// Where matches are counted, all blocks are read, but only postings of documents that can reach the floor are scored.
#ifndef PINION_CLAUSES_H
#define PINION_CLAUSES_H
#include "range.h"

// ClauseWindow is a Window with states and several sums.
struct ClauseWindow {
    uint32_t lo, n;
    uint32_t *state; // shared
    float *acc;      // shared: width for each sum
    uint32_t width;
    const Test *test;
    uint32_t bias, sums; // of test
    Clause clause;       // of the current term
    bool every;          // matches are counted
    float need, most;

    DEV_MEMBER void begin(const DisjunctParams &p, const QueryDesc &q, Pruner &prune) {
        test = at<Test>(p.tests) + q.slot;
        bias = test->bias;
        sums = test->sums;
        every = test->total != 0;
        if (test->tie > 0) prune.cut = -1; // other sums add to what one cannot reach
    }
    // can reports whether a document that has all terms with blocks in the window, but none that excludes it, matches. a and b say that
    // the lane's terms have some.
    DEV_MEMBER bool can(const DisjunctParams &p, const QueryDesc &q, bool a, bool b, int lane) const {
        uint32_t set = 0, add = 0;
        const Clause *own = at<Clause>(p.clauses) + q.firstTerm;
        if (a) set = own[lane].set, add = own[lane].add;
        if (b) set |= own[lane + 32].set, add += own[lane + 32].add;
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            set |= __shfl_xor_sync(FULL, set, d);
            add += __shfl_xor_sync(FULL, add, d);
        }
        uint32_t most = set + add + bias;
        for (uint32_t j = 0; j < sums; j++)
            if ((most & test->want[j]) == test->want[j]) return true;
        return false;
    }
    DEV_MEMBER void enter(const DisjunctParams &p, const QueryDesc &q, uint32_t term) {
        clause = at<Clause>(p.clauses)[q.firstTerm + term];
        if (clause.sum == FULL && sums > 1) need = -1; // no sum says whether it matters
    }
    // score sets v to the score of document i as bits, and returns whether it matches.
    DEV_MEMBER bool score(uint32_t i, uint32_t *v) const {
        uint32_t s = state[i] + bias, best = FULL;
        float most = 0, others = 0;
        for (uint32_t j = 0; j < sums; j++) {
            if ((s & test->mask[j]) != test->want[j]) continue;
            float x = __uint_as_float(__float_as_uint(acc[j * width + i]) & ~UNTOUCHED);
            if (best != FULL && x <= most) continue;
            most = x;
            best = j;
        }
        if (best == FULL) return false;
        if (test->tie > 0) {
            for (uint32_t j = 0; j < sums; j++)
                if (j != best && (s & test->mask[j]) == test->want[j])
                    others = __fadd_rn(others, __uint_as_float(__float_as_uint(acc[j * width + i]) & ~UNTOUCHED));
            most = __fadd_rn(most, __fmul_rn(test->tie, others));
        }
        *v = __float_as_uint(most);
        return true;
    }
    // summed returns a Window of the scores of documents that match. It counts those that are live, and clears the states.
    DEV_MEMBER Window summed(const QueryDesc &q, int lane) {
        uint32_t found = 0;
        for (uint32_t i = lane; i < n; i += 32) {
            uint32_t v = UNTOUCHED;
            if (score(i, &v) && every) found += is_live(q, lo + i);
            acc[i] = __uint_as_float(v);
            state[i] = 0;
            for (uint32_t j = 1; j < sums; j++) acc[j * width + i] = __uint_as_float(UNTOUCHED);
        }
        __syncwarp();
        if (every) {
#pragma unroll
            for (int d = 16; d; d >>= 1) found += __shfl_xor_sync(FULL, found, d);
            if (lane == 0 && found) atomicAdd(at_rw<uint32_t>(test->total), found);
        }
        return {lo, n, nullptr, acc, 0, 0};
    }
};

// add_scores is that of range.h for a ClauseWindow.
template <bool FIELDS, class F>
DEV void add_scores(ClauseWindow &win, const FieldScore *field, float w, uint4 docs, uint32_t count, bool all, int lane, F freqs) {
    const Clause c = win.clause;
    bool scores = c.sum != FULL;
    float *acc = win.acc + (scores ? c.sum * win.width : 0);
    uint32_t d[4] = {docs.x, docs.y, docs.z, docs.w}, state[4], own = 0, pass = 0;
    float old[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        d[k] -= win.lo;
        bool in = 4 * lane + k < count && d[k] < win.n;
        if (!in) d[k] = 0;
        state[k] = win.state[d[k]];
        old[k] = acc[d[k]];
        bool reach = old[k] >= win.need;
        if (!in || (state[k] & c.before) != c.before || !(reach || win.every)) continue;
        own |= 1u << k;
        if (reach && scores) pass |= 1u << k;
    }
    bool some = __any_sync(FULL, pass != 0); // and all lanes have read
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (own >> k & 1) win.state[d[k]] = (state[k] | c.set) + c.add;
    if (!all && !some) return;
    uint4 f = freqs();
    uint32_t tf[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float s = field_score(*field, w, tf[k], norm_of(*field, win.lo + d[k]));
        float sum = win.test->best ? s > old[k] ? s : old[k] : __fadd_rn(old[k], s);
        if (!(pass >> k & 1)) continue;
        acc[d[k]] = sum;
        if (sum > win.most) win.most = sum;
    }
}

// clause_range is the body of a kernel: a thread block processes one range. shared is its dynamic shared memory: the states and the sums
// of each warp.
DEV void clause_range(const DisjunctParams &p, unsigned char *shared, uint32_t &next) {
    if (blockIdx.x >= p.nRanges) return;
    const Range r = at<Range>(p.ranges)[blockIdx.x];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t *state = reinterpret_cast<uint32_t *>(shared) + warp * (1 + p.sums) * p.width;
    uint32_t docs = r.last - r.first, windows = (docs + p.width - 1) / p.width;
    if (threadIdx.x == 0) next = 0;
    for (uint32_t i = lane; i < (1 + p.sums) * p.width; i += 32) state[i] = i < p.width ? 0 : UNTOUCHED;
    __syncthreads();
    for (;;) {
        uint32_t i = 0;
        if (lane == 0) i = atomicAdd(&next, 1u);
        i = __shfl_sync(FULL, i, 0);
        if (i >= (r.end - r.query) * windows) return;
        uint32_t first = i % windows * p.width, left = docs - first;
        ClauseWindow win;
        win.lo = r.first + first;
        win.n = left < p.width ? left : p.width;
        win.state = state;
        win.acc = reinterpret_cast<float *>(state + p.width);
        win.width = p.width;
        range_query<true>(p, at<QueryDesc>(p.queries)[r.query + i / windows], win, lane);
        __syncwarp();
    }
}

#endif
