package patch

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// TestOctets reads fields of every width and number as octets and does with them what octets
// can do, and one by one.
func TestOctets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for width := uint(0); width <= octetBits; width++ {
		for n := uint(1); n <= bitpack.BlockLen; n++ {
			head, plus := uint(rng.IntN(40)), uint(rng.IntN(2))
			w, x := Writer{}, make([]uint32, n)
			w.Put(0, head%32)
			for i := range x {
				x[i] = rng.Uint32() & (1<<width - 1)
				w.Put(x[i], width)
				x[i] += uint32(plus)
			}
			for range 8 {
				w.Put(rng.Uint32(), 32)
			}
			b, ok := sourceOf(w.Flush()[:(head%32+n*width)/8])
			if !ok {
				t.Fatal("nothing may be read behind the fields")
			}
			var v octets
			v.read(b, head%32, width, n, plus)
			checkOctets(t, &v, x, rng)
		}
	}
}

func checkOctets(t *testing.T, v *octets, x []uint32, rng *rand.Rand) {
	n, rising := uint(len(x)), true
	for i, want := range x {
		if got := v.at(uint(i)); got != uint(want) {
			t.Fatalf("number %d of %d is %d, not %d", i, n, got, want)
		}
		rising = rising && (i == 0 || want > x[i-1])
	}
	if v.rising(n) != rising {
		t.Fatalf("%v rising: %v", x, !rising)
	}
	var got, want [bitpack.BlockLen]uint32
	var places octets
	var set [2]uint64
	shift := uint(rng.IntN(26))
	for i, p := range rng.Perm(bitpack.BlockLen)[:n] {
		places[i/8] |= uint64(p) << (i % 8 * 8)
		want[p] += x[i] << shift
	}
	if v.addAt(&got, &places, n, shift); got != want {
		t.Fatalf("adding %v at places gives %v, not %v", x, got, want)
	}
	clear(want[:])
	next := 0
	for i := range want {
		if bitpack.BlockLen-i == int(n)-next || next < int(n) && rng.IntN(2) == 0 {
			set[i/64] |= 1 << (i % 64)
			want[i] = x[next] << shift
			next++
		}
	}
	clear(got[:])
	if v.addIn(&got, set[0], set[1], n, shift); got != want {
		t.Fatalf("adding %v to bits gives %v, not %v", x, got, want)
	}
}
