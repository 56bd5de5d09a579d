package salvage

import (
	"sort"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// mendMeta makes META, section i, from the other sections and what is known, and reports
// whether its checksum confirms it. If not, the file gets a META that is right as far as
// what was read.
func (m *mender) mendMeta(i int) bool {
	sec := m.h.Sections[i]
	meta, ok := m.outline()
	if !ok || sec.Length > layout.MaxMeta {
		return false
	}
	// A segment with a META that says as much as is known so far opens, and tells the rest.
	undo := m.p.save()
	if !m.putMeta(i, &meta) {
		return false
	}
	s, err := segment.Open(m.name, m.p)
	if err != nil {
		return false
	}
	if b := m.confirmed(&meta, s, sec); b != nil {
		undo()
		m.h.Sections[i] = sec
		m.p.put(sec.Offset, b)
		m.restamp()
		return true
	}
	meta.ForeignLengths = true // which claims less
	m.putMeta(i, &meta)
	return false
}

// confirmed sets meta to what the sections of s say, and returns META, which is section sec,
// if its checksum confirms it.
func (m *mender) confirmed(meta *segment.Meta, s *segment.Segment, sec format.Section) []byte {
	x := New(s, s, func(uint32) bool { return false })
	for _, n := range termCounts(s) {
		x.losses = nil
		*meta = x.counted(n, m.known)
		meta.Analyzer, meta.AnalyzerOptions = m.known.Analyzer, m.known.AnalyzerOptions
		for _, meta.ForeignLengths = range []bool{false, true} {
			b := segment.AppendMeta(nil, meta)
			b = append(b, make([]byte, sec.PaddedLength()-sec.Length)...)
			if int64(len(b)) == sec.PaddedLength() && sumOf(b) == sec.Checksum {
				return b
			}
		}
	}
	return nil
}

// outline returns the META that the lengths of the sections imply. Counts that they do not
// say are the least possible, so that it is not longer than META was.
func (m *mender) outline() (meta segment.Meta, ok bool) {
	length := func(id format.SectionID) int64 {
		s, there := m.h.Section(id)
		if !there {
			return -1
		}
		return s.Length
	}
	docs, widths, index := m.docs(), length(format.SectionDocLengths), length(format.SectionTermIndex)
	if docs < 0 || index < 8 {
		return meta, false
	}
	meta = segment.Meta{
		Docs: uint32(docs), LenWidth: 1, Postings: m.known.Postings, Tokens: m.known.Tokens,
		Analyzer: m.known.Analyzer, AnalyzerOptions: m.known.AnalyzerOptions,
		Stored: length(format.SectionStored) >= 0,
	}
	if blocks := uint64(index-8) / 16; blocks > 0 {
		meta.Terms = (blocks-1)*layout.TermsPerBlock + 1
	}
	meta.Postings = max(meta.Postings, meta.Terms)
	if docs > 0 {
		meta.LenWidth = int(widths / docs)
	}
	switch meta.LenWidth {
	case 1:
	case 2:
		meta.MaxLen = 1 << 8
	case 4:
		meta.MaxLen = 1 << 16
	default:
		return meta, false
	}
	return meta, true
}

// docs returns how many documents IDHASH has room for, -1 if its length is that of none.
func (m *mender) docs() int64 {
	sec, there := m.h.Section(format.SectionIDHash)
	row, _ := format.SectionIDHash.Info()
	length := func(docs int) int64 {
		meta := segment.Meta{Docs: uint32(docs)}
		return row.Length.Implied(m.h.Version, meta.Counts())
	}
	docs := sort.Search(segment.MaxDocs, func(docs int) bool { return length(docs) >= sec.Length })
	if !there || length(docs) != sec.Length {
		return -1
	}
	return int64(docs)
}

// putMeta makes meta the section META, i, with checksums that hold. It returns false if it
// does not fit in.
func (m *mender) putMeta(i int, meta *segment.Meta) bool {
	sec := &m.h.Sections[i]
	n, padded := sec.Length, sec.PaddedLength()
	b := segment.AppendMeta(nil, meta)
	if m.h.Version.PadSection(int64(len(b))) == padded {
		n = int64(len(b))
	} else if b = filled(*meta, n); b == nil {
		return false
	}
	b = append(b, make([]byte, padded-n)...)
	sec.Length, sec.Checksum = n, sumOf(b)
	m.p.put(sec.Offset, b)
	m.restamp()
	return true
}

// filled returns a META of n bytes that says what meta does, except that spaces follow the
// options of the analyzer, or nil if there is none.
func filled(meta segment.Meta, n int64) []byte {
	b := segment.AppendMeta(nil, &meta)
	short := n - int64(len(b))
	options := meta.AnalyzerOptions
	for k := short; k >= 0 && k > short-3; k-- { // the options' length takes up to two bytes more
		meta.AnalyzerOptions = options + strings.Repeat(" ", int(k))
		if b = segment.AppendMeta(b[:0], &meta); int64(len(b)) == n {
			return b
		}
	}
	return nil
}

// counted returns the META of the segment, which has that many terms, as far as its sections
// tell it.
func (x *Source) counted(terms uint64, known Known) segment.Meta {
	meta := *x.s.Meta()
	meta.Terms, meta.Postings, meta.Tokens, meta.MinLen, meta.MaxLen = terms, 0, 0, 0, 0
	x.count = terms
	for i, n := range x.lengths() {
		if i == 0 || n < meta.MinLen {
			meta.MinLen = n
		}
		meta.MaxLen = max(meta.MaxLen, n)
		meta.Tokens += uint64(n)
	}
	x.countLists(&meta)
	if len(x.losses) > 0 { // what is known counts what is lost too
		meta.Postings, meta.Tokens = max(meta.Postings, known.Postings), max(meta.Tokens, known.Tokens)
		if layout.LengthWidth(meta.MaxLen) != meta.LenWidth {
			meta.MaxLen = uint32(1)<<(8*meta.LenWidth) - 1
		}
	}
	meta.Postings = max(meta.Postings, meta.Terms)
	return meta
}

// termCounts returns the numbers of terms that s may have: the length of TERMINDEX says how many
// blocks there are, and the last one is parsed. There is at least one.
func termCounts(s *segment.Segment) []uint64 {
	limit := s.Meta().Terms
	if limit == 0 {
		return []uint64{0}
	}
	blocks := (limit + layout.TermsPerBlock - 1) / layout.TermsPerBlock
	counts := lastTerms(s, int(blocks)-1)
	if counts == nil {
		return []uint64{blocks * layout.TermsPerBlock}
	}
	for i := range counts {
		counts[i] += (blocks - 1) * layout.TermsPerBlock
	}
	return counts
}

// lastTerms returns the numbers of terms that the last block of the dictionary may have.
func lastTerms(s *segment.Segment, block int) (n []uint64) {
	at := int64(0)
	for span, err := range New(s, s, nil).termBlocks(uint64(block) * layout.TermsPerBlock) {
		if at = span.off + int64(len(span.bytes)); err != nil {
			at = -1
		}
	}
	sec, _ := s.Header().Section(format.SectionTerms)
	if at < 0 || at > sec.Length {
		return nil
	}
	b, err := s.Raw().SectionBytes(format.SectionTerms, at, sec.Length-at)
	if err != nil {
		return nil
	}
	for k := 1; k <= layout.TermsPerBlock; k++ {
		pos, _ := heads(b, k)
		t := segment.TermBlock{Bytes: b}
		for i := range k {
			if pos < 0 {
				break
			}
			_, pos = s.Raw().ParseEntry(&t, i, pos)
		}
		if pos == len(b) {
			n = append(n, uint64(k))
		}
	}
	return n
}

// countLists counts what META says of lists.
func (x *Source) countLists(meta *segment.Meta) {
	meta.Extents, meta.CompactBytes, meta.DocsCodecs, meta.FreqsCodecs = 0, 0, 0, 0
	for _, e := range x.terms(meta.Terms) {
		meta.Postings += uint64(e.DF)
		if e.Kind != segment.KindExtent {
			meta.CompactBytes += uint64(e.Size())
			continue
		}
		meta.Extents++
		b, err := x.section(format.SectionPostings, e.Offset, layout.ExtHeader)
		if err != nil || b[layout.ExtDocsCodec] > 63 || b[layout.ExtFreqsCodec] > 63 {
			x.lose("postings", "codecs", 0, err)
			continue
		}
		meta.DocsCodecs |= 1 << b[layout.ExtDocsCodec]
		meta.FreqsCodecs |= 1 << b[layout.ExtFreqsCodec]
	}
}
