package build

import (
	"math"

	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Space is what the vectors of a field have in common with those in other segments of the index.
type Space struct {
	Centre   []float32                // nil: none yet
	Segments []*segment.Segment       // of a field with clusters, those with vectors in it
	Guard    func(func() error) error // calls a function that reads them; nil: nothing is mapped
}

// When a field has clusters, how many, and when they are trained anew.
const (
	minClustered = 1 << 14 // vectors of an index that gets clusters
	perCluster   = 4       // vectors that a segment has for each cluster at least, unless others rely on it for the clusters
	perRoot      = 8       // clusters for the root of the number of vectors
	perPoint     = 16      // vectors that train a point
	leastPoint   = 8       // the least of these, before there are fewer points
	sampleValues = 1 << 25 // values of all vectors of a training at most
	grown        = 16      // times as many vectors as at training call for a new one
	farther      = 1.2     // times their mean distance from the points then, too
)

// clusters returns the clusters of a new segment with n vectors of f, nil if it is not to have any.
func (s *Space) clusters(f *schema.Field, threads, n int, at func(i int) []float32) (c *vector.Clusters, err error) {
	o := others{field: f}
	guard := s.Guard
	if guard == nil {
		guard = func(f func() error) error { return f() }
	}
	if err = guard(func() error { return o.open(s.Segments) }); err != nil {
		return nil, err
	}
	k, size, anew := o.training(n)
	if !anew {
		if o.clusters == nil || n < perCluster*o.clusters.Len() {
			return nil, nil
		}
		return o.clusters, nil
	}
	own := max(1, int(int64(size)*int64(n)/int64(n+o.n))) // of the vectors of the new segment
	var values []float32
	if err = guard(func() error { values, err = o.sample(size - own); return err }); err != nil {
		return nil, err
	}
	c = vector.Train(f.Dims, vectors.SimilarityOf(f), k, own+len(values)/f.Dims, threads, func(i int) []float32 {
		if i < own {
			return at(int(int64(i) * int64(n) / int64(own)))
		}
		return values[(i-own)*f.Dims:][:f.Dims]
	})
	c.Trained = uint64(n + o.n)
	c.Version = vectors.VersionOf(c)
	return c, nil
}

// others are the vectors of a field in other segments.
type others struct {
	field    *schema.Field
	all      []*vectors.Field
	n        int              // vectors
	clusters *vector.Clusters // those trained last, copied; nil before that
	spread   float64          // the mean distance of the vectors in them from their points
}

// open opens the vectors of segments.
func (o *others) open(segments []*segment.Segment) error {
	var newest *vectors.Clusters
	for _, s := range segments {
		i, _ := s.FieldByID(o.field.ID)
		x, err := vectors.Open(s, i)
		if err != nil {
			return err
		}
		o.all, o.n = append(o.all, x), o.n+x.Len()
		if x.Clusters != nil && (newest == nil || x.Clusters.Newer(newest)) {
			newest = x.Clusters
		}
	}
	if newest == nil {
		return nil
	}
	far, n := 0.0, 0
	for _, x := range o.all {
		if c := x.Clusters; c != nil && c.Version == newest.Version {
			far, n = far+float64(c.Spread)*float64(x.Len()), n+x.Len()
		}
	}
	o.clusters, o.spread = newest.Clone(), far/float64(n)
	return nil
}

// training returns how many clusters are trained, of how many vectors, for a new segment with n, and whether any are.
func (o *others) training(n int) (clusters, size int, anew bool) {
	total, old := n+o.n, o.clusters
	if old == nil {
		anew = total >= minClustered
	} else {
		anew = uint64(total) > grown*old.Trained || uint64(total) > 2*old.Trained && o.spread > farther*float64(old.Spread)
	}
	clusters = int(perRoot * math.Sqrt(float64(total)))
	size = min(total, perPoint*clusters, sampleValues/o.field.Dims)
	return max(1, min(clusters, size/leastPoint)), size, anew
}

// sample returns the values of about n vectors, evenly from all.
func (o *others) sample(n int) (values []float32, err error) {
	for _, x := range o.all {
		own := int(int64(n) * int64(x.Len()) / int64(o.n))
		for i := range own {
			v, err := x.Floats(nil, int(int64(i)*int64(x.Len())/int64(own)), 1)
			if err == nil {
				err = o.field.CheckVector(v)
			}
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
	}
	return values, nil
}

// clusters returns the clusters of the merged field: those of its sources that were trained last.
func (c *vectorCopier) clusters() *vectors.Clusters {
	if !c.b.fields[c.field].Clusters {
		return nil
	}
	var newest *vectors.Clusters
	for _, x := range c.from {
		if x != nil && x.Clusters != nil && (newest == nil || x.Clusters.Newer(newest)) {
			newest = x.Clusters
		}
	}
	return newest
}

// placing returns a function that adds the clusters of n vectors of x, from lo on.
func (c *vectorCopier) placing() func(x *vectors.Field, _ func(i int) uint32, lo, n int) error {
	v := c.b.fields[c.field].vectors
	known := map[*vectors.Field][]uint32{} // of those that have the same clusters
	return func(x *vectors.Field, _ func(i int) uint32, lo, n int) error {
		if x.Clusters != nil && x.Clusters.Version == v.clusters.Version && x.Clusters.Len() == v.clusters.Len() {
			of := known[x]
			if of == nil {
				of = x.Clusters.Of()
				known[x] = of
			}
			v.of = append(v.of, of[lo:lo+n]...)
			v.far += float64(x.Clusters.Spread) * float64(n)
			return nil
		}
		for i := lo; i < lo+n; i++ {
			values, err := x.Floats(c.room, i, 1)
			if err == nil {
				err = x.Info.CheckVector(values)
			}
			if err != nil {
				return err
			}
			v.findCluster(values)
		}
		return nil
	}
}
