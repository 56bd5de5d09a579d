package tables

import (
	"context"
	"math/bits"

	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// Made reports whether there is a table with a key, or somebody else has use for one.
func (t *Tables) Made(k Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.known[k]
	return e != nil && (e.Value.(*Table).users > 0 || e.Value.(*Table).At != 0)
}

// makeValues makes the table of the values that all documents have in a field, as kernels.SpanJob has them. It is refused if a document
// has several.
func (t *Tables) makeValues(ctx context.Context, own *Table) error {
	if ok, err := t.place(own); !ok {
		return err
	}
	st, err := t.stages.Take(ctx)
	if err != nil {
		return err
	}
	defer t.stages.Give(st)
	for i := range t.docs.Segments {
		ok, err := t.uploadValues(ctx, st, own, i)
		if err != nil {
			return err
		}
		if own.refused = !ok; own.refused {
			t.fail(own)
			return nil
		}
	}
	return nil
}

// uploadValues makes the values of a segment. ok is false if a document has several, or the one that stands for none.
func (t *Tables) uploadValues(ctx context.Context, st *stages.Stage, own *Table, number int) (ok bool, err error) {
	s := &t.docs.Segments[number]
	var c *segment.Column
	if f, is := s.Seg.FieldByID(own.key.Field); is {
		if c, is, err = s.Seg.Field(f).Column(); err != nil {
			return false, err
		}
		if !is || c.Info().Docs == 0 {
			c = nil
		} else if c.Info().Min == kernels.NoValue {
			return false, nil
		}
	}
	var read segment.ColumnValues
	docs := s.Seg.Meta().Docs
	values := make([]int64, 0, min(docs, stages.AtOnce/8))
	for lo := uint32(0); lo < docs; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		first := lo
		values = values[:0]
		for ; lo < docs && len(values)+segment.ColumnBlock <= stages.AtOnce/8; lo += segment.ColumnBlock {
			at := len(values)
			for range min(segment.ColumnBlock, docs-lo) {
				values = append(values, kernels.NoValue)
			}
			if c == nil {
				continue
			}
			if err := c.Read(int(lo/segment.ColumnBlock), &read); err != nil {
				return false, err
			}
			if read.Ends != nil {
				return false, nil
			}
			for i, word := range read.Present {
				for ; word != 0; word &= word - 1 {
					doc := i*64 + bits.TrailingZeros64(word)
					values[at+doc] = read.Numbers[doc]
				}
			}
		}
		if err := t.stages.Upload(st, own.At+8*kernels.Ptr(s.Base+first), kernels.Slice(values)); err != nil {
			return false, err
		}
	}
	return true, nil
}
