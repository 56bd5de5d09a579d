package segment

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// ahead is a Data that can be told what of a mapped file is read next: hints whose failure
// does no harm.
type ahead interface {
	WillNeed(off, n int64)  // n bytes at off are read soon
	Scattered(off, n int64) // n bytes at off are read here and there
}

// ExpectQueries tells the system that s is going to be searched, if its Data is a mapped
// file: the tables that are read whole are read now, all at once, and in the sections of
// documents a fault reads its own page only. Walking through those in order from a cold page
// cache is then slower.
//
// A mapping is split where what is said about it changes, and a process has a limited number
// of mappings. So something is said about one range only, which begins or ends with the file.
func (s *Segment) ExpectQueries() {
	if s.ahead == nil {
		return
	}
	for row := range format.Sections() {
		if sec := s.section(row.ID); row.Whole && sec != nil {
			s.willNeed(sec, 0, sec.Length)
		}
	}
	if lo, hi := s.scattered(); lo < hi {
		s.ahead.Scattered(lo, hi-lo)
	}
}

// scattered returns the bytes from lo to hi of the file that queries read here and there: the
// sections of documents and what is on that side of the lists. Builders write them all before
// or all behind the lists and the dictionary; in files where they don't, lo and hi are 0.
func (s *Segment) scattered() (lo, hi int64) {
	lo = s.h.FileLen
	for row := range format.Sections() {
		if sec := s.section(row.ID); row.Side == format.SideDocs && sec != nil && sec.Length > 0 {
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

// willNeed asks for n bytes at off of sec and for the checksums of their pages, unless they
// were read before. Lists are asked for again: long ones may have left memory since.
func (s *Segment) willNeed(sec *section, off, n int64) {
	if s.ahead == nil || off < 0 || n <= 0 || off >= sec.Length {
		return
	}
	lo, hi := sec.Offset+off, sec.Offset+min(off+n, sec.Length)
	page, end := lo/format.PageSize, (hi-1)/format.PageSize+1
	p := &s.pages
	if p.good != nil && sec != &s.postings && p.unchecked(page, end) == end {
		return
	}
	s.ahead.WillNeed(lo, hi-lo)
	for i := max(page-1, 0) / format.PageGroup; p.good != nil && i <= (end-2)/format.PageGroup && i < int64(len(p.groups)); i++ {
		const size = format.PageSumSize * (format.PageGroup + 1)
		if p.groups[i].Load() == nil {
			s.ahead.WillNeed(p.sums.Offset+i*size, size)
		}
	}
}

// PrefetchTerm begins to read what Lookup of term reads. It is only a hint, for which a
// caller has the time before it looks up other terms.
func (s *Segment) PrefetchTerm(term []byte) {
	if s.ahead == nil {
		return
	}
	ti, err := s.termIndexOf()
	if err != nil {
		return // Lookup says so
	}
	if i := lastAtMost(ti.keys, layout.TermKey(term)); i >= 0 && ti.offsets[i+1] > ti.offsets[i] {
		s.willNeed(&s.terms, int64(ti.offsets[i]), int64(ti.offsets[i+1]-ti.offsets[i]))
	}
}

// PrefetchList begins to read the list of e: all that List reads, and up to most bytes of
// the blocks. It is only a hint, which estimates lengths: a list takes about two bytes a
// posting, and 24 for each 128 beside its blocks.
func (s *Segment) PrefetchList(e Entry, most int64) {
	if e.Kind == KindExtent {
		s.willNeed(&s.postings, e.Offset, layout.ExtHeader+24*int64(e.DF)/layout.MinExtent+min(2*int64(e.DF), most))
	}
}

// PrefetchDocs begins to read the ids of docs, and their stored text if text is set. It is
// only a hint.
func (s *Segment) PrefetchDocs(docs []uint32, text bool) {
	if s.ahead == nil {
		return
	}
	for _, d := range docs {
		s.willNeed(&s.idIndex, 8*int64(d/layout.IDsPerBlock), 16)
	}
	if index, err := s.storedIndexOf(); text && err == nil && index != nil {
		for _, d := range docs {
			if b, err := s.storedBlockOf(index, d); err == nil {
				s.willNeed(&s.stored, b.Offset, b.Size)
			}
		}
	}
	offs, err := s.idIndexWords()
	if err != nil {
		return
	}
	for _, d := range docs {
		i := int(d / layout.IDsPerBlock)
		if i+1 < len(offs) && s.touch(&s.idIndex, 8*int64(i), 16) == nil {
			s.willNeed(&s.ids, int64(offs[i]), int64(offs[i+1]-offs[i]))
		}
	}
}
