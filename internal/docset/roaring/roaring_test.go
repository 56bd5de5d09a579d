// Package roaring compares internal/docset with the library whose portable form it reads and writes. It is a module of its
// own, so that nobody who imports the engine downloads that.
package roaring

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/docset"
)

// draw returns documents as stretches of them with gaps, up to the largest docID there is, in a bitmap that was made by
// adding them one by one, by ranges, or by reading what was written.
func draw(t *rapid.T, what string) *roaring.Bitmap {
	b := roaring.New()
	limit := rapid.SampledFrom([]uint64{1 << 12, 1 << 17, 1 << 21, 1<<32 - 1}).Draw(t, what+" limit")
	for range rapid.IntRange(0, 8).Draw(t, what+" stretches") {
		start := rapid.Uint64Range(0, limit-1).Draw(t, "start")
		n := rapid.SampledFrom([]uint64{1, 2, 30, 2048, 5000, 70000, 300000}).Draw(t, "n")
		switch step := rapid.SampledFrom([]uint64{1, 1, 2, 3, 32, 64, 700, 70000}).Draw(t, "step"); {
		case step == 1:
			b.AddRange(start, min(start+n, limit))
		case rapid.Bool().Draw(t, "runs"):
			for x := start; x < limit && n > 0; x, n = x+step, n-min(n, step) {
				b.AddRange(x, min(x+step-1, limit))
			}
		default:
			n = min(n, 5000)
			for x := start; x < limit && n > 0; x, n = x+step, n-1 {
				b.Add(uint32(x))
			}
		}
	}
	if rapid.Bool().Draw(t, "written") {
		b.RunOptimize()
		bytes, err := b.ToBytes()
		again := roaring.New()
		if _, e := again.FromBuffer(bytes); err != nil || e != nil {
			t.Fatal(err, e)
		}
		b = again
	}
	return b
}

// written returns a bitmap as files of deletes have it since they exist.
func written(t *rapid.T, b *roaring.Bitmap) []byte {
	c := b.Clone()
	c.RunOptimize()
	bytes, err := c.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// read returns a set that was written.
func read(t *rapid.T, b []byte) *docset.Set {
	s, err := docset.FromPortable(b, 0, docset.End)
	if err != nil {
		t.Fatal(err)
	}
	if s.Bytes() > uint64(2*len(b)+1024) {
		t.Fatalf("%d bytes are a set of %d", len(b), s.Bytes())
	}
	return s
}

func same(t *rapid.T, s *docset.Set, want *roaring.Bitmap) {
	docs := s.AppendDocs(nil, 0, docset.End)
	if all := want.ToArray(); !slices.Equal(docs, all) || uint64(s.Len()) != uint64(len(all)) {
		t.Fatalf("%d documents, %d when counted, want %d", len(docs), s.Len(), len(all))
	}
}

// The library and docset read what either writes as the same documents, and docset writes the bytes of the library.
func TestBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t, "set")
		optimized := written(t, b)
		plain, err := b.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range [][]byte{optimized, plain} {
			s := read(t, from)
			same(t, s, b)
			if got := s.AppendPortable(nil); !bytes.Equal(got, optimized) {
				t.Fatalf("%d bytes, those of the library are %d", len(got), len(optimized))
			}
		}
		s := docset.Of(b.ToArray()...)
		if got := s.AppendPortable(nil); !bytes.Equal(got, optimized) {
			t.Fatalf("of docIDs: %d bytes, those of the library are %d", len(got), len(optimized))
		}
	})
}

// Damaged bytes are an error, or what the library reads them as.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := written(t, draw(t, "set"))
		for range 30 {
			c := bytes.Clone(b)
			for range rapid.IntRange(1, 3).Draw(t, "flips") {
				c[rapid.IntRange(0, min(len(c), 200)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			}
			s, err := docset.FromPortable(c, 0, docset.End)
			if err != nil {
				continue
			}
			again := roaring.New()
			if _, err := again.FromBuffer(c); err != nil {
				t.Fatal(err)
			}
			same(t, s, again)
		}
	})
}

// Sets answer as the library's do.
func TestQuestions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := draw(t, "x"), draw(t, "y")
		s, other := read(t, written(t, x)), docset.Of(y.ToArray()...)
		same(t, docset.And(s, other), roaring.And(x, y))
		for range 50 {
			at := rapid.Uint32Range(0, docset.End-1).Draw(t, "doc")
			if n := x.GetCardinality(); n > 0 && rapid.Bool().Draw(t, "near") {
				at, _ = x.Select(rapid.Uint32Range(0, uint32(n)-1).Draw(t, "nth"))
			}
			if s.Contains(at) != x.Contains(at) {
				t.Fatalf("Contains(%d) is %t", at, s.Contains(at))
			}
			next := x.NextValue(at)
			if next < 0 {
				next = int64(docset.End)
			}
			if got := s.Next(at); int64(got) != next {
				t.Fatalf("Next(%d) is %d, want %d", at, got, next)
			}
			to := rapid.Uint32Range(at, docset.End-1).Draw(t, "to")
			if got, want := s.Count(at, to), x.CardinalityInRange(uint64(at), uint64(to)); uint64(got) != want {
				t.Fatalf("Count(%d, %d) is %d, want %d", at, to, got, want)
			}
			part := roaring.New()
			part.AddRange(uint64(at), uint64(to))
			part.And(x)
			same(t, s.Slice(at, to), roaring.AddOffset64(part, -int64(at)))
		}
	})
}

func BenchmarkSets(b *testing.B) {
	x := uint32(1)
	random := func() uint32 { x = x*1664525 + 1013904223; return x >> 8 }
	for _, share := range []uint32{2, 10, 100, 1000} {
		const docs = 2 << 20
		bm := roaring.New()
		for doc := range uint32(docs) {
			if random()%share == 0 {
				bm.Add(doc)
			}
		}
		s := docset.Of(bm.ToArray()...)
		at := make([]uint32, 1<<16)
		for i := range at {
			at[i] = random() % docs
		}
		for name, contains := range map[string]func(uint32) bool{"docset": s.Contains, "roaring": bm.Contains} {
			b.Run(fmt.Sprintf("contains/%d/%s", share, name), func(b *testing.B) {
				n := 0
				for i := range b.N {
					if contains(at[i%len(at)]) {
						n++
					}
				}
			})
		}
	}
}
