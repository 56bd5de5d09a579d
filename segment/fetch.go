package segment

import (
	"context"
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// WithContext returns a view of s for one task, such as a query: if the Data is OnDemand its
// reads end with ctx, and what is fetched for it stays in memory as long as it is used. Of
// other segments it returns s.
func (s *Segment) WithContext(ctx context.Context) *Segment {
	if s.remote == nil {
		return s
	}
	c := *s
	c.remote = s.remote.WithContext(ctx)
	c.data, c.ctx = c.remote, ctx
	return &c
}

// OnDemand reports whether the Data is OnDemand.
func (s *Segment) OnDemand() bool { return s.remote != nil }

// PrefetchTables begins to read the tables that Prefetch uses, if the Data is OnDemand.
func (ds Documents) PrefetchTables(text bool) {
	s := ds.s
	if s.remote == nil {
		return
	}
	a := s.ask()
	a.table(&s.idIndex, s.views.idIndex.Load() != nil)
	if text {
		a.table(&s.storedIndex, s.views.storedIndex.Load() != nil)
	}
	a.send()
}

// headMost is up to how many bytes of blocks PrefetchHeads asks for, by an estimate of a
// list's length: what that exceeds the list by is read in vain.
const headMost = 128 << 10

// listMost is up to how many bytes of lists PrefetchHeads asks for, of those whose lengths
// LISTS tells.
const listMost = 64 << 20

// PrefetchHeads begins to read the lists of entries, if the Data is OnDemand: whole, if LISTS
// tells how long they are, else up to an estimate.
func (ls Lists) PrefetchHeads(entries []Entry) {
	if ls.s.remote == nil {
		return
	}
	a, left := ls.s.ask(), int64(listMost)
	for _, e := range entries {
		if size := ls.extentSize(e); size > 0 && size <= left {
			left -= size
			a.need(&ls.s.postings, e.Offset, size)
			continue
		}
		a.list(e, headMost)
	}
	a.send()
}

// blockMost is up to how many bytes PrefetchTermLists asks for a term: what they exceed its list by is read in vain,
// and takes less time than another read.
const blockMost = 1 << 20

// PrefetchTermLists begins to read the lists of terms before their entries are known, if the Data is OnDemand: the
// extents of all terms in their blocks of the dictionary, where LISTS tells that these are not long. It is only a hint.
func (ls Lists) PrefetchTermLists(terms [][]byte) { ls.s.Field(0).PrefetchTermLists(terms) }

// PrefetchTermLists is Lists.PrefetchTermLists for terms of the field.
func (v FieldView) PrefetchTermLists(terms [][]byte) {
	s, f := v.s, v.Info()
	if s.remote == nil {
		return
	}
	ti, err := s.Lists().termIndexOf()
	if err != nil || ti.lists == nil {
		return
	}
	a := s.ask()
	for _, t := range terms {
		i := ti.blockOf(f, t)
		if i < 0 {
			continue
		}
		lo, hi := ti.lists[i], min(ti.lists[i+1], uint64(s.postings.Length))
		if lo < hi && hi-lo <= blockMost {
			a.need(&s.postings, int64(lo), int64(hi-lo))
		}
	}
	a.send()
}

// extentSize returns the length of the extent of e, which ends where the next one begins, or 0
// if LISTS does not tell.
func (ls Lists) extentSize(e Entry) int64 {
	ti, err := ls.termIndexOf()
	if err != nil || e.Kind != KindExtent || ti.lists == nil {
		return 0
	}
	i := int(e.Ordinal / layout.TermsPerBlock)
	b, err := ls.termBlock(i)
	if err != nil {
		return 0
	}
	pos := b.Entries
	for j := range b.Terms {
		x, next := ls.parseEntry(&b, j, pos)
		if next < 0 {
			return 0
		}
		if pos = next; x.Kind == KindExtent && x.Offset > e.Offset {
			return x.Offset - e.Offset
		}
	}
	return max(0, int64(min(ti.lists[i+1], uint64(ls.s.postings.Length)))-e.Offset)
}

// PrefetchRest begins to read what PrefetchHeads left of the lists of entries, for which it
// waits, up to most bytes of lists. It returns what is left of most.
func (ls Lists) PrefetchRest(entries []Entry, most int64) int64 {
	s := ls.s
	if s.remote == nil {
		return most
	}
	a := s.ask()
	for _, e := range entries {
		if e.Kind != KindExtent {
			continue
		}
		if size := ls.extentSize(e); size > 0 && size <= most {
			most -= size // PrefetchHeads has asked for all of it
			continue
		}
		head, err := s.rangeOf(&s.postings, e.Offset, layout.ExtHeader)
		if err != nil {
			continue // Init says so
		}
		size := int64(binary.LittleEndian.Uint32(head[layout.ExtLength:])) * layout.ExtentAlign
		if size > most || size > s.postings.Length-e.Offset {
			continue
		}
		most -= size
		a.need(&s.postings, e.Offset, size)
	}
	a.send()
	return most
}
