package segtest

import (
	"math/rand/v2"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// RandomImpacts is RandomFields with some fields of impacts, one at least.
func RandomImpacts(r *rand.Rand, docs, fields, terms int) *Fields {
	m := RandomFields(r, docs, fields, terms)
	one := r.IntN(fields)
	for i := range m.Fields {
		if i == one || r.IntN(3) == 0 {
			m.Fields[i] = randomImpacts(r, m.Fields[i].Field, docs, terms)
		}
	}
	return m
}

// randomImpacts draws a field of impacts with the name and id of another.
func randomImpacts(r *rand.Rand, of schema.Field, docs, terms int) FieldModel {
	f := FieldModel{Field: schema.Field{ID: of.ID, Name: of.Name, Kind: schema.Impacts},
		Lists: map[string][]Posting{}, Lens: make([]uint32, docs)}
	if docs == 0 {
		return f
	}
	for term, ps := range Random(r, docs, r.IntN(terms+1)).Lists {
		f.Lists[term] = weigh(r, ps)
	}
	return f
}

// weigh gives postings weights.
func weigh(r *rand.Rand, ps []Posting) []Posting {
	most := []int{1, 2, 9, 255}[r.IntN(4)]
	for i := range ps {
		ps[i].TF = uint32(1 + r.IntN(most))
	}
	return ps
}

// checkMaxima checks the maxima that a list of weights gives.
func checkMaxima(t TB, l *segment.List, ps []Posting) {
	t.Helper()
	most := uint32(0)
	for _, p := range ps {
		most = max(most, p.TF)
	}
	if uint32(l.MaxWeight()) != most {
		t.Fatalf("the greatest weight is %d, the list says %d", most, l.MaxWeight())
	}
	if l.Kind != segment.KindExtent {
		return
	}
	if !l.HasImpacts || l.HasKth || uint64(l.Quad) != uint64(most) {
		t.Fatalf("an extent of weights up to %d has %x, %v, %v", most, uint64(l.Quad), l.HasImpacts, l.HasKth)
	}
	var want [8]uint32
	for i := range ps {
		at := i % l.BlockLen * 8 / l.BlockLen
		if want[at] = max(want[at], ps[i].TF); i%l.BlockLen < l.BlockLen-1 && i < len(ps)-1 {
			continue
		}
		for sub := range want {
			if got := l.Maxima(i / l.BlockLen).Sub(sub); uint32(got) != want[sub] {
				t.Fatalf("eighth %d of block %d has weights up to %d, it says %d", sub, i/l.BlockLen, want[sub], got)
			}
		}
		want = [8]uint32{}
	}
}
