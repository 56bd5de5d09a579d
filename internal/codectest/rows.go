package codectest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
)

// decodeRow decodes a row of blocks of s: docIDs if it has a skip header, and otherwise
// frequencies.
func decodeRow(c codec.Codec, dst []uint32, s *format.Sequence, block, count int) (int, error) {
	if s.Last == nil {
		return c.DecodeFreqs(dst, s, block, count)
	}
	return c.DecodeDocs(dst, s, block, count)
}

// testBroken corrupts each block in the middle of a list in turn, and decodes rows of
// every length from every block on.
func testBroken(t *testing.T, c codec.Codec) {
	const blocks = 11 // more than decoders process at once
	n := blocks*c.BlockLen() - 3
	l := encode(t, c, wide(n, 6), wideFreqs(n, 6))
	for i := range blocks {
		for _, s := range []*format.Sequence{&l.DocSeq, &l.TFSeq} {
			broken := *s
			broken.Ends = slices.Clone(s.Ends)
			broken.Ends[i+1] = broken.Ends[i] - 1 // above the end at i = 0
			Hostile(t, c, &broken)
		}
		broken := l.DocSeq
		broken.Last = slices.Clone(broken.Last)
		broken.Last[i]++
		Hostile(t, c, &broken)
	}
}

// testRows decodes rows of blocks of many widths: as long as prefetching takes, and from and
// to each block of some that have something in common.
func testRows(t *testing.T, c codec.Codec) {
	const blocks = 1100
	size := c.BlockLen()
	rng := rand.New(rand.NewPCG(1, 1))
	docs, freqs := make([]uint32, blocks*size+5), make([]uint32, blocks*size+5)
	next, mask := uint32(0), uint32(0)
	for i := range docs {
		if i%size == 0 {
			mask = 1<<rng.IntN(10) - 1
			if i == 1050*size {
				mask = 1<<20 - 1
			}
		}
		next += 1 + rng.Uint32()&mask
		docs[i], freqs[i] = next, 1+rng.Uint32()&mask
	}
	l := encode(t, c, docs, freqs)
	dst := newCanary((blocks + 1) * size)
	for _, x := range []struct {
		s      *format.Sequence
		values []uint32
	}{{&l.DocSeq, docs}, {&l.TFSeq, freqs}} {
		row := func(from, to int) {
			want := x.values[from*size : min(to*size, len(x.values))]
			n, err := decodeRow(c, dst.values[:(to-from)*size], x.s, from, to-from)
			if err != nil || !slices.Equal(dst.values[:n], want) {
				t.Fatalf("blocks %d to %d: %d values, error %v, %s", from, to, n, err, difference(dst.values, want))
			}
		}
		for from := range 35 {
			for to := from; to <= 35; to++ {
				row(from, to)
			}
			row(from, blocks+1-from/16)
		}
		dst.check(t)
	}
}

// testReach decodes blocks, alone and in rows, while all of the payload is overwritten except
// their words, the list header and what codec.Grouped says they share: readers check only these.
func testReach(t *testing.T, c codec.Codec) {
	const blocks = 35
	size := c.BlockLen()
	n := blocks*size - 3
	docs, freqs := wide(n, 6), wideFreqs(n, 6)
	l := encode(t, c, docs, freqs)
	dst := make([]uint32, 3*size)
	for _, x := range []struct {
		s      *format.Sequence
		values []uint32
	}{{&l.DocSeq, docs}, {&l.TFSeq, freqs}} {
		s := *x.s
		s.Payload = padded(s.Payload)
		keep := func(lo, n uint32) { copy(s.Payload[4*lo:][:n], x.s.Payload[4*lo:]) }
		for from := range blocks {
			for to := from + 1; to <= min(from+3, blocks); to++ {
				for i := range s.Payload {
					s.Payload[i] = 0xa5
				}
				keep(0, 4*s.Ends[0])
				keep(s.Ends[from], 4*(s.Ends[to]-s.Ends[from]))
				if g, ok := c.(codec.Grouped); ok {
					group, shared := g.Group()
					keep(s.Ends[from-from%group], uint32(shared))
				}
				want := x.values[from*size : min(to*size, n)]
				n, err := decodeRow(c, dst, &s, from, to-from)
				if err != nil || !slices.Equal(dst[:n], want) {
					t.Fatalf("blocks %d to %d: %d values, error %v", from, to, n, err)
				}
			}
		}
	}
}
