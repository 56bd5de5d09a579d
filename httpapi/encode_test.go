package httpapi

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/budget"
)

// An answer that is encoded piece by piece is what encoding/json makes of it, and too large if that is.
func TestEncode(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`"counts":[`, `"hits":[`, "<&>", "\xff", ""}))
	rapid.Check(t, func(t *rapid.T) {
		r := &Response{Next: text.Draw(t, "next"), Partial: rapid.Bool().Draw(t, "partial")}
		if rapid.Bool().Draw(t, "some") {
			r.Hits = []Hit{}
		}
		for range rapid.IntRange(0, 3).Draw(t, "hits") {
			h := Hit{ID: Text(text.Draw(t, "id")), Doc: rapid.Uint32().Draw(t, "doc")}
			if rapid.Bool().Draw(t, "values") {
				h.Values = map[string][]any{text.Draw(t, "field"): {text.Draw(t, "value"), nil, 3}}
			}
			r.Hits = append(r.Hits, h)
		}
		if rapid.Bool().Draw(t, "total") {
			n := rapid.Uint64().Draw(t, "n")
			r.Total = &n
		}
		for range rapid.IntRange(0, 3).Draw(t, "facets") {
			f := FacetCounts{Field: text.Draw(t, "of")}
			if n := rapid.SampledFrom([]int{-1, 0, 1, counts, counts + 1, 2*counts + 5}).Draw(t, "counts"); n >= 0 {
				f.Counts = make([]FacetCount, n)
				for i := range f.Counts {
					f.Counts[i] = FacetCount{Value: text.Draw(t, "keyword"), Count: 1}
					if n > 1 {
						break // one is enough to draw
					}
				}
			}
			r.Facets = append(r.Facets, f)
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		pool := budget.NewPool(1 << 30)
		got, err := encode(r, pool.Budget(int64(len(want))))
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v\n got %s\nwant %s", err, got, want)
		}
		if pool.Held() != int64(len(want)) {
			t.Errorf("%d bytes are held of %d", pool.Held(), len(want))
		}
		if _, err := encode(r, pool.Budget(int64(len(want))-1)); err == nil {
			t.Error("an answer that is too large is encoded")
		}
	})
}
