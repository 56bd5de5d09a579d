package build

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// CopyVectors adds the vectors of all fields, as CopyColumns adds columns. Their centre is the first that a source has; if none has one but
// the origin, it is the mean of MinCentre vectors or more, or the origin. Vectors of sources with the same centre are copied as they are.
// The sources are read until Finish returns.
func CopyVectors(ctx context.Context, b *Builder, sources []ColumnSource, docs iter.Seq[ColumnRun]) error {
	for i := range b.fields {
		if b.fields[i].Kind != schema.Vector {
			continue
		}
		c := vectorCopier{ctx: ctx, b: b, field: i, docs: docs, from: make([]*vectors.Field, len(sources)), room: make([]float32, b.fields[i].Dims)}
		some := false
		for j, s := range sources {
			if number := s.Fields[i]; number >= 0 {
				var err error
				if c.from[j], err = vectors.Open(s.Segment, number); err != nil {
					return err
				}
				some = some || c.from[j] != nil
			}
		}
		if !some {
			continue
		}
		centre, err := c.centre()
		if err != nil {
			return err
		}
		if err := b.BeginVectors(i, centre); err != nil {
			return err
		}
		if own := c.clusters(); own != nil {
			b.SetClusters(i, &own.Clusters)
			if err := c.each(c.placing()); err != nil {
				return err
			}
		}
		if err := c.copy(); err != nil {
			return err
		}
	}
	return nil
}

// vectorCopier copies the vectors of a field.
type vectorCopier struct {
	ctx   context.Context
	b     *Builder
	field int
	docs  iter.Seq[ColumnRun]
	from  []*vectors.Field // by source, nil without vectors
	room  []float32        // for a vector
}

// centre returns the centre of the new field, nil for the origin.
func (c *vectorCopier) centre() ([]float32, error) {
	if c.b.fields[c.field].Values == schema.Int8 {
		return nil, nil // codes are never made again
	}
	n := 0
	for _, x := range c.from {
		if x == nil {
			continue
		}
		if centre := x.Info.Vectors.Centre; !atOrigin(centre) {
			return slices.Clone(centre), nil
		}
		n += x.Len()
	}
	if n < MinCentre {
		return nil, nil
	}
	var err error
	mean := vector.Mean(c.b.fields[c.field].Dims, func(yield func([]float32) bool) {
		for _, x := range c.from {
			for i := 0; x != nil && i < x.Len(); i++ {
				if i%1024 == 0 && c.ctx.Err() != nil {
					err = c.ctx.Err()
					return
				}
				var v []float32
				if v, err = x.Floats(c.room, i, 1); err != nil || !yield(v) {
					return
				}
			}
		}
	})
	return mean, err
}

func atOrigin(centre []float32) bool {
	return !slices.ContainsFunc(centre, func(c float32) bool { return c != 0 })
}

// copyAtOnce is how many bytes of floats are copied at a time: they are in a cache when their checksums are made.
const copyAtOnce = 128 << 10

// copy adds the vectors. What is copied as it is, is when it is written: floats, and codes if all are from the same centre.
func (c *vectorCopier) copy() error {
	to := &c.b.fields[c.field]
	v := to.vectors
	v.floats.from = c.writing((*vectors.Field).FloatBytes)
	if slices.ContainsFunc(c.from, func(x *vectors.Field) bool { return x != nil && !slices.Equal(x.Info.Vectors.Centre, v.Centre) }) {
		return c.each(c.addCodes)
	}
	for i, p := range []*vectorPart{&v.metas, &v.high, &v.low} {
		p.from = c.writing(func(x *vectors.Field, lo, n int) ([]byte, error) {
			var parts [3][]byte
			parts[0], parts[1], parts[2] = x.Codes(lo, n)
			return parts[i], nil
		})
	}
	return c.each(func(_ *vectors.Field, doc func(i int) uint32, _, n int) error { return c.b.addDocs(to, doc, n) })
}

// writing returns a function that writes what bytes returns for n vectors of x from vector lo on, of all vectors in their new order.
func (c *vectorCopier) writing(bytes func(x *vectors.Field, lo, n int) ([]byte, error)) func(w io.Writer) error {
	return func(w io.Writer) error {
		return c.each(func(x *vectors.Field, _ func(i int) uint32, lo, n int) error {
			b, err := bytes(x, lo, n)
			if err == nil {
				_, err = w.Write(b)
			}
			return err
		})
	}
}

// each calls do for all vectors in their new order, for n of x from vector lo on at a time. doc returns the document of each.
func (c *vectorCopier) each(do func(x *vectors.Field, doc func(i int) uint32, lo, n int) error) error {
	base := uint32(0) // document that the run becomes
	for run := range c.docs {
		if x := c.from[run.Source]; x != nil {
			rows := max(copyAtOnce/(4*x.Info.Dims), 1)
			for lo, hi := x.Of(run.From), x.Of(run.To); lo < hi; lo += min(rows, hi-lo) {
				if err := c.ctx.Err(); err != nil {
					return err
				}
				at := lo
				doc := func(i int) uint32 { return base + x.Doc(at+i) - run.From }
				if err := do(x, doc, lo, min(rows, hi-lo)); err != nil {
					return err
				}
			}
		}
		base += run.To - run.From
	}
	return c.ctx.Err()
}

// addCodes adds the codes of n vectors of x from vector lo on: as they are, if they are from the same centre.
func (c *vectorCopier) addCodes(x *vectors.Field, doc func(i int) uint32, lo, n int) error {
	to := &c.b.fields[c.field]
	if slices.Equal(x.Info.Vectors.Centre, to.vectors.Centre) {
		metas, high, low := x.Codes(lo, n)
		return c.b.addCodes(to, doc, metas, high, low)
	}
	for i := range n {
		v, err := x.Floats(c.room, lo+i, 1)
		if err == nil {
			if err = to.CheckVector(v); err == nil {
				err = c.b.addVector(to, doc(i), v)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
