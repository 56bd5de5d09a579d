// Disjunctions with an accumulator per document, term by term (Ding 2009 section 8), for
// queries of many terms and for large k, where bounds rule out little.
//
// A thread block owns a range of documents, whose norms it copies to shared memory, and
// a group of queries. The range is one window of as many documents as a warp has accumulators for, or several where
// there are fewer queries than warps: one query in a launch of its own windows of 512 documents kept a warp in 16 busy.
// The warps take one window of a query after the other. A warp adds the scores of
// the lists, in the canonical order of terms, to accumulators of its own in shared memory:
// docIDs of a list are distinct, so there are no atomics, and no list waits for other warps.
//
// Given a floor, postings are ruled out by it:
//
//   - The bound of a list in a range is that of its blocks there, if these are few. If the greatest sum and the
//     bounds of this list and those after it do not reach the floor, the range is done.
//   - A block is not decoded if the greatest sum, its bound and those of the lists after it do not reach it.
//   - A posting is not scored if the sum of its document and these bounds do not reach it. A
//     block without others is left before its frequencies are looked at.
//
// The floor comes from a histogram of the scores that reached it: once k keys are in some
// class and those above, all others are below that class. A query's warps share it, so
// that ranges after the first ones keep few keys, whatever k is; select_best does the rest.
//
// Bound: 165 instructions of a warp for a block of 128 postings, so 0.7 T postings/s on
// 132 multiprocessors at 1.75 GHz; for each list that has postings in the range, one block
// more, and the loads that find it.
#ifndef PINION_RANGE_H
#define PINION_RANGE_H
#include "prune.h"

// An accumulator is initially minus zero. Scores are never negative, so adding the first
// gives exactly that score, and the sign bit tells whether any was added.
#define UNTOUCHED 0x80000000u

// score_class returns the class of a score that is not negative: higher scores have no lower class.
DEV uint32_t score_class(uint32_t base, float score) {
    uint32_t bits = __float_as_uint(score);
    if (bits < base) return 0;
    uint32_t c = (bits - base) >> CLASS_SHIFT;
    return c < SCORE_CLASSES ? c : SCORE_CLASSES - 1;
}

// counted_floor returns a key that at least k of the keys counted in classes reach, or 0.
DEV uint64_t counted_floor(const uint32_t *classes, const Goal &g, int lane) {
    uint32_t n[SCORE_CLASSES / 32], sum = 0;
#pragma unroll
    for (int i = 0; i < SCORE_CLASSES / 32; i += 4) {
        uint4 v = load_fresh(reinterpret_cast<const uint4 *>(classes + SCORE_CLASSES / 32 * lane + i));
        n[i] = v.x;
        n[i + 1] = v.y;
        n[i + 2] = v.z;
        n[i + 3] = v.w;
        sum += v.x + v.y + v.z + v.w;
    }
    uint32_t above = sum; // keys in the classes of this lane and those after it
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        uint32_t y = __shfl_down_sync(FULL, above, d);
        if (lane + d < 32) above += y;
    }
    uint32_t reach = __ballot_sync(FULL, above >= g.k);
    if (!reach) return 0;
    int src = 31 - __clz(reach);
    uint32_t left = above - sum, edge = 0;
    bool found = false;
#pragma unroll
    for (int i = SCORE_CLASSES / 32 - 1; i >= 0; i--) {
        left += n[i];
        if (!found && left >= g.k) {
            uint32_t c = SCORE_CLASSES / 32 * lane + i;
            edge = c ? g.base + (c << CLASS_SHIFT) : 0;
            found = true;
        }
    }
    return (uint64_t)__shfl_sync(FULL, edge, src) << 32;
}

