package check_test

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
)

// BenchmarkSegment verifies the segment that the environment variable PINION_SEGMENT names,
// at each level, on one core.
func BenchmarkSegment(b *testing.B) {
	path := os.Getenv("PINION_SEGMENT")
	if path == "" {
		b.Skip("PINION_SEGMENT names no segment")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	s, err := segment.Open("segment", segment.Aligned(data))
	if err != nil {
		b.Fatal(err)
	}
	for level := check.Checksums; level <= check.Postings; level++ {
		b.Run(strconv.Itoa(int(level)), func(b *testing.B) {
			for b.Loop() {
				if err := check.Segment(context.Background(), s, check.Options{Level: level}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Meta().Postings)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpostings/s")
		})
	}
}
