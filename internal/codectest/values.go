package codectest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/codec"
)

// wide returns n docIDs whose gaps minus one have at most width bits, at least one of
// them exactly width; fewer bits near MaxDoc.
func wide(n int, width uint) []uint32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(width)))
	docs := make([]uint32, n)
	next := uint64(0)
	for i := range docs {
		g := rng.Uint64() & (1<<width - 1)
		if i == n/2 && width > 0 {
			g |= 1 << (width - 1)
		}
		if room := codec.MaxDoc - next - uint64(n-1-i); g > room {
			g = 0
		}
		docs[i] = uint32(next + g)
		next += g + 1
	}
	return docs
}

// wideFreqs returns n frequencies that minus one have at most width bits.
func wideFreqs(n int, width uint) []uint32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(width)))
	freqs := make([]uint32, n)
	for i := range freqs {
		f := rng.Uint64() & (1<<width - 1)
		if i == n/2 {
			f = 1<<width - 1
		}
		freqs[i] = uint32(min(f+1, 1<<32-1))
	}
	return freqs
}

// spread returns n ascending values with a jump of top every 7.
func spread(n int, top uint32) []uint32 {
	v := make([]uint32, n)
	next := uint32(1)
	for i := range v {
		v[i] = next
		next += 1 + uint32(i)%3
		if i%7 == 6 {
			next += top
		}
	}
	return v
}

// testLengths tries every length of the last block.
func testLengths(t *testing.T, c codec.Codec) {
	size := c.BlockLen()
	for n := 1; n <= size; n++ {
		if n > 300 && n%31 != 0 && n < size-40 && testing.Short() {
			continue
		}
		width := uint(n % 24)
		encode(t, c, wide(n, width), wideFreqs(n, width)).check(t, c)
		if n%9 == 0 {
			encode(t, c, wide(2*size+n, width), wideFreqs(2*size+n, width)).check(t, c)
		}
	}
}

// testWidths tries every width with lengths about the steps of vector code.
func testWidths(t *testing.T, c codec.Codec) {
	size := c.BlockLen()
	for width := uint(0); width <= 32; width++ {
		for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 113, 127, 128,
			size - 1, size, size + 1, 2 * size, 3*size - 2} {
			encode(t, c, wide(n, min(width, 31)), wideFreqs(n, width)).check(t, c)
		}
	}
	// One value wider than all others, at any position.
	for at := 0; at < size+2; at += 1 + at/8 {
		docs, freqs := make([]uint32, size+2), make([]uint32, size+2)
		for i := range docs {
			docs[i], freqs[i] = uint32(i), 1
			if i >= at {
				docs[i] += 1 << 30
			}
		}
		freqs[at] = ^uint32(0)
		encode(t, c, docs, freqs).check(t, c)
	}
}

// Docs draws a list of 0 to most docIDs: dense, sparse, clustered or with
// outliers.
func Docs(t *rapid.T, most int) []uint32 {
	n := rapid.IntRange(0, most).Draw(t, "n")
	kind := rapid.SampledFrom([]string{"one width", "outliers", "any"}).Draw(t, "gaps")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	width := rapid.IntRange(0, 30).Draw(t, "width")
	docs := make([]uint32, 0, n)
	next := uint64(0)
	for len(docs) < n {
		w := width
		switch {
		case kind == "any":
			w = rng.IntN(max(1, width))
		case kind == "outliers" && rng.IntN(20) == 0:
			w = rng.IntN(28)
		}
		next += rng.Uint64N(1 << w)
		if next > codec.MaxDoc {
			break
		}
		docs = append(docs, uint32(next))
		next++
	}
	return docs
}

// Freqs draws n frequencies.
func Freqs(t *rapid.T, n int) []uint32 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "freqs"), 2))
	width := rapid.IntRange(0, 32).Draw(t, "freq width")
	freqs := make([]uint32, n)
	for i := range freqs {
		freqs[i] = uint32(min(1+rng.Uint64N(1<<rng.IntN(width+1)), 1<<32-1))
	}
	return freqs
}

func testRandom(t *testing.T, c codec.Codec) {
	rapid.Check(t, func(t *rapid.T) {
		docs := Docs(t, 4*c.BlockLen())
		l := encode(t, c, docs, Freqs(t, len(docs)))
		l.check(t, c)
		if b, ok := c.(codec.BlockCodec); ok {
			l.checkBlocks(t, b)
		}
		checkAppends(t, c, l)
	})
}

// checkBlocks checks that blocks encoded one by one are those of the list.
func (l *List) checkBlocks(t fataler, c codec.BlockCodec) {
	for i, last := range l.DocSeq.Last {
		block := l.Docs[i*c.BlockLen() : min((i+1)*c.BlockLen(), len(l.Docs))]
		if block[len(block)-1] != last {
			t.Fatalf("block %d ends on %d", i, last)
		}
		want, _, err := codec.Block(&l.DocSeq, i, c.BlockLen())
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
		if got, err := c.AppendDocsBlock(nil, block, codec.Prev(&l.DocSeq, i)); err != nil || !slices.Equal(got, want) {
			t.Fatalf("docIDs of block %d encode alone to %x, error %v, in the list to %x", i, got, err, want)
		}
		freqs := l.Freqs[i*c.BlockLen():][:len(block)]
		want, _, err = codec.Block(&l.TFSeq, i, c.BlockLen())
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
		if got, err := c.AppendFreqsBlock(nil, freqs); err != nil || !slices.Equal(got, want) {
			t.Fatalf("frequencies of block %d encode alone to %x, error %v, in the list to %x", i, got, err, want)
		}
	}
}

// checkAppends checks that encoding appends: it keeps existing bytes, and does not depend
// on those in the spare capacity.
func checkAppends(t fataler, c codec.Codec, l *List) {
	dirty := make([]byte, len(l.DocSeq.Payload)+len(l.TFSeq.Payload)+64)
	for i := range dirty {
		dirty[i] = 0xff
	}
	ends := make([]uint32, len(l.DocSeq.Ends))
	out, err := c.AppendDocs(dirty[:8], ends, l.Docs)
	if err != nil || !slices.Equal(out[8:], l.DocSeq.Payload) || !slices.Equal(ends, l.DocSeq.Ends) {
		t.Fatalf("docIDs appended to 8 bytes differ, error %v", err)
	}
	at := len(out)
	out, err = c.AppendFreqs(out, ends, l.Freqs)
	if err != nil || !slices.Equal(out[at:], l.TFSeq.Payload) || !slices.Equal(ends, l.TFSeq.Ends) {
		t.Fatalf("frequencies appended to %d bytes differ, error %v", at, err)
	}
	for _, b := range out[:8] {
		if b != 0xff {
			t.Fatalf("the bytes before were changed to %x", out[:8])
		}
	}
}
