package invert

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// FieldsOf returns the fields x of a Builder for the document, with its lengths.
func (l *Large) FieldsOf(x *Fields) []build.Field {
	out := make([]build.Field, len(x.order))
	for rank, number := range x.order {
		f := &x.fields[number]
		out[rank].Field = f.Field
		if f.length >= 0 {
			out[rank].Lengths = []segment.LengthTable{segment.NewLengthTable(l.piece.lens[f.length : f.length+1])}
		}
	}
	return out
}

// Write adds the document and its lists to b, with the fields x. The Large is of no use afterwards.
func (l *Large) Write(ctx context.Context, b *build.Builder, x *Fields, spaces Spaces) error {
	docs, freqs := []uint32{0}, []uint32{0}
	for rank, runs := range l.runs {
		if len(runs) == 0 || !x.isIndexed(rank) { // else its terms are a column's
			continue
		}
		if err := b.BeginField(rank); err != nil {
			return err
		}
		n := 0
		err := merge(runs, x.keepsPlaces(uint32(rank)), func(term []byte, tf uint32, gaps []uint32) error {
			if n++; n%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if freqs[0] = tf; x.once != nil && x.once[rank] {
				freqs[0] = 1
			}
			return b.AddPositions(term, format.Postings{Docs: docs, Freqs: freqs}, gaps)
		})
		if err != nil {
			return err
		}
	}
	if err := l.writeColumns(b, x); err != nil {
		return err
	}
	if err := l.writeVectors(b, x, spaces); err != nil {
		return err
	}
	l.runs, l.columns = nil, nil
	var rec []byte
	if x.stored {
		rec = l.record(x)
	}
	return b.AddDoc(l.id, rec)
}

// writeColumns adds the columns to b.
func (l *Large) writeColumns(b *build.Builder, x *Fields) error {
	for rank, number := range x.order {
		f := &x.fields[number]
		if f.column < 0 {
			continue
		}
		keys := l.columns[f.column]
		var dictionary iter.Seq[[]byte]
		if f.Kind == schema.Keyword {
			hasEmpty := len(keys) > 0
			keys = nil
			dictionary = func(yield func([]byte) bool) {
				if hasEmpty {
					if !yield(nil) {
						return
					}
					keys = append(keys, 0)
				}
				merge(l.runs[rank], false, func(term []byte, _ uint32, _ []uint32) error {
					if !yield(term) {
						return errStopped
					}
					keys = append(keys, int64(len(keys)))
					return nil
				})
			}
		}
		if err := b.BeginColumn(rank, dictionary); err != nil {
			return err
		}
		if err := b.AddColumn(keys...); err != nil {
			return err
		}
	}
	return nil
}

// errStopped ends a merge whose caller wants no more.
var errStopped = errors.New("stopped")

// record returns the stored values, in as many bytes as they take.
func (l *Large) record(x *Fields) []byte {
	if x.text {
		return l.values[0].Bytes()
	}
	size := 0
	for id, v := range l.stored(x) {
		size += record.Size(id, v)
	}
	rec := make([]byte, 0, size)
	for id, v := range l.stored(x) {
		rec = record.Append(rec, id, v)
	}
	return rec
}

// stored yields the stored values with the ids of their fields, as records have them.
func (l *Large) stored(x *Fields) iter.Seq2[uint32, schema.Value] {
	return func(yield func(uint32, schema.Value) bool) {
		var content []byte
		for i := range l.values {
			v := l.values[i]
			f := &x.fields[v.Field]
			if !f.Stored {
				continue
			}
			if f.Kind != schema.Text && f.Kind != schema.Keyword {
				content = appendContent(content[:0], &v)
				v = f.value(content)
			}
			if !yield(f.ID, v) {
				return
			}
		}
	}
}

// runReader reads a run.
type runReader struct {
	number int
	rest   []byte
	term   []byte
	tf     uint32 // whose gaps, if the field has some, rest begins with
}

// next goes on to the next entry, and reports whether there is one.
func (r *runReader) next() bool {
	if len(r.rest) == 0 {
		return false
	}
	shared, n := r.uvarint(), r.uvarint()
	r.term = append(r.term[:shared], r.rest[:n]...)
	r.rest = r.rest[n:]
	r.tf = r.uvarint()
	return true
}

func (r *runReader) uvarint() uint32 {
	x, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return uint32(x)
}

// runHeap has the runs whose terms come first on top, of one term in the order of the pieces.
type runHeap []*runReader

func (h runHeap) Len() int { return len(h) }

func (h runHeap) Less(i, j int) bool {
	return cmp.Or(bytes.Compare(h[i].term, h[j].term), cmp.Compare(h[i].number, h[j].number)) < 0
}

func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}

// merge calls f with each term of some runs, in bytewise order, with its frequency and, if there are places, the gaps of them.
func merge(runs [][]byte, places bool, f func(term []byte, tf uint32, gaps []uint32) error) error {
	var h runHeap
	for i, run := range runs {
		if r := (&runReader{number: i, rest: run}); r.next() {
			h = append(h, r)
		}
	}
	heap.Init(&h)
	var same []*runReader // those at the term, in the order of the pieces
	var gaps []uint32
	for len(h) > 0 {
		same, gaps = same[:0], gaps[:0]
		tf := uint32(0)
		for len(h) > 0 && (len(same) == 0 || bytes.Equal(h[0].term, same[0].term)) {
			r := heap.Pop(&h).(*runReader)
			same, tf = append(same, r), tf+r.tf
		}
		if places {
			gaps = appendGaps(slices.Grow(gaps, int(tf)), same)
		}
		if err := f(same[0].term, tf, gaps); err != nil {
			return err
		}
		for _, r := range same {
			if r.next() {
				heap.Push(&h, r)
			}
		}
	}
	return nil
}

// appendGaps appends the gaps that runs have of a term. Those of each piece count from the beginning of the document.
func appendGaps(gaps []uint32, same []*runReader) []uint32 {
	last := beforeFirst
	for _, r := range same {
		at := beforeFirst
		for range r.tf {
			at += int64(r.uvarint()) + 1
			gaps = append(gaps, uint32(at-last-1))
			last = at
		}
	}
	return gaps
}
