// The structs that kernels share with Go. internal/kernels/params.go mirrors each of them field by field;
// a test compares sizes and offsets.
#ifndef PINION_PARAMS_H
#define PINION_PARAMS_H
#include <stdint.h>

// Codec numbers in a ListDesc: codec.ID, and 0 for plain uint32 values.
enum { CODEC_RAW = 0, CODEC_BP128 = 1, CODEC_VBYTE128 = 2, CODEC_BP256 = 3, CODEC_VBYTE1024 = 4,
       CODEC_RICE = 5, CODEC_PFORDELTA = 6, CODEC_NEWPFD = 7, CODEC_PARAPFOR = 8, CODEC_LRC = 9, CODEC_LRCSEG = 10,
       CODEC_SEGLRC = 11, CODEC_HSLRC = 12, CODEC_EF = 13 };
enum { LIST_LR = 1, LIST_HASH = 2 };
enum { MAX_TERMS = 64 };  // of a query, for disjunct

// ListDesc describes where the parts of a list's extent are in device memory.
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
    uint32_t maxDoc;             // all docIDs are less: the number of documents in the segment
    uint32_t presenceScale;      // 2^32 times the presence words per document
    uint64_t presence;           // presence words (presence.h), or 0
};

// Tile is a run of blocks of one job.
struct Tile { uint32_t job, first; };

// DecodeJob is a list to decode. The tiles give its blocks.
struct DecodeJob { uint64_t out; uint32_t list, pad; };

struct DecodeParams {
    uint64_t lists;  // ListDesc[]
    uint64_t jobs;   // DecodeJob[]
    uint64_t tiles;  // Tile[]
    uint64_t sums;   // uint32 per tile, for kernels that sum
    uint32_t nTiles, tileBlocks;
};

// Widths of lengths that are no numbers of bytes: there are none, and each is 1; or length codes of a byte.
enum { WIDTH_UNIT = 0, WIDTH_CODED = 3 };

// CheckJob is a list to check.
struct CheckJob {
    uint64_t quad;     // bounds of the list
    uint64_t lengths;  // of the segment's documents in the list's field
    uint32_t list;
    uint32_t first;    // its first docID
    uint32_t tiles;    // of 32 blocks, of this list and the ones before, for check_blocks
    uint16_t kth[3];   // k-th impacts: frequency code, then length code; frequency 0: none
    uint8_t width;     // of lengths: bytes or a WIDTH
    uint8_t foreign;   // 1: frequencies may exceed the document's length
    uint32_t pad;
};

// CheckStatus is what was found in a list: CHECK_ bits, the first block with an error, or
// FULL, and the number of postings that reach each k-th impact.
struct CheckStatus { uint32_t bad, block, reach[3], pad; };

struct CheckParams {
    uint64_t lists;   // ListDesc[]
    uint64_t jobs;    // CheckJob[]
    uint64_t status;  // CheckStatus[], parallel to jobs
    uint64_t descs;   // ListDesc[], parallel to jobs; check_lists copies them to lists
    uint32_t count, nTiles;
};

// RecodeJob is a list to write in bp128. from is its extent, to the place of the new one, 0
// for none: head bytes, and the payloads at docsAt and freqsAt.
struct RecodeJob {
    uint64_t ends;     // uint32[2][nb+1]: of docIDs and frequencies; lengths of blocks, then endpoints
    uint64_t from, to;
    uint32_t list;
    uint32_t check;    // index of its CheckStatus
    uint32_t tiles;    // of 32 blocks, of this list and the ones before
    uint32_t head, docsAt, freqsAt;
};

struct RecodeParams {
    uint64_t lists;    // ListDesc[]
    uint64_t jobs;     // RecodeJob[]
    uint64_t status;   // CheckStatus[]
    uint64_t sizes;    // uint32[2] a job: words of docIDs and of frequencies
    uint32_t count, nTiles;
};

// PresenceJob is a list whose presence words are written to words, which must be zero.
struct PresenceJob { uint64_t words; uint32_t list, pad; };

struct PresenceParams {
    uint64_t lists;   // ListDesc[]
    uint64_t jobs;    // PresenceJob[]
    uint32_t nJobs, parts; // parts: thread blocks of mark_docs per job
};

