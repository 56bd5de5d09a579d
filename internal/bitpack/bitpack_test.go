package bitpack

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// eachTier runs f at every tier.
func eachTier(t *testing.T, f func(t *testing.T)) {
	for _, tier := range simd.Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			defer simd.SetLevel(tier)()
			f(t)
		})
	}
}

// values draws n values of at most width bits.
func values(t *rapid.T, n int, width uint) []uint32 {
	return rapid.SliceOfN(rapid.Uint32Max(uint32(1<<width-1)), n, n).Draw(t, "values")
}

// layout packs bit by bit, as the package comment says.
func layout(v []uint32, width uint) []byte {
	var lanes [4][]bool
	for i, x := range v {
		for k := range width {
			lanes[i%4] = append(lanes[i%4], x>>k&1 == 1)
		}
	}
	words := (len(lanes[0]) + 31) / 32
	out := make([]byte, words*16)
	for lane, bits := range lanes {
		for k, set := range bits {
			if set {
				out[k/32*16+lane*4+k%32/8] |= 1 << (k % 8)
			}
		}
	}
	return out
}

// readable copies p to memory with readable padding.
func readable(p []byte) []byte {
	q := format.AlignedBytes(len(p))
	copy(q, p)
	for i := len(q); i < cap(q); i++ {
		q[:cap(q)][i] = 0xee
	}
	return q
}

func TestPackLayout(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, BlockLen).Draw(t, "n")
			width := uint(rapid.IntRange(0, MaxWidth).Draw(t, "width"))
			v := values(t, n, width)
			want := layout(v, width)
			dirty := slices.Repeat([]byte{0xff}, 600)
			if got := Pack(dirty[:3], v, width)[3:]; !slices.Equal(got, want) {
				t.Fatalf("packed to\n%x, not\n%x", got, want)
			}
			if len(want) != Size(n, width) {
				t.Fatalf("Size is %d, packed %d", Size(n, width), len(want))
			}
		})
	})
}

func TestUnpack(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for width := uint(0); width <= MaxWidth; width++ {
			for n := 1; n <= BlockLen; n++ {
				checkUnpack(t, n, width)
			}
		}
	})
}

// checkUnpack packs values of full width and unpacks them with every function, with and
// without readable padding.
func checkUnpack(t *testing.T, n int, width uint) {
	v, plus, docs := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	const prev = 12345
	last := uint32(prev)
	for i := range v {
		v[i] = uint32((0x9e3779b97f4a7c15*uint64(n*131+i+1))>>20) & uint32(1<<width-1)
		plus[i] = v[i] + 1
		last += v[i] + 1
		docs[i] = last
	}
	packed := layout(v, width)
	for _, p := range [][]byte{readable(packed), slices.Clip(packed)} {
		dst := make([]uint32, BlockLen+8)
		Unpack(dst, p, n, width)
		same(t, fmt.Sprintf("%d values of %d bits", n, width), dst, v)
		UnpackFreqs(dst, p, n, width)
		same(t, fmt.Sprintf("%d frequencies of %d bits", n, width), dst, plus)
		UnpackDocs(dst, p, n, width, prev)
		same(t, fmt.Sprintf("%d docIDs of %d bits", n, width), dst, docs)
		if slices.ContainsFunc(dst[BlockLen:], func(x uint32) bool { return x != 0 }) {
			t.Errorf("wrote past %d elements", BlockLen)
		}
	}
}

func same(t *testing.T, what string, got, want []uint32) {
	t.Helper()
	for i, w := range want {
		if got[i] != w {
			t.Fatalf("%s: value %d is %#x, not %#x", what, i, got[i], w)
		}
	}
}

func TestPrefixSumAndGaps(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			v := values(t, n, 22)
			prev := uint32(rapid.IntRange(-1, 1<<29).Draw(t, "prev"))
			docs := make([]uint32, n+1)
			or, last := uint32(0), prev
			for i, x := range v {
				or |= x
				last += x + 1
				docs[i] = last
			}
			docs[n] = 77
			sum := append(slices.Clone(v), 77)
			PrefixSum(sum[:n], prev)
			if !slices.Equal(sum, docs) {
				t.Fatalf("prefix sum of %d after %d is %d, not %d", v, prev, sum, docs)
			}
			gaps := make([]uint32, n+1)
			if o, ok := Gaps(gaps[:n], docs[:n], prev); o != or || !ok || !slices.Equal(gaps[:n], v) || gaps[n] != 0 {
				t.Fatalf("gaps of %d after %d are %d, or %x, %v", docs[:n], prev, gaps, o, ok)
			}
		})
	})
}

func TestGapsRefuse(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 1; n < 40; n++ {
			for at := range n {
				docs := make([]uint32, n)
				for i := range docs {
					docs[i] = uint32(5*i + 10)
				}
				for _, bad := range []uint32{docs[max(at-1, 0)], 3, 1 << 31, 1<<32 - 1} {
					if at == 0 && bad == docs[0] {
						continue
					}
					broken := slices.Clone(docs)
					broken[at] = bad
					if _, ok := Gaps(make([]uint32, n), broken, 5); ok {
						t.Fatalf("%d after 5 pass", broken)
					}
				}
			}
		}
	})
}

func TestLessOneAndBits(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			v := rapid.SliceOfN(rapid.Uint32Min(1), 0, 300).Draw(t, "v")
			want, or, wide := make([]uint32, len(v)), uint32(0), uint(0)
			for i, x := range v {
				want[i] = x - 1
				or |= x - 1
				for wide < 32 && x >= 1<<wide {
					wide++
				}
			}
			got := make([]uint32, len(v))
			if o, ok := LessOne(got, v); !ok || o != or || !slices.Equal(got, want) {
				t.Fatalf("LessOne of %d is %d, or %x, %v", v, got, o, ok)
			}
			if b := Bits(v); b != wide {
				t.Fatalf("Bits of %d is %d, not %d", v, b, wide)
			}
			if len(v) > 0 {
				v[rapid.IntRange(0, len(v)-1).Draw(t, "zero")] = 0
				if _, ok := LessOne(got, v); ok {
					t.Fatalf("LessOne passes a zero in %d", v)
				}
			}
		})
	})
}

// Mask says which values are in a range, wherever the packed values begin and end.
func TestMask(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			width, blocks := uint(rapid.IntRange(0, 32).Draw(t, "width")), rapid.IntRange(0, 4).Draw(t, "blocks")
			var v []uint32
			var p []byte
			for range blocks {
				part := values(t, BlockLen, width)
				v, p = append(v, part...), Pack(p, part, width)
			}
			first, last := rapid.Uint32().Draw(t, "first"), rapid.Uint32().Draw(t, "last")
			if len(v) > 0 && rapid.Bool().Draw(t, "near") {
				first, last = rapid.SampledFrom(v).Draw(t, "from"), rapid.SampledFrom(v).Draw(t, "to")
			}
			first, last = min(first, last), max(first, last)
			at, behind := rapid.IntRange(0, 9).Draw(t, "at"), rapid.SampledFrom([]int{0, 1, 31, 32, 64}).Draw(t, "behind")
			src := append(make([]byte, at, at+len(p)+behind), p...)
			src = src[: at+len(p) : at+len(p)+behind]
			got := make([]uint64, 2*blocks)
			for i := range got {
				got[i] = 0x5555
			}
			Mask(got, src[at:], width, first, last)
			for i, x := range v {
				if has := got[i/64]>>(i%64)&1 != 0; has != (first <= x && x <= last) {
					t.Fatalf("value %d, %d, from %d to %d: %t", i, x, first, last, has)
				}
			}
		})
	})
}
