// The structs that kernels share with Go. params.go mirrors each one field for
// field; a test compares the sizes and offsets.
#ifndef PINION_PARAMS_H
#define PINION_PARAMS_H
#include <stdint.h>

// Codec numbers in a ListDesc: codec.ID, and 0 for plain uint32 values.
enum { CODEC_RAW = 0, CODEC_BP128 = 1, CODEC_VBYTE128 = 2, CODEC_BP256 = 3, CODEC_VBYTE1024 = 4,
       CODEC_RICE = 5, CODEC_PFORDELTA = 6, CODEC_NEWPFD = 7, CODEC_PARAPFOR = 8, CODEC_LRC = 9, CODEC_LRCSEG = 10,
       CODEC_SEGLRC = 11, CODEC_HSLRC = 12, CODEC_EF = 13 };
enum { LIST_LR = 1, LIST_HASH = 2 };
enum { MAX_TERMS = 64 };  // of a query, for disjunct

// ListDesc says where the parts of one list extent lie in device memory.
struct ListDesc {
    uint64_t docs, freqs;        // payloads
    uint64_t docEnds, freqEnds;  // block endpoints, nb+1 words
    uint64_t last;               // skip header, nb words
    uint64_t quads;              // block-max metadata, nb times 8 bytes
    uint64_t hash;               // bucket starts, 2^hashBits + 1 words, or 0
    int64_t lrInv, lrBase;       // Q32 positions per docID, Q32 position
    uint32_t lrLeft, lrRight;    // widest deviations
    uint32_t n, nb;              // postings, blocks
    uint32_t docWords, freqWords; // payload lengths
    uint8_t docsCodec, freqsCodec, logBlock, flags;
    uint8_t hashShift, hashBits, pad0, pad1;
    uint32_t maxDoc;             // docIDs of the list are below it: documents of the segment
    uint32_t presenceScale;      // presence words times 2^32 a document
    uint64_t presence;           // presence words (presence.h), or 0
};

// Tile is a run of blocks of one job.
struct Tile { uint32_t job, first; };

// DecodeJob is one list to decode: blocks first.. are given by the tiles.
struct DecodeJob { uint64_t out; uint32_t list, pad; };

struct DecodeParams {
    uint64_t lists;  // ListDesc[]
    uint64_t jobs;   // DecodeJob[]
    uint64_t tiles;  // Tile[]
    uint64_t sums;   // uint32 a tile, for the fused consumer
    uint32_t nTiles, tileBlocks;
};

struct CheckParams {
    uint64_t lists;   // ListDesc[]
    uint64_t which;   // uint32[]: lists to check
    uint64_t status;  // uint32[]: 0 or the first CHECK_ bit found, in the order of which
    uint32_t count, pad;
};
// PresenceJob is a list whose presence words are to be made, at words, which are zero.
struct PresenceJob { uint64_t words; uint32_t list, pad; };

struct PresenceParams {
    uint64_t lists;   // ListDesc[]
    uint64_t jobs;    // PresenceJob[]
    uint32_t nJobs, parts; // parts: thread blocks of mark_docs a job
};

enum { CHECK_DOCENDS = 1, CHECK_FREQENDS = 2, CHECK_LAST = 4, CHECK_HASH = 8 };

// QueryDesc is one query on one segment, and for rank one of its lists, the driver.
struct QueryDesc {
    uint64_t norms;     // float[]: 1/K by local docID
    uint64_t live;      // uint32[]: bit set, the document may be a hit; 0: all
    uint64_t out;       // the query's keys, or accumulators
    uint32_t firstTerm, nTerms;
    uint32_t docBase;   // global docID of local docID 0
    uint32_t docs;      // documents of the segment
    uint32_t slot;      // of the query's counter and floor
    uint32_t driver;    // whose postings rank takes; the lists before it are excluded
    uint32_t cap;       // keys that out can hold
    uint32_t pad;
};

