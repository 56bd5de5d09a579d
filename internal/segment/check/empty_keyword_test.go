package check_test

import (
	"testing"

	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// A segment with the empty keyword has the version that came with it, and one of a version before is found wrong. Without
// it a segment has the version that it always had.
func TestEmptyKeywordVersion(t *testing.T) {
	made := func(words ...string) []byte {
		m := &segtest.Fields{Fields: []segtest.FieldModel{{Field: schema.Field{ID: 1, Name: "k", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}}}}
		for _, w := range words {
			m.IDs = append(m.IDs, "id"+w)
			m.Fields[0].Words = append(m.Fields[0].Words, []string{w})
		}
		return segment.Aligned(m.Build(t, segtest.Default()))
	}
	good := made("a", "", "b")
	for minor := uint16(3); minor <= 6; minor++ {
		b := segment.Aligned(segtest.InVersion(t, good, minor))
		s := segtest.Open(t, b)
		for _, level := range []check.Level{check.Checksums, check.Structure, check.Postings} {
			err := check.Segment(t.Context(), s, check.Options{Level: level})
			if want := level > check.Checksums && minor < 5; segtest.IsIndexError(err) != want {
				t.Errorf("version 0.%d at level %d: %v", minor, level, err)
			}
		}
	}
}
