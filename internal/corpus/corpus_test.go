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
