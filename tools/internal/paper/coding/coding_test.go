package coding

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/synthetic"
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

// TestFit fits a line by hand: positions 0 to 3, docIDs 1, 3, 5, 11.
func TestFit(t *testing.T) {
	f := FitLine([]uint32{1, 3, 5, 11})
	if math.Abs(f.Slope-3.2) > 1e-9 || math.Abs(f.Intercept-0.2) > 1e-9 || math.Abs(f.R2-51.2/56) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.Left-(10.8/3.2-3)) > 1e-9 || math.Abs(f.Right-(2-4.8/3.2)) > 1e-9 {
		t.Errorf("deviations of %+v", f)
	}
}

// TestFitRuns cuts a list into runs.
func TestFitRuns(t *testing.T) {
	docs := synthetic.Clustered(3, 5000, 1<<20)
	for _, most := range []int{1, 7, 5000, 6000} {
		got := FitRuns(len(docs), func(yield func([]uint32) bool) {
			for run := range slices.Chunk(docs, most) {
				if !yield(run) {
					return
				}
			}
		})
		if want := FitLine(docs); got != want {
			t.Errorf("in runs of %d: %v, want %v", most, got, want)
		}
	}
}
