package check_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// Each level finds its own kind of damage and that of the levels below it.
func TestLevels(t *testing.T) {
	good := segtest.Small().Build(t, segtest.Default())
	s := segtest.Open(t, good)
	e, _, err := s.Lists().Lookup([]byte("extent"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(id format.SectionID, off int64) int64 {
		sec, _ := s.Header().Section(id)
		return sec.Offset + off
	}
	for _, c := range []struct {
		name   string
		off    int64 // offset of the changed byte
		repair bool
		finds  check.Level // the lowest level that finds it
	}{
		{"checksum", at(format.SectionDocLengths, 5), false, check.Checksums},
		{"length", at(format.SectionDocLengths, 5), true, check.Structure},
		{"id", at(format.SectionIDHash, 4), true, check.Structure},
		{"first docID", at(format.SectionPostings, e.Offset+20), true, check.Postings},
	} {
		b := segment.Aligned(bytes.Clone(good))
		b[c.off] ^= 1
		if c.repair {
			segtest.Repair(b)
		}
		s, err := segment.Open("test.pin", b)
		if err != nil {
			t.Fatal(err)
		}
		for level := check.Checksums; level <= check.Postings; level++ {
			err := check.Segment(context.Background(), s, check.Options{Level: level})
			if found := segtest.IsIndexError(err); found != (level >= c.finds) {
				t.Errorf("%s at level %d: %v", c.name, level, err)
			}
		}
	}
}
