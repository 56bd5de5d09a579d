package kernels

import "unsafe"

// Ptr is an address in a device's memory; 0 is none.
type Ptr uint64

// Flags of a ListDesc.
const (
	FlagLR   = 1 // linear-regression parameters are there
	FlagHash = 2 // hash buckets are there
)

// MaxTerms is how many terms a query can have on the device.
const MaxTerms = 64

// ListDesc says where the parts of one list extent lie in device memory. It and all
// structs below mirror params.h.
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
	MaxDoc                uint32 // all docIDs are below it
	PresenceScale         uint32 // see PresenceWords
	Presence              Ptr    // presence words, or 0
}

// PresenceWords returns how many presence words (presence.h) a list of n postings has in a
// segment of docs documents, and its PresenceScale.
func PresenceWords(n, docs uint32) (words int, scale uint32) {
	w := uint64(n/4) + 1
	if 32*w >= uint64(docs) {
		return int(docs/32) + 1, 1 << 27
	}
	return int(w), uint32(w << 32 / uint64(docs))
}

// PresenceJob is a list whose presence words MarkDocs makes at Words, which hold zeros.
type PresenceJob struct {
	Words   Ptr
	List, _ uint32
}

// PresenceParams are the parameters of MarkDocs, of Parts thread blocks a job, and of
// PublishPresence, a thread a job.
type PresenceParams struct {
	Lists, Jobs  Ptr
	NJobs, Parts uint32
}

// Tile is a run of blocks of one job: of a list to decode, or of the first list of
// a query.
type Tile struct{ Job, First uint32 }

// DecodeJob is one list to decode to Out.
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

// CheckParams are the parameters of CheckLists.
type CheckParams struct {
	Lists, Which, Status Ptr
	Count, _             uint32
}

// What CheckLists finds wrong, as bits of a list's status.
const (
	BadDocEnds  = 1
	BadFreqEnds = 2
	BadLast     = 4
	BadHash     = 8
)

// QueryDesc is one query on one segment, and for Rank one of its lists, the driver.
type QueryDesc struct {
	Norms, Live, Out  Ptr
	FirstTerm, NTerms uint32
	DocBase, Docs     uint32
	Slot, Driver      uint32
	Cap, _            uint32
}

// Term is one term of a query: no score of its list exceeds Bound, and Rest is at
// least the sum of the bounds of the terms behind it.
type Term struct {
	List                uint32
	Weight, Bound, Rest float32
}

// RankTile is the blocks of a driver from First on, RankParams.Run of them but none
// from End on.
type RankTile struct{ Query, First, End uint32 }

// RankParams are the parameters of Rank.
type RankParams struct {
	Lists, Queries, Terms, Tiles, Counts, Floors, Codes Ptr
	NTiles, Run, Required, Locate                       uint32
}

// IntersectParams are the parameters of IntersectDocs.
type IntersectParams struct {
	Lists, Queries, Terms, Tiles, Counts, Out Ptr
	NTiles, Stride, Locate, Run               uint32
}

// Ways to locate a docID in a list.
const (
	LocateAuto = 0 // hash buckets, safe range or skip header, the first there is
	LocateSkip = 1
	LocateLR   = 2
	LocateHash = 3
)

// MergeJob is a query's first list, decoded, with a counter for each of its docIDs, and
// one of its other lists, decoded.
type MergeJob struct {
	A, B, Hits Ptr
	NA, NB     uint32
}

// MergeParams are the parameters of MergePath and MergeFind.
type MergeParams struct {
	Jobs, Tiles    Ptr
	NTiles, Levels uint32
}

// CollectParams are the parameters of CollectHits.
type CollectParams struct {
	Queries, Jobs, Tiles, Counts, Out Ptr
	NTiles, _                         uint32
}

// How many docIDs a tile of MergePath has of both lists, and one of MergeFind of the first.
const (
	MergeTile = 2048
	FindTile  = 1024
)

// Range is a run of docIDs of one query.
type Range struct{ Query, First, Last, Slot uint32 }

// DisjunctParams are the parameters of Disjunct and CollectScores, whose dynamic shared
// memory is 8*Buffer + 4*Width bytes. Width is 0 for CollectScores.
type DisjunctParams struct {
	Lists, Queries, Terms, Ranges, Keys, Counts, Floors Ptr
	NRanges, Width, Keep, Buffer                        uint32
}

// AccumulateParams are the parameters of Accumulate and AccumulatePacked: NParts times
// Shares thread blocks add the lists of that rank to the accumulators at Out of the queries
// that Parts names, a float a document, in multiples of four.
type AccumulateParams struct {
	Lists, Queries, Terms, Parts Ptr
	NParts, Shares               uint32
	Rank, _                      uint32
}

// Untouched is an accumulator before the first score: minus zero.
const Untouched = 1 << 31

// Select is one query's selection of its K best keys.
type Select struct {
	Keys, Counts         Ptr
	Groups, Stride, K, _ uint32
	Out, OutCount, Floor Ptr
}

// SelectParams are the parameters of SelectBest, SelectWarp, SelectMaxima and SelectRadix,
// whose dynamic shared memory is 8*Buffer bytes.
type SelectParams struct {
	Jobs          Ptr
	NJobs, Buffer uint32
}

// NormParams are the parameters of NormsOfLengths.
type NormParams struct {
	Table, Lengths, Norms Ptr
	N, Width, TableLen, _ uint32
}

// GatherParams are the parameters of SumTiles, ScanQueries and GatherDocs.
type GatherParams struct {
	In, Counts, QueryTiles, TileStarts, Totals, Starts, Out Ptr
	NQueries, NTiles, Stride, Limit                         uint32
}

// Bytes views a struct as the bytes that the device sees. Slice does so for the elements of
// a slice.
func Bytes[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// Slice views the elements of s as bytes.
func Slice[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(s[0]))
}
