package synth

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func collection(t testing.TB, s Spec) *Collection {
	t.Helper()
	c, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// all returns the postings of a collection by term, as pairs of docID and frequency. It
// draws them in n parts and on the given number of goroutines.
func all(t testing.TB, c *Collection, n, threads int) map[string][][2]uint32 {
	t.Helper()
	out := map[string][][2]uint32{}
	base := uint32(0)
	for _, p := range c.Parts(n) {
		in := p.Inverted(context.Background(), threads, func(float64) {})
		docs := 0
		for d, err := range in.Docs {
			if err != nil || d.Len == 0 || d.Len != c.Length(int(base)+docs) {
				t.Fatalf("document %d: length %d, %v", docs, d.Len, err)
			}
			docs++
		}
		if docs != p.Docs() {
			t.Fatalf("%d documents, not %d", docs, p.Docs())
		}
		last := ""
		for l, err := range in.Lists {
			if err != nil {
				t.Fatal(err)
			}
			if string(l.Term) <= last {
				t.Fatalf("term %q after %q", l.Term, last)
			}
			last = string(l.Term)
			for i, d := range l.Docs {
				if i > 0 && d <= l.Docs[i-1] || int(d) >= docs || l.Freqs[i] == 0 {
					t.Fatalf("term %q, posting %d: document %d, frequency %d", l.Term, i, d, l.Freqs[i])
				}
				out[last] = append(out[last], [2]uint32{base + d, l.Freqs[i]})
			}
		}
		base += uint32(docs)
	}
	if int(base) != c.spec.Docs {
		t.Fatalf("%d documents, not %d", base, c.spec.Docs)
	}
	return out
}

func TestPartsAndThreads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := Spec{
			Docs: rapid.IntRange(1, 3000).Draw(r, "docs"), Terms: rapid.IntRange(1, 2000).Draw(r, "terms"),
			Length: rapid.Float64Range(1, 60).Draw(r, "length"), Topics: rapid.IntRange(1, 9).Draw(r, "topics"), Seed: rapid.Uint64().Draw(r, "seed"),
			RegionDocs: rapid.SampledFrom([]float64{0, 1, 100}).Draw(r, "region"), Drift: rapid.Float64Range(0, 2).Draw(r, "drift"), Lean: rapid.Float64Range(0, 0.5).Draw(r, "lean"),
			Phases: rapid.SampledFrom([]int{0, 1, 4, Slabs}).Draw(r, "phases"), Even: rapid.Float64Range(0, 1).Draw(r, "even"), Burst: rapid.SampledFrom([]float64{0, 1, 7}).Draw(r, "burst"),
		}
		c := collection(t, s)
		whole := all(t, c, 1, 1)
		n, threads := rapid.IntRange(1, Slabs).Draw(r, "parts"), rapid.IntRange(1, 5).Draw(r, "threads")
		cut := all(t, collection(t, s), n, threads)
		if len(whole) != len(cut) {
			r.Fatalf("%d terms in one part, %d in %d", len(whole), len(cut), n)
		}
		for term, list := range whole {
			if !slices.Equal(list, cut[term]) {
				r.Fatalf("term %q differs in %d parts", term, n)
			}
		}
	})
}

