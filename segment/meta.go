package segment

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// Limits of a segment.
const (
	MaxDocs = 1 << 31          // documents
	MaxTerm = layout.MaxString // bytes of a term
	MaxID   = layout.MaxString // bytes of an external id
	MaxText = 1<<30 - 1        // bytes of a stored text
)

// Meta is the metadata of a segment.
type Meta struct {
	Docs            uint32 // documents, including deleted ones
	Terms           uint64 // distinct terms
	Postings        uint64 // (term, document) pairs
	Tokens          uint64 // sum of document lengths
	MinLen, MaxLen  uint32 // least and greatest document length; 0 without documents
	LenWidth        int    // bytes of a stored length: 1, 2 or 4
	Analyzer        string // name of the analyzer that made the terms
	AnalyzerOptions string // its options in canonical form
	Extents         uint64 // lists with an extent
	CompactBytes    uint64 // bytes of dictionary entries without an extent
	Stored          bool   // text is stored
	ForeignLengths  bool   // lengths were imported and need not be sums of frequencies
	DocsCodecs      uint64 // bit i: some extent has docIDs in codec i
	FreqsCodecs     uint64 // bit i: some extent has frequencies in codec i
}

// AvgLen returns the mean document length in tokens, or 0 if there are no documents.
func (m *Meta) AvgLen() float64 {
	if m.Docs == 0 {
		return 0
	}
	return float64(m.Tokens) / float64(m.Docs)
}

// ParseMeta decodes section META. more allows unknown fields after the known ones.
func ParseMeta(d *format.Buffer, more bool) (Meta, error) {
	var m Meta
	if v := d.Uvarint(); d.Err() == nil && v != layout.MetaVersion {
		d.Fail("META version %d, not %d", v, layout.MetaVersion)
	}
	m.Docs = uint32(d.Count(MaxDocs, 0))
	m.Terms = d.Uvarint()
	m.Postings = d.Uvarint()
	m.Tokens = d.Uvarint()
	m.MinLen = uint32(d.Count(math.MaxUint32, 0))
	m.MaxLen = uint32(d.Count(math.MaxUint32, 0))
	m.LenWidth = d.Count(4, 0)
	m.Analyzer = d.String(layout.MaxAnalyzer)
	m.AnalyzerOptions = d.String(layout.MaxOptions)
	m.Extents = d.Uvarint()
	m.CompactBytes = d.Uvarint()
	flags := d.Uvarint()
	m.DocsCodecs = d.Uint64()
	m.FreqsCodecs = d.Uint64()
	if d.Err() == nil && flags&^layout.MetaFlags != 0 {
		d.Fail("unknown META flags %#x", flags)
	}
	m.Stored = flags&layout.MetaStored != 0
	m.ForeignLengths = flags&layout.MetaForeignLengths != 0
	if d.Err() == nil && (m.LenWidth != layout.LengthWidth(m.MaxLen) || m.MinLen > m.MaxLen) {
		d.Fail("lengths %d to %d in %d bytes", m.MinLen, m.MaxLen, m.LenWidth)
	}
	if d.Err() == nil && (m.Postings < m.Terms || m.Extents > m.Terms) {
		d.Fail("%d postings and %d extents for %d terms", m.Postings, m.Extents, m.Terms)
	}
	if !more {
		d.Done()
	}
	return m, d.Err()
}

// AppendMeta appends section META to dst.
func AppendMeta(dst []byte, m *Meta) []byte {
	var flags uint64
	if m.Stored {
		flags |= layout.MetaStored
	}
	if m.ForeignLengths {
		flags |= layout.MetaForeignLengths
	}
	for _, v := range []uint64{layout.MetaVersion, uint64(m.Docs), m.Terms, m.Postings, m.Tokens,
		uint64(m.MinLen), uint64(m.MaxLen), uint64(m.LenWidth)} {
		dst = binary.AppendUvarint(dst, v)
	}
	for _, s := range []string{m.Analyzer, m.AnalyzerOptions} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	for _, v := range []uint64{m.Extents, m.CompactBytes, flags} {
		dst = binary.AppendUvarint(dst, v)
	}
	dst = binary.LittleEndian.AppendUint64(dst, m.DocsCodecs)
	return binary.LittleEndian.AppendUint64(dst, m.FreqsCodecs)
}

// Counts returns what lengths of sections follow from. Terms must be at most those that fit
// in a file.
func (m *Meta) Counts() format.Counts {
	return format.Counts{
		Docs:       int64(m.Docs),
		TermBlocks: (int64(m.Terms) + layout.TermsPerBlock - 1) / layout.TermsPerBlock,
		IDBlocks:   int64(layout.IDBlocks(int(m.Docs))),
		LenWidth:   int64(m.LenWidth),
	}
}
