package salvage_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// FREQUENT follows from the dictionary, and is found without a section table.
func TestMendFrequent(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 65_537)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for term, n := range map[string]uint32{"a": 1024, "b": 9000, "c": 40_000, "d": 9000} {
		var ps []segtest.Posting
		for i := range n {
			ps = append(ps, segtest.P(i, 1))
		}
		m.AddList(term, ps)
	}
	good := m.Build(t, segtest.Default())
	s := segtest.Open(t, good)
	sec, ok := s.Header().Section(format.SectionFrequent)
	if !ok {
		t.Fatal("no FREQUENT")
	}
	known := salvage.Known{ID: s.Header().ID, Postings: s.Meta().Postings, Tokens: s.Meta().Tokens, Analyzer: s.Meta().Analyzer, AnalyzerOptions: s.Meta().AnalyzerOptions}
	for what, damage := range map[string]func(b []byte){
		"lost":     func(b []byte) { clear(b[sec.Offset:][:sec.Length]) },
		"one bit":  func(b []byte) { b[sec.Offset+3] ^= 4 },
		"no table": func(b []byte) { clear(b[:s.Header().FrontSize()]); clear(b[len(b)-format.FooterSize:]) },
	} {
		bad := segment.Aligned(bytes.Clone(good))
		damage(bad)
		mended, err := salvage.Mend(what, bad, known)
		if err != nil || !mended.Whole {
			t.Errorf("%s: %+v, %v", what, mended, err)
			continue
		}
		if got, err := mended.Data.Range(0, int64(len(good))); err != nil || !bytes.Equal(got, good) {
			t.Errorf("%s: another file, %v", what, err)
		}
	}
}
