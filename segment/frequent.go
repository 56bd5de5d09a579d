package segment

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Frequent is a term that many documents have.
type Frequent struct {
	Ordinal uint64 // of the term
	DF      uint32 // postings, as in its entry
}

// Compare orders terms by descending df, and those of equal df by ascending ordinal.
func (f Frequent) Compare(g Frequent) int {
	return cmp.Or(cmp.Compare(g.DF, f.DF), cmp.Compare(f.Ordinal, g.Ordinal))
}

// Frequent returns the terms of more than a 64th of the documents, deleted ones included, at
// most 1,024, in the order of Frequent.Compare. So it tells which lists are long without the
// dictionary, from what a reader over a network gets with the rest of the tail. It is nil, and
// nothing is known, in a segment without section FREQUENT, which those of up to 65,536 documents
// do not have.
func (ls Lists) Frequent() ([]Frequent, error) {
	s := ls.s
	sec := s.section(format.SectionFrequent)
	if sec == nil {
		return nil, nil
	}
	if sec.Length > layout.MaxFrequentBytes {
		return nil, s.corrupt(sec, 0, "section has %d bytes, at most %d are possible", sec.Length, layout.MaxFrequentBytes)
	}
	b, err := s.rangeOf(sec, 0, sec.Length)
	if err != nil {
		return nil, err
	}
	terms, err := ParseFrequent(format.NewBuffer(b, sec.Offset), s.meta.Counts())
	return terms, format.Locate(err, s.place(sec))
}

// ParseFrequent decodes section FREQUENT of a segment with these counts.
func ParseFrequent(d *format.Buffer, n format.Counts) ([]Frequent, error) {
	if n.Docs <= layout.FrequentOver {
		d.Fail("a segment of %d documents has no such section", n.Docs)
	}
	terms := make([]Frequent, d.Count(layout.MaxFrequent, 2))
	for i := range terms {
		t := Frequent{Ordinal: d.Uvarint(), DF: uint32(d.Count(math.MaxUint32, 0))}
		switch {
		case d.Err() != nil:
		case t.Ordinal/layout.TermsPerBlock >= uint64(n.TermBlocks):
			d.Fail("term %d in a dictionary of %d blocks", t.Ordinal, n.TermBlocks)
		case int64(t.DF) > n.Docs || !t.Counts(n.Docs):
			d.Fail("term %d in %d of %d documents", t.Ordinal, t.DF, n.Docs)
		case i > 0 && terms[i-1].Compare(t) >= 0:
			d.Fail("term %d follows term %d", t.Ordinal, terms[i-1].Ordinal)
		}
		terms[i] = t
	}
	if err := d.Done(); err != nil {
		return nil, err
	}
	return terms, nil
}

// Counts reports whether the term is one of FREQUENT in a segment of that many documents, if
// there are not more than fit in.
func (f Frequent) Counts(docs int64) bool { return layout.FrequentShare*int64(f.DF) > docs }

// AppendFrequent appends section FREQUENT to dst.
func AppendFrequent(dst []byte, terms []Frequent) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(terms)))
	for _, t := range terms {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, t.Ordinal), uint64(t.DF))
	}
	return dst
}