enum { CHECK_DOCENDS = 1, CHECK_FREQENDS = 2, CHECK_LAST = 4, CHECK_HASH = 8,
       CHECK_BLOCK = 16, CHECK_DOCS = 32, CHECK_FREQS = 64, CHECK_BOUND = 128, CHECK_FOUND = 256 };

// QueryDesc is a query on a segment and, for rank, one of its lists, the driver.
struct QueryDesc {
    uint64_t norms;     // float[]: 1/K by local docID; 0 for kernels over fields
    uint64_t live;      // uint32[]: bit set: the document may be a hit; 0: all may
    uint64_t out;       // the query's keys
    uint32_t firstTerm, nTerms;
    uint32_t docBase;   // global docID of local docID 0
    uint32_t docs;      // documents of the segment
    uint32_t slot;      // of the query's counter and floor
    uint32_t driver;    // the list whose postings rank processes; it skips documents of lists before it
    uint32_t cap;       // keys that out can hold
    float most;         // no static score is greater
    uint64_t statics;   // float[]: static scores by local docID, for kernels over fields; 0: there are none
    uint32_t liveFrom;  // bit of local docID 0 in live
    uint32_t pad;
};

// Term is a term of a query: its list and its weight idf*(k1+1)*qtf. No score of the list
// exceeds bound; rest is at least the sum of the bounds of the following terms.
struct Term { uint32_t list; float weight; float bound; float rest; };

// FieldScore is how postings of a field are scored in a segment (fields.h).
struct FieldScore {
    uint64_t norms;    // by local docID: float[]; uint8_t[], length codes, if coded; 0 if all documents have one norm
    uint64_t codes;    // float[512]: values for frequency codes, then norms of length codes
    uint32_t coded;    // 1: lengths are codes, for which the score has another form
    uint32_t pad;
};

// RankTile is the blocks of a driver from first up to end, at most 32.
struct RankTile { uint32_t query, first, end; };

// RankPart is the blocks of a driver from up to to.
struct RankPart { uint32_t query, from, to; };

struct TileParams {
    uint64_t parts, tiles; // RankPart[], RankTile[]
    uint64_t lists, queries, terms, floors, codes; // as in RankParams
    uint64_t count;        // uint32: of tiles, 0 at first
    uint32_t nParts;
    uint32_t run, most;    // blocks in a tile, and in one that is longer to fill a sieve
    uint32_t pad;
    uint64_t fields;       // as in RankParams
};

struct RankParams {
    uint64_t lists, queries, terms, tiles;  // RankTile[]
    uint64_t counts;   // uint32 per slot: keys so far
    uint64_t floors;   // uint64 per slot: only greater keys can be hits
    uint64_t codes;    // float[512]: the frequencies of quad codes, then the norms of their length codes
    uint64_t count;    // uint32: of tiles, if the device has cut them; 0: nTiles is it
    uint32_t nTiles;   // at most
    uint32_t required; // 1: a document must be in every list
    uint32_t locate, pad;
    uint64_t fields;   // FieldScore[], one for each of terms; for kernels over fields
};

// RankClausesParams are those of rank_clauses: the driver of a query is the first of its terms, and the others follow in canonical order,
// those that do not score last. In the Clause of the driver, before is how many terms, itself among them, come before it in canonical order.
struct RankClausesParams {
    RankParams rank;
    uint64_t clauses;  // Clause[], one for each of terms
    uint64_t tests;    // Test per slot, with one sum
};

struct IntersectParams {
    uint64_t lists, queries, terms, tiles;  // Tile.job is the query, first the block of its first list
    uint64_t counts;   // uint32 a tile
    uint64_t out;      // uint32[nTiles][stride]: docIDs
    uint32_t nTiles, stride;
    uint32_t locate;   // 0 auto, 1 skip header, 2 linear regression, 3 hash buckets
    uint32_t run;      // maximum blocks of a tile
};

// MergeJob is the decoded first list a of a query and one of its other decoded lists, b.
// hits has a counter for each docID of a.
struct MergeJob { uint64_t a, b, hits; uint32_t na, nb; };

struct MergeParams {
    uint64_t jobs;   // MergeJob[]
    uint64_t tiles;  // Tile[]; first: index in the merge, or in a
    uint32_t nTiles, pad;
};

