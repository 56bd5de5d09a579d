package bytepack

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// pack packs value by value, as the package comment says.
func pack(v []uint32) (sel, data []byte) {
	sel = make([]byte, (len(v)+15)/16*4)
	for i, x := range v {
		n := 1
		for n < 4 && x>>(8*n) != 0 {
			n++
		}
		sel[i/4] |= byte((n - 1) << (i % 4 * 2))
		for k := range n {
			data = append(data, byte(x>>(8*k)))
		}
	}
	return sel, data
}

func TestPackAndUnpack(t *testing.T) {
	for _, tier := range simd.Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			defer simd.SetLevel(tier)()
			testPackAndUnpack(t)
		})
	}
}

func testPackAndUnpack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]uint32{200, 1 << 9, 1 << 16, 1 << 20, 1<<32 - 1}).Draw(t, "most")
		v := rapid.SliceOfN(rapid.Uint32Max(most), 1, 300).Draw(t, "v")
		sel, data := pack(v)
		gotSel, gotData := slices.Repeat([]byte{0xff}, len(sel)), make([]byte, 4*len(v)+3)
		if n := Pack(gotSel, gotData, v); n != len(data) || n != DataSize(v) ||
			!slices.Equal(gotData[:n], data) || !slices.Equal(gotSel, sel) {
			t.Fatalf("%d is packed to %x %x, not %x %x", v, gotSel, gotData[:n], sel, data)
		}
		padded := format.AlignedBytes(len(data))
		copy(padded, data)
		dst := make([]uint32, len(v))
		if ok := UnpackFreqs(dst, sel, padded); ok != !slices.Contains(v, 1<<32-1) {
			t.Fatalf("%d: %v", v, ok)
		}
		for i, x := range v {
			if dst[i] != x+1 {
				t.Fatalf("%d is unpacked to %d", v, dst)
			}
		}
		prev := rapid.Uint32().Draw(t, "prev")
		sum := uint64(prev + 1)
		for _, x := range v {
			sum += uint64(x) + 1
		}
		if ok := UnpackDocs(dst, sel, padded, prev); ok != (sum <= 1<<32) {
			t.Fatalf("%d after %d: %v", v, prev, ok)
		}
		for i, x := range v {
			if prev += x + 1; dst[i] != prev {
				t.Fatalf("%d is summed up to %d", v, dst)
			}
		}
		cut := format.AlignedBytes(len(data) - 1)
		copy(cut, data)
		if UnpackFreqs(dst, sel, cut) {
			t.Fatalf("%d is unpacked from a byte too few", v)
		}
	})
}

func BenchmarkPack(b *testing.B) {
	v := make([]uint32, 128)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range v {
		v[i] = rng.Uint32() >> (16 + rng.Uint32N(14))
	}
	sel, data := make([]byte, SelectorBytes(len(v))), make([]byte, 4*len(v)+3)
	for _, tier := range simd.Tiers() {
		b.Run(tier.String(), func(b *testing.B) {
			defer simd.SetLevel(tier)()
			for b.Loop() {
				Pack(sel, data, v)
			}
		})
	}
}
