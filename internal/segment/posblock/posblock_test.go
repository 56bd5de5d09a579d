package posblock

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
)

// drawn returns n gaps, mostly small ones.
func drawn(r *rand.Rand, n int) []uint32 {
	gaps := make([]uint32, n)
	width, rare := r.IntN(32), 1+r.IntN(200)
	for i := range gaps {
		gaps[i] = r.Uint32() & (1<<width - 1)
		if r.IntN(rare) == 0 {
			gaps[i] = r.Uint32() >> (1 + r.IntN(31))
		}
	}
	return gaps
}

// Gaps come back from their bytes, all together and one by one, and no other number of them does.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.SampledFrom([]int{1, 2, 3, 31, 126, 127, 128, 129, 255, 256, 257, 700}).Draw(t, "gaps")
		gaps := drawn(r, n)
		b := AppendBlock(nil, gaps)
		got := make([]uint32, n)
		if !DecodeBlock(got, b) || !slices.Equal(got, gaps) || !Fits(b, n) {
			t.Fatalf("%d, want %d", got, gaps)
		}
		if uint64(n) > Most(len(b)) {
			t.Fatalf("%d gaps in %d bytes, at most %d", n, len(b), Most(len(b)))
		}
		for _, m := range []int{n - 1, n + 1, n + 128} {
			if m > 0 && DecodeBlock(make([]uint32, m), b) && m/128 != n/128 {
				t.Fatalf("%d gaps were read as %d", n, m)
			}
		}
		for at := 0; at < n; at += PieceLen {
			rest, ok := Skip(b, at/PieceLen)
			p, _, ok2 := Next(rest)
			if !ok || !ok2 || p.Len() < min(n-at, PieceLen) {
				t.Fatalf("piece at %d: %t, %t, %d gaps", at, ok, ok2, p.Len())
			}
			for range 10 {
				first := r.IntN(min(n-at, PieceLen))
				end := first + 1 + r.IntN(min(n-at, PieceLen)-first)
				some := make([]uint32, PieceLen)
				if p.Some(some, first, end); !slices.Equal(some[:end-first], gaps[at+first:at+end]) {
					t.Fatalf("gaps %d to %d of the piece at %d: %d, want %d", first, end, at, some[:end-first], gaps[at+first:at+end])
				}
			}
		}
		if n >= SmallBelow {
			return
		}
		b = AppendSmall(nil, gaps)
		if !DecodeSmall(got, b) || !slices.Equal(got, gaps) {
			t.Fatalf("small: %d, want %d", got, gaps)
		}
		if DecodeSmall(got, append(b, 0)) || n > 1 && DecodeSmall(got, b[:len(b)-1]) {
			t.Fatal("a byte more or less is read too")
		}
	})
}

// No other width, and no other k, takes fewer bytes.
func TestSmallest(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 2000 {
		gaps := drawn(r, 1+r.IntN(PieceLen))
		size := len(AppendBlock(nil, gaps))
		most := uint(bits.Len32(slices.Max(gaps)))
		for w := range most {
			patched := 0
			for _, g := range gaps {
				if g>>w > 0 {
					patched++
				}
			}
			other := headSize + patched + (patched*int(most-w)+7)/8 + (len(gaps)*int(w)+7)/8
			if patched <= 31 && other < size {
				t.Fatalf("%d gaps in %d bytes, with width %d in %d", len(gaps), size, w, other)
			}
		}
		if len(gaps) < 2 || len(gaps) == PieceLen {
			continue
		}
		size = len(AppendSmall(nil, gaps))
		for k := range 31 {
			n := riceHead + len(gaps)*(k+1)
			for _, g := range gaps {
				n += int(g >> k)
			}
			if (n+7)/8 < size {
				t.Fatalf("%d gaps in %d bytes, with k %d in %d", len(gaps), size, k, (n+7)/8)
			}
		}
	}
}

// Whatever the bytes: a block that decodes says the same in all ways of reading it, and nothing else
// does harm.
func FuzzPositions(x *testing.F) {
	f := fuzzing.New(x)
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 100, 127, 128, 129, 300} {
		gaps := drawn(r, n)
		f.Add(AppendBlock(nil, gaps), n, 3, 2)
		if n < SmallBelow {
			f.Add(AppendSmall(nil, gaps), n, 0, 1)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, n, first, count int) {
		n = n&1023 + 1
		gaps := make([]uint32, n)
		if n < SmallBelow && DecodeSmall(gaps, b) {
			if again := make([]uint32, n); !DecodeSmall(again, AppendSmall(nil, gaps)) || !slices.Equal(again, gaps) {
				t.Fatalf("small: %d, want %d", again, gaps)
			}
		}
		Parts(b)
		for rest := bytes.Clone(b); len(rest) > 0; {
			p, next, ok := Next(rest)
			if !ok {
				break
			}
			if n := p.Len(); n > 0 {
				var all [PieceLen]uint32
				some, from := make([]uint32, PieceLen), first&127%n
				end := from + 1 + count&127%(n-from)
				if p.Some(some, from, end); p.Decode(&all, n) && slices.IsSorted(p.indexes) && len(slices.Compact(slices.Clone(p.indexes))) == len(p.indexes) && !slices.Equal(some[:end-from], all[from:end]) {
					t.Fatalf("gaps %d to %d: %d, all are %d", from, end, some[:end-from], all)
				}
			}
			rest = next
		}
		if !DecodeBlock(gaps, b) {
			return
		}
		if !Fits(b, n) {
			t.Fatalf("%d gaps do not fit", n)
		}
		if again := make([]uint32, n); !slices.ContainsFunc(gaps, func(g uint32) bool { return g > MaxPosition }) && (!DecodeBlock(again, AppendBlock(nil, gaps)) || !slices.Equal(again, gaps)) {
			t.Fatalf("%d, want %d", again, gaps)
		}
	})
}
