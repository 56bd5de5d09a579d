package build

import (
	"context"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// CopyVectors adds the vectors of all fields, as CopyColumns adds columns. Their centre is the first that a source has; if none has one but
// the origin, it is the mean of MinCentre vectors or more, or the origin. Vectors of sources with the same centre are copied as they are.
func CopyVectors(ctx context.Context, b *Builder, sources []ColumnSource, docs iter.Seq[ColumnRun]) error {
	for i := range b.fields {
		if b.fields[i].Kind != schema.Vector {
			continue
		}
		c := vectorCopier{ctx: ctx, b: b, field: i, docs: docs, from: make([]*vectors.Field, len(sources))}
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
}

// centre returns the centre of the new field, nil for the origin.
func (c *vectorCopier) centre() ([]float32, error) {
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
				if v, err = x.Floats(i, 1); err != nil || !yield(v) {
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

// rows is how many vectors are copied at a time.
const rows = 1024

func (c *vectorCopier) copy() error {
	base := uint32(0) // document that the run becomes
	for run := range c.docs {
		x := c.from[run.Source]
		if x != nil {
			for lo, hi := x.Of(run.From), x.Of(run.To); lo < hi; lo += min(rows, hi-lo) {
				if err := c.ctx.Err(); err != nil {
					return err
				}
				n := min(rows, hi-lo)
				doc := func(i int) uint32 { return base + x.Doc(lo+i) - run.From }
				if err := c.add(x, doc, lo, n); err != nil {
					return err
				}
			}
		}
		base += run.To - run.From
	}
	return c.ctx.Err()
}

// add adds n vectors of x from vector lo on: as they are coded, if that is from the same centre.
func (c *vectorCopier) add(x *vectors.Field, doc func(i int) uint32, lo, n int) error {
	to := &c.b.fields[c.field]
	metas, high, low, floats, err := x.Bytes(lo, n)
	if err != nil {
		return err
	}
	if slices.Equal(x.Info.Vectors.Centre, to.vectors.Centre) {
		return c.b.addCodes(to, doc, metas, high, low, floats)
	}
	for i := range n {
		if err := c.b.AddVectors(c.field, doc(i), floats[i*to.Dims:(i+1)*to.Dims]); err != nil {
			return err
		}
	}
	return nil
}
