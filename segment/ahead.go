package segment

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/chunks"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// ExpectQueries tells the system that s is going to be searched: the tables that queries read
// whole are read now, all at once, but those of fields when a query first needs them; on demand, also where ids are. In the sections of documents of a mapped file a fault then
// reads its own page only; walking through those in order from a cold page cache is slower.
//
// A mapping is split where what is said about it changes, and a process has a limited number
// of mappings. So something is said about one range only, which begins or ends with the file.
func (s *Segment) ExpectQueries() {
	if s.remote != nil {
		a := s.ask()
		if s.meta.Fields == 0 {
			a.table(&s.docLengths, s.views.lengths.Load() != nil)
		}
		known := s.views.termIndex.Load() != nil
		a.table(&s.termIndex, known)
		if lists := s.section(format.SectionLists); lists != nil {
			a.table(lists, known)
		}
		if s.terms.Length <= smallTerms && !known {
			a.units(&s.terms, 0, s.terms.Length)
		}
		a.table(&s.idIndex, s.views.idIndex.Load() != nil)
		a.send()
	}
	if s.ahead == nil {
		return
	}
	a := s.ask()
	for row := range format.Sections() {
		if sec := s.section(row.ID); row.Whole && sec != nil && (row.ID != format.SectionDocLengths || s.meta.Fields == 0) {
			a.need(sec, 0, sec.Length)
		}
	}
	if lo, hi := s.scattered(); lo < hi {
		s.ahead.Scattered(lo, hi-lo)
	}
}

// AwaitQueries waits for what ExpectQueries has begun to read of a dictionary on demand, and keeps
// it: TERMINDEX, LISTS and small TERMS.
func (s *Segment) AwaitQueries() error {
	if s.remote == nil {
		return nil
	}
	_, err := s.Lists().termIndexOf()
	return err
}

// scattered returns the bytes from lo to hi of the file that queries read here and there: the
// sections of documents and what is on that side of the lists, which is the tail if they lie
// behind them. Builders write them all before or all behind the lists; in files where they
// don't, lo and hi are 0.
func (s *Segment) scattered() (lo, hi int64) {
	lo = s.h.FileLen
	for row := range format.Sections() {
		if sec := s.section(row.ID); row.Side == format.SideDocs && !row.Tail && sec != nil && sec.Length > 0 {
			lo, hi = min(lo, sec.Offset), max(hi, sec.Offset+sec.PaddedLength())
		}
	}
	switch lists := &s.postings; {
	case lists.Offset >= hi:
		return 0, hi
	case lists.Offset+lists.PaddedLength() <= lo:
		return lo, s.h.FileLen
	}
	return 0, 0
}

// PrefetchTerms begins to read what Lookup of each of terms reads. It is only a hint, for
// which a caller has the time before it looks the terms up.
func (ls Lists) PrefetchTerms(terms [][]byte) { ls.s.Field(0).PrefetchTerms(terms) }

// PrefetchTerms is Lists.PrefetchTerms for terms of the field.
func (v FieldView) PrefetchTerms(terms [][]byte) {
	s, f := v.s, v.Info()
	if !s.hinted() {
		return
	}
	ti, err := s.Lists().termIndexOf()
	if err != nil {
		return // Lookup says so
	}
	a := s.ask()
	if ti.terms != nil {
		return
	}
	for _, t := range terms {
		if i := ti.blockOf(f, t); i >= 0 && ti.offsets[i+1] > ti.offsets[i] {
			a.need(&s.terms, int64(ti.offsets[i]), int64(ti.offsets[i+1]-ti.offsets[i]))
		}
	}
	a.send()
}

// Prefetch begins to read the list of e: all that List reads, and up to most bytes of
// the blocks. It is only a hint, which estimates lengths: a list takes about two bytes a
// posting, and 24 for each 128 beside its blocks.
func (ls Lists) Prefetch(e Entry, most int64) {
	a := ls.s.ask()
	a.list(e, most)
	a.send()
}

// list adds the list of e as Lists.Prefetch says.
func (a *asked) list(e Entry, most int64) {
	if e.Kind == KindExtent {
		a.units(&a.s.postings, e.Offset, layout.ExtHeader+24*int64(e.DF)/layout.MinExtent+min(2*int64(e.DF), most))
	}
}

// Prefetch begins to read the ids of docs, and their stored text if text is set. It is
// only a hint. If the Data is read on demand, it waits for tables (PrefetchTables).
func (ds Documents) Prefetch(docs []uint32, text bool) {
	s := ds.s
	if !s.hinted() {
		return
	}
	a := s.ask()
	for _, d := range docs {
		if s.ahead != nil {
			a.need(&s.idIndex, 8*int64(d/layout.IDsPerBlock), 16)
		}
	}
	if text {
		a.texts(docs)
	}
	offs, err := ds.idIndexWords()
	if err != nil {
		return
	}
	for _, d := range docs {
		i := int(d / layout.IDsPerBlock)
		if i+1 < len(offs) && s.touch(&s.idIndex, 8*int64(i), 16) == nil {
			a.need(&s.ids, int64(offs[i]), int64(offs[i+1]-offs[i]))
		}
	}
	a.send()
}

// texts adds the stored text of docs.
func (a *asked) texts(docs []uint32) {
	s := a.s
	index, err := s.Documents().storedIndexOf()
	if err != nil || index == nil {
		return
	}
	for _, d := range docs {
		if b, err := s.Documents().storedBlockOf(index, d); err == nil {
			a.need(&s.stored, b.Offset, b.Size)
			if b.Form == StoredChunks {
				a.need(&s.stored, b.dict, min(chunks.Drawn+3, b.Offset-b.dict))
			}
		}
	}
}
