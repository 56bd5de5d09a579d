package layout

import "github.com/pinion-index/pinion/internal/vector"

// VectorsAlign is what the parts of VECTORS and the fields of VECTORFLOATS begin at multiples of.
const VectorsAlign = 64

// VectorMetaSize is what VECTORS has of a vector beside its code, in bytes.
const VectorMetaSize = 16

// MaxClusters is the greatest number of clusters of a field.
const MaxClusters = 1 << 20

// VectorParts says where the parts of a field are in VECTORS, by their offsets there: docs, the number of the document of each vector, which
// is left out where each document of the segment has one; metas; and the two planes of codes. Each part ends before a multiple of VectorsAlign.
type VectorParts struct{ Docs, Metas, High, Low, End int64 }

// PlaceVectors returns the parts of a field whose own begin at a multiple of VectorsAlign: of n vectors, more than 0, of dims dimensions,
// which so many documents of those of the segment have.
func PlaceVectors(at int64, dims int, n, docs, of uint32) VectorParts {
	p := VectorParts{Docs: at, Metas: at}
	if !OneVectorEach(n, docs, of) {
		p.Metas = alignVectors(p.Docs + 4*int64(n))
	}
	plane := int64(n) * int64(vector.PlaneSize(dims))
	p.High = alignVectors(p.Metas + VectorMetaSize*int64(n))
	p.Low = alignVectors(p.High + plane)
	p.End = alignVectors(p.Low + plane)
	return p
}

// OneVectorEach reports whether each document of a segment has one vector, if so many of its documents have n.
func OneVectorEach(n, docs, of uint32) bool { return n == docs && docs == of }

// VectorFloats returns the bytes that n vectors of dims dimensions take in VECTORFLOATS.
func VectorFloats(dims int, n uint32) int64 { return alignVectors(4 * int64(dims) * int64(n)) }

func alignVectors(n int64) int64 { return (n + VectorsAlign - 1) &^ (VectorsAlign - 1) }
