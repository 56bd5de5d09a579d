package lrc

import (
	"math/bits"
	"testing"

	"github.com/pinion-index/pinion/format/codec/codectest"
	"github.com/pinion-index/pinion/format/codec/regress"
	"github.com/pinion-index/pinion/format/codec/synthetic"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }

// TestTable5 compares widths on random lists out of 2^24 docIDs with Ao 2011, table
// 5, whose second row is the mean of what its LRC took of real, reordered lists.
func TestTable5(t *testing.T) {
	for _, c := range []struct {
		n     int
		paper float64
	}{{100000, 17}, {200000, 17}, {400000, 17}, {800000, 16}, {1000000, 15}, {2000000, 15}} {
		docs := synthetic.Uniform(5, c.n, 1<<24)
		size, err := Codec{}.DocsSize(docs)
		if err != nil {
			t.Fatal(err)
		}
		l := regress.Fit(docs)
		var dev [BlockLen]int32
		lo, hi := int32(0), int32(0)
		for at := 0; at < len(docs); at += BlockLen {
			a, b := regress.Deviations(dev[:], docs[at:min(at+BlockLen, len(docs))], l.From(at))
			lo, hi = min(lo, a), max(hi, b)
		}
		perDoc := float64(size) * 8 / float64(c.n)
		t.Logf("n %d: range %d bits, %.2f bits a docID, paper %.0f", c.n, bits.Len32(uint32(hi-lo)), perDoc, c.paper)
		if perDoc > c.paper+0.5 {
			t.Errorf("n %d: %.2f bits a docID, paper %.0f", c.n, perDoc, c.paper)
		}
	}
}
