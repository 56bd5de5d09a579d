package vectors

import (
	"cmp"
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/segment"
)

// Clusters are those of the vectors of a field in a segment.
type Clusters struct {
	vector.Clusters
	Spread float32 // the mean distance of the vectors from the points of their clusters

	ends  []uint32 // of the list of each cluster
	lists []uint32
}

// List returns the vectors of a cluster, by their numbers, which ascend. It must not be modified.
func (c *Clusters) List(cluster uint32) []uint32 {
	lo := uint32(0)
	if cluster > 0 {
		lo = c.ends[cluster-1]
	}
	return c.lists[lo:c.ends[cluster]]
}

// Vectors returns how many vectors there are.
func (c *Clusters) Vectors() int { return len(c.lists) }

// Newer reports whether c were trained later than o: for more vectors or, of as many, by an order of versions.
func (c *Clusters) Newer(o *Clusters) bool {
	if c.Trained != o.Trained {
		return c.Trained > o.Trained
	}
	return c.Version > o.Version
}

// Of returns the cluster of each vector.
func (c *Clusters) Of() []uint32 {
	of := make([]uint32, len(c.lists))
	for i := range c.ends {
		for _, v := range c.List(uint32(i)) {
			of[v] = uint32(i)
		}
	}
	return of
}

// checkedClusters is the key under which a segment keeps whether the clusters of a field were found to be right.
type checkedClusters struct{ field int }

// openClusters sets x.Clusters, of field f. part returns bytes of VECTORS.
func (x *Field) openClusters(f int, p *layout.VectorParts, part func(at, size int64) []byte) error {
	v := x.Info.Vectors
	if v.Clusters == 0 {
		return nil
	}
	points := int64(v.Clusters) + int64(v.Groups)
	head := part(p.Head, layout.ClustersHead)
	c := &Clusters{Spread: math.Float32frombits(binary.LittleEndian.Uint32(head[20:]))}
	c.Clusters = vector.Clusters{
		Dims: x.Info.Dims, By: SimilarityOf(&x.Info.Field),
		Version: binary.LittleEndian.Uint64(head), Trained: binary.LittleEndian.Uint64(head[8:]), Spread: math.Float32frombits(binary.LittleEndian.Uint32(head[16:])),
		Base:  words[float32](part(p.Base, 4*int64(x.Info.Dims))),
		Metas: words[vector.Meta](part(p.PointMetas, layout.VectorMetaSize*points)),
		High:  part(p.Points, int64(vector.PlaneSize(x.Info.Dims))*points),
		Ends:  words[uint32](part(p.GroupEnds, 4*int64(v.Groups))),
	}
	c.ends, c.lists = words[uint32](part(p.ListEnds, 4*int64(v.Clusters))), words[uint32](part(p.Lists, 4*int64(v.Count)))
	x.Clusters = c
	checked := x.Segment.Attached(checkedClusters{f}, func() any { return new(atomic.Bool) }).(*atomic.Bool)
	if checked.Load() {
		return nil
	}
	if err := cmp.Or(x.checkLists(p), x.checkClusters(p)); err != nil {
		return err
	}
	checked.Store(true)
	return nil
}

// checkLists checks that groups have all points, and clusters each vector once.
func (x *Field) checkLists(p *layout.VectorParts) error {
	c := x.Clusters
	if i := uneven(c.Ends, uint32(c.Len())); i >= 0 {
		return x.corrupt(p.GroupEnds+4*int64(i), "group %d ends at point %d of %d", i, c.Ends[i], c.Len())
	}
	if i := uneven(c.ends, x.Info.Vectors.Count); i >= 0 {
		return x.corrupt(p.ListEnds+4*int64(i), "cluster %d ends at vector %d of %d", i, c.ends[i], x.Info.Vectors.Count)
	}
	seen := make([]uint64, (len(c.lists)+63)/64)
	at := p.Lists
	for i := range c.ends {
		last := -1
		for _, v := range c.List(uint32(i)) {
			if int(v) <= last || int(v) >= len(c.lists) || seen[v/64]>>(v%64)&1 != 0 {
				return x.corrupt(at, "cluster %d has vector %d, which follows %d, is none, or is in another", i, v, last)
			}
			seen[v/64] |= 1 << (v % 64)
			last, at = int(v), at+4
		}
	}
	return nil
}