// first_block returns the first block of l from lo on, but before hi, whose last docID is at least x, or hi.
DEV uint32_t first_block(const ListDesc &l, uint32_t x, uint32_t lo, uint32_t hi) {
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (__ldg(at<uint32_t>(l.last) + mid) < x) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

// Bounds of the blocks of a term in a window are looked at if there are no more than FEW_BLOCKS.
// A frequent term's are hardly less than its list's.
enum { FEW_BLOCKS = 4 };

// Window is a warp's part of a range of documents: the sums of one query.
struct Window {
    uint32_t lo, n;     // documents from lo on
    const float *norms; // shared: of these documents; unused with FIELDS
    float *acc;         // shared
    float need;         // lower sums need not be added to
    float most;         // the greatest sum that the lane has stored
    enum { every = false }; // postings are read, whatever their documents score

    DEV_MEMBER void begin(const DisjunctParams &, const QueryDesc &, Pruner &) {}
    DEV_MEMBER bool can(const DisjunctParams &, const QueryDesc &, bool, bool, int) const { return true; }
    DEV_MEMBER void enter(const DisjunctParams &, const QueryDesc &, uint32_t) {}
    DEV_MEMBER const Window &summed(const QueryDesc &, int) const { return *this; }
};

// add_scores adds the scores of a lane's postings of one list to the sums of documents in the
// window. freqs returns the frequencies and is called by all lanes or none.
template <bool FIELDS, class F>
DEV void add_scores(Window &win, const FieldScore *field, float w, uint4 docs, uint32_t count, bool all, int lane, F freqs) {
    uint32_t d[4] = {docs.x, docs.y, docs.z, docs.w}, pass = 0;
    float old[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        d[k] -= win.lo;
        bool in = 4 * lane + k < count && d[k] < win.n;
        if (!in) d[k] = 0;
        old[k] = win.acc[d[k]];
        if (in && old[k] >= win.need) pass |= 1u << k;
    }
    if (!all && !__any_sync(FULL, pass != 0)) return;
    uint4 f = freqs();
    uint32_t tf[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float s = FIELDS ? field_score(*field, w, tf[k], norm_of(*field, win.lo + d[k])) : posting_score(w, tf[k], win.norms[d[k]]);
        float sum = __fadd_rn(old[k], s);
        if (!(pass >> k & 1)) continue;
        win.acc[d[k]] = sum;
        if (sum > win.most) win.most = sum;
    }
}

// quad_bound returns a score that no posting of block j of term t exceeds.
template <bool FIELDS> DEV float quad_bound(const DisjunctParams &p, const QueryDesc &q, uint32_t t, float w, const ListDesc &l, uint32_t j) {
    if (!FIELDS) return block_bound(l, j, w, at<float>(p.codes));
    return field_bound(at<FieldScore>(p.fields)[q.firstTerm + t], __ldg(at<unsigned long long>(l.quads) + j), w);
}

// Chunk is one of the blocks that a warp adds, as the lane that looked it up has it.
struct Chunk {
    uint64_t docs, freqs; // addresses of the words of a plain block
    uint32_t shape;       // bits of a docID, of a frequency times 2^6, postings times 2^12; 0: not plain
    uint32_t prev;        // docID before
    uint32_t term, block;
    float weight, need;   // lower sums need not be added to

    // open looks up block j of term t. rest is what its list and those after it can add, after what those after it can.
    template <bool FIELDS>
    DEV_MEMBER void open(const DisjunctParams &p, const QueryDesc &q, uint32_t t, uint32_t j, float rest, float after, float cut) {
        const Term own = at<Term>(p.terms)[q.firstTerm + t];
        const ListDesc &l = at<ListDesc>(p.lists)[own.list];
        uint32_t lo = __ldg(at<uint32_t>(l.docEnds) + j), hi = __ldg(at<uint32_t>(l.docEnds) + j + 1);
        uint32_t flo = __ldg(at<uint32_t>(l.freqEnds) + j), fhi = __ldg(at<uint32_t>(l.freqEnds) + j + 1);
        uint32_t n = block_count(l, j), rows = (n + 3) >> 2;
        prev = block_prev(l, j);
        term = t;
        block = j;
        weight = own.weight;
        docs = l.docs + 4 * (uint64_t)lo;
        freqs = l.freqs + 4 * (uint64_t)flo;
        bool plain = l.docsCodec == CODEC_BP128 && l.freqsCodec == CODEC_BP128 && ((docs | freqs) & 15) == 0;
        shape = plain ? bp_width((hi - lo) >> 2, rows) | bp_width((fhi - flo) >> 2, rows) << 6 | n << 12 : 0;
        if (cut >= 0 && l.quads) rest = __fadd_ru(after, quad_bound<FIELDS>(p, q, t, own.weight, l, j));
        need = __fsub_rn(cut, rest);
        prefetch(at<uint32_t>(docs));
        prefetch(at<uint32_t>(freqs));
    }
    // of returns the chunk of another lane.
    DEV_MEMBER Chunk of(int src) const {
        return {__shfl_sync(FULL, docs, src), __shfl_sync(FULL, freqs, src), __shfl_sync(FULL, shape, src), __shfl_sync(FULL, prev, src),
                __shfl_sync(FULL, term, src), __shfl_sync(FULL, block, src), __shfl_sync(FULL, weight, src), __shfl_sync(FULL, need, src)};
    }
};

// Words are a lane's words of a plain block, while they are loaded.
struct Words {
    uint4 docs[2], freqs[2];

    DEV_MEMBER void load(const Chunk &c, int lane) {
        if (!c.shape) return;
        uint32_t row = 4 * lane < c.shape >> 12 ? lane : 0; // no row past the end
        const uint4 *p = at<uint4>(c.docs) + (row * (c.shape & 63) >> 5), *q = at<uint4>(c.freqs) + (row * (c.shape >> 6 & 63) >> 5);
        docs[0] = __ldg(p);
        docs[1] = __ldg(p + 1);
        freqs[0] = __ldg(q);
        freqs[1] = __ldg(q + 1);
    }
};

// values returns a lane's values of b bits.
DEV uint4 values(const uint4 *v, uint32_t b, int lane) {
    uint32_t s = lane * b & 31, mask = low_mask(b);
    return make_uint4(__funnelshift_r(v[0].x, v[1].x, s) & mask, __funnelshift_r(v[0].y, v[1].y, s) & mask,
                      __funnelshift_r(v[0].z, v[1].z, s) & mask, __funnelshift_r(v[0].w, v[1].w, s) & mask);
}

// add_chunk adds the scores of a block's postings.
template <bool FIELDS, class W> DEV void add_chunk(const DisjunctParams &p, const QueryDesc &q, W &win, const Chunk &c, const Words &w, int lane) {
    const FieldScore *field = FIELDS ? at<FieldScore>(p.fields) + q.firstTerm + c.term : nullptr;
    win.need = c.need;
    win.enter(p, q, c.term);
    if (c.shape) {
        add_scores<FIELDS>(win, field, c.weight, block_docs(values(w.docs, c.shape & 63, lane), c.prev, lane), c.shape >> 12, false, lane,
                           [&]() { return plus_one(values(w.freqs, c.shape >> 6 & 63, lane)); });
        return;
    }
    const ListDesc l = at<ListDesc>(p.lists)[at<Term>(p.terms)[q.firstTerm + c.term].list];
    Freqs f;
    f.begin(l, c.block);
    each_docs(l, c.block, lane, [&](uint32_t i, uint4 v, uint32_t count) {
        add_scores<FIELDS>(win, field, c.weight, v, count, f.ch.kind == BYTES, lane, [&]() { return f.get(i, lane); });
    });
}

// Share is a term's part of a window, as the lane of the term has it.
struct Share {
    uint32_t block, blocks; // those that overlap the window
    float rest;             // what this term and, later, those after it can add

    template <bool FIELDS, class W> DEV_MEMBER void open(const DisjunctParams &p, const QueryDesc &q, uint32_t t, const W &win, bool floor) {
        block = blocks = 0;
        rest = 0;
        if (t >= q.nTerms) return;
        const Term term = at<Term>(p.terms)[q.firstTerm + t];
        const ListDesc &l = at<ListDesc>(p.lists)[term.list];
        uint32_t hi = win.lo + win.n;
        block = first_block(l, win.lo, 0, l.nb);
        if (block == l.nb || block_prev(l, block) + 1 >= hi) return;
        uint32_t end = block + (win.n >> l.logBlock) + 2; // docIDs of a list are distinct
        end = first_block(l, hi - 1, block, end < l.nb ? end : l.nb);
        blocks = (end < l.nb ? end + 1 : l.nb) - block;
        rest = term.bound;
        if (!floor || !l.quads || blocks > FEW_BLOCKS) return;
        rest = 0;
        for (uint32_t j = block; j < block + blocks; j++) {
            float s = quad_bound<FIELDS>(p, q, t, term.weight, l, j);
            if (s > rest) rest = s;
        }
    }
};

// Found collects the keys of a window's sums that reach the floor.
template <bool FIELDS> struct Found {
    const DisjunctParams &p;
    const QueryDesc &q;
    uint32_t lo;
    uint64_t floor, ceiling;

    DEV_MEMBER uint64_t key(uint32_t i, float sum) const {
        if (FIELDS && q.statics) sum = __fadd_rn(sum, __ldg(at<float>(q.statics) + lo + i));
        return hit_key(sum, q.docBase + lo + i);
    }
    // reaches reports whether accumulator i, of value v, is a live document whose key reaches the floor and not the ceiling.
    DEV_MEMBER bool reaches(uint32_t i, uint32_t v) const {
        if (v >= UNTOUCHED) return false;
        uint64_t own = key(i, __uint_as_float(v));
        return own >= floor && own - 1 < ceiling - 1 && is_live(q, lo + i);
    }
    // push appends the keys of the lane's accumulators that have a bit in want.
    DEV_MEMBER void push(uint32_t first, const uint32_t *v, uint32_t want, int lane) const {
        uint32_t n = __popc(want), sum = warp_scan(n, lane), start = 0;
        if (lane == 31 && sum) start = atomicAdd(at_rw<uint32_t>(p.counts) + q.slot, sum);
        uint32_t to = __shfl_sync(FULL, start, 31) + sum - n;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (want >> k & 1) {
                if (to < q.cap) at_rw<uint64_t>(q.out)[to] = key(first + k, __uint_as_float(v[k]));
                to++;
            }
    }
};

// collect counts the keys of a window that reach the floor, raises it, appends those that still
// reach it, and clears the accumulators.
template <bool FIELDS> DEV void collect(const DisjunctParams &p, const QueryDesc &q, const Window &win, const Pruner &prune, int lane) {
    unsigned long long *floors = at_rw<unsigned long long>(p.floors) + q.slot;
    uint32_t *classes = at_rw<uint32_t>(p.classes) + (uint64_t)q.slot * SCORE_CLASSES;
    const Goal goal = at<Goal>(p.goals)[q.slot];
    Found<FIELDS> found = {p, q, win.lo, prune.floor, goal.ceiling};
    const uint4 none = make_uint4(UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED);
    uint32_t hot = 0; // 128 accumulators each
    for (uint32_t i = 0; 128 * i < win.n; i++) {
        uint4 *a = reinterpret_cast<uint4 *>(win.acc) + 32 * i + lane, sums = *a;
        uint32_t v[4] = {sums.x, sums.y, sums.z, sums.w}, some = 0;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (v[k] < UNTOUCHED && prune.can(__uint_as_float(v[k]))) some = 1;
        if (!__any_sync(FULL, some)) {
            *a = none;
            continue;
        }
        some = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t at_ = 128 * i + 4 * lane + k;
            if (!found.reaches(at_, v[k])) continue;
            some = 1;
            atomicAdd(classes + score_class(goal.base, __uint_as_float((uint32_t)(found.key(at_, __uint_as_float(v[k])) >> 32))), 1u);
        }
        if (__any_sync(FULL, some)) hot |= 1u << i;
        else *a = none;
    }
    if (!hot) return;
    uint64_t raised = counted_floor(classes, goal, lane);
    if (lane == 0) {
        uint64_t other = atomicMax(floors, (unsigned long long)raised);
        if (other > raised) raised = other;
    }
    raised = __shfl_sync(FULL, raised, 0);
    if (raised > found.floor) found.floor = raised;
    for (; hot; hot &= hot - 1) {
        uint32_t i = __ffs(hot) - 1, first = 128 * i + 4 * lane, want = 0;
        uint4 *a = reinterpret_cast<uint4 *>(win.acc) + 32 * i + lane, sums = *a;
        uint32_t v[4] = {sums.x, sums.y, sums.z, sums.w};
        *a = none;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (found.reaches(first + k, v[k])) want |= 1u << k;
        if (__any_sync(FULL, want != 0)) found.push(first, v, want, lane);
    }
}