// TestShape checks, within wide limits, what the package comment promises.
func TestShape(t *testing.T) {
	s := Spec{Docs: 60_000, Terms: 20_000, Length: 80, Topics: 8, Seed: 3}
	c := collection(t, s)
	lists := all(t, c, 1, 2)
	mean := float64(c.Tokens()) / float64(s.Docs)
	if mean < 70 || mean > 90 {
		t.Errorf("mean length %.1f", mean)
	}
	df := func(rank int) int { return len(lists[string(c.Term(nil, rank))]) }
	for _, r := range []int{100, 300, 1000, 3000} {
		want := c.share(r) * float64(c.Tokens())
		if got := float64(df(r)); got < want/2 || got > want*1.3 {
			t.Errorf("rank %d: %.0f documents, %.0f occurrences", r, got, want)
		}
	}
	near, far := 0, 0 // documents in common with lists of the same topic and of others
	pairs, others := 0, 0
	for a := 200; a < 260; a++ {
		docs := map[uint32]bool{}
		for _, p := range lists[string(c.Term(nil, a))] {
			docs[p[0]] = true
		}
		for b := a + 1; b < 260; b++ {
			common := 0
			for _, p := range lists[string(c.Term(nil, b))] {
				if docs[p[0]] {
					common++
				}
			}
			if c.Topic(a) == c.Topic(b) {
				near, pairs = near+common, pairs+1
			} else {
				far, others = far+common, others+1
			}
		}
	}
	if near*others < 2*far*pairs {
		t.Errorf("lists of one topic have %d documents in common in %d pairs, others %d in %d", near, pairs, far, others)
	}
	long, short, in, of := 0, 0, 0, 0 // postings in longer and shorter documents
	for r := 1000; r < 1100; r++ {
		for _, p := range lists[string(c.Term(nil, r))] {
			if c.Length(int(p[0])) > 80 {
				long++
			} else {
				short++
			}
			in += int(p[1])
			of++
		}
	}
	if long < short {
		t.Errorf("%d postings in long documents, %d in short ones", long, short)
	}
	if tf := float64(in) / float64(of); tf < 1.1 || tf > 2 {
		t.Errorf("mean frequency %.2f", tf)
	}
}

func TestQueries(t *testing.T) {
	c := collection(t, Spec{Docs: 50_000, Terms: 20_000, Length: 80, Topics: 8, Seed: 3})
	lists := all(t, c, 1, 2)
	q := QuerySpec{Queries: 500, Least: 0.01, Most: 0.3, MinTerms: 2, MaxTerms: 6, Seed: 1}
	queries, lengths := c.Queries(q), map[int]int{}
	for _, terms := range queries {
		lengths[len(terms)]++
		for i, w := range terms {
			part := float64(len(lists[w])) / 50_000
			if part < q.Least/3 || part > q.Most*2 {
				t.Fatalf("term %q is in %.4f of the documents", w, part)
			}
			if slices.Contains(terms[:i], w) {
				t.Fatalf("query %q holds a term twice", terms)
			}
		}
	}
	if lengths[2] < lengths[3] || lengths[3] < lengths[5] || lengths[0]+lengths[1]+lengths[7] > 0 || lengths[6] == 0 {
		t.Errorf("lengths %v", lengths)
	}
	if again := c.Queries(q); !slices.EqualFunc(queries, again, slices.Equal[[]string]) {
		t.Error("queries differ when drawn again")
	}
}

func TestSpecCheck(t *testing.T) {
	for _, s := range []Spec{{}, {Docs: 1, Terms: 1 << 26, Length: 5, Topics: 1}, {Docs: 1, Terms: 1, Length: 0.5, Topics: 1}, {Docs: 1, Terms: 1, Length: 5}} {
		if _, err := New(s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	if err := DefaultSpec.Check(); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	c := collection(t, Spec{Docs: 5000, Terms: 20_000, Length: 20, Topics: 2, Seed: 1})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	var last error
	for _, err := range c.Parts(1)[0].Inverted(ctx, 3, func(float64) {}).Lists {
		if n++; n == 100 {
			cancel()
		}
		last = err
	}
	if last != context.Canceled {
		t.Errorf("%v after %d lists", last, n)
	}
}

func BenchmarkLists(b *testing.B) {
	c := collection(b, Spec{Docs: 200_000, Terms: 100_000, Length: 250, Topics: 32, Seed: 1})
	b.ReportAllocs()
	postings := 0
	for b.Loop() {
		for l := range c.Parts(1)[0].Inverted(context.Background(), 1, func(float64) {}).Lists {
			postings += len(l.Docs)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(postings), "ns/posting")
}
