package oracle

import (
	"slices"
	"testing"
)

// The oracle finds what Lucene was seen to find.
func TestPhrasesAsLucene(t *testing.T) {
	all, err := LucenePhrases()
	if err != nil {
		t.Fatal(err)
	}
	cases, hits := 0, 0
	for _, r := range all {
		tokens, places := make([][]string, len(r.Docs)), make([][]int, len(r.Docs))
		for d, doc := range r.Docs {
			for p, words := range doc {
				for _, w := range words {
					tokens[d], places[d] = append(tokens[d], w), append(places[d], p)
				}
			}
		}
		for _, c := range r.Cases {
			var matches []int
			for d := range r.Docs {
				if c.Sequence().Count(tokens[d], places[d]) > 0 {
					matches = append(matches, d)
				}
			}
			if cases++; !slices.Equal(matches, c.Matches) {
				t.Errorf("%v: %s: found %v", r.Docs, c.Text, matches)
			}
			hits += len(matches)
		}
	}
	if cases < 5000 || hits < 15000 {
		t.Errorf("only %d cases with %d matches", cases, hits)
	}
}
