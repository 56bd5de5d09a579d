package format

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// specified is FORMAT.md's formula for the value of an impact code.
func specified(c int) uint64 {
	if c < 32 {
		return uint64(c)
	}
	return uint64(16+(c-32)%16) << ((c-32)/16 + 1)
}

func TestImpactCodesExhaustively(t *testing.T) {
	for c := range 256 {
		v := specified(c)
		if c > 0 && v <= specified(c-1) {
			t.Fatalf("code %d does not rise", c)
		}
		if uint64(DecodeLen(uint8(c))) != v {
			t.Fatalf("DecodeLen(%d) = %d, want %d", c, DecodeLen(uint8(c)), v)
		}
		if want := v; c < 255 && uint64(DecodeTF(uint8(c))) != want {
			t.Fatalf("DecodeTF(%d) = %d, want %d", c, DecodeTF(uint8(c)), want)
		}
	}
	if DecodeTF(255) != InfiniteTF || specified(255) != MaxImpactLen {
		t.Fatal("code 255")
	}
	check := func(v uint32) {
		// The four roundings, each against the definition.
		least := sort.Search(255, func(c int) bool { return specified(c) >= uint64(v) }) // 255: none below it
		greatest := sort.Search(256, func(c int) bool { return specified(c) > uint64(v) }) - 1
		if got := EncodeTF(v); int(got) != least {
			t.Fatalf("EncodeTF(%d) = %d, want %d", v, got, least)
		}
		if got := EncodeLen(v); int(got) != greatest {
			t.Fatalf("EncodeLen(%d) = %d, want %d", v, got, greatest)
		}
		if got := FloorTF(v); int(got) != min(greatest, 254) {
			t.Fatalf("FloorTF(%d) = %d, want %d", v, got, greatest)
		}
		ceil := sort.Search(256, func(c int) bool { return specified(c) >= uint64(v) })
		if got, ok := CeilLen(v); ok != (ceil < 256) || ok && int(got) != ceil {
			t.Fatalf("CeilLen(%d) = %d %v, want %d", v, got, ok, ceil)
		}
	}
	for v := range uint32(MaxImpactLen + 5000) {
		check(v)
	}
	for v := uint32(1); v != 0; v <<= 1 {
		check(v - 1)
		check(v)
		check(v + 1)
	}
	check(math.MaxUint32)
}

type impact struct{ tf, dl uint32 }

// impacts draws postings, with few distinct frequencies or many.
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

// under is Quad.Dominates by the formula.
func under(q Quad, p impact) bool {
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
		f := NewFrontier(NewImpactModel(rapid.Float64Range(0, 1e6).Draw(t, "average length")))
		var all []impact
		var quads []Quad
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

// A frontier of at most four pairs is kept whole, so nothing tighter exists.
func TestQuadIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := impacts(t, rapid.IntRange(1, 12).Draw(t, "n"))
		tfs, dls := columns(ps)
		f := NewFrontier(NewImpactModel(100))
		f.Add(tfs, dls)
		q := f.Quad()
		var frontier [][2]uint8
		for _, p := range ps {
			c := [2]uint8{EncodeTF(p.tf), EncodeLen(p.dl)}
			kept := true
			for _, o := range ps {
				d := [2]uint8{EncodeTF(o.tf), EncodeLen(o.dl)}
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
	var k KthCounter // re-used: Take must empty it
	model := NewImpactModel(100)
	rapid.Check(t, func(t *rapid.T) {
		ps := impacts(t, rapid.SampledFrom([]int{1, 9, 10, 128, 1000, 3000}).Draw(t, "n"))
		half := rapid.IntRange(0, len(ps)).Draw(t, "half")
		k.Add(columns(ps[:half]))
		k.Add(columns(ps[half:]))
		countable := 0
		for _, p := range ps {
			if p.dl <= MaxImpactLen {
				countable++
			}
		}
		for i, got := range k.Take(model) {
			tf, dl, ok := got.Pair()
			if ok != (countable >= KthValues[i]) {
				t.Fatalf("k = %d of %d postings: known is %v", KthValues[i], countable, ok)
			}
			n := 0
			for _, p := range ps {
				if p.tf >= tf && p.dl <= dl {
					n++
				}
			}
			if ok && n < KthValues[i] {
				t.Fatalf("%d postings reach (%d, %d) for k = %d", n, tf, dl, KthValues[i])
			}
		}
		if again := k.Take(model); again != [3]KthImpact{NoKth, NoKth, NoKth} {
			t.Fatalf("an empty counter gives %v", again)
		}
	})
}

func TestBetterKth(t *testing.T) {
	m := NewImpactModel(100)
	good, bad := KthImpact{5, 10}, KthImpact{2, 90}
	for _, c := range [][3]KthImpact{{good, bad, good}, {bad, good, good}, {NoKth, bad, bad}, {bad, NoKth, bad}, {NoKth, NoKth, NoKth}} {
		if got := m.BetterKth(c[0], c[1]); got != c[2] {
			t.Errorf("BetterKth(%v, %v) = %v", c[0], c[1], got)
		}
	}
}
