package coding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRoundTrip decodes lists of all kinds of shapes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		gap := rapid.SampledFrom([]uint32{0, 1, 7, 300, 100000}).Draw(t, "gap")
		far := rapid.SampledFrom([]uint32{0, 1 << 12, 1 << 24}).Draw(t, "far")
		rng := rapid.Uint64().Draw(t, "seed")
		var docs []uint32
		next := func() uint32 {
			rng ^= rng << 13
			rng ^= rng >> 7
			rng ^= rng<<17 + 1
			return uint32(rng >> 32)
		}
		at := uint64(0)
		for range n {
			g := uint64(next() % (gap + 1))
			if next()%20 == 0 {
				g += uint64(next() % (far + 1))
			}
			if at += g + 1; at >= 1<<31 {
				break
			}
			docs = append(docs, uint32(at))
		}
		for _, k := range Kinds() {
			s := Scheme{k, rapid.SampledFrom([]int{32, 64, 128, 256, 512, 1024}).Draw(t, "segment"), rapid.SampledFrom([]float64{0, 0.1, 0.3, 0.6}).Draw(t, "share")}
			l, err := s.Encode(docs)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]uint32, len(docs))
			l.Decode(got)
			if !slices.Equal(got, docs) {
				t.Fatalf("%v, segments of %d, share %g: %d docIDs come back otherwise", k, s.Segment, s.Share, len(docs))
			}
			if k <= ParaPFD {
				l.DecodeGaps(got)
				for i, prev := 0, ^uint32(0); i < len(docs); i++ {
					if got[i] != docs[i]-prev-1 {
						t.Fatalf("%v: gap %d is %d, want %d", k, i, got[i], docs[i]-prev-1)
					}
					prev = docs[i]
				}
			}
			if l.Bits() <= 0 {
				t.Fatalf("%v takes %d bits", k, l.Bits())
			}
		}
	})
}

// TestS16 decodes what it encodes.
func TestS16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Max(3), rapid.Uint32Max(1000), rapid.Uint32Max(1<<28-1)), 0, 200).Draw(t, "values")
		var s stream
		s.put(0, 32)
		s.putS16(v)
		s.align(64)
		s.words = append(s.words, 0, 0)
		got := make([]uint32, len(v))
		s.getS16(got, 32)
		if !slices.Equal(got, v) {
			t.Fatalf("%v come back as %v", v, got)
		}
	})
}
