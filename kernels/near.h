// Parameters of near.cu; those of other kernels are in params.h.
#ifndef PINION_NEAR_H
#define PINION_NEAR_H
#include "cuda.h"

enum { NEAR_COSINE = 1, NEAR_PRODUCT, NEAR_EUCLIDEAN }; // as package vector numbers them

// NearMeta is what a vector has beside its code: vector.Meta.
struct NearMeta {
    float step, far, norm;
    uint16_t rest, both; // upper halves of floats: what the upper plane leaves out at most, and what both do
};

// NearQuery is a query of near.cu as integers. A vector whose score may reach T has a sum of products p with
// p - init >= (a + aT*T)/step + (b + bT*T)*y - kappa*(rest + wide*far)/step, where y is norm/step, for euclidean
// far*far/step, and init is what the sum of a vector of zeros is.
struct NearQuery {
    double a, aT, b, bT;
    float kappa, norm; // norm: the query's
    int32_t init;      // rounded
    int32_t sum;       // of the query's codes
    double low, lowT, lowB; // in place of a, aT and b, with a greatest sum: no score is less than the T of an equation
    uint64_t filter;   // uint32[]: bit set: the document may be a hit; 0: all may
};

// NearTerms is a query of near_scan, with its floor: what sums are compared with.
struct NearTerms { float alpha, beta, kappa; int32_t init; };

// NearParams are vectors first up to end of a part of a field, and a batch of queries. A plane of a code is chunks of 64 bytes, of 128
// dimensions. Tiles of codes of queries are of 8 queries: in [8-query tile][chunk][2][lane], 16 bytes of each lane, those that
// mma_bytes takes as b in the two steps of half a chunk.
struct NearParams {
    uint64_t docs;     // uint32[]: docIDs, less base
    uint64_t metas;    // NearMeta[]
    uint64_t high, low; // uint8[][64*chunks]: planes
    uint64_t floats;   // float[][padded]; 0: they are not on the device
    uint64_t queries;  // NearQuery[]
    uint64_t codes;    // of the queries
    uint64_t values;   // float[nQueries][padded]: the queries
    uint64_t terms;    // NearTerms[nQueries]
    uint64_t floors;   // uint64 per query: the least key that can be a hit, 0 for any
    uint64_t counts;   // uint32 per query: candidates
    uint64_t found;    // uint32[nQueries][cap]: candidates, by number in the part
    uint64_t scored;   // uint32 per query: keys so far; more than room if there were too many
    uint64_t keys;     // uint64[nQueries][room]: 0 at first; without floats of the least that documents may score
    uint64_t lefts;    // uint32 per query: keys in left
    uint64_t left;     // uint64[nQueries][room]: without floats, of the most that candidates may score
    uint32_t first, end, nQueries, cap;
    uint32_t room, chunks, padded, by;
    uint32_t groups;   // of queries, which near_scan takes together
    uint32_t parts;    // thread blocks of near_score for a query
    float wide;
    uint32_t several;  // 1: documents have several vectors, room is a power of two, and scored is room at first
    uint32_t base, pad;
};

#endif
