package kernels

// The geometry of NearScan and NearScanFew: tiles of NearTile queries that a thread block takes, and vectors that a warp takes at a time.
const (
	NearTile     = 8
	NearTiles    = 8 // of NearScan
	NearFewTiles = 1
	NearRows     = 32 // of NearScan
	NearFewRows  = 16

	NearChunk     = 128 // dimensions
	NearTermsSize = 16  // bytes of a query in NearParams.Terms
)

// NearShared returns the dynamic shared memory of NearScan or NearScanFew: codes of queries, what their sums are compared with, and
// candidates of each warp.
func NearShared(tiles, chunks int) int { return 16*tiles*(64*chunks+NearTile) + 8*nearFound*8 }

const nearFound = 128

// NearQuery is a query of near.cu: vector.Sums, where Init is the sum of a vector of zeros, Sum that of the query's codes, and Rest is rounded up. Filter is a bitmap of the
// documents that may be hits; 0: all may.
type NearQuery struct {
	A, AT, B, BT float64
	Rest, Norm   float32
	Init, Sum    int32
	Low, LowT    float64
	LowB         float64
	Filter       Ptr
}

// NearParams are the parameters of NearBegin, with a thread per query; of NearScan or NearScanFew, with thread blocks of each of Groups in
// turn; and of NearScore, with Parts thread blocks per query.
type NearParams struct {
	Docs, Metas, High, Low, Floats      Ptr // of all vectors of the part
	Queries, Codes, Values, Terms       Ptr
	Floors, Counts, Found, Scored, Keys Ptr
	Lefts, Left                         Ptr    // without floats: uint32 per query, and keys of the most that candidates may score
	First, End, NQueries, Cap           uint32 // vectors First up to End
	Room, Chunks, Padded, By            uint32
	Groups, Parts                       uint32
	Wide                                float32
	Several                             uint32 // 1: documents have several vectors; Room is a power of two, and Scored at first
	Base, _                             uint32 // docID that Docs are counted from
}
