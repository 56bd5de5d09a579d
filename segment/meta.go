package segment

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
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
	Tokens          uint64 // sum of document lengths, or of frequencies (see Fields)
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

	// Of a segment with section FIELDS, 0 in others. It has no lengths and no analyzer of its
	// own, and Tokens is the sum of all frequencies.
	Fields      uint32 // fields
	TermBlocks  uint64 // blocks of the dictionary
	LengthBytes uint64 // of DOCLENGTHS
}

// AvgLen returns the mean document length in tokens, or 0 if there are no documents.
func (m *Meta) AvgLen() float64 {
	if m.Docs == 0 {
		return 0
	}
	return float64(m.Tokens) / float64(m.Docs)
}

// ParseMeta decodes section META. more allows what is unknown after what is known.
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
	if flags&layout.MetaFields != 0 {
		m.parseTail(d)
	} else if d.Err() == nil && (m.LenWidth != layout.LengthWidth(m.MaxLen) || m.MinLen > m.MaxLen) {
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

// parseTail decodes what META has of a segment with fields behind the rest.
func (m *Meta) parseTail(d *format.Buffer) {
	m.Fields = uint32(d.Count(schema.MaxFields, 0))
	m.TermBlocks = d.Uvarint()
	m.LengthBytes = d.Uvarint()
	switch {
	case d.Err() != nil:
	case m.Fields == 0:
		d.Fail("fields without one")
	case m.ForeignLengths || m.LenWidth != 0 || m.MinLen != 0 || m.MaxLen != 0 || m.Analyzer != "" || m.AnalyzerOptions != "":
		d.Fail("lengths or an analyzer beside those of fields")
	case m.TermBlocks > m.Terms || m.Terms/layout.TermsPerBlock > m.TermBlocks:
		d.Fail("%d terms in %d blocks", m.Terms, m.TermBlocks)
	case m.LengthBytes > (4*MaxDocs+layout.LengthsAlign)*schema.MaxFields:
		d.Fail("%d bytes of lengths", m.LengthBytes)
	}
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
	if m.Fields > 0 {
		flags |= layout.MetaFields
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
	dst = binary.LittleEndian.AppendUint64(dst, m.FreqsCodecs)
	if m.Fields > 0 {
		for _, v := range []uint64{uint64(m.Fields), m.TermBlocks, m.LengthBytes} {
			dst = binary.AppendUvarint(dst, v)
		}
	}
	return dst
}

// Counts returns what lengths of sections follow from. Terms and TermBlocks must be at most
// those that fit in a file.
func (m *Meta) Counts() format.Counts {
	n := format.Counts{
		Docs:        int64(m.Docs),
		TermBlocks:  int64(layout.TermBlocks(m.Terms)),
		IDBlocks:    int64(layout.IDBlocks(int(m.Docs))),
		LengthBytes: int64(m.Docs) * int64(m.LenWidth),
	}
	if m.Fields > 0 {
		n.TermBlocks, n.LengthBytes = int64(m.TermBlocks), int64(m.LengthBytes)
	}
	return n
}
