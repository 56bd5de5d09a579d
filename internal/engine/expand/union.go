package expand

import (
	"context"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Union collects the documents of terms, deleted ones included. Of segments on demand it reads all lists at once, at the end, and
// of others a few at a time, so that what many terms take is not kept.
type Union struct {
	ctx      context.Context
	snapshot *reader.Snapshot
	segments []*reader.Segment
	lists    []reader.TermEntry // to read
	onDemand bool
	docs     uint64   // of all segments
	dense    []uint64 // a bit for each document, once there are many
	some     []uint32 // the documents until then, in any order
	lister
}

// NewUnion returns a Union without documents.
func NewUnion(ctx context.Context, s *reader.Snapshot) *Union {
	u := &Union{ctx: ctx, snapshot: s, segments: s.Segments()}
	for _, seg := range u.segments {
		u.docs += uint64(seg.Docs())
		u.onDemand = u.onDemand || seg.Views().OnDemand()
	}
	return u
}

// Add adds the documents of lists of the snapshot.
func (u *Union) Add(lists []reader.TermEntry) error {
	for i := range lists {
		if e := &lists[i]; e.Kind == segment.KindSingleton { // most terms
			u.takeOne(e.Doc + u.segments[e.Segment].Base())
		} else {
			u.lists = append(u.lists, *e)
		}
	}
	if len(u.lists) < often || u.onDemand {
		return nil
	}
	return u.read()
}

// AddTerms adds the documents of the terms of a field that x means, and returns how many terms these are, those of deleted documents
// alone included. It stops after most of them and returns one more if there are others.
func (u *Union) AddTerms(field string, x *Selection, most int) (terms int, err error) {
	err = walk(u.ctx, u.snapshot, field, x, func(all *reader.Terms) (bool, error) {
		if terms++; terms > most {
			return false, nil
		}
		return true, u.Add(all.Entries())
	})
	return terms, err
}

// Docs returns the global docIDs.
func (u *Union) Docs() (*docset.Global, error) {
	if u.onDemand {
		u.prefetch()
	}
	if err := u.read(); err != nil {
		return nil, err
	}
	if u.dense != nil {
		return docset.NewGlobal(docset.FromWords(u.dense)), nil
	}
	return docset.GlobalOf(u.some...), nil
}

// prefetch begins to read lists of segments that are read on demand.
func (u *Union) prefetch() {
	prefetch(u.segments, u.lists)
}

// prefetch begins to read lists of segments.
func prefetch(segments []*reader.Segment, lists []reader.TermEntry) {
	entries := make([][]segment.Entry, len(segments))
	for _, e := range lists {
		entries[e.Segment] = append(entries[e.Segment], e.Entry)
	}
	for i, seg := range segments {
		seg.Views().Lists().PrefetchHeads(entries[i])
	}
}

// read adds the documents of u.lists, and leaves none there.
func (u *Union) read() (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for i := range u.lists {
		if i%often == 0 && u.ctx.Err() != nil {
			return u.ctx.Err()
		}
		if err := u.add(&u.lists[i]); err != nil {
			return err
		}
	}
	u.lists = u.lists[:0]
	return nil
}

// add adds the documents of a list.
func (u *Union) add(e *reader.TermEntry) error {
	seg := u.segments[e.Segment]
	return u.rows(seg, e.Entry, func(docs []uint32) { u.take(docs, seg.Base()) })
}

// lister reads lists.
type lister struct {
	list segment.List
	row  [segment.RowPostings]uint32
}

// rows calls f with the documents of a list of a segment, a row of blocks at a time.
func (l *lister) rows(seg *reader.Segment, e segment.Entry, f func(docs []uint32)) error {
	if err := seg.Views().Lists().Init(&l.list, e); err != nil {
		return err
	}
	step := max(len(l.row)/l.list.BlockLen, 1)
	for b := 0; b < l.list.Blocks; b += step {
		n, err := l.list.DecodeDocs(l.row[:], b, min(step, l.list.Blocks-b))
		if err != nil {
			return err
		}
		f(l.row[:n])
	}
	return nil
}

// takeOne adds a document.
func (u *Union) takeOne(doc uint32) {
	if u.dense != nil {
		u.dense[doc/64] |= 1 << (doc % 64)
		return
	}
	u.some = append(u.some, doc)
	u.widen()
}

// take adds documents of the segment that begins at base.
func (u *Union) take(docs []uint32, base uint32) {
	if u.dense == nil {
		for _, d := range docs {
			u.some = append(u.some, d+base)
		}
		u.widen()
		return
	}
	for _, d := range docs {
		d += base
		u.dense[d/64] |= 1 << (d % 64)
	}
}

// widen makes u.some a bitmap once there are many.
func (u *Union) widen() {
	if uint64(len(u.some)) <= u.docs/64 {
		return
	}
	u.dense = make([]uint64, u.docs/64+1)
	for _, d := range u.some {
		u.dense[d/64] |= 1 << (d % 64)
	}
	u.some = nil
}
