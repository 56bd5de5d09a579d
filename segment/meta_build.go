package segment

import "encoding/binary"

// appendMeta encodes section META.
func appendMeta(dst []byte, m *Meta) []byte {
	var flags uint64
	if m.Stored {
		flags |= metaStored
	}
	if m.ForeignLengths {
		flags |= metaForeignLengths
	}
	for _, v := range []uint64{metaVersion, uint64(m.Docs), m.Terms, m.Postings, m.Tokens,
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
