package build

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// appendMeta encodes section META.
func appendMeta(dst []byte, m *segment.Meta) []byte {
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
