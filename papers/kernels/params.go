package kernels

import "github.com/pinion-index/pinion/internal/kernels"

// SearchTile is the number of docIDs of a query's first list that a thread block of
// the kernels with SearchParams looks up.
const SearchTile = 128

// KeepTile is the number of elements that a thread block of Count and Keep
// processes, Group that of a group of Maxima.
const (
	KeepTile = 1024
	Group    = 512
)

// RadixTile is the number of scores that a thread block of RadixCount and
// RadixPlace processes, BucketCount that of the buckets of Buckets.
const (
	RadixTile   = 2048
	BucketCount = 1024
)

// MostPrefix is the greatest number of gaps in a tile of Prefix.
const MostPrefix = 4096

// RawList is an uncompressed list in device memory with what one way of searching it
// keeps beside it. RawList and all structs below mirror those in params.h, which
// documents their fields.
type RawList struct {
	Docs, Aux, Lines, Payload kernels.Ptr
	Slope, Intercept          float32
	Left, Right               uint32
	N, Parts                  uint32
	Shift, Step               uint32
}

// RawLine is the line through a segment and its safe range.
type RawLine struct {
	Slope, Intercept float32
	Left, Right      uint32
}

// RawBucket is the line through a bucket that is a segment of HS_LRC.
type RawBucket struct {
	Slope, Inverse        float32
	Base, Word            uint32
	Width, Left, Right, _ uint32
}

// RawQuery is a query of N terms, from First on.
type RawQuery struct{ First, N uint32 }

// SearchParams are the parameters of BS to HSLRC. Each of NTiles tiles has
// room for SearchTile docIDs at Out.
type SearchParams struct {
	Lists, Queries, Terms, Tiles, Counts, Out, Claim kernels.Ptr
	NTiles, SMs                                      uint32
}

// FindParams are the parameters of Find.
type FindParams struct {
	A, B, Count, From, To  kernels.Ptr
	NA, NB, Stride, Parent uint32
}

// KeepParams are the parameters of Count and Keep.
type KeepParams struct {
	A, B, Positions, Scores      kernels.Ptr
	Count, Counts, Starts        kernels.Ptr
	Out, OutPositions, OutScores kernels.Ptr
	NA, NB                       uint32
}

// HeadParams are the parameters of CountHeads and PlaceHeads.
type HeadParams struct {
	Blocks, Count, Counts, Starts, Out, Ranks kernels.Ptr
	NA, NB                                    uint32
}

// BlockParams are the parameters of Decode.
type BlockParams struct {
	List, Blocks, Count, Docs, Freqs kernels.Ptr
	N, _                             uint32
}

// WithinParams are the parameters of Within.
type WithinParams struct {
	A, Count, Blocks, Ranks, Docs, Positions kernels.Ptr
	NA, NB                                   uint32
}

// ScoreParams are the parameters of Score and Add.
type ScoreParams struct {
	List, Docs, Positions, Freqs, Count, Norms, Scores kernels.Ptr
	N                                                  uint32
	Weight                                             float32
	First, _                                           uint32
}

// BestParams are the parameters of Maxima and Extract.
type BestParams struct {
	Scores, Docs, Count kernels.Ptr
	Maxima              [3]kernels.Ptr
	Out, OutCount       kernels.Ptr
	N, K, Level, Levels uint32
}

// RadixParams are the parameters of RadixCount, RadixScan and
// RadixPlace.
type RadixParams struct {
	In, Docs, Out, OutDocs, Counts, Totals kernels.Ptr
	N, Tiles, Shift, _                     uint32
}

// BucketState is how far a bucket selection has come.
type BucketState struct {
	Lo, Hi, NextLo, NextHi uint64
	Scale                  float32
	Bucket, Want, Done     uint32
}

// BucketParams are the parameters of Range, Buckets, Pick and
// Selected.
type BucketParams struct {
	Scores, State, Counts, Out, OutCount kernels.Ptr
	N, K                                 uint32
}

// PrefixTile is a tile of a list of gaps.
type PrefixTile struct{ At, N, First, _ uint32 }

// PrefixParams are the parameters of Prefix.
type PrefixParams struct {
	In, Out, Tiles, States, Next kernels.Ptr
	NTiles, _                    uint32
}
