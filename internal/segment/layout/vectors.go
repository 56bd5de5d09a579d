package layout

import "github.com/pinion-index/pinion/internal/vector"

// VectorsAlign is what the parts of VECTORS and the fields of VECTORFLOATS begin at multiples of.
const VectorsAlign = 64

// VectorMetaSize is what VECTORS has of a vector beside its code, in bytes.
const VectorMetaSize = 16

// ClustersHead is the size of the first part that VECTORS has of clusters.
const ClustersHead = 64

// Vectors says how many vectors a field has, and of what.
type Vectors struct {
	Dims    int
	N, Docs uint32 // vectors, more than 0, and the documents that have them
	Of      uint32 // documents of the segment
	// Clusters, 0 without any, and the groups of these.
	Clusters, Groups uint32
}

// MaxClusters is the greatest number of clusters of a field.
const MaxClusters = 1 << 20

// VectorParts says where the parts of a field are in VECTORS, by their offsets there: docs, the number of the document of each vector, which
// is left out where each document of the segment has one; metas; and the two planes of codes. Where there are clusters, their parts follow:
// a head; the base that the points' codes are distances from; the metas and upper planes of points, those of groups last; where the points of
// each group end, and the list of each cluster; and the lists, of numbers of vectors. Each part ends before a multiple of VectorsAlign.
type VectorParts struct {
	Docs, Metas, High, Low, CodesEnd, Head, Base, PointMetas, Points, GroupEnds, ListEnds, Lists, End int64
}

// PlaceVectors returns the parts of a field whose own begin at a multiple of VectorsAlign.
func PlaceVectors(at int64, v Vectors) VectorParts {
	p := VectorParts{Docs: at, Metas: at}
	if !OneVectorEach(v.N, v.Docs, v.Of) {
		p.Metas = alignVectors(p.Docs + 4*int64(v.N))
	}
	plane := int64(vector.PlaneSize(v.Dims))
	p.High = alignVectors(p.Metas + VectorMetaSize*int64(v.N))
	p.Low = alignVectors(p.High + int64(v.N)*plane)
	p.CodesEnd = alignVectors(p.Low + int64(v.N)*plane)
	if p.End = p.CodesEnd; v.Clusters == 0 {
		return p
	}
	points := int64(v.Clusters) + int64(v.Groups)
	p.Head = p.End
	p.Base = p.Head + ClustersHead
	p.PointMetas = alignVectors(p.Base + 4*int64(v.Dims))
	p.Points = alignVectors(p.PointMetas + VectorMetaSize*points)
	p.GroupEnds = alignVectors(p.Points + points*plane)
	p.ListEnds = alignVectors(p.GroupEnds + 4*int64(v.Groups))
	p.Lists = alignVectors(p.ListEnds + 4*int64(v.Clusters))
	p.End = alignVectors(p.Lists + 4*int64(v.N))
	return p
}

// OneVectorEach reports whether each document of a segment has one vector, if so many of its documents have n.
func OneVectorEach(n, docs, of uint32) bool { return n == docs && docs == of }

// VectorFloats returns the bytes that n vectors with so many bytes of values take in VECTORFLOATS.
func VectorFloats(bytes int, n uint32) int64 { return alignVectors(int64(bytes) * int64(n)) }

func alignVectors(n int64) int64 { return (n + VectorsAlign - 1) &^ (VectorsAlign - 1) }
