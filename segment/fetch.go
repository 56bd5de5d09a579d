package segment

import (
	"context"
	"encoding/binary"

	"github.com/pinion-index/pinion/segment/internal/layout"
)

// Range is a range of bytes of a file.
type Range struct {
	Off, Len int64
	Guess    bool // Len is an estimate: what is used may be shorter or longer
}

// OnDemand is Data that is read when it is needed, as from an object store, where a read takes
// long but many at once take hardly longer.
type OnDemand interface {
	Data
	// WithContext returns the same Data for one task: its reads end with ctx, and it keeps
	// what it fetches.
	WithContext(ctx context.Context) OnDemand
	// Fetch begins to read ranges, which are within the file, all at once. Range waits for
	// those that are on their way, and returns their errors. Fetch itself may wait only for
	// ranges that an earlier call has asked for.
	Fetch(ranges []Range)
}

// WithContext returns a view of s for one task, such as a query: if the Data is OnDemand its
// reads end with ctx, and what is fetched for it stays in memory as long as it is used. Of
// other segments it returns s.
func (s *Segment) WithContext(ctx context.Context) *Segment {
	if s.remote == nil {
		return s
	}
	c := *s
	c.remote = s.remote.WithContext(ctx)
	c.data = c.remote
	return &c
}

// OnDemand reports whether the Data is OnDemand.
func (s *Segment) OnDemand() bool { return s.remote != nil }

// table adds a section that is read whole, unless it was read before.
func (a *asked) table(sec *section, known bool) {
	if !known {
		a.need(sec, 0, sec.Length)
	}
}

// PrefetchDocTables begins to read the tables that PrefetchDocs uses, if the Data is OnDemand.
func (s *Segment) PrefetchDocTables(text bool) {
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

// PrefetchHeads begins to read the lists of entries, short ones whole, if the Data is OnDemand.
func (s *Segment) PrefetchHeads(entries []Entry) {
	if s.remote == nil {
		return
	}
	a := s.ask()
	for _, e := range entries {
		a.list(e, headMost)
	}
	a.send()
}

// PrefetchLists begins to read what PrefetchHeads left of the lists of entries, for which it
// waits, up to most bytes of lists. It returns what is left of most.
func (s *Segment) PrefetchLists(entries []Entry, most int64) int64 {
	if s.remote == nil {
		return most
	}
	a := s.ask()
	for _, e := range entries {
		if e.Kind != KindExtent {
			continue
		}
		head, err := s.rangeOf(&s.postings, e.Offset, layout.ExtHeader)
		if err != nil {
			continue // InitList says so
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
