package segment_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// Extents of any length with any flags are lists or errors.
func TestExtentLengths(t *testing.T) {
	good := segtest.Small().Build(t, segtest.Default())
	s := segtest.Open(t, good)
	postings, _ := s.Header().Section(format.SectionPostings)
	var l segment.List
	for it := s.Lists().Terms(); it.Next(); {
		e := it.Entry()
		if check := s.Lists().Init(&l, e); check != nil || l.Kind != segment.KindExtent {
			continue
		}
		at := postings.Offset + e.Offset
		units := binary.LittleEndian.Uint32(good[at+8:])
		for n := range units + 1 {
			for flags := range byte(8) {
				b := bytes.Clone(good)
				binary.LittleEndian.PutUint32(b[at+8:], n)
				b[at+19] = flags
				segtest.Repair(b)
				d := segtest.Open(t, b)
				if err := d.Lists().Init(&l, e); err != nil && !segtest.IsIndexError(err) {
					t.Fatalf("%s, %d units, flags %d: %v", it.Term(), n, flags, err)
				}
			}
		}
	}
}
