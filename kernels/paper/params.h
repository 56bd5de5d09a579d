// The structs that the kernels of this folder share with Go: paper_params.go mirrors each
// of them field by field, and a test compares sizes and offsets.
#ifndef PINION_PAPER_PARAMS_H
#define PINION_PAPER_PARAMS_H
#include <stdint.h>

// RawList is an uncompressed list with what one way of searching it (Ao 2011, sections 3.2
// to 3.4 and 4.3) keeps beside it.
struct RawList {
    uint64_t docs;     // uint32[n], ascending; not used by paper_hs_lrc
    uint64_t aux;      // uint32[]: parts + 1 starts of hash buckets, or the first docID of each of parts segments
    uint64_t lines;    // RawLine[parts] of segments, or RawBucket[parts]
    uint64_t payload;  // uint32[]: deviations of paper_hs_lrc
    float slope, intercept;   // the line through the list: position = floor(docID * slope + intercept)
    uint32_t left, right;     // positions of docIDs of the list are from left before to right behind the line's
    uint32_t n, parts;
    uint32_t shift;    // a docID's bucket is docID >> shift
    uint32_t step;     // elements of a segment
};

// RawLine is the line through a segment and its safe range, in positions of the segment.
struct RawLine { float slope, intercept; uint32_t left, right; };

// RawBucket is the line through a bucket that is a segment of HS_LRC: element i is base +
// floor(i * slope) + deviation i, of width bits. The element x is at floor((x - base) *
// inverse), or from left before to right behind.
struct RawBucket { float slope, inverse; uint32_t base, word; uint32_t width, left, right, pad; };

// RawQuery is a query: terms[first] is the index of its first list, the shortest.
struct RawQuery { uint32_t first, n; };

struct SearchParams {
    uint64_t lists;    // RawList[]
    uint64_t queries;  // RawQuery[]
    uint64_t terms;    // uint32[]
    uint64_t tiles;    // Tile[]: the query, and the first position in its first list
    uint64_t counts;   // uint32 a tile
    uint64_t out;      // uint32[nTiles][SEARCH_TILE]
    uint64_t claim;    // uint32: next tile, or 0: block i has tile i
    uint32_t nTiles;
    uint32_t sms;      // blocks of other multiprocessors than the first sms end; 0: none
};

enum { SEARCH_TILE = 128 };

#endif
