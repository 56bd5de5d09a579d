package build

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
)

// specified is the formula of FORMAT.md for the value of an impact code.
func specified(c int) uint64 {
	if c < 32 {
		return uint64(c)
	}
	return uint64(16+(c-32)%16) << ((c-32)/16 + 1)
}

type impact struct{ tf, dl uint32 }

// impacts draws postings with few or many distinct frequencies.
func impacts(t *rapid.T, n int) []impact {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	maxTF := rapid.SampledFrom([]int{1, 3, 20, 40, 5000, 1 << 20, math.MaxUint32 - 1}).Draw(t, "max tf")
	maxLen := rapid.SampledFrom([]int{1, 50, 2000, 600000, math.MaxUint32 - 1}).Draw(t, "max length")
	out := make([]impact, n)
	for i := range out {
		out[i] = impact{uint32(1 + r.IntN(maxTF)), uint32(r.IntN(maxLen + 1))}
	}
	return out
}

func columns(ps []impact) (tfs, dls []uint32) {
	for _, p := range ps {
		tfs, dls = append(tfs, p.tf), append(dls, p.dl)
	}
	return tfs, dls
}

// under is Quad.Dominates, computed by the formula.
func under(q format.Quad, p impact) bool {
	for i := range 4 {
		tf, dl := int(q>>(16*i)&255), int(q>>(16*i+8)&255)
		if (tf == 255 || specified(tf) >= uint64(p.tf)) && specified(dl) <= uint64(p.dl) {
			return true
		}
	}
	return false
}

func TestQuadDominates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFrontier(newImpactModel(rapid.Float64Range(0, 1e6).Draw(t, "average length")))
		var all []impact
		var quads []format.Quad
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			ps := impacts(t, rapid.SampledFrom([]int{1, 2, 10, 128, 300}).Draw(t, "n"))
			f.Add(columns(ps))
			q := f.Quad()
			quads, all = append(quads, q), append(all, ps...)
			if !q.Valid() {
				t.Fatalf("quad %x is not in order", uint64(q))
			}
			for _, p := range ps {
				if !under(q, p) || !q.Dominates(p.tf, p.dl) {
					t.Fatalf("%v is not under %x", p, uint64(q))
				}
			}
		}
		for _, q := range quads {
			f.AddQuad(q)
		}
		q := f.Quad()
		for _, p := range all {
			if !under(q, p) {
				t.Fatalf("%v is not under the union %x", p, uint64(q))
			}
		}
		if empty := f.Quad(); empty.Valid() {
			t.Fatalf("a quad of nothing is %x", uint64(empty))
		}
	})
}

// The greatest length, which also marks missing frequencies in a frontier, is one like others.
func TestQuadOfLongest(t *testing.T) {
	longest := uint32(math.MaxUint32)
	f := newFrontier(newImpactModel(100))
	for _, ps := range [][]impact{
		{{1, longest}},
		{{31, longest}, {1, longest}},
		{{1, longest}, {1, 1 << 20}},
		{{40, longest}, {3, longest}},
		{{2, longest}, {1, 7}},
	} {
		f.Add(columns(ps))
		q := f.Quad()
		if !q.Valid() {
			t.Errorf("%v: quad %x is not in order", ps, uint64(q))
		}
		for _, p := range ps {
			if !under(q, p) {
				t.Errorf("%v is not under %x", p, uint64(q))
			}
		}
	}
}

// A frontier of at most four pairs is kept exactly, so nothing tighter exists.
func TestQuadIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := impacts(t, rapid.IntRange(1, 12).Draw(t, "n"))
		tfs, dls := columns(ps)
		f := newFrontier(newImpactModel(100))
		f.Add(tfs, dls)
		q := f.Quad()
		var frontier [][2]uint8
		for _, p := range ps {
			c := [2]uint8{format.EncodeTF(p.tf), format.EncodeLen(p.dl)}
			kept := true
			for _, o := range ps {
				d := [2]uint8{format.EncodeTF(o.tf), format.EncodeLen(o.dl)}
				kept = kept && (d == c || d[0] < c[0] || d[1] > c[1])
			}
			for _, d := range frontier {
				kept = kept && d != c
			}
			if kept {
				frontier = append(frontier, c)
			}
		}
		if len(frontier) > 4 {
			return
		}
		sort.Slice(frontier, func(i, j int) bool { return frontier[i][0] > frontier[j][0] })
		for i := range 4 {
			tf, dl := q.Codes(i)
			if want := frontier[min(i, len(frontier)-1)]; want != [2]uint8{tf, dl} {
				t.Fatalf("pair %d of %x is %d, %d, want %v", i, uint64(q), tf, dl, want)
			}
		}
	})
}

func TestKthImpacts(t *testing.T) {
	var k kthCounter // reused: Take must empty it
	model := newImpactModel(100)
	rapid.Check(t, func(t *rapid.T) {
		ps := impacts(t, rapid.SampledFrom([]int{1, 9, 10, 128, 1000, 3000}).Draw(t, "n"))
		half := rapid.IntRange(0, len(ps)).Draw(t, "half")
		k.Add(columns(ps[:half]))
		k.Add(columns(ps[half:]))
		countable := 0
		for _, p := range ps {
			if p.dl <= format.MaxImpactLen {
				countable++
			}
		}
		for i, got := range k.Take(model) {
			tf, dl, ok := got.Pair()
			if ok != (countable >= format.KthValues()[i]) {
				t.Fatalf("k = %d of %d postings: known is %v", format.KthValues()[i], countable, ok)
			}
			n := 0
			for _, p := range ps {
				if p.tf >= tf && p.dl <= dl {
					n++
				}
			}
			if ok && n < format.KthValues()[i] {
				t.Fatalf("%d postings reach (%d, %d) for k = %d", n, tf, dl, format.KthValues()[i])
			}
		}
		if again := k.Take(model); again != [3]format.KthImpact{format.NoKth(), format.NoKth(), format.NoKth()} {
			t.Fatalf("an empty counter gives %v", again)
		}
	})
}

func TestBetterKth(t *testing.T) {
	m := newImpactModel(100)
	good, bad := format.KthImpact{TF: 5, Len: 10}, format.KthImpact{TF: 2, Len: 90}
	for _, c := range [][3]format.KthImpact{{good, bad, good}, {bad, good, good}, {format.NoKth(), bad, bad}, {bad, format.NoKth(), bad}, {format.NoKth(), format.NoKth(), format.NoKth()}} {
		if got := m.better(c[0], c[1]); got != c[2] {
			t.Errorf("better(%v, %v) = %v", c[0], c[1], got)
		}
	}
}
