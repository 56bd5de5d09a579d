package synth

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
)

func vectors(t testing.TB, s VectorSpec) *Vectors {
	t.Helper()
	v, err := NewVectors(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// vectorLists returns the lists by term, drawn in n parts and on so many goroutines, and the tenants of the documents.
func vectorLists(t testing.TB, v *Vectors, n, threads int) (map[string]format.Postings, []int64) {
	t.Helper()
	all, tenants := map[string]format.Postings{}, []int64(nil)
	for _, p := range v.Parts(n) {
		base := uint32(len(tenants))
		in := p.Inverted(context.Background(), threads, func(float64) {})
		for d, err := range in.Docs {
			if err != nil || len(d.Lens) != 2 || len(d.Values) != 1 {
				t.Fatalf("%+v, %v", d, err)
			}
			tenants = append(tenants, d.Values[0].Int())
		}
		last := ""
		for l, err := range in.Lists {
			if err != nil || l.Field != 1 || string(l.Term) <= last {
				t.Fatalf("field %d, term %q after %q, %v", l.Field, l.Term, last, err)
			}
			last = string(l.Term)
			list := all[last]
			for i, d := range l.Docs {
				if i > 0 && d <= l.Docs[i-1] || int(d) >= p.Docs() || l.Freqs[i] < 1 || l.Freqs[i] > 255 {
					t.Fatalf("term %q, posting %d: document %d, weight %d", last, i, d, l.Freqs[i])
				}
				list = list.AppendPosting(base+d, l.Freqs[i])
			}
			all[last] = list
		}
	}
	if len(tenants) != v.Spec().Docs {
		t.Fatalf("%d documents, not %d", len(tenants), v.Spec().Docs)
	}
	return all, tenants
}

// The collection is the same in any number of parts, on any number of goroutines.
func TestVectorsPartsAndThreads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := VectorSpec{
			Docs: rapid.IntRange(1, 2000).Draw(r, "docs"), Terms: rapid.IntRange(2, 300).Draw(r, "terms"),
			Most: rapid.Float64Range(0.01, 0.5).Draw(r, "most"), Seed: rapid.Uint64().Draw(r, "seed"),
		}
		s.Postings = s.Most * (1 + rapid.Float64Range(0.01, 0.99).Draw(r, "postings")*float64(s.Terms-1))
		whole, tenants := vectorLists(t, vectors(t, s), 1, 1)
		cut, again := vectorLists(t, vectors(t, s), rapid.IntRange(1, Slabs).Draw(r, "parts"), rapid.IntRange(1, 5).Draw(r, "threads"))
		if len(whole) != len(cut) || !slices.Equal(tenants, again) {
			r.Fatalf("%d terms in one part, %d in several, or other tenants", len(whole), len(cut))
		}
		for term, list := range whole {
			if !slices.Equal(list.Docs, cut[term].Docs) || !slices.Equal(list.Freqs, cut[term].Freqs) {
				r.Fatalf("term %q differs", term)
			}
		}
	})
}

