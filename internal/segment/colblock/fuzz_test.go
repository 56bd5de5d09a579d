package colblock

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/fuzzing"
)

// Whatever the bytes of a block and its bounds: a block that checks says the same in all ways of
// reading it, and nothing else does harm.
func FuzzColumns(x *testing.F) {
	f := fuzzing.New(x)
	for form, add := range []func(x *Encoder, i int){
		func(x *Encoder, i int) { x.Add(int64(i*i%53) << (i % 40)) },
		func(x *Encoder, i int) { x.Add([]int64{9, int64(i % 7), 1 << 40}[:i%4]...) },
		func(x *Encoder, i int) { x.Add(int64(3*i) - 50) },
		func(x *Encoder, i int) { x.Add(-int64(i)) },
	} {
		var enc Encoder
		for i := range 300 {
			add(&enc, i)
		}
		b, e := enc.AppendBlock(nil)
		if int(e.Form) != form {
			f.Fatalf("form %d, want %d", e.Form, form)
		}
		f.Add(AppendEntry(nil, &e), b, 300, int64(5), int64(40))
	}
	f.Fuzz(func(t *testing.T, entry, b []byte, n int, lo, hi int64) {
		n = n&(Docs-1) + 1
		e := ParseEntry(append(entry, make([]byte, EntrySize)...))
		var x Block
		if !e.Valid(n) || !e.Fits(n, uint64(len(b))) || !x.Open(b, &e, n) {
			return
		}
		var values Values
		ok := x.Read(&values)
		var docs, in, want [Words]uint64
		first, last, _, some := e.Limits(lo, hi)
		ranged := some && x.Range(first, last, &docs)
		offs := []uint64{0, e.Span() / 2, e.Span()}
		isIn := x.In(slices.Compact(offs), &in)
		var enc Encoder
		if !ok || !x.Check(b, &enc, &values) {
			return
		}
		begin := uint32(0)
		for i := range n {
			var of []int64
			if values.Ends != nil {
				of, begin = values.Numbers[begin:values.Ends[i]], values.Ends[i]
			} else if values.Present[i/64]>>(i%64)&1 != 0 {
				of = values.Numbers[i : i+1]
			}
			if got, ok := x.Append(nil, i); !ok || !slices.Equal(got, of) {
				t.Fatalf("document %d has %d, appended %d, %t", i, of, got, ok)
			}
			if slices.ContainsFunc(of, func(v int64) bool { return lo <= v && v <= hi }) {
				want[i/64] |= 1 << (i % 64)
			}
		}
		if some && (!ranged || docs != want) || !some && want != docs || !isIn {
			t.Fatalf("%+v: %d to %d: %x, want %x", e, lo, hi, docs, want)
		}
	})
}

// Bounds are written as they are read.
func TestBoundsRoundTrip(t *testing.T) {
	h := Head{Values: 9, Min: -5, Max: 7, Docs: 3, Keywords: 2, Begin: 1 << 40, Index: 1<<40 + 1, Blocks: 1<<40 + 2, End: 1 << 41}
	b := AppendHead(nil, &h)
	if got := ParseHead(b); got != h || len(b) != HeadSize || binary.LittleEndian.Uint64(b) != 9 {
		t.Errorf("%+v from % x", got, b)
	}
	e := Entry{Min: -9, Max: 1 << 50, Gcd: 3, Offset: 77, Values: 5, Docs: 4, Form: Dense, Width: 49}
	if b := AppendEntry(nil, &e); ParseEntry(b) != e || len(b) != EntrySize {
		t.Errorf("% x", b)
	}
}
