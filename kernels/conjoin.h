// Conjunctions over compressed lists, docIDs out, many queries in a launch (PARA, Ao
// 2011 section 3.1: the elements of the shortest list are spread over the threads,
// each is looked for in the other lists; then a scan and a compaction).
//
// A warp takes one block of a query's first list, so four docIDs a lane, and looks
// for them in list after list (search.h). No block is decoded that no docID needs
// (Ding 2009 section 8), and a docID that fails in one list is not looked for in
// the next. Bound: see search.h; results add 4 bytes written twice a docID found.
#ifndef PINION_CONJOIN_H
#define PINION_CONJOIN_H
#include "element.h"
#include "search.h"

// intersect_tile answers for one tile: the whole of a kernel. shared is the thread block's. With ELEMENTS,
// lists of the linear-regression codecs are searched without decoding their blocks.
template <bool ELEMENTS> DEV void intersect_tile(const IntersectParams &p, Probes *shared) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[tile];
    const QueryDesc q = at<QueryDesc>(p.queries)[t.job];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const ListDesc first = at<ListDesc>(p.lists)[terms[0].list];
    uint32_t *out = at_rw<uint32_t>(p.out) + (uint64_t)tile * p.stride;
    uint32_t written = 0;
    each_docs(first, t.first, lane, [&](uint32_t, uint4 v, uint32_t count) {
        uint32_t d[4] = {v.x, v.y, v.z, v.w}, blk[4], pos[4], alive = 0;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (4 * lane + k < count && is_live(q, d[k])) alive |= 1u << k;
        for (uint32_t i = 1; i < q.nTerms && __any_sync(FULL, alive != 0); i++) {
            const ListDesc l = at<ListDesc>(p.lists)[terms[i].list];
            if (ELEMENTS && kind_of(l.docsCodec) >= LRC) alive = search_elements(l, d, alive, p.locate);
            else alive = search<false>(l, d, alive, p.locate, blk, pos, shared[warp], lane);
        }
        uint32_t n = __popc(alive), sum = warp_scan(n, lane), w = written + sum - n;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (alive >> k & 1) out[w++] = q.docBase + d[k];
        written += __shfl_sync(FULL, sum, 31);
    });
    if (lane == 0) at_rw<uint32_t>(p.counts)[tile] = written;
}

#endif