// Term is one term of a query: its list and its weight idf*(k1+1)*qtf. No score of
// the list exceeds bound; rest is at least the sum of the bounds of the terms behind.
struct Term { uint32_t list; float weight; float bound; float rest; };

// RankTile is the blocks of a driver from first on, run of them but none from end on.
struct RankTile { uint32_t query, first, end; };

struct RankParams {
    uint64_t lists, queries, terms, tiles;  // RankTile[]
    uint64_t counts;   // uint32 a slot: keys so far
    uint64_t floors;   // uint64 a slot: keys not above it are not wanted
    uint64_t codes;    // float[512]: frequencies of the quads' codes, then norms of their lengths
    uint32_t nTiles, run;
    uint32_t required; // 1: a document must be in every list
    uint32_t locate;
};

struct IntersectParams {
    uint64_t lists, queries, terms, tiles;  // Tile.job is the query, first the block of its first list
    uint64_t counts;   // uint32 a tile
    uint64_t out;      // uint32[nTiles][stride]: docIDs
    uint32_t nTiles, stride;
    uint32_t locate;   // 0 auto, 1 skip header, 2 linear regression, 3 hash buckets
    uint32_t run;      // blocks a tile has at most
};

// MergeJob is a query's first list a and one of its others b, decoded; hits has a
// counter for each docID of a.
struct MergeJob { uint64_t a, b, hits; uint32_t na, nb; };

struct MergeParams {
    uint64_t jobs;   // MergeJob[]
    uint64_t tiles;  // Tile[]; first: element of the merge, or of a
    uint32_t nTiles, levels;
};

struct CollectParams {
    uint64_t queries;  // QueryDesc[]
    uint64_t jobs;     // MergeJob[], one a query: its first list
    uint64_t tiles;    // Tile[]; first: times 128 docIDs of the first list
    uint64_t counts, out; // as in IntersectParams, stride 128
    uint32_t nTiles, pad;
};

// Range is a run of docIDs of one query for the disjunction.
struct Range { uint32_t query, first, last, slot; };

struct DisjunctParams {
    uint64_t lists, queries, terms, ranges;
    uint64_t keys;     // uint64[nRanges][k]
    uint64_t counts;   // uint32[nRanges]
    uint64_t floors;   // uint64 a query slot: greatest proven k-th key so far
    uint32_t nRanges, width;  // width: docIDs whose accumulators lie in shared memory at once; 0 for collect_scores
    uint32_t keep, buffer;    // keep: k; buffer: keys of the queue, a power of two, at least 2*keep and 512
};

// AccumulateParams: queries[].out are accumulators, float a document, a multiple of four.
struct AccumulateParams {
    uint64_t lists, queries, terms;
    uint64_t parts;            // uint32[]: queries that have a term of that rank
    uint32_t nParts, shares;   // shares: into how many a list is divided; nParts * shares thread blocks
    uint32_t rank, pad;        // rank: which of a query's terms, from 0
};

// Select is one query's selection of its k best keys. With one group, counts[0] may
// exceed stride, the room that there was: then outCount becomes FULL.
struct Select {
    uint64_t keys, counts;
    uint32_t groups, stride, k, pad;
    uint64_t out, outCount;
    uint64_t floor;  // where the k-th key goes if there are k, or 0
};

struct SelectParams { uint64_t jobs; uint32_t nJobs, buffer; };

struct NormParams { uint64_t table, lengths, norms; uint32_t n, width, tableLen, pad; };

// GatherParams move the docIDs of all tiles to one array, query by query.
struct GatherParams {
    uint64_t in, counts;       // as in IntersectParams
    uint64_t queryTiles;       // uint32[nQueries+1]: first tile of each query
    uint64_t tileStarts;       // uint32[nTiles]: docIDs of the query before the tile
    uint64_t totals;           // uint32[nQueries]: docIDs of each query
    uint64_t starts;           // uint32[nQueries+1]: docIDs of the queries before
    uint64_t out;              // uint32[starts[nQueries]]
    uint32_t nQueries, nTiles, stride, limit;  // limit: words that out can hold
};

#endif