// clusterGaps returns the padding of the parts of clusters.
func clusterGaps(p *layout.VectorParts, f *segment.Field) [][2]int64 {
	v := f.Vectors
	points := int64(v.Clusters) + int64(v.Groups)
	return [][2]int64{
		{p.Head + clustersHead, p.Base}, {p.Base + 4*int64(f.Dims), p.PointMetas}, {p.PointMetas + layout.VectorMetaSize*points, p.Points},
		{p.Points + int64(vector.PlaneSize(f.Dims))*points, p.GroupEnds}, {p.GroupEnds + 4*int64(v.Groups), p.ListEnds},
		{p.ListEnds + 4*int64(v.Clusters), p.Lists}, {p.Lists + 4*int64(v.Count), p.End},
	}
}

// clustersHead is what of the head is not padding.
const clustersHead = 8 + 8 + 4 + 4

// uneven returns the first of ends that is less than the one before, or above n, or the last if it is not n; -1 if there is none.
func uneven(ends []uint32, n uint32) int {
	last := uint32(0)
	for i, end := range ends {
		if end < last || end > n || i == len(ends)-1 && end != n {
			return i
		}
		last = end
	}
	return -1
}

// checkClusters checks the version, by which segments have the same clusters, and the floats. checkLists comes first.
func (x *Field) checkClusters(p *layout.VectorParts) error {
	c := x.Clusters
	if c.Version != VersionOf(&c.Clusters) {
		return x.corrupt(p.Head, "clusters have another version than they say")
	}
	for _, f := range []float32{c.Spread, c.Clusters.Spread} {
		if !(f >= 0) || f > math.MaxFloat32 {
			return x.corrupt(p.Head, "a mean distance of %v", f)
		}
	}
	for i, b := range c.Base {
		if !(math.Abs(float64(b)) <= vector.MaxNorm) {
			return x.corrupt(p.Base+4*int64(i), "the base of points has the value %v", b)
		}
	}
	return nil
}

// VersionOf returns the version of clusters: a hash of what says which cluster a vector is in.
func VersionOf(c *vector.Clusters) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, c.Trained)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.Spread))
	b = append(append(b, bytesOf(c.Base)...), bytesOf(c.Metas)...)
	return xxhash.Sum64(append(append(b, c.High...), bytesOf(c.Ends)...))
}

// AppendClusters appends what VECTORS has of clusters behind the codes of a field, of which vector i is in cluster of[i], to dst, whose length
// is a multiple of layout.VectorsAlign. spread is the mean distance of the vectors from their points.
func AppendClusters(dst []byte, c *vector.Clusters, spread float32, of []uint32) []byte {
	pad := func() { dst = append(dst, make([]byte, -len(dst)&(layout.VectorsAlign-1))...) }
	dst = binary.LittleEndian.AppendUint64(dst, c.Version)
	dst = binary.LittleEndian.AppendUint64(dst, c.Trained)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(c.Spread))
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(spread))
	pad()
	ends := make([]uint32, c.Len())
	for _, i := range of {
		ends[i]++
	}
	begins, n := make([]uint32, c.Len()), uint32(0)
	for i := range ends {
		begins[i] = n
		n += ends[i]
		ends[i] = n
	}
	lists := make([]uint32, len(of))
	for v, i := range of {
		lists[begins[i]] = uint32(v)
		begins[i]++
	}
	for _, part := range [][]byte{bytesOf(c.Base), bytesOf(c.Metas), c.High, bytesOf(c.Ends), bytesOf(ends), bytesOf(lists)} {
		dst = append(dst, part...)
		pad()
	}
	return dst
}
