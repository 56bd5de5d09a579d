package corpus

import (
	"context"
	"slices"
	"testing"
)

// TestLists draws lists of GOV at a hundredth of its size in three orders, which permute them.
func TestLists(t *testing.T) {
	groups := []float64{0, 1e5, 2e5, 4e5, 6e5, 8e5}
	names := []string{"GOV", "GOVPR", "GOVR"}
	lengths := map[string][]int{}
	err := Lists(context.Background(), names, 0.01, groups, 4, func(name string, docs []uint32) {
		for i := 1; i < len(docs); i++ {
			if docs[i] <= docs[i-1] {
				t.Fatalf("%s: docID %d follows %d", name, docs[i], docs[i-1])
			}
		}
		lengths[name] = append(lengths[name], len(docs))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		slices.Sort(lengths[name])
		if !slices.Equal(lengths[name], lengths["GOV"]) {
			t.Errorf("%s has other lists than GOV", name)
		}
	}
	if n := len(lengths["GOV"]); n < 20 {
		t.Errorf("%d lists", n)
	}
	if err := Lists(context.Background(), []string{"none"}, 1, groups, 1, nil); err == nil {
		t.Error("a collection without a name")
	}
}

// TestAsked makes a collection with few of its queries: these and their lists are those of
// the whole log.
func TestAsked(t *testing.T) {
	all, err := New("BDR", 1./500)
	if err != nil {
		t.Fatal(err)
	}
	some, err := Asked("BDR", 1./500, 7)
	if err != nil {
		t.Fatal(err)
	}
	if some.Docs != all.Docs || len(some.Queries) != 7 || len(some.Sample) != 0 || len(all.Sample) == 0 {
		t.Fatalf("%d documents, %d queries and a sample of %d, of %d, %d and %d", some.Docs, len(some.Queries), len(some.Sample), all.Docs, len(all.Queries), len(all.Sample))
	}
	for i, q := range some.Queries {
		if !slices.Equal(some.Texts([][]int{q})[0], all.Texts(all.Queries[i : i+1])[0]) {
			t.Errorf("query %d has other terms", i)
		}
		for j, l := range q {
			if m := all.Queries[i][j]; !slices.Equal(some.Lists[l], all.Lists[m]) || !slices.Equal(some.Freqs[l], all.Freqs[m]) {
				t.Errorf("query %d, list %d differs", i, j)
			}
		}
	}
}
