package patch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

func drawValues(t *rapid.T) ([]uint32, uint32) {
	low := rapid.IntRange(0, 32).Draw(t, "low")
	high := rapid.IntRange(low, 32).Draw(t, "high")
	often := rapid.IntRange(1, 40).Draw(t, "often")
	v := make([]uint32, rapid.OneOf(rapid.IntRange(1, 128), rapid.Just(128)).Draw(t, "n"))
	rng := rapid.Uint64().Draw(t, "seed")
	var or uint32
	for i := range v {
		rng = rng*6364136223846793005 + 1442695040888963407
		w := low
		if rng>>20%uint64(often) == 0 {
			w = high
		}
		v[i] = uint32(rng>>32) & uint32(uint64(1)<<w-1)
		or |= v[i]
	}
	return v, or
}

// bits of a block under width b, counted from the format's description; -1 where
// the format has no such block.
func cost(v []uint32, b int, head uint) int {
	count, over := 0, 0
	for _, x := range v {
		if o := uint64(x) >> b; o != 0 {
			count++
			over = max(over, bits.Len64(o-1))
		}
	}
	if count > 127 || over > 31 {
		return -1
	}
	positions := 7 * count
	if count > 16 {
		positions = 128
	}
	vectors := ((len(v)+3)/4*b + 31) / 32
	return (int(head)+positions+count*over+31)/32 + 4*vectors
}

func TestChooseIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, or := drawValues(t)
		head := rapid.UintRange(0, 64).Draw(t, "head")
		p := Choose(v, or, head)
		words := int(p.Words(len(v), head))
		if or == 0 {
			if p != (Plan{}) {
				t.Fatalf("zeros give %+v", p)
			}
			return
		}
		if got := cost(v, int(p.Width), head); got != words {
			t.Fatalf("%+v says %d words, the values take %d", p, words, got)
		}
		for b := 0; b <= 32; b++ {
			if c := cost(v, b, head); c >= 0 && c < words {
				t.Fatalf("width %d takes %d words, the chosen %+v %d", b, c, p, words)
			}
		}
	})
}

func TestExceptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, or := drawValues(t)
		head := rapid.UintRange(0, 40).Draw(t, "head")
		p := Choose(v, or, head)
		var w Writer
		for i := range head {
			w.Put(uint32(i), 1)
		}
		w.PutExceptions(v, p)
		src := w.Flush()
		if len(src) != int(Words(head+p.Bits()))*4 {
			t.Fatalf("%d bytes, predicted %d words", len(src), Words(head+p.Bits()))
		}
		at := len(src)
		src = bitpack.Pack(src, v, p.Width)
		dst := make([]uint32, 128)
		if p.Count > 0 && !Unpack(dst, len(v), src, at, head, p) {
			t.Fatalf("refused %+v", p)
		}
		if p.Count == 0 {
			bitpack.Unpack(dst, src[at:], len(v), p.Width)
		}
		if !slices.Equal(dst[:len(v)], v) {
			t.Fatalf("%v under %+v, not %v", dst[:len(v)], p, v)
		}
		if p.Count > 1 && Unpack(dst, 1, src, at, head, p) {
			t.Fatal("took positions past the end")
		}
	})
}

func TestUnpackRefuses(t *testing.T) {
	var w Writer
	for _, i := range []uint32{3, 3} { // not strictly ascending
		w.Put(i, 7)
	}
	w.Put(0, 10)
	if Unpack(make([]uint32, 128), 128, append(w.Flush(), make([]byte, 16)...), 4, 0, Plan{Width: 1, Count: 2, Over: 5}) {
		t.Error("took a position twice")
	}
	bitmap := make([]byte, 64)
	bitmap[0] = 0xff
	if Unpack(make([]uint32, 128), 128, bitmap, 48, 0, Plan{Width: 1, Count: 19, Over: 5}) {
		t.Error("took a bitmap of 8 bits for 19 exceptions")
	}
}

