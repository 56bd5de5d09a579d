//go:build paper

package kernels

// PaperSearchTile is the number of docIDs of a query's first list that a thread block of
// the kernels with PaperSearchParams looks up.
const PaperSearchTile = 128

// PaperKeepTile is the number of elements that a thread block of PaperCount and PaperKeep
// processes, PaperGroup that of a group of PaperMaxima.
const (
	PaperKeepTile = 1024
	PaperGroup    = 512
)

// PaperRadixTile is the number of scores that a thread block of PaperRadixCount and
// PaperRadixPlace processes, PaperBucketCount that of the buckets of PaperBuckets.
const (
	PaperRadixTile   = 2048
	PaperBucketCount = 1024
)

// PaperPrefixTile is the greatest number of gaps in a tile of PaperPrefix.
const PaperPrefixTile = 4096

// RawList is an uncompressed list in device memory with what one way of searching it
// keeps beside it. RawList and all structs below mirror those in paper/params.h, which
// documents their fields.
type RawList struct {
	Docs, Aux, Lines, Payload Ptr
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

// PaperSearchParams are the parameters of PaperBS to PaperHSLRC. Each of NTiles tiles has
// room for PaperSearchTile docIDs at Out.
type PaperSearchParams struct {
	Lists, Queries, Terms, Tiles, Counts, Out, Claim Ptr
	NTiles, SMs                                      uint32
}

// PaperFindParams are the parameters of PaperFind.
type PaperFindParams struct {
	A, B, Count, From, To  Ptr
	NA, NB, Stride, Parent uint32
}

// PaperKeepParams are the parameters of PaperCount and PaperKeep.
type PaperKeepParams struct {
	A, B, Positions, Scores      Ptr
	Count, Counts, Starts        Ptr
	Out, OutPositions, OutScores Ptr
	NA, NB                       uint32
}

// PaperHeadParams are the parameters of PaperCountHeads and PaperPlaceHeads.
type PaperHeadParams struct {
	Blocks, Count, Counts, Starts, Out, Ranks Ptr
	NA, NB                                    uint32
}

// PaperBlockParams are the parameters of PaperDecode.
type PaperBlockParams struct {
	List, Blocks, Count, Docs, Freqs Ptr
	N, _                             uint32
}

// PaperWithinParams are the parameters of PaperWithin.
type PaperWithinParams struct {
	A, Count, Blocks, Ranks, Docs, Positions Ptr
	NA, NB                                   uint32
}

// PaperScoreParams are the parameters of PaperScore and PaperAdd.
type PaperScoreParams struct {
	List, Docs, Positions, Freqs, Count, Norms, Scores Ptr
	N                                                  uint32
	Weight                                             float32
	First, _                                           uint32
}

// PaperBestParams are the parameters of PaperMaxima and PaperExtract.
type PaperBestParams struct {
	Scores, Docs, Count Ptr
	Maxima              [3]Ptr
	Out, OutCount       Ptr
	N, K, Level, Levels uint32
}

// PaperRadixParams are the parameters of PaperRadixCount, PaperRadixScan and
// PaperRadixPlace.
type PaperRadixParams struct {
	In, Docs, Out, OutDocs, Counts, Totals Ptr
	N, Tiles, Shift, _                     uint32
}

// PaperBucketState is how far a bucket selection has come.
type PaperBucketState struct {
	Lo, Hi, NextLo, NextHi uint64
	Scale                  float32
	Bucket, Want, Done     uint32
}

// PaperBucketParams are the parameters of PaperRange, PaperBuckets, PaperPick and
// PaperSelected.
type PaperBucketParams struct {
	Scores, State, Counts, Out, OutCount Ptr
	N, K                                 uint32
}

// PrefixTile is a tile of a list of gaps.
type PrefixTile struct{ At, N, First, _ uint32 }

// PaperPrefixParams are the parameters of PaperPrefix.
type PaperPrefixParams struct {
	In, Out, Tiles, States, Next Ptr
	NTiles, _                    uint32
}
