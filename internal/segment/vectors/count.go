package vectors

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Count returns how many documents have vectors in field f of the fields of s, and how many vectors these have, but for documents that
// are deleted. It reads no codes, and without deletes nothing; deleted may be nil.
func Count(s *segment.Segment, f int, deleted func(doc uint32) bool) (docs, vectors uint64, err error) {
	info := s.Field(f).Info()
	v := info.Vectors
	switch {
	case v == nil || v.Count == 0:
		return 0, 0, nil
	case deleted == nil:
		return uint64(v.Docs), uint64(v.Count), nil
	}
	parts := partsOf(s, info)
	of := func(i int) uint32 { return uint32(i) }
	if parts.Metas > parts.Docs {
		b, err := s.Raw().SectionBytes(format.SectionVectors, parts.Docs, 4*int64(v.Count))
		if err != nil {
			return 0, 0, err
		}
		numbers := words[uint32](b)
		of = func(i int) uint32 { return numbers[i] }
	}
	for i, last := 0, uint32(0); i < int(v.Count); i++ {
		doc := of(i)
		if deleted(doc) {
			continue
		}
		if vectors == 0 || doc != last {
			docs++
		}
		vectors, last = vectors+1, doc
	}
	return docs, vectors, nil
}
