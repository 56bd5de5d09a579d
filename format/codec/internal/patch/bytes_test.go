package patch

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// TestBytes reads fields of every width and number as bytes and does with them what Bytes
// can do, and one by one.
func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for width := uint(0); width <= ByteBits; width++ {
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
			b, ok := SourceOf(w.Flush()[:(head%32+n*width)/8])
			if !ok {
				t.Fatal("nothing may be read behind the fields")
			}
			var v Bytes
			v.Read(b, head%32, width, n, plus)
			checkBytes(t, &v, x, rng)
		}
	}
}

func checkBytes(t *testing.T, v *Bytes, x []uint32, rng *rand.Rand) {
	n, sum, rising := uint(len(x)), uint32(0), true
	for i, want := range x {
		if got := v.At(uint(i)); got != uint(want) {
			t.Fatalf("number %d of %d is %d, not %d", i, n, got, want)
		}
		sum += want
		rising = rising && (i == 0 || want > x[i-1])
	}
	if got := v.Sum(n); got != uint64(sum) {
		t.Fatalf("%v sum to %d, not %d", x, got, sum)
	}
	if v.Rising(n) != rising {
		t.Fatalf("%v rising: %v", x, !rising)
	}
	var got, want [bitpack.BlockLen]uint32
	var places Bytes
	var set [2]uint64
	shift := uint(rng.IntN(26))
	for i, p := range rng.Perm(bitpack.BlockLen)[:n] {
		places.Add(uint(i), uint64(p))
		want[p] += x[i] << shift
	}
	if v.AddAt(&got, &places, n, shift); got != want {
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
	if v.AddIn(&got, set[0], set[1], n, shift); got != want {
		t.Fatalf("adding %v to bits gives %v, not %v", x, got, want)
	}
}

// TestPlaces sums distances that stay within a block, and some that do not, however they
// add up in a byte.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	inside := 0
	for range 20000 {
		n := uint(1 + rng.IntN(bitpack.BlockLen))
		most := 1 + rng.IntN(3*bitpack.BlockLen/int(n))
		var v Bytes
		var want []int
		at, fits, over := -1, true, false
		for i := range n {
			d := 1 + rng.IntN(min(most, 128))
			if rng.IntN(100) == 0 {
				d = 128
			}
			over = !v.Add(i, uint64(d-1)) || !v.Add(i, 1) || over
			at += d
			want = append(want, at)
			fits = fits && at < bitpack.BlockLen
		}
		if over {
			t.Fatal("128 does not fit")
		}
		if got := v.Places(n); got != fits {
			t.Fatalf("places %v fit: %v", want, got)
		}
		if !fits {
			continue
		}
		inside++
		for i, p := range want {
			if got := v.At(uint(i)); got != uint(p) {
				t.Fatalf("place %d is %d, not %d", i, got, p)
			}
		}
	}
	if inside < 1000 {
		t.Fatalf("only %d were inside", inside)
	}
	var v Bytes
	if v.Add(9, 127); !v.Add(9, 1) || v.Add(9, 1) {
		t.Fatal("128 is the most")
	}
}