struct CollectParams {
    uint64_t queries;  // QueryDesc[]
    uint64_t jobs;     // MergeJob[], one per query: its first list
    uint64_t tiles;    // Tile[]; first: index in the first list, divided by 128
    uint64_t counts, out; // as in IntersectParams, stride 128
    uint32_t nTiles, pad;
};

// Range is a range of docIDs, first to last-1, of one segment, for queries from query up to end,
// all of that segment.
struct Range { uint32_t query, end, first, last; };

// SCORE_CLASSES is the number of classes of scores for which keys are counted; floats with bits
// that differ by less than 2^CLASS_SHIFT are in one class, or in two that are adjacent.
enum { SCORE_CLASSES = 512, CLASS_SHIFT = 17 };

// Goal is what a query slot asks for: k keys, less than ceiling unless that is 0. base is the least float of class 0, as bits.
struct Goal { uint32_t base, k; uint64_t ceiling; };

enum { MOST_SUMS = 8 }; // of a document

// Clause is what a posting of a term says of its document for disjunct_clauses and rank_clauses: its state, unless a bit of before is not
// set in it, becomes (state | set) + add. The score is added to sum number sum; FULL: the term does not score.
struct Clause { uint32_t set, add, before, sum; };

// Test is what a query slot of disjunct_clauses asks of the state of a document, to which bias is added first: a sum counts if the
// bits of its mask are want, and the document matches if one of its sums counts. Its score is the greatest of these, and tie
// times the sum of the others, in order. best is 1 if what is called a sum is the greatest score of the terms. total, unless 0, is the address
// of the uint32 to which disjunct_clauses adds the matches.
struct Test { uint32_t bias, sums; float tie; uint32_t best; uint64_t total; uint32_t mask[MOST_SUMS], want[MOST_SUMS]; };

struct DisjunctParams {
    uint64_t lists, queries, terms, ranges;
    uint64_t counts;   // uint32 per slot: keys so far
    uint64_t floors;   // uint64 per slot: only keys that reach it can be hits
    uint64_t classes;  // uint32[SCORE_CLASSES] per slot: keys counted, 0 at first
    uint64_t goals;    // Goal per slot
    uint64_t codes;    // as in RankParams
    uint64_t fields;   // as in RankParams
    uint64_t clauses, tests; // Clause[], one for each of terms, and Test per slot; for disjunct_clauses
    uint32_t nRanges, width; // width: documents for which a warp has accumulators in shared memory, a multiple of 128, at most 4096
    uint32_t span, sums;     // documents of a range at most, a multiple of width; sums of a document, for disjunct_clauses
};

// Select is the selection of the top k keys of a query. With one group, counts[0] may
// exceed stride, the capacity; then outCount is set to FULL.
struct Select {
    uint64_t keys, counts;
    uint32_t groups, stride, k, pad;
    uint64_t out, outCount;
    uint64_t floor;  // of a key that k keys or more reach, or 0: the k-th key is stored there, if there is one; or 0
    uint64_t ceiling; // only lesser keys are selected; 0: all
    uint64_t total;  // of the uint32 that is set to the number of keys, whatever the ceiling; or 0
};

struct SelectParams { uint64_t jobs; uint32_t nJobs, buffer; };

struct NormParams { uint64_t table, lengths, norms, over; uint32_t n, width, tableLen, pad; };

// GatherParams are for the kernels that copy the docIDs of all tiles to one array, query
// by query.
struct GatherParams {
    uint64_t in, counts;       // as in IntersectParams
    uint64_t queryTiles;       // uint32[nQueries+1]: first tile of each query
    uint64_t tileStarts;       // uint32[nTiles]: docIDs of the query before the tile
    uint64_t totals;           // uint32[nQueries]: docIDs of each query
    uint64_t starts;           // uint32[nQueries+1]: docIDs of the queries before
    uint64_t out;              // uint32[starts[nQueries]]
    uint32_t nQueries, nTiles, stride, limit;  // limit: capacity of out in words
};

enum { WINDOW_WORDS = 2048 }; // of a bitmap, in a window of a filter

// SetList is a list of a set: the address of its ListDesc, and the document of the index
// that is its docID 0.
struct SetList { uint64_t list; uint32_t base, pad; };

struct MarkSetParams {
    uint64_t lists;    // SetList[]
    uint64_t starts;   // uint32[nSets+1]: the first list of each set
    uint64_t out;      // uint32[nSets][windows][WINDOW_WORDS]
    uint32_t nSets, window, windows, pad; // windows: of this launch, from window on
};

