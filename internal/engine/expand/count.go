package expand

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Counter tells which of some documents lists have.
type Counter struct {
	ctx      context.Context
	segments []*reader.Segment
	docs     []uint64 // a bit for each
	read     int      // postings, since it was looked whether the context is done
	lister
}

// NewCounter returns a Counter of no documents of a snapshot.
func NewCounter(ctx context.Context, s *reader.Snapshot) *Counter {
	c := &Counter{ctx: ctx, segments: s.Segments()}
	n := uint64(0)
	for _, seg := range c.segments {
		n += uint64(seg.Docs())
	}
	c.docs = make([]uint64, n/64+1)
	return c
}

// Add adds documents of the snapshot.
func (c *Counter) Add(docs []uint32) {
	for _, d := range docs {
		c.docs[d/64] |= 1 << (d % 64)
	}
}

// Bytes returns what c takes in memory.
func (c *Counter) Bytes() int { return 8 * len(c.docs) }

// OnDemand reports whether lists are read on demand.
func (c *Counter) OnDemand() bool {
	return slices.ContainsFunc(c.segments, func(s *reader.Segment) bool { return s.Views().OnDemand() })
}

// Prefetch begins to read lists of segments that are read on demand.
func (c *Counter) Prefetch(lists []reader.TermEntry) { prefetch(c.segments, lists) }

// Count returns how many of the documents the lists of a term have.
func (c *Counter) Count(of []reader.TermEntry) (n uint64, err error) {
	err = c.each(of, func(base uint32, docs []uint32) {
		for _, d := range docs {
			d += base
			n += c.docs[d/64] >> (d % 64) & 1
		}
	})
	return n, err
}

// Visit calls f with those of the documents that the lists of a term have.
func (c *Counter) Visit(of []reader.TermEntry, f func(doc uint32) error) error {
	var failed error
	err := c.each(of, func(base uint32, docs []uint32) {
		for _, d := range docs {
			d += base
			if failed == nil && c.docs[d/64]>>(d%64)&1 != 0 {
				failed = f(d)
			}
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// rareLook is after how many postings it is looked whether the context is done.
const rareLook = 1 << 16

// each calls f with the documents of lists, some at a time, of a segment that begins at base.
func (c *Counter) each(of []reader.TermEntry, f func(base uint32, docs []uint32)) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for i := range of {
		e := &of[i]
		seg := c.segments[e.Segment]
		if e.Kind == segment.KindSingleton { // most terms
			c.row[0] = e.Doc
			f(seg.Base(), c.row[:1])
			continue
		}
		if c.read += int(e.DF); c.read >= rareLook { // by postings: lists may be long
			if c.read = 0; c.ctx.Err() != nil {
				return c.ctx.Err()
			}
		}
		if err := c.rows(seg, e.Entry, func(docs []uint32) { f(seg.Base(), docs) }); err != nil {
			return err
		}
	}
	return nil
}