// rest_of returns the sum of the lane's value and those of the lanes after it, or more.
DEV float rest_of(float x, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float y = __shfl_down_sync(FULL, x, d);
        if (lane + d < 32) x = __fadd_ru(x, y);
    }
    return x;
}

// range_query answers one query on a warp's window. Blocks of all terms are looked up 32 at a time, a lane each, so
// that the latency of lists is paid once for many, and the words of a block are loaded while the one before is added.
template <bool FIELDS, class W> DEV void range_query(const DisjunctParams &p, const QueryDesc &q, W win, int lane) {
    Pruner prune;
    prune.begin(*reinterpret_cast<volatile unsigned long long *>(at_rw<unsigned long long>(p.floors) + q.slot));
    if (FIELDS) prune.leave(q.most);
    win.begin(p, q, prune);
    Share a, b; // of terms lane and lane + 32
    a.open<FIELDS>(p, q, lane, win, prune.cut >= 0);
    b.open<FIELDS>(p, q, lane + 32, win, prune.cut >= 0);
    b.rest = rest_of(b.rest, lane);
    a.rest = __fadd_ru(rest_of(a.rest, lane), __shfl_sync(FULL, b.rest, 0));
    uint32_t upto = warp_scan(a.blocks, lane), most = __shfl_sync(FULL, upto, 31), upto2 = most + warp_scan(b.blocks, lane);
    uint32_t total = __shfl_sync(FULL, upto2, 31);
    if (!win.can(p, q, a.blocks > 0, b.blocks > 0, lane)) return;
    win.most = 0;
#pragma unroll 1
    for (uint32_t first = 0; first < total; first += 32) {
        uint32_t i = first + lane < total ? first + lane : total - 1, t = 0; // block i belongs to the first term with more blocks up to it
        bool second = i >= most;
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            uint32_t x = __shfl_sync(FULL, upto, t + d - 1), y = __shfl_sync(FULL, upto2, t + d - 1);
            if ((second ? y : x) <= i) t += d;
        }
        uint32_t end = __shfl_sync(FULL, upto, t), end2 = __shfl_sync(FULL, upto2, t);
        uint32_t n = __shfl_sync(FULL, a.blocks, t), n2 = __shfl_sync(FULL, b.blocks, t);
        uint32_t j = __shfl_sync(FULL, a.block, t), j2 = __shfl_sync(FULL, b.block, t);
        float rest = __shfl_sync(FULL, a.rest, t), rest2 = __shfl_sync(FULL, b.rest, t);
        float after = __shfl_sync(FULL, a.rest, t + 1 & 31), after2 = __shfl_sync(FULL, b.rest, t + 1 & 31), middle = __shfl_sync(FULL, b.rest, 0);
        if (t == 31) after = middle, after2 = 0;
        if (second) rest = rest2, after = after2;
        // What is left falls from term to term: if no sum reaches the floor with it here, none does later.
        float least = __fsub_rn(prune.cut, __shfl_sync(FULL, rest, 0));
        if (!win.every && least > 0 && !__any_sync(FULL, win.most >= least)) break;
        Chunk mine;
        mine.open<FIELDS>(p, q, second ? t + 32 : t, second ? j2 + i - (end2 - n2) : j + i - (end - n), rest, after, prune.cut);
        int chunks = total - first < 32 ? total - first : 32;
        Chunk now = mine.of(0);
        Words words;
        words.load(now, lane);
#pragma unroll 1
        for (int k = 0; k < chunks; k++) {
            Chunk next = mine.of(k + 1 & 31);
            Words ahead;
            ahead.load(next, lane);
            if (win.every || now.need <= 0 || __any_sync(FULL, win.most >= now.need)) add_chunk<FIELDS>(p, q, win, now, words, lane);
            __syncwarp();
            now = next;
            words = ahead;
        }
    }
    if (total) collect<FIELDS>(p, q, win.summed(q, lane), prune, lane);
}