// TestTiers compares the tiers on bytes that may be anything.
func TestTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Plan{
			Width: rapid.UintRange(0, 32).Draw(t, "width"),
			Count: rapid.UintRange(1, MaxCount).Draw(t, "count"),
			Over:  rapid.UintRange(1, 31).Draw(t, "over"),
		}
		pos, plus := p.form(), uint32(1)
		if rapid.Bool().Draw(t, "list") {
			pos, plus = rapid.UintRange(0, 7).Draw(t, "pos"), 0
		}
		bit := rapid.UintRange(0, 70).Draw(t, "bit")
		end := bit + p.Bits()
		if pos != asBitmap {
			end = bit + p.Count*(pos+p.Over)
		}
		n := rapid.SampledFrom([]int{128, 128, 127, 65, 64, 63, 5, 1}).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		low := int(4 * Words(end))
		src := make([]byte, low+bitpack.Size(n, p.Width)+64)
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		if rapid.Bool().Draw(t, "sound") {
			writePositions(src, bit, p.Count, pos, rng)
		}
		src = src[:len(src)-64]
		if rapid.Bool().Draw(t, "low bits first") {
			src = append(slices.Clone(src[low:]), src[:low]...)
			bit += uint(len(src)-low) * 8
			src = append(src, make([]byte, 64)...)[:len(src)]
			low = 0
		}
		prev := rng.Uint32()
		for _, k := range []kind{plain, freqs, docs} {
			var want []uint32
			var wantOK bool
			for _, tier := range simd.Tiers() {
				restore := simd.SetLevel(tier)
				got := make([]uint32, 128)
				ok := (&layout{p, low, bit, pos, plus}).unpack(got, n, src, k, prev)
				restore()
				if tier == simd.Portable {
					want, wantOK = got, ok
				} else if ok != wantOK || ok && !slices.Equal(got[:n], want[:n]) {
					t.Fatalf("kind %d at %v: %v, %v\nportable %v, %v", k, tier, ok, got[:n], wantOK, want[:n])
				}
			}
			// At the very end of memory.
			got := make([]uint32, 128)
			ok := (&layout{p, low, bit, pos, plus}).unpack(got, n, src[:len(src):len(src)], k, prev)
			if ok != wantOK || ok && !slices.Equal(got[:n], want[:n]) {
				t.Fatalf("kind %d without padding: %v, %v\nwith it %v, %v", k, ok, got[:n], wantOK, want[:n])
			}
		}
	})
}

// writePositions writes count positions, those of a random choice out of 128 or of
// those that fit pos bits.
func writePositions(src []byte, bit, count, pos uint, rng *rand.Rand) {
	room := 128
	if pos != asBitmap {
		room = 1 << pos
	}
	chosen := rng.Perm(room)[:min(int(count), room)]
	slices.Sort(chosen)
	set := func(at uint, v uint) { src[at/8] = src[at/8]&^(1<<(at%8)) | byte(v<<(at%8)) }
	if pos == asBitmap {
		for i := range uint(128) {
			set(bit+i, 0)
		}
		for _, i := range chosen {
			set(bit+uint(i), 1)
		}
		return
	}
	for j, i := range chosen {
		for k := range pos {
			set(bit+uint(j)*pos+k, uint(i)>>k&1)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, count := range []uint{4, 10, 16, 40} {
		rng := rand.New(rand.NewPCG(1, uint64(count)))
		p := Plan{Width: 7, Count: count, Over: 3}
		src := make([]byte, 512)
		writePositions(src, 18, count, p.form(), rng)
		dst := make([]uint32, 128)
		for _, tier := range simd.Tiers() {
			for _, k := range []kind{plain, freqs, docs} {
				b.Run(fmt.Sprintf("%d/%v/%d", count, tier, k), func(b *testing.B) {
					defer simd.SetLevel(tier)()
					for b.Loop() {
						if !(&layout{p, 100, 18, p.form(), 1}).unpack(dst, 128, src[:256], k, 1) {
							b.Fatal("refused")
						}
					}
				})
			}
		}
	}
}
