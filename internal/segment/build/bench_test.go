package build

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/segment"
)

func perPosting(b *testing.B, postings int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(postings), "ns/posting")
}

// longList draws n postings with frequencies and lengths as in text.
func longList(n int) (p format.Postings, lens []uint32) {
	r := rand.New(rand.NewPCG(3, 4))
	d := uint32(0)
	for range n {
		d += 1 + uint32(r.ExpFloat64()*9)
		tf := uint32(1)
		for r.IntN(3) == 0 {
			tf++
		}
		p = p.AppendPosting(d, tf)
	}
	lens = make([]uint32, d+1)
	for i := range lens {
		lens[i] = uint32(20 + r.ExpFloat64()*60)
	}
	return p, lens
}

func BenchmarkFrontier(b *testing.B) {
	const n = 128 * 400
	p, lens := longList(n)
	dl := make([]uint32, n)
	newLengths([]segment.LengthTable{segment.NewLengthTable(lens)}).gather(dl, p.Docs)
	f := newFrontier(newImpactModel(80))
	for b.Loop() {
		for i := 0; i < n; i += 128 {
			f.Add(p.Freqs[i:i+128], dl[i:i+128])
			f.Quad()
		}
	}
	perPosting(b, n)
}

func BenchmarkKth(b *testing.B) {
	const n = 128 * 400
	p, lens := longList(n)
	dl := make([]uint32, n)
	newLengths([]segment.LengthTable{segment.NewLengthTable(lens)}).gather(dl, p.Docs)
	var k kthCounter
	model := newImpactModel(80)
	for b.Loop() {
		for i := 0; i < n; i += 128 {
			k.Add(p.Freqs[i:i+128], dl[i:i+128])
		}
		k.Take(model)
	}
	perPosting(b, n)
}

func BenchmarkEncodeExtent(b *testing.B) {
	for _, n := range []int{200, 2000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, lens := longList(n)
			e := NewEncoder(Options{Docs: uint32(len(lens)), Lengths: []segment.LengthTable{segment.NewLengthTable(lens)},
				DocsCodec: bp128.Codec{}, FreqsCodec: bp128.Codec{}}, 80)
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if _, buf, err = e.Encode(buf[:0], p); err != nil {
					b.Fatal(err)
				}
			}
			perPosting(b, n)
		})
	}
}