// disjunct_range is the body of a kernel: a thread block processes one range. shared is its
// dynamic shared memory: the norms of the range, without FIELDS, and the accumulators of each warp.
template <bool FIELDS> DEV void disjunct_range(const DisjunctParams &p, unsigned char *shared, uint32_t &next) {
    if (blockIdx.x >= p.nRanges) return;
    const Range r = at<Range>(p.ranges)[blockIdx.x];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float *norms = reinterpret_cast<float *>(shared);
    float *acc = norms + p.span + warp * p.width;
    uint32_t docs = r.last - r.first, windows = (docs + p.width - 1) / p.width;
    if (threadIdx.x == 0) next = 0;
    if (!FIELDS) {
        const float *from = at<float>(at<QueryDesc>(p.queries)[r.query].norms) + r.first;
        for (uint32_t i = threadIdx.x; i < docs; i += blockDim.x) norms[i] = __ldg(from + i);
    }
    for (uint32_t i = lane; i < p.width; i += 32) acc[i] = __uint_as_float(UNTOUCHED);
    __syncthreads();
    for (;;) {
        uint32_t i = 0;
        if (lane == 0) i = atomicAdd(&next, 1u);
        i = __shfl_sync(FULL, i, 0);
        if (i >= (r.end - r.query) * windows) return;
        uint32_t first = i % windows * p.width, left = docs - first;
        Window win = {r.first + first, left < p.width ? left : p.width, norms + first, acc, 0, 0};
        range_query<FIELDS>(p, at<QueryDesc>(p.queries)[r.query + i / windows], win, lane);
        __syncwarp();
    }
}

#endif