// Lists have the lengths, weights and runs that the specification says.
func TestVectorsShape(t *testing.T) {
	s := VectorSpec{Docs: 40_000, Terms: 2000, Postings: 30, Most: 0.3, Seed: 3}
	v := vectors(t, s)
	lists, tenants := vectorLists(t, v, 1, 2)
	total, weights := 0, [256]int{}
	var close [2]float64 // neighbors of which the second follows within two documents, by even and odd ranks, of ranks from 200 on
	var of [2]float64
	for r := range s.Terms {
		l := lists[string(v.Term(nil, r))]
		want := v.Share(r) * float64(s.Docs)
		limit := 5 * math.Sqrt(want)
		if r&1 == 1 {
			limit *= 8 // runs of 32 postings make lengths vary more than single documents do
		}
		if off := math.Abs(float64(l.Len()) - want); off > limit {
			t.Errorf("rank %d: %d postings, want %.0f", r, l.Len(), want)
		}
		total += l.Len()
		for i, w := range l.Freqs {
			weights[w]++
			if r >= 200 && i > 0 {
				of[r&1]++
				if l.Docs[i]-l.Docs[i-1] <= 2 {
					close[r&1]++
				}
			}
		}
	}
	if v.Share(0) != 0.3 || math.Abs(float64(total)/float64(s.Docs)-30) > 0.5 {
		t.Errorf("%d postings, the greatest share %g", total, v.Share(0))
	}
	left := total
	for w := 1; w <= 255; w++ {
		// Weights from w on have a share of e^(-(w-1)/25).
		want := math.Exp(-float64(w-1)/25) * float64(total)
		if off := math.Abs(float64(left) - want); off > 5*math.Sqrt(want)+1 {
			t.Errorf("%d weights from %d on, want %.0f", left, w, want)
		}
		left -= weights[w]
	}
	if even, odd := close[0]/of[0], close[1]/of[1]; even > 0.06 || odd < 0.3 || odd > 0.5 {
		t.Errorf("of the neighbors %.3f are close in even ranks, %.3f in odd ones", even, odd)
	}
	var have [Tenants]int
	for _, x := range tenants {
		have[x]++
	}
	for x, n := range have {
		if n < s.Docs/Tenants*9/10 || n > s.Docs/Tenants*11/10 {
			t.Errorf("tenant %d has %d documents", x, n)
		}
	}
}

// The lists of a query have the length that is wanted, and no two queries are the same.
func TestVectorQueries(t *testing.T) {
	v := vectors(t, DefaultVectors)
	byTerm := map[string]int{}
	for r := range v.Spec().Terms {
		byTerm[string(v.Term(nil, r))] = r
	}
	for _, q := range []VectorQueries{ShortVectors, LongVectors} {
		queries := v.Queries(q)
		seen, terms, long := map[string]bool{}, 0, 0
		for _, x := range queries {
			sum := 0.0
			for i, term := range x.Terms {
				sum += v.Share(byTerm[term])
				if x.Weights[i] < 1 || x.Weights[i] > 255 || slices.Contains(x.Terms[:i], term) {
					t.Fatalf("%+v", x)
				}
			}
			if len(x.Terms) < 20 || len(x.Terms) > 45 || math.Abs(sum-q.Postings) > q.Postings/100 {
				t.Fatalf("%d terms with %g postings a document, want %g", len(x.Terms), sum, q.Postings)
			}
			names := slices.Sorted(slices.Values(x.Terms))
			key, err := json.Marshal(names)
			if err != nil || seen[string(key)] {
				t.Fatalf("%s twice, %v", key, err)
			}
			seen[string(key)] = true
			terms += len(x.Terms)
			if len(x.Terms) > 32 {
				long++
			}
		}
		if mean := float64(terms) / float64(len(queries)); mean < 31 || mean > 34 || long < 800 || long > 1200 {
			t.Errorf("%.1f terms on average, %d queries of more than 32", mean, long)
		}
		var b bytes.Buffer
		if err := WriteVectorQueries(&b, queries[:2]); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(&b)
		for i, id := range []string{"1", "2"} {
			var line struct {
				ID     string
				Vector map[string]uint32
			}
			if err := d.Decode(&line); err != nil || line.ID != id || len(line.Vector) != len(queries[i].Terms) || line.Vector[queries[i].Terms[3]] != queries[i].Weights[3] {
				t.Fatalf("%+v, %v", line, err)
			}
		}
	}
}

func TestVectorSpecCheck(t *testing.T) {
	for _, s := range []VectorSpec{
		{}, {Docs: 1, Terms: 1 << 26, Postings: 5, Most: 0.3}, {Docs: 1, Terms: 10, Postings: 3, Most: 0.3}, {Docs: 1, Terms: 10, Postings: 0.3, Most: 0.3},
		{Docs: 1, Terms: 10, Postings: 1, Most: 0.6}, {Docs: 1, Terms: 10, Postings: math.NaN(), Most: 0.3}, {Terms: 10, Postings: 1, Most: 0.3},
	} {
		if _, err := NewVectors(s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	if err := DefaultVectors.Check(); err != nil {
		t.Error(err)
	}
}
