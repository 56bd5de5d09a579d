// The structs that the kernels of this folder share with Go: params.go mirrors each
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

enum { SEARCH_TILE = 128, KEEP_TILE = 1024, GROUP = 512 };

// FindParams: one level of Parallel Merge Find (Ding 2009, section 7). Counts at an address
// override those beside them where the address is not 0, here and below: they are what a
// launch before has left.
struct FindParams {
    uint64_t a, b;       // uint32[], ascending
    uint64_t count;      // uint32: elements of a, instead of na
    uint64_t from;       // uint32[]: where the splitters of the level before are in b, and nb; or 0
    uint64_t to;         // uint32[]: the same of this level; without nb if stride is 1
    uint32_t na, nb;
    uint32_t stride, parent; // elements from a splitter to the next, here and in the level before
};

// KeepParams: the elements of a that are kept, with what goes with them. Element i is kept if
// positions[i] < nb and, unless b is 0, b[positions[i]] == a[i].
struct KeepParams {
    uint64_t a, b, positions;
    uint64_t scores;     // float[], or 0
    uint64_t count, counts, starts;  // counts, starts: uint32 a tile of KEEP_TILE
    uint64_t out, outPositions, outScores;  // positions and scores: or 0
    uint32_t na, nb;
};

// HeadParams: the distinct blocks below nb in blocks, which ascend, and the rank among them of
// each element's.
struct HeadParams { uint64_t blocks, count, counts, starts, out, ranks; uint32_t na, nb; };

// BlockParams: blocks of 128 of a compressed list to decode, blocks[i] to docs and freqs from
// 128 * i on. Places behind the end of the list get FULL.
struct BlockParams {
    uint64_t list;       // ListDesc
    uint64_t blocks;     // uint32[], or 0: block i
    uint64_t count;      // uint32: blocks, instead of n
    uint64_t docs, freqs; // freqs: or 0
    uint32_t n, pad;
};

// WithinParams: the position in its list of each element of a, or FULL, from the decoded
// blocks.
struct WithinParams { uint64_t a, count, blocks, ranks, docs, positions; uint32_t na, nb; };

// ScoreParams: adds a term's scores to those of candidates. Without positions candidate i is
// posting i; without candidates' docs freqs are given, and scores are accumulators by docID.
struct ScoreParams {
    uint64_t list;       // ListDesc
    uint64_t docs, positions, freqs, count;
    uint64_t norms;      // float[] by docID
    uint64_t scores;
    uint32_t n;
    float weight;
    uint32_t first, pad; // first: 1 if scores are undefined before
};

// BestParams: selection by maxima of groups of GROUP, in levels (Ding 2009, section 8). Scores
// of 0 are no candidates.
struct BestParams {
    uint64_t scores, docs;  // float[]; docs: uint32[], or 0: candidate i is docID i
    uint64_t count;         // uint32: candidates, instead of n
    uint64_t maxima[3];     // uint64[]: of groups of candidates, of groups of these, and so on
    uint64_t out, outCount; // uint64[k], uint32
    uint32_t n, k;
    uint32_t level, levels; // of a launch of paper_maxima, from 0; used, 1 to 3
};

// RadixParams: one pass of a stable radix sort of scores, greatest first, by eight bits of the
// inverted scores from shift on. Without docs in is scores, and the i-th is docID i's.
struct RadixParams {
    uint64_t in, docs;        // uint32[]
    uint64_t out, outDocs;
    uint64_t counts, totals;  // uint32[256][tiles], uint32[256]
    uint32_t n, tiles, shift, pad;
};
enum { RADIX_TILE = 2048, BUCKETS = 1024 };

// BucketState is how far a bucket selection has come: keys above hi are selected, and so are
// those from lo to hi in buckets above bucket; want more are to be selected from bucket.
struct BucketState {
    unsigned long long lo, hi;          // of the buckets counted last
    unsigned long long nextLo, nextHi;  // of the keys in bucket, before they are counted
    float scale;
    uint32_t bucket, want, done;
};

// PrefixTile is a tile of a list whose gaps are summed: at most PREFIX_TILE from at on, which
// is a multiple of 4. There is room up to the next multiple of 4 behind n.
struct PrefixTile { uint32_t at, n, first, pad; }; // first: 1 if it begins a list

// PrefixParams: gaps, those of a list's first docID from -1, become docIDs. Tiles are in order.
struct PrefixParams {
    uint64_t in, out;  // uint32[]; may be the same
    uint64_t tiles;    // PrefixTile[]
    uint64_t states;   // uint64 a tile, 0 before the launch
    uint64_t next;     // uint32: the next tile, 0 before the launch
    uint32_t nTiles, pad;
};
enum { PREFIX_TILE = 4096 };

struct BucketParams {
    uint64_t scores;  // float[]
    uint64_t state;   // BucketState
    uint64_t counts;  // uint32[BUCKETS], zero before a launch of paper_buckets
    uint64_t out;     // uint64[k]
    uint64_t outCount; // uint32
    uint32_t n, k;
};

#endif