enum { OPERAND_RANGE = 1, OPERAND_NOT = 2, OPERAND_LAST = 4 };

// Operand is a set in a clause of a filter: the documents from first up to end if flags have
// OPERAND_RANGE; those of a bitmap at bits; or, if that is 0, those of set first of mark_sets.
// OPERAND_NOT means the other documents. OPERAND_LAST ends a clause.
struct Operand { uint64_t bits; uint32_t first, end, flags, pad; };

struct CombineParams {
    uint64_t starts;   // uint32[nFilters+1]: the first operand of each filter
    uint64_t operands; // Operand[]
    uint64_t marked;   // out of mark_sets
    uint64_t live;     // uint32[]: bit set: the document is not deleted; 0: none is
    uint64_t out;      // uint32[nFilters][stride]
    uint64_t counts;   // uint32[nFilters]: documents so far
    uint32_t nFilters, window, windows, docs, stride, pad;
};

// SpanJob is a bitmap of documents for mark_spans: those that are in live, unless that is 0, and have a value from lo to hi.
struct SpanJob {
    uint64_t values;   // int64[docs]; the least one: there is none
    uint64_t live;     // uint32[], as in QueryDesc
    uint64_t out;      // uint32[]
    int64_t lo, hi;
    uint32_t docs, pad;
};

struct SpanParams { uint64_t jobs; uint32_t nJobs, parts; }; // parts: thread blocks of each job

enum { IMPACT_TERMS = 64, IMPACT_BINS = 256, IMPACT_LIST = 1024 }; // of a query; of its histogram; documents that a tile lists
enum { IMPACT_SHARED = 4224 }; // bytes of shared memory beside accumulators

// ImpactQuery is a query of impacts.cu. Bin i of its histogram begins at sum low + (i << shift); the last has all
// greater sums, too.
struct ImpactQuery {
    uint64_t filter;   // uint32[]: bit set: the document may be a hit; 0: all may that are not deleted
    uint64_t keys;     // uint64[cap]: keys found so far: sum << 32 | ~docID
    uint64_t out, outCount; // uint64[k], uint32: FULL if there were more keys than cap
    uint32_t firstTerm, nTerms;
    uint32_t k, cap, low, shift;
};

struct ImpactTerm { uint32_t number, weight; };

// ImpactSegment is a field of impacts in a segment, as tiles of width documents. The postings of term t in a
// tile are units starts[tile][t] up to starts[tile][t+1], each of 8 postings: docIDs less the first of the tile, and
// weights, 0 for padding. The lanes of a warp take a unit each and add the postings of one place in it together: these are of
// different banks of shared memory as far as possible.
struct ImpactSegment {
    uint64_t docs;     // uint16[][8]
    uint64_t weights;  // uint8[][8]
    uint64_t starts;   // uint32[tiles][nTerms+1]
    uint32_t nTerms;
    uint32_t firstTile; // tiles of the segments before it
    uint32_t base;     // docID of its first document
    uint32_t pad;
};

// ImpactParams are a field of impacts and a batch of queries. A query's terms have numbers in each segment, FULL where
// one does not occur.
struct ImpactParams {
    uint64_t segments; // ImpactSegment[]
    uint64_t live;     // uint32[]: bit set: the document is not deleted; 0: none is that the tiles have
    uint64_t queries;  // ImpactQuery[]
    uint64_t terms;    // ImpactTerm[nSegments][nWanted]
    uint64_t floors;   // uint64 per query: the least key that can be a hit
    uint64_t counts, ended; // uint32 per query: keys, tasks that have ended; 0 at first
    uint64_t bins;     // uint32[nQueries][IMPACT_BINS]: keys by sum; 0 at first
    uint64_t next;     // uint32: the next task, 0 at first
    uint32_t nSegments, nWanted;
    uint32_t tiles, width; // tiles: of all segments; width: a multiple of 4
    uint32_t nQueries, nTasks;
};

// ImpactCheckParams are an array of 8-byte words, which are numbered from first on.
struct ImpactCheckParams {
    uint64_t at, words, first;
    uint64_t sums;     // uint64[2]: of the words, and how many 16-bit numbers are not less than width
    uint32_t width, pad; // 0: no numbers
};

#endif
