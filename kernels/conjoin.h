// Conjunctions over compressed lists that return docIDs, with many queries in a launch
// (PARA, Ao 2011 section 3.1: the elements of the shortest list are distributed over the
// threads, and each is searched for in the other lists; then a scan and a compaction).
//
// A warp processes a run of blocks of a query's first list, four docIDs per lane. The
// presence words of the other lists (presence.h) rule out most of them. The rest are
// buffered until there are 128, then searched for in one list after the other (search.h),
// and written in order. Only blocks that may contain a docID are decoded (Ding 2009
// section 8), and a docID that is missing in one list is not searched for in the next.
//
// Bound, per docID of the first list: decoding, and for each following list, until one
// does not contain it, a sector of 32 bytes and ten instructions of a lane; for docIDs
// that pass, the bound of search.h; for each result, 4 bytes written twice.
#ifndef PINION_CONJOIN_H
#define PINION_CONJOIN_H
#include "element.h"
#include "presence.h"
#include "search.h"

// Waiting is a warp's shared memory: docIDs of the first list that passed the presence
// words, oldest first, and the memory for searches.
struct alignas(16) Waiting {
    uint32_t doc[256];
    Probes probes;
};

// pass_chunk appends the docIDs of a chunk that all lists may contain to s, from position
// end on, and returns their number.
DEV uint32_t pass_chunk(const IntersectParams &p, const QueryDesc &q, const Term *terms, uint4 v, uint32_t count, Waiting &s,
                        uint32_t end, int lane) {
    uint32_t d[4] = {v.x, v.y, v.z, v.w}, alive = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (4 * lane + k < count && is_live(q, d[k])) alive |= 1u << k;
    for (uint32_t i = 1; i < q.nTerms; i++) {
        if (!__any_sync(FULL, alive != 0)) return 0;
        alive = may_hold(at<ListDesc>(p.lists)[terms[i].list], d, alive);
    }
    uint32_t n = __popc(alive), sum = warp_scan(n, lane), to = end + sum - n;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alive >> k & 1) s.doc[to++ & 255] = d[k];
    __syncwarp();
    return __shfl_sync(FULL, sum, 31);
}

// find_waiting searches all lists for count docIDs, at most 128, in s from position head
// on. It writes those found and returns their number. With ELEMENTS, lists of the
// linear-regression codecs are searched without decoding blocks.
template <bool ELEMENTS> DEV uint32_t find_waiting(const IntersectParams &p, const QueryDesc &q, const Term *terms, uint32_t *out, Waiting &s,
                          uint32_t head, uint32_t count, int lane) {
    uint32_t d[4], blk[4], pos[4], alive = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        d[k] = s.doc[(head + 4 * lane + k) & 255];
        if (4 * lane + k < count) alive |= 1u << k;
    }
    for (uint32_t i = 1; i < q.nTerms && __any_sync(FULL, alive != 0); i++) {
        const ListDesc &l = at<ListDesc>(p.lists)[terms[i].list];
        if (ELEMENTS && kind_of(l.docsCodec) >= LRC) alive = search_elements(l, d, alive, p.locate);
        else alive = search<false>(l, d, alive, p.locate, blk, pos, s.probes, lane);
    }
    uint32_t n = __popc(alive), sum = warp_scan(n, lane), w = sum - n;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alive >> k & 1) out[w++] = q.docBase + d[k];
    return __shfl_sync(FULL, sum, 31);
}

// intersect_tile is the body of a kernel: it processes one tile. shared belongs to the
// thread block.
template <bool ELEMENTS> DEV void intersect_tile(const IntersectParams &p, Waiting *shared) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[tile];
    const QueryDesc &q = at<QueryDesc>(p.queries)[t.job];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const ListDesc &first = at<ListDesc>(p.lists)[terms[0].list];
    uint32_t *out = at_rw<uint32_t>(p.out) + (uint64_t)tile * p.stride;
    Waiting &s = shared[warp];
    uint32_t head = 0, fill = 0, rest = first.nb - t.first, end = t.first + (rest < p.run ? rest : p.run);
#pragma unroll 1
    for (uint32_t block = t.first; block < end; block++)
        each_docs(first, block, lane, [&](uint32_t, uint4 v, uint32_t count) {
            fill += pass_chunk(p, q, terms, v, count, s, head + fill, lane);
            uint32_t least = block + 1 == end && count <= 128 ? 1 : 128;
#pragma unroll 1
            while (fill >= least) {
                uint32_t n = fill < 128 ? fill : 128;
                out += find_waiting<ELEMENTS>(p, q, terms, out, s, head, n, lane);
                head += n;
                fill -= n;
            }
        });
    if (lane == 0) at_rw<uint32_t>(p.counts)[tile] = (uint32_t)(out - (at_rw<uint32_t>(p.out) + (uint64_t)tile * p.stride));
}

#endif
