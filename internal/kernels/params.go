package kernels

import "unsafe"

// Ptr is an address in device memory. 0 means none.
type Ptr uint64

// Flags of a ListDesc.
const (
	FlagLR   = 1 // the list has linear-regression parameters
	FlagHash = 2 // the list has hash buckets
)

// MaxTerms is the maximum number of terms in a query on the device.
const MaxTerms = 64

// ListDesc describes where the parts of a list's extent are in device memory. ListDesc
// and all structs below mirror those in params.h, which documents their fields.
type ListDesc struct {
	Docs, Freqs           Ptr // payloads
	DocEnds, FreqEnds     Ptr // block endpoints, Blocks+1 words
	Last                  Ptr // skip header
	Quads                 Ptr // block-max metadata
	Hash                  Ptr // bucket starts, or 0
	LRInv, LRBase         int64
	LRLeft, LRRight       uint32
	N, Blocks             uint32
	DocWords, FreqWords   uint32 // payload lengths in 4-byte words
	DocsCodec, FreqsCodec uint8
	LogBlock, Flags       uint8
	HashShift, HashBits   uint8
	_                     [2]uint8
	MaxDoc                uint32 // all docIDs are less
	PresenceScale         uint32 // see PresenceWords
	Presence              Ptr    // presence words, or 0
}

// PresenceWords returns the number of presence words (presence.h) of a list of n postings
// in a segment of docs documents, and its PresenceScale.
func PresenceWords(n, docs uint32) (words int, scale uint32) {
	w := uint64(n/4) + 1
	if 32*w >= uint64(docs) {
		return int(docs/32) + 1, 1 << 27
	}
	return int(w), uint32(w << 32 / uint64(docs))
}

// PresenceJob is a list whose presence words MarkDocs writes to Words. These must be zero
// before.
type PresenceJob struct {
	Words   Ptr
	List, _ uint32
}

// PresenceParams are the parameters of MarkDocs and MarkPacked, with Parts thread blocks per job, and of
// PublishPresence, with a thread per job.
type PresenceParams struct {
	Lists, Jobs  Ptr
	NJobs, Parts uint32
}

// Tile is a run of blocks of one job: of a list to decode, or of the first list of
// a query.
type Tile struct{ Job, First uint32 }

// DecodeJob is a list to decode to Out.
type DecodeJob struct {
	Out  Ptr
	List uint32
	_    uint32
}

// DecodeParams are the parameters of the decode kernels.
type DecodeParams struct {
	Lists, Jobs, Tiles, Sums Ptr
	NTiles, TileBlocks       uint32 // TileBlocks: blocks in a tile, at most Kernel.TileBlocks(0)
}

// Values of CheckJob.Width that are no numbers of bytes: each length is 1, or there are length codes of a byte.
const (
	WidthUnit  = 0
	WidthCoded = 3
)

// CheckJob is a list to check. Its blocks are checked in tiles of CheckTile.
type CheckJob struct {
	Quad           uint64
	Lengths        Ptr
	List, First    uint32
	Tiles          uint32 // of this list and the ones before it, for CheckBlocks
	Kth            [3][2]uint8
	Width, Foreign uint8
	_              uint32
}

// CheckTile is the number of blocks in a tile of CheckBlocks.
const CheckTile = 32

// CheckStatus is what CheckLists and CheckBlocks found in a list.
type CheckStatus struct {
	Bad   uint32    // Bad bits
	Block uint32    // the first block with an error that CheckBlocks found
	Reach [3]uint32 // postings that reach each k-th impact
	_     uint32
}

// CheckParams are the parameters of CheckLists, with a thread block per list, and of
// CheckBlocks, CheckPacked and CheckNewPFD, which must follow it, with a warp per tile.
type CheckParams struct {
	Lists, Jobs, Status, Descs Ptr
	Count, NTiles              uint32
}

