// Package expand finds the terms that a part of a query stands for, and the documents that have them.
package expand

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Selection says which terms of a field are meant: those that Automaton accepts or, if that is nil, those that begin
// with Prefix.
type Selection struct {
	Automaton *automata.Automaton
	Prefix    []byte
}

// Terms returns an iterator over the terms of a field.
func (x *Selection) Terms(f *reader.SnapshotField) *reader.Terms {
	if x.Automaton != nil {
		return f.Match(x.Automaton)
	}
	return f.Terms(x.Prefix)
}

// Accepts reports whether a term is meant.
func (x *Selection) Accepts(term []byte) bool {
	if x.Automaton != nil {
		return x.Automaton.Matches(term)
	}
	return bytes.HasPrefix(term, x.Prefix)
}

// Err returns why terms may have been left out, or nil.
func (x *Selection) Err() error {
	if x.Automaton != nil {
		return x.Automaton.Err()
	}
	return nil
}

// Term is a term of a snapshot.
type Term struct {
	Bytes   []byte
	DF      uint64 // without deleted documents, at least 1
	Entries []reader.TermEntry
}

// often is after how many terms or lists it is looked whether the context is done.
const often = 256

// Find returns the terms of a field that x means and that documents have which are not deleted, in bytewise order.
// It stops after most of them, and more says whether there is a further one.
func Find(ctx context.Context, s *reader.Snapshot, field string, x *Selection, most int) (terms []Term, more bool, err error) {
	f, ok := s.Field(field)
	if !ok {
		return nil, false, s.Err()
	}
	segments := s.Segments()
	all := x.Terms(f)
	for seen := 0; all.Next(); seen++ {
		if seen%often == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		var df uint64
		for _, e := range all.Entries() {
			live, err := segments[e.Segment].LiveDF(e.Entry)
			if err != nil {
				return nil, false, err
			}
			df += uint64(live)
		}
		switch {
		case df == 0:
		case len(terms) == most:
			return terms, true, nil
		default:
			terms = append(terms, Term{slices.Clone(all.Term()), df, slices.Clone(all.Entries())})
		}
	}
	return terms, false, cmp.Or(all.Err(), x.Err())
}

// Union returns the global docIDs of the documents that have one of terms, deleted ones included.
func Union(ctx context.Context, s *reader.Snapshot, terms []Term) (*roaring.Bitmap, error) {
	u := union{set: roaring.New(), segments: s.Segments()}
	var docs, postings uint64
	for _, seg := range u.segments {
		docs += uint64(seg.Docs())
	}
	for i := range terms {
		postings += terms[i].DF
	}
	if postings > docs/64 {
		u.dense = make([]uint64, docs/64+1)
	}
	u.prefetch(terms)
	for i := range terms {
		if i%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, e := range terms[i].Entries {
			if err := u.add(u.segments[e.Segment], e.Entry); err != nil {
				return nil, err
			}
		}
	}
	if u.dense != nil {
		return roaring.FromDense(u.dense, false), nil
	}
	return u.set, nil
}

// union collects documents.
type union struct {
	segments []*reader.Segment
	dense    []uint64        // a bit for each document, or nil
	set      *roaring.Bitmap // of the documents otherwise
	list     segment.List
	docs     [segment.RowPostings]uint32
}

// add adds the documents of a list.
func (u *union) add(seg *reader.Segment, e segment.Entry) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	base, views := seg.Base(), seg.Views(trusted.Caller{})
	if e.Kind == segment.KindSingleton {
		u.take([]uint32{e.Doc}, base)
		return nil
	}
	if err := views.InitList(&u.list, e); err != nil {
		return err
	}
	step := max(len(u.docs)/u.list.BlockLen, 1)
	for b := 0; b < u.list.Blocks; b += step {
		n, err := u.list.DecodeDocs(u.docs[:], b, min(step, u.list.Blocks-b))
		if err != nil {
			return err
		}
		u.take(u.docs[:n], base)
	}
	return nil
}

// take adds documents of the segment that begins at base. It overwrites docs.
func (u *union) take(docs []uint32, base uint32) {
	if u.dense == nil {
		for i := range docs {
			docs[i] += base
		}
		u.set.AddMany(docs)
		return
	}
	for _, d := range docs {
		d += base
		u.dense[d/64] |= 1 << (d % 64)
	}
}

// prefetch begins to read lists of segments that are read on demand.
func (u *union) prefetch(terms []Term) {
	if len(u.segments) == 0 || !u.segments[0].Views(trusted.Caller{}).OnDemand() {
		return
	}
	entries := make([][]segment.Entry, len(u.segments))
	for i := range terms {
		for _, e := range terms[i].Entries {
			entries[e.Segment] = append(entries[e.Segment], e.Entry)
		}
	}
	for i, seg := range u.segments {
		seg.Views(trusted.Caller{}).PrefetchHeads(entries[i])
	}
}
