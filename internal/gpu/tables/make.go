package tables

import (
	"context"
	"errors"
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// What making a table takes the CPU, in postings read for each document: a bitmap is made of bits, or from blocks of
// columns most of which are whole; static scores are decoded, multiplied and copied, 4 bytes each.
const (
	bitmapCost = 1. / 4
	staticCost = 2
)

// fewest is the share of the documents, as 1/fewest, from which the device answers under a filter: the CPU looks the others
// up in the lists, which the device would decode.
const fewest = 1024

// Ready makes a table, unless it is there. work is about how many postings the CPU reads for the queries that need it. ok is
// false if the CPU is to answer: it does until the queries that need the table would have cost it, with these, as much as
// making it. columns is the filter with the key, or nil.
func (t *Tables) Ready(ctx context.Context, own *Table, columns *filter.Compiled, work int64) (ok bool, err error) {
	own.making.Lock()
	defer own.making.Unlock()
	if own.At != 0 || own.refused || t.Budget < own.size {
		return own.At != 0, nil
	}
	cost := bitmapCost * float64(t.docs.N)
	if own.key.Static || own.key.Values {
		cost = staticCost * float64(t.docs.N)
	}
	if own.work = min(own.work+work, math.MaxInt64/2); !t.Alone && float64(own.work) < cost {
		return false, nil
	}
	own.work = 0 // a failure is tried again after as much
	err = indexdir.Guard(func() error {
		if own.key.Values {
			return t.makeValues(ctx, own)
		}
		if own.key.Static {
			return t.makeStatics(ctx, own)
		}
		return t.makeBitmap(ctx, own, columns)
	})
	if err != nil && own.At != 0 {
		t.fail(own)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, cuda.ErrDevice), err != nil && t.Alone && !errors.Is(err, cuda.ErrMemory):
		return false, err
	}
	return own.At != 0, nil // the CPU says what else is wrong
}

// makeBitmap makes the bitmap of the documents that pass a filter and are not deleted.
func (t *Tables) makeBitmap(ctx context.Context, own *Table, columns *filter.Compiled) error {
	words := make([]uint64, own.size/8)
	if columns != nil {
		if err := t.docs.ReadWhere(ctx, words, columns); err != nil {
			return err
		}
	}
	if own.key.Docs != nil {
		among := words
		if columns != nil {
			among = make([]uint64, len(words))
		}
		t.docs.ReadBitmap(among, own.key.Docs)
		for i := range words {
			words[i] &= among[i]
		}
	}
	t.docs.ClearDeleted(words)
	n := uint64(0)
	for _, w := range words {
		n += uint64(bits.OnesCount64(w))
	}
	if own.refused = !t.Alone && n*fewest < t.docs.N; own.refused {
		return nil
	}
	if ok, err := t.place(own); !ok {
		return err
	}
	st, err := t.stages.Take(ctx)
	if err != nil {
		return err
	}
	defer t.stages.Give(st)
	return t.stages.Upload(st, own.At, kernels.Slice(words))
}

// makeStatics makes the table of the static scores of all documents.
func (t *Tables) makeStatics(ctx context.Context, own *Table) error {
	columns := make([]*segment.Column, len(t.docs.Segments))
	for i := range t.docs.Segments {
		s := t.docs.Segments[i].Seg
		f, ok := s.FieldByID(own.key.Field)
		if !ok {
			continue
		}
		c, ok, err := s.Field(f).Column()
		if err != nil {
			return err
		}
		if !ok || c.Info().Docs == 0 {
			continue
		}
		columns[i] = c
		info, weight := c.Info(), own.key.Weight
		if schema.KeyFloat(info.Min) < 0 || !(weight*schema.KeyFloat(info.Max) <= math.MaxFloat32/2) {
			own.refused = true // the CPU says why
			return nil
		}
		own.Most = max(own.Most, float32(weight*schema.KeyFloat(info.Max)))
	}
	if ok, err := t.place(own); !ok {
		return err
	}
	st, err := t.stages.Take(ctx)
	if err != nil {
		return err
	}
	defer t.stages.Give(st)
	for i, c := range columns {
		if err := t.uploadStatics(ctx, st, own, i, c); err != nil {
			return err
		}
	}
	return nil
}

// uploadStatics makes the static scores of a segment. c is nil if there are none.
func (t *Tables) uploadStatics(ctx context.Context, st *stages.Stage, own *Table, number int, c *segment.Column) error {
	s := &t.docs.Segments[number]
	var values segment.ColumnValues
	docs := s.Seg.Meta().Docs
	scores := make([]float32, 0, min(docs, stages.AtOnce/4))
	for lo := uint32(0); lo < docs; {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := lo
		scores = scores[:0]
		for ; lo < docs && len(scores)+segment.ColumnBlock <= stages.AtOnce/4; lo += segment.ColumnBlock {
			n := int(min(segment.ColumnBlock, docs-lo))
			at := len(scores)
			scores = append(scores, make([]float32, n)...)
			if c == nil {
				continue
			}
			if err := c.Read(int(lo/segment.ColumnBlock), &values); err != nil {
				return err
			}
			readStatics(scores[at:], &values, own.key.Weight)
		}
		if err := t.stages.Upload(st, own.At+4*kernels.Ptr(s.Base+first), kernels.Slice(scores)); err != nil {
			return err
		}
	}
	return nil
}

// readStatics sets the static scores of the documents of a block that have a value: of several, the greatest counts.
func readStatics(scores []float32, v *segment.ColumnValues, weight float64) {
	for i, word := range v.Present {
		for ; word != 0; word &= word - 1 {
			doc := i*64 + bits.TrailingZeros64(word)
			at := doc
			if v.Ends != nil {
				at = int(v.Ends[doc]) - 1
			}
			scores[doc] = float32(weight * schema.KeyFloat(v.Numbers[at]))
		}
	}
}