// RecodeJob is a list to write in bp128. From is its extent and To the place for the new
// one, or 0 for none: Head bytes, and the payloads at DocsAt and FreqsAt.
type RecodeJob struct {
	Ends                  Ptr // space for 2*(Blocks+1) words
	From, To              Ptr
	List, Check           uint32 // Check: index of its CheckStatus
	Tiles                 uint32 // of this list and the ones before it, as in CheckJob
	Head, DocsAt, FreqsAt uint32
}

// RecodeParams are the parameters of MeasureBlocks, RecodeBlocks and their variants, with a warp per tile,
// and of ScanBlocks and PublishRecoded, with a thread block per job. Between the first two,
// MeasureBlocks and ScanBlocks, and the others the host reads Sizes, two words a job: those
// of docIDs and of frequencies.
type RecodeParams struct {
	Lists, Jobs, Status, Sizes Ptr
	Count, NTiles              uint32
}

// Errors that CheckLists finds, as bits of a list's status.
const (
	BadDocEnds  = 1
	BadFreqEnds = 2
	BadLast     = 4
	BadHash     = 8
)

// Errors that CheckBlocks finds.
const (
	BadBlock = 16 << iota // the structure of a block
	BadDocs
	BadFreqs
	BadBound // a posting exceeds the bounds of its block or list
	BadFound // a posting that a search would miss
)

// QueryDesc is a query on a segment and, for Rank, one of its lists, the driver.
type QueryDesc struct {
	Norms, Live, Out  Ptr
	FirstTerm, NTerms uint32
	DocBase, Docs     uint32
	Slot, Driver      uint32
	Cap               uint32
	Most              float32 // no static score is greater
	Statics           Ptr     // float32 by docID, which kernels over fields add to scores; 0: there are none
	LiveFrom, _       uint32  // bit of the first document in Live
}

// Term is a term of a query. No score of its list exceeds Bound, and Rest is at least the
// sum of the bounds of the following terms.
type Term struct {
	List                uint32
	Weight, Bound, Rest float32
}

// FieldScore is how postings of a field are scored in a segment. Norms are float32 by docID, or if Coded is 1 length
// codes; 0 means that all documents have one norm, the first of codes. Codes are 512 float32: values for frequency
// codes, then norms of length codes.
type FieldScore struct {
	Norms, Codes Ptr
	Coded, _     uint32
}

// MostRun is the maximum number of blocks in a RankTile.
const MostRun = 32

// RankTile is the blocks of a driver from First up to End, at most MostRun.
type RankTile struct{ Query, First, End uint32 }

// RankPart is the blocks of a driver from From up to To.
type RankPart struct{ Query, From, To uint32 }

// TileParams are the parameters of CutTiles. It cuts Parts into tiles of Run blocks, or of up to
// Most where few docIDs pass, writes those of lists that may add hits to Tiles in any order, and
// adds their number to Count.
type TileParams struct {
	Parts, Tiles                         Ptr
	Lists, Queries, Terms, Floors, Codes Ptr
	Count                                Ptr
	NParts, Run, Most, _                 uint32
	Fields                               Ptr // as in RankParams
}

// RankParams are the parameters of Rank.
type RankParams struct {
	Lists, Queries, Terms, Tiles, Counts, Floors, Codes Ptr
	Count                                               Ptr // of tiles, if CutTiles has counted them
	NTiles, Required, Locate, _                         uint32
	Fields                                              Ptr // a FieldScore for each of Terms, for kernels over fields
}

// RankClausesParams are the parameters of RankClauses. The first term of a query is its driver, and the Before of the driver's Clause
// is how many of the terms, itself among them, come before it in canonical order. The others are in that order, those without a score last.
type RankClausesParams struct {
	Rank           RankParams
	Clauses, Tests Ptr // as in DisjunctParams
}

// IntersectParams are the parameters of IntersectDocs.
type IntersectParams struct {
	Lists, Queries, Terms, Tiles, Counts, Out Ptr
	NTiles, Stride, Locate, Run               uint32
}

