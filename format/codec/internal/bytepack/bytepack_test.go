package bytepack

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// layout packs value by value, as the package comment says.
func layout(v []uint32) (sel, data []byte) {
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
			rapid.Check(t, func(t *rapid.T) {
				most := rapid.SampledFrom([]uint32{200, 1 << 9, 1 << 16, 1 << 20, 1<<32 - 1}).Draw(t, "most")
				v := rapid.SliceOfN(rapid.Uint32Max(most), 1, 300).Draw(t, "v")
				sel, data := layout(v)
				gotSel, gotData := slices.Repeat([]byte{0xff}, len(sel)), make([]byte, 4*len(v)+3)
				if n := Pack(gotSel, gotData, v); n != len(data) || n != DataSize(v) ||
					!slices.Equal(gotData[:n], data) || !slices.Equal(gotSel, sel) {
					t.Fatalf("%d is packed to %x %x, not %x %x", v, gotSel, gotData[:n], sel, data)
				}
				padded := format.AlignedBytes(len(data))
				copy(padded, data)
				dst := make([]uint32, len(v)+Step)
				if n, ok := Unpack(dst, sel, padded, len(v)); !ok || n != len(data) || !slices.Equal(dst[:len(v)], v) {
					t.Fatalf("%d is unpacked to %d, %d bytes, %v", v, dst, n, ok)
				}
				cut := format.AlignedBytes(len(data) - 1)
				copy(cut, data)
				if _, ok := Unpack(dst, sel, cut, len(v)); ok {
					t.Fatalf("%d is unpacked from a byte too few", v)
				}
			})
		})
	}
}
