package fuzz

import (
	"bytes"
	"context"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/segment"
)

// FuzzSalvage mends a segment file of arbitrary bytes, as it is or with checksums that hold,
// and reads what is left of it. What Mend calls whole has no checksum that fails.
func FuzzSalvage(x *testing.F) {
	f := fuzzing.New(x)
	good := seedIndex(f, 40)[indexdir.SegmentName(1)]
	f.Add(good, false)
	f.Add(good, true)
	for _, lost := range [][2]int{{0, 64}, {0, 768}, {len(good) - 64, 64}, {len(good) - 256 - 64, 256}} {
		b := bytes.Clone(good)
		clear(b[lost[0] : lost[0]+lost[1]])
		f.Add(b, false)
	}
	f.Add(good[:len(good)-200], false)
	f.Fuzz(func(t *testing.T, b []byte, stamp bool) {
		if len(b) > 1<<20 {
			return
		}
		if stamp {
			if len(b) < 2*format.HeaderSize+format.FooterSize {
				return
			}
			if d, err := damage.Parse(b); err == nil {
				b = d.Bytes()
			}
			b = bytes.Clone(b)
			damage.StampHeader(b)
		}
		m, err := salvage.Mend("fuzz", segment.Aligned(b), salvage.Known{Analyzer: "whitespace", AnalyzerOptions: "max=65535"})
		if err != nil {
			return
		}
		s, err := segment.Open("fuzz", m.Data)
		if err != nil {
			return
		}
		if err := check.Segment(context.Background(), s, check.Options{Level: check.Checksums}); m.Whole && err != nil {
			t.Fatalf("%v after %v", err, m.Mends)
		}
		plain, err := segment.Open("fuzz", m.Data)
		if err != nil {
			t.Fatal(err)
		}
		plain.Raw().SkipPageChecks()
		src := salvage.New(s, plain, func(doc uint32) bool { return doc%7 == 3 })
		docs := uint32(0)
		for range src.Docs() {
			docs++
		}
		for l := range src.Lists() {
			for i, doc := range l.Docs {
				if doc >= docs || l.Freqs[i] == 0 || i > 0 && doc <= l.Docs[i-1] {
					t.Fatalf("term %q: document %d of %d with frequency %d", l.Term, doc, docs, l.Freqs[i])
				}
			}
		}
	})
}
