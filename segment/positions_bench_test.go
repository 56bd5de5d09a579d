package segment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// worded returns a list of 2^16 postings with positions as words of short texts have them: gaps fall
// off geometrically, and one in twenty is far above the others.
func worded(b *testing.B) (*segment.List, []uint32) {
	const docs = 1 << 17
	r := rand.New(rand.NewPCG(7, 7))
	f := segtest.FieldModel{Field: schema.Field{ID: 1, Name: "f", Kind: schema.Text, Positions: true},
		Lists: map[string][]segtest.Posting{}, Gaps: map[string][]uint32{}, Lens: make([]uint32, docs)}
	m := &segtest.Fields{}
	var freqs []uint32
	for i := range uint32(docs) {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		if i%2 > 0 {
			continue
		}
		tf := 1 + uint32(r.ExpFloat64()/1.5)
		f.Lists["word"] = append(f.Lists["word"], segtest.P(i, tf))
		f.Lens[i], freqs = tf, append(freqs, tf)
		for range tf {
			gap := uint32(r.ExpFloat64() * 20)
			if r.IntN(20) == 0 {
				gap *= 30
			}
			f.Gaps["word"] = append(f.Gaps["word"], gap)
		}
	}
	m.Fields = append(m.Fields, f)
	s := segtest.Open(b, m.Build(b, segtest.Default()))
	e, _, err := s.Field(0).Lookup([]byte("word"))
	if err != nil {
		b.Fatal(err)
	}
	l, err := s.Lists().List(e)
	if err != nil {
		b.Fatal(err)
	}
	return l, freqs
}

// BenchmarkPositions reads the positions of every so many postings of a list, or decodes all. It reports
// ns for each posting and bytes of POSITIONS a second.
func BenchmarkPositions(b *testing.B) {
	l, freqs := worded(b)
	p, err := l.Positions()
	if err != nil {
		b.Fatal(err)
	}
	before := make([]uint32, len(freqs))
	for i := range freqs {
		if i%l.BlockLen > 0 {
			before[i] = before[i-1] + freqs[i-1]
		}
	}
	for _, every := range []int{1, 3, 17, 129, 1001} {
		b.Run(fmt.Sprint("every ", every), func(b *testing.B) {
			r, buf, n := p.Reader(), make([]uint32, 0, 64), 0
			for b.Loop() {
				n = 0
				for i := 0; i < len(freqs); i += every {
					if buf, err = r.Append(buf[:0], i/l.BlockLen, before[i], freqs[i]); err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/posting")
		})
	}
	b.Run("all", func(b *testing.B) {
		var buf []uint32
		total := uint32(0)
		for b.Loop() {
			total = 0
			for block := range l.Blocks {
				last := min((block+1)*l.BlockLen, len(freqs)) - 1
				n := before[last] + freqs[last]
				if buf, err = p.AppendBlock(buf[:0], block, n); err != nil {
					b.Fatal(err)
				}
				total += n
			}
		}
		b.SetBytes(int64(p.Bytes()))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(total), "ns/position")
		b.ReportMetric(8*float64(p.Bytes())/float64(total), "bits/position")
	})
}
