// Package frequent has what chooses, checks, shows, finds and derives section FREQUENT: the
// terms of most documents. Package build writes it with the dictionary, and package segment
// reads it.
package frequent

import (
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Section is the row of FREQUENT.
var Section = section.Section{
	IDs:   []format.SectionID{format.SectionFrequent},
	Check: check,
	Work:  1,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
	Find:    find,
	Derive:  derive,
}

// Terms collects the terms of FREQUENT.
type Terms struct {
	docs int64
	all  []segment.Frequent
}

// Of returns a Terms for a segment of that many documents.
func Of(docs uint32) Terms { return Terms{docs: int64(docs)} }

// Add adds a term, if it may be one of them.
func (t *Terms) Add(ordinal uint64, df uint32) {
	f := segment.Frequent{Ordinal: ordinal, DF: df}
	if t.docs <= layout.FrequentOver || !f.Counts(t.docs) {
		return
	}
	if t.all = append(t.all, f); len(t.all) >= 2*layout.MaxFrequent {
		t.all = t.Sorted()
	}
}

// Sorted returns those of the terms that FREQUENT holds, in its order.
func (t *Terms) Sorted() []segment.Frequent {
	sort.Slice(t.all, func(i, j int) bool { return t.all[i].Compare(t.all[j]) < 0 })
	return t.all[:min(len(t.all), layout.MaxFrequent)]
}

// content returns what FREQUENT must be, as the dictionary says.
func content(s *segment.Segment) ([]segment.Frequent, error) {
	t := Of(s.Meta().Docs)
	for i := range int(s.Meta().Counts().TermBlocks) {
		b, err := s.Raw().TermBlock(i)
		if err != nil {
			return nil, err
		}
		pos := b.Entries
		for j := range b.Terms {
			e, next := s.Raw().ParseEntry(&b, j, pos)
			if next < 0 {
				return nil, s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(pos), "malformed entry in block %d", i)
			}
			pos = next
			t.Add(e.Ordinal, e.DF)
		}
	}
	return t.Sorted(), nil
}

// check compares the section with the dictionary.
func check(v section.Verifier) error {
	s := v.Segment()
	is, err := s.Lists().Frequent()
	if err != nil {
		return v.Report(err, 0, [2]uint32{})
	}
	want, err := content(s)
	if err != nil {
		return nil // the check of the dictionary reports it
	}
	if len(is) != len(want) {
		return v.Report(s.Raw().Corrupt(format.SectionFrequent, 0, "%d terms, the dictionary has %d", len(is), len(want)), 0, [2]uint32{})
	}
	for i := range is {
		if is[i] != want[i] {
			err := s.Raw().Corrupt(format.SectionFrequent, 0, "term %d with %d postings, the dictionary says term %d with %d",
				is[i].Ordinal, is[i].DF, want[i].Ordinal, want[i].DF)
			return v.Report(err, 0, [2]uint32{})
		}
	}
	return nil
}

func dump(c section.Cursor, _ *segment.Segment, _ format.SectionID) {
	for i, n := uint64(0), c.Uvarint("terms", ""); i < n && c.More(); i++ {
		c.Uvarint("ordinal", "")
		c.Uvarint("  postings", "")
	}
}

// find returns the length of the section that ends at end. Only the content 0 ends in a zero, as
// padding does.
func find(v format.Version, read func(off, n int64) ([]byte, error), end int64, counts format.Counts) []int64 {
	for n := v.Align(); counts.Docs > layout.FrequentOver && n <= min(end, v.PadSection(layout.MaxFrequentBytes)); n += v.Align() {
		b, err := read(end-n, n)
		if err != nil {
			return nil
		}
		length := len(b)
		for length > 1 && b[length-1] == 0 {
			length--
		}
		if v.PadSection(int64(length)) != n {
			continue
		}
		if _, err := segment.ParseFrequent(format.NewBuffer(b[:length], 0), counts); err == nil {
			return []int64{int64(length)}
		}
	}
	return nil
}

func derive(s *segment.Segment, _ format.SectionID, sound func(format.SectionID) bool) []byte {
	if !sound(format.SectionTerms) || !sound(format.SectionTermIndex) {
		return nil
	}
	want, err := content(s)
	if err != nil {
		return nil
	}
	return segment.AppendFrequent(nil, want)
}
