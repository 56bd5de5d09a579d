//go:build paper

package kernels

// PaperSearchTile is the number of docIDs of a query's first list that a thread block of
// the kernels with PaperSearchParams looks up.
const PaperSearchTile = 128

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
