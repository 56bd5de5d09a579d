package bitpack

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/simd"
)

// BenchmarkUnpack repeatedly decodes 64 blocks of one width from the first-level cache,
// and reports M ints/s of the fastest round.
func BenchmarkUnpack(b *testing.B) {
	for _, tier := range simd.Tiers() {
		for _, width := range []uint{1, 4, 7, 8, 11, 15, 16, 17, 20, 24} {
			v := make([]uint32, BlockLen)
			for i := range v {
				v[i] = rand.Uint32() & uint32(1<<width-1)
			}
			var p []byte
			for range 64 {
				p = Pack(p, v, width)
			}
			p = readable(p)
			dst := make([]uint32, BlockLen)
			size := Size(BlockLen, width)
			rounds(b, fmt.Sprintf("docs/%v/%d", tier, width), tier, func() {
				for i := range 64 {
					UnpackDocs(dst, p[i*size:(i+1)*size], BlockLen, width, 7)
				}
			})
			rounds(b, fmt.Sprintf("plain/%v/%d", tier, width), tier, func() {
				for i := range 64 {
					Unpack(dst, p[i*size:(i+1)*size], BlockLen, width)
				}
			})
			rounds(b, fmt.Sprintf("pack/%v/%d", tier, width), tier, func() {
				for range 64 {
					p = Pack(p[:0], v, width)
				}
			})
		}
	}
}

// BenchmarkMask repeatedly compares values, 64 blocks of one width,
// with a range.
func BenchmarkMask(b *testing.B) {
	for _, tier := range simd.Tiers() {
		for _, width := range []uint{3, 8, 13, 20, 31} {
			v := make([]uint32, BlockLen)
			var p []byte
			for range 64 {
				for i := range v {
					v[i] = rand.Uint32() & uint32(1<<width-1)
				}
				p = Pack(p, v, width)
			}
			p = readable(p)
			dst := make([]uint64, 2*64)
			rounds(b, fmt.Sprintf("%v/%d", tier, width), tier, func() { Mask(dst, p, width, 1<<width/4, 1<<width/2) })
		}
	}
}

func rounds(b *testing.B, name string, tier simd.Tier, f func()) {
	b.Run(name, func(b *testing.B) {
		defer simd.SetLevel(tier)()
		best := time.Hour
		for b.Loop() {
			start := time.Now()
			f()
			best = min(best, time.Since(start))
		}
		b.ReportMetric(64*BlockLen/best.Seconds()/1e6, "Mints/s")
	})
}