// Ways to locate a docID in a list.
const (
	LocateAuto = 0 // hash buckets, safe range or skip header, the first that the list has
	LocateSkip = 1
	LocateLR   = 2
	LocateHash = 3
)

// MergeJob is the decoded first list A of a query, with a counter per docID at Hits, and
// one of the query's other decoded lists, B.
type MergeJob struct {
	A, B, Hits Ptr
	NA, NB     uint32
}

// MergeParams are the parameters of MergePath.
type MergeParams struct {
	Jobs, Tiles Ptr
	NTiles, _   uint32
}

// CollectParams are the parameters of CollectHits.
type CollectParams struct {
	Queries, Jobs, Tiles, Counts, Out Ptr
	NTiles, _                         uint32
}

// MergeTile is the number of docIDs of both lists in a tile of MergePath.
const MergeTile = 2048

// Range is a range of docIDs, First to Last-1, of one segment, for queries from Query up to End.
type Range struct{ Query, End, First, Last uint32 }

// ScoreClasses is the number of classes of scores of Disjunct. Floats whose bits differ by ClassBits are one
// class apart.
const (
	ScoreClasses = 512
	ClassBits    = 1 << 17
)

// Goal is what a query slot of Disjunct asks for: K keys, less than Ceiling unless that is 0. Base is the least float of the lowest class, as bits.
type Goal struct {
	Base, K uint32
	Ceiling uint64
}

// MostSums is how many sums of scores DisjunctClauses can keep for a document.
const MostSums = 8

// Clause is what a posting of a term says of its document for DisjunctClauses: unless a bit of Before is not set in the document's
// state, that becomes (state | Set) + Add, and the score is added to sum number Sum. NoSum: the term does not score.
type Clause struct{ Set, Add, Before, Sum uint32 }

// NoSum is the Sum of a Clause without a score.
const NoSum = 1<<32 - 1

// Test is what a query slot of DisjunctClauses asks of documents. Bias is added to the state. Of its Sums sums one counts if the bits of
// its Mask are Want; a document matches if one counts. Its score is the greatest of these, and Tie times the sum of the others.
// The number of matches is added to the uint32 at Total, unless that is 0.
type Test struct {
	Bias, Sums uint32
	Tie        float32
	Best       uint32 // 1: a sum is the greatest score of the terms
	Total      Ptr
	Mask, Want [MostSums]uint32
}

// MaxWidth is the greatest DisjunctParams.Width.
const MaxWidth = 4096

// DisjunctParams are the parameters of Disjunct, whose dynamic shared memory is 4*Width bytes
// for each warp and 4*Span bytes, and of DisjunctClauses, of which it is 4*(1+Sums)*Width bytes for each warp. Width is a multiple of
// 128, and Span, the most documents of a range, one of Width.
type DisjunctParams struct {
	Lists, Queries, Terms, Ranges, Counts, Floors, Classes, Goals Ptr
	Codes, Fields                                                 Ptr // as in RankParams
	Clauses, Tests                                                Ptr // a Clause for each of Terms, and a Test per slot, for DisjunctClauses
	NRanges, Width, Span, Sums                                    uint32
}

// Select is the selection of the top K keys of a query.
type Select struct {
	Keys, Counts         Ptr
	Groups, Stride, K, _ uint32
	Out, OutCount, Floor Ptr
	Ceiling              uint64 // only lesser keys are selected; 0: all
	Total                Ptr    // of the uint32 that is set to the number of keys, whatever Ceiling; or 0
}

// SelectParams are the parameters of SelectBest, whose dynamic shared memory is 8*Buffer bytes.
type SelectParams struct {
	Jobs          Ptr
	NJobs, Buffer uint32
}

// NormParams are the parameters of NormsOfLengths. It sets Over to the greatest length that
// is not in the table.
type NormParams struct {
	Table, Lengths, Norms, Over Ptr
	N, Width, TableLen, _       uint32
}

