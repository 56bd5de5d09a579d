package order

import (
	"os"
	"testing"

	"github.com/pinion-index/pinion/segment"
)

// openIndex opens the segment file that the environment variable PINION_SEGMENT
// names.
func openIndex(tb testing.TB) *segment.Segment {
	path := os.Getenv("PINION_SEGMENT")
	if path == "" {
		tb.Skip("PINION_SEGMENT names no segment")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := segment.Open(path, segment.Aligned(b))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkBisect orders the documents of a segment. log-gap is the mean log2(gap)
// of all postings afterwards; the other names give it for other orders.
func BenchmarkBisect(b *testing.B) {
	s := openIndex(b)
	m := s.Meta()
	cost := func(p Permutation) float64 {
		bits, err := Cost(SegmentLists(s, 1), p)
		if err != nil {
			b.Fatal(err)
		}
		return bits / float64(m.Postings)
	}
	var p Permutation
	for b.Loop() {
		p = mustBisectSegment(b, s)
	}
	b.ReportMetric(cost(p), "log-gap")
	b.ReportMetric(cost(nil), "log-gap-input")
	b.ReportMetric(cost(Shuffle(m.Docs, 1)), "log-gap-random")
}
