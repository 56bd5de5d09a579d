package codectest

import (
	"flag"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/simd"
	"github.com/pinion-index/pinion/internal/synthetic"
)

var large = flag.Bool("long", false, "benchmark lists of 2^25 values too")

// Bench measures c at every tier on the lists of Mallia 2019, table 1: 2^16 docIDs of [0,
// 2^29), uniform and clustered, and with -large 2^25. It decodes docIDs and frequencies
// block by block, into one buffer (2^16) or consecutive memory (2^25), encodes docIDs,
// and reports M ints/s of the fastest pass over the list, and bits per integer including
// endpoints.
func Bench(b *testing.B, c codec.Codec) {
	sizes := []int{1 << 16}
	if *large {
		sizes = append(sizes, 1<<25)
	}
	for _, n := range sizes {
		name := map[int]string{1 << 16: "2^16", 1 << 25: "2^25"}[n]
		b.Run("uniform/"+name, func(b *testing.B) { benchList(b, c, synthetic.Uniform(1, n, synthetic.Range)) })
		b.Run("clustered/"+name, func(b *testing.B) { benchList(b, c, synthetic.Clustered(1, n, synthetic.Range)) })
	}
}

func benchList(b *testing.B, c codec.Codec, docs []uint32) {
	l, err := Encode(c, format.Postings{Docs: docs, Freqs: synthetic.Freqs(2, len(docs), 1000)})
	if err != nil {
		b.Fatal(err)
	}
	for _, tier := range simd.Tiers() {
		b.Run(tier.String(), func(b *testing.B) {
			defer simd.SetLevel(tier)()
			b.Run("docs", func(b *testing.B) { benchDecode(b, c, &l.DocSeq) })
			b.Run("rows", func(b *testing.B) { benchRows(b, c, &l.DocSeq) })
			b.Run("freqs", func(b *testing.B) { benchDecode(b, c, &l.TFSeq) })
			b.Run("freqrows", func(b *testing.B) { benchRows(b, c, &l.TFSeq) })
			b.Run("encode", func(b *testing.B) { benchEncode(b, c, docs) })
		})
	}
}

func benchDecode(b *testing.B, c codec.Codec, s *format.Sequence) {
	size := c.BlockLen()
	dst := make([]uint32, size)
	if s.N > 1<<20 {
		dst = make([]uint32, codec.Blocks(s.N, size)*size)
	}
	best := time.Hour
	for b.Loop() {
		start := time.Now()
		if err := decodeAll(c, dst, s); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	report(b, best, s.N, 8*float64(len(s.Payload)+4*len(s.Ends))/float64(s.N))
}

// benchRows is benchDecode in rows of 1024 values, like readers of whole lists.
func benchRows(b *testing.B, c codec.Codec, s *format.Sequence) {
	const row = 1024
	dst, step := make([]uint32, row), 0
	if s.N > 1<<20 {
		dst, step = make([]uint32, (s.N+row-1)/row*row), row
	}
	best, blocks, most := time.Hour, codec.Blocks(s.N, c.BlockLen()), row/c.BlockLen()
	for b.Loop() {
		start := time.Now()
		for block, at := 0, 0; block < blocks; block, at = block+most, at+step {
			count := min(most, blocks-block)
			if _, err := decodeRow(c, dst[at:at+row], s, block, count); err != nil {
				b.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	report(b, best, s.N, 8*float64(len(s.Payload)+4*len(s.Ends))/float64(s.N))
}

// decodeAll decodes every block of s, docIDs if it has a skip header, to dst:
// over and over the first block of it, or one after another if it is long.
func decodeAll(c codec.Codec, dst []uint32, s *format.Sequence) error {
	size := c.BlockLen()
	block, step := dst[:size], 0
	if len(dst) > size {
		step = size
	}
	for i := range codec.Blocks(s.N, size) {
		if _, err := decodeRow(c, block, s, i, 1); err != nil {
			return err
		}
		if step > 0 {
			dst = dst[step:]
			block = dst[:min(size, len(dst))]
		}
	}
	return nil
}

func benchEncode(b *testing.B, c codec.Codec, docs []uint32) {
	ends := make([]uint32, codec.Blocks(len(docs), c.BlockLen())+1)
	var p []byte
	var err error
	best := time.Hour
	for b.Loop() {
		start := time.Now()
		if p, err = c.AppendDocs(p[:0], ends, docs); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	report(b, best, len(docs), 8*float64(len(p)+4*len(ends))/float64(len(docs)))
}

func report(b *testing.B, best time.Duration, n int, bits float64) {
	b.ReportMetric(float64(n)/best.Seconds()/1e6, "Mints/s")
	b.ReportMetric(bits, "bits/int")
}
