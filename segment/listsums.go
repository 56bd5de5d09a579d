package segment

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// ListSums are what the lists of adjacent terms add up to. META says what those of all terms
// do. The zero value is that of no terms.
type ListSums struct {
	Postings     uint64
	CompactBytes uint64 // of entries without an extent
	Extents      uint64
	DocsCodecs   uint64 // bit i: some extent has docIDs in codec i
	FreqsCodecs  uint64 // bit i: some extent has frequencies in codec i
	start, end   int64  // of the extents
}

// AddExtent adds the extent of e, which must begin where the one before it ends.
func (x *ListSums) AddExtent(r *Raw, e *Entry) error {
	s := (*Segment)(r)
	head, err := s.rangeOf(&s.postings, e.Offset, layout.ExtHeader)
	if err != nil {
		return err
	}
	if x.Extents == 0 {
		x.start = e.Offset
	} else if e.Offset != x.end {
		return x.gap(s, e.Offset)
	}
	x.end = e.Offset + int64(binary.LittleEndian.Uint32(head[layout.ExtLength:]))*layout.ExtentAlign
	x.Extents++
	x.DocsCodecs |= 1 << head[layout.ExtDocsCodec]
	x.FreqsCodecs |= 1 << head[layout.ExtFreqsCodec]
	return nil
}

// Join adds the sums of the terms behind those of x.
func (x *ListSums) Join(r *Raw, y *ListSums) error {
	if y.Extents > 0 {
		if x.Extents == 0 {
			x.start = y.start
		} else if y.start != x.end {
			return x.gap((*Segment)(r), y.start)
		}
		x.end = y.end
	}
	x.Postings, x.CompactBytes, x.Extents = x.Postings+y.Postings, x.CompactBytes+y.CompactBytes, x.Extents+y.Extents
	x.DocsCodecs, x.FreqsCodecs = x.DocsCodecs|y.DocsCodecs, x.FreqsCodecs|y.FreqsCodecs
	return nil
}

func (x *ListSums) gap(s *Segment, start int64) error {
	return s.corrupt(&s.postings, start, "extent does not begin where the one before it ends, at %d", x.end)
}

// Compare compares the sums of all terms with META and the length of POSTINGS.
func (x *ListSums) Compare(r *Raw) error {
	s, m := (*Segment)(r), &r.meta
	switch {
	case x.start != 0:
		return s.corrupt(&s.postings, 0, "bytes before the first extent")
	case x.Postings != m.Postings:
		return r.Corrupt(format.SectionMeta, 0, "%d postings, META says %d", x.Postings, m.Postings)
	case x.Extents != m.Extents || x.DocsCodecs != m.DocsCodecs || x.FreqsCodecs != m.FreqsCodecs:
		return r.Corrupt(format.SectionMeta, 0, "%d extents with codecs %#x and %#x, META says %d, %#x and %#x",
			x.Extents, x.DocsCodecs, x.FreqsCodecs, m.Extents, m.DocsCodecs, m.FreqsCodecs)
	case x.CompactBytes != m.CompactBytes:
		return r.Corrupt(format.SectionMeta, 0, "%d bytes of compact entries, META says %d", x.CompactBytes, m.CompactBytes)
	case x.end != s.postings.Length:
		return s.corrupt(&s.postings, x.end, "bytes that no term refers to")
	}
	return nil
}