// GatherParams are the parameters of SumTiles, ScanQueries and GatherDocs.
type GatherParams struct {
	In, Counts, QueryTiles, TileStarts, Totals, Starts, Out Ptr
	NQueries, NTiles, Stride, Limit                         uint32
}

// WindowDocs is the number of documents in a window of MarkSets and CombineSets.
const WindowDocs = 1 << 16

// SetList is a list of a set: the address of its ListDesc, and the document of the index that is its docID 0.
type SetList struct {
	List    Ptr
	Base, _ uint32
}

// MarkSetParams are the parameters of MarkSets. It writes bitmaps of Windows windows, from Window on.
type MarkSetParams struct {
	Lists, Starts, Out        Ptr
	NSets, Window, Windows, _ uint32
}

// Flags of an Operand.
const (
	OperandRange = 1 // the documents from First up to End
	OperandNot   = 2 // the other documents
	OperandLast  = 4 // the last one of a clause
)

// Operand is a set in a clause of a filter: a range, a bitmap at Bits or, if that is 0, set First of MarkSets.
type Operand struct {
	Bits              Ptr
	First, End, Flags uint32
	_                 uint32
}

// CombineParams are the parameters of CombineSets. A result has Stride words, a multiple of 4.
type CombineParams struct {
	Starts, Operands, Marked, Live, Out, Counts Ptr
	NFilters, Window, Windows, Docs, Stride, _  uint32
}

// Limits of AddImpacts: the bins of a query's histogram, the documents that a tile lists, and the dynamic shared memory beside
// accumulators.
const (
	ImpactBins   = 256
	ImpactList   = 1024
	ImpactShared = 4224
)

// ImpactQuery is a query of AddImpacts, of at most MaxTerms terms.
type ImpactQuery struct {
	Filter, Keys, Out, OutCount          Ptr
	FirstTerm, Terms, K, Cap, Low, Shift uint32
}

// SpanJob is a bitmap of documents: those that are in Live, unless that is 0, and have a value from Lo to Hi. NoValue stands for none.
type SpanJob struct {
	Values, Live, Out Ptr
	Lo, Hi            int64
	Docs, _           uint32
}

// NoValue is what a document without a value has in SpanJob.Values.
const NoValue = -1 << 63

// SpanParams are the parameters of MarkSpans, with Parts thread blocks for each job.
type SpanParams struct {
	Jobs         Ptr
	NJobs, Parts uint32
}

// ImpactTerm is a term of a query: its number in the field of a segment, NoImpacts if it does not occur there, and its weight.
type ImpactTerm struct{ Number, Weight uint32 }

// NoImpacts is the number of a term that does not occur in a segment.
const NoImpacts = ^uint32(0)

// ImpactSegment is a field of impacts in a segment, as tiles: FirstTile is the number of tiles of the segments before it, and
// Base the docID of its first document.
type ImpactSegment struct {
	Docs, Weights, Starts     Ptr
	Terms, FirstTile, Base, _ uint32
}

// ImpactParams are the parameters of AddImpacts, whose dynamic shared memory is ImpactShared + 4*Width bytes. Width is a multiple of 4
// and at least 4,096.
type ImpactParams struct {
	Segments, Live                                     Ptr // ImpactSegment[]; a bitmap of docIDs, or 0
	Queries, Wanted, Floors, Counts, Ended, Bins, Next Ptr // Wanted: ImpactTerm[NSegments][NWanted]
	NSegments, NWanted, Tiles, Width, NQueries, NTasks uint32
}

// ImpactCheckParams are the parameters of CheckImpacts.
type ImpactCheckParams struct {
	At           Ptr
	Words, First uint64
	Sums         Ptr
	Width, _     uint32
}

// Bytes returns the memory of *p as a byte slice.
func Bytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// Slice returns the memory of the elements of s as a byte slice.
func Slice[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(s[0]))
}
