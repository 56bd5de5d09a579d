package writer

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
)

// tally compares the lengths of documents in a field with the sums of their frequencies.
type tally struct {
	free bool     // instead: no comparison
	lens []uint32 // nil: the field has no lengths, and all frequencies are most or below
	most uint32   // 1, or the greatest weight of a field of impacts
	left []uint32 // tokens that no list so far has

	held []bool // documents that a list names; nil: not wanted
}

// newTallies returns one for each field of a collection.
func newTallies(in *Inverted, docs *docSpool, fields *invertedFields) []tally {
	all := make([]tally, fields.count())
	var held []bool
	for i := range all {
		t := &all[i]
		t.most = 1
		switch {
		case fields.isText() && in.ForeignLengths:
			t.free = true
		case fields.of(i).HasLengths():
			t.lens, t.left = docs.lens[i], slices.Clone(docs.lens[i])
		case fields.of(i).HasImpacts():
			t.most = segment.MaxWeight
		}
		if fields.several && !fields.of(i).HasLengths() {
			if held == nil {
				held = make([]bool, docs.n)
			}
			t.held = held
		}
	}
	return all
}

// add counts a list that was encoded, so that it names only documents there are.
func (t *tally) add(p format.Postings) error {
	if t.free {
		return nil
	}
	for i, d := range p.Docs {
		switch {
		case t.lens == nil && p.Freqs[i] > t.most:
			return fmt.Errorf("document %d has frequency %d, and the field has none above %d", d, p.Freqs[i], t.most)
		case t.lens == nil:
			if t.held != nil {
				t.held[d] = true
			}
		case p.Freqs[i] > t.left[d]:
			return fmt.Errorf("document %d has length %d, but its frequencies up to here exceed that", d, t.lens[d])
		default:
			t.left[d] -= p.Freqs[i]
		}
	}
	return nil
}

// check returns an error if a document has tokens left.
func (t *tally) check() error {
	for d, n := range t.left {
		if n > 0 {
			return fmt.Errorf("document %d has length %d, but its frequencies sum to %d", d, t.lens[d], t.lens[d]-n)
		}
	}
	return nil
}

// bare returns how many documents have no length, and are in no list of a field without lengths.
func (s *docSpool) bare(tokens []tally) (n uint64) {
	for d := range s.n {
		empty := true
		for i, lens := range s.lens {
			held := tokens[i].held
			empty = empty && (lens == nil || lens[d] == 0) && (held == nil || !held[d])
		}
		if empty {
			n++
		}
	}
	return n
}

// listSink takes the encoded lists of a collection in order.
type listSink struct {
	b      *build.Builder
	fields *invertedFields
	tokens []tally // by field of the collection
	field  int     // that of the last lists, -1 before the first
}

// append appends all lists of j, which are encoded, and counts them.
func (x *listSink) append(j *listJob) error {
	if j.field != x.field {
		if err := x.b.BeginField(x.fields.rank(j.field)); err != nil {
			return err
		}
		x.field = j.field
	}
	from := 0
	for i, to := range j.listEnds {
		err := x.b.Append(j.term(i), j.result.List(i))
		if err == nil {
			err = x.tokens[j.field].add(j.postings.Slice(from, to))
		}
		if err != nil {
			return x.fields.locate(j.field, j.fail(i, err))
		}
		from = to
	}
	return nil
}

// check returns an error if a document has tokens left in a field.
func (x *listSink) check() error {
	for i := range x.tokens {
		if err := x.tokens[i].check(); err != nil {
			return x.fields.locate(i, err)
		}
	}
	return nil
}
