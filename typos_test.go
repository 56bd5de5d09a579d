package pinion_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// typoWord draws a word of few letters, of which many are an edit apart.
func typoWord(rng *rand.Rand) string {
	w := "r"
	for range 2 + rng.IntN(5) {
		w += string("ao"[rng.IntN(2)])
	}
	return w
}

// means reports whether a word may be meant by one that was typed: how is 2 if it is that, 1 if one edit makes it.
func means(word, typed string) (how int) {
	switch {
	case word == typed:
		return 2
	case len(typed) >= 5 && word[0] == typed[0] && within(word, typed):
		return 1
	}
	return 0
}

// With Typos words also find those with a slip, behind what has them as they are typed, and a plain search is as before.
func TestTypos(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 8))
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "simple", Stored: true}, {Name: "body", Kind: schema.Text, Analyzer: "simple", Boost: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	docs := map[string][2][]string{}
	for i := range 200 {
		var d [2][]string
		for f := range d {
			for range 1 + rng.IntN(4) {
				d[f] = append(d[f], typoWord(rng))
			}
		}
		id := fmt.Sprintf("d%03d", i)
		docs[id] = d
		if err := x.Add(ctx, pinion.Doc{ID: id, Fields: map[string]any{"title": strings.Join(d[0], " "), "body": strings.Join(d[1], " ")}}); err != nil {
			t.Fatal(err)
		}
	}
	df := map[string]int{} // documents with a word, by the word and behind it the number of the field
	for _, d := range docs {
		for f := range d {
			for _, w := range slices.Compact(slices.Sorted(slices.Values(d[f]))) {
				df[fmt.Sprint(w, f)]++
			}
		}
	}
	more, common := 0, 0
	for range 300 {
		typed := make([]string, 1+rng.IntN(3))
		for i := range typed {
			typed[i] = typoWord(rng)
		}
		m := query.Match{Text: strings.Join(typed, " "), Mode: query.Mode(rng.IntN(2)), Field: []string{"", "title", "body"}[rng.IntN(3)]}
		r := pinion.Request{Query: m, Typos: true, Limit: len(docs), Total: true}
		page, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		r.Typos = false
		plain, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		exact := map[string]int{} // words that a document has as they are typed
		for id, d := range docs {
			found := 0
			for _, w := range typed {
				best := 0
				for f, name := range []string{"title", "body"} {
					for _, word := range d[f] {
						how := means(word, w)
						if how == 1 && df[fmt.Sprint(w, f)] > 10 { // it is typed right
							how = 0
							common++
						}
						if m.Field == "" || m.Field == name {
							best = max(best, how)
						}
					}
				}
				if found += min(best, 1); best == 2 {
					exact[id]++
				}
			}
			if found == len(typed) || found > 0 && m.Mode == query.ModeOr {
				want++
			}
		}
		if len(page.Hits) != want || page.Total != uint64(want) {
			t.Fatalf("%+v: %d hits, want %d", m, len(page.Hits), want)
		}
		for i, h := range page.Hits {
			if i > 0 && m.Mode == query.ModeOr && len(typed) == 1 && exact[h.ID] > exact[page.Hits[i-1].ID] {
				t.Fatalf("%+v: %s, which has the words as they are typed, is behind %s", m, h.ID, page.Hits[i-1].ID)
			}
		}
		for _, p := range plain.Hits {
			i := slices.IndexFunc(page.Hits, func(h pinion.Hit) bool { return h.ID == p.ID })
			if i < 0 || page.Hits[i].Score < p.Score || page.Hits[i].Score > p.Score*1.02 {
				t.Fatalf("%+v: %s has %v among %+v, and alone %v", m, p.ID, i, page.Hits, p.Score)
			}
		}
		more += want - len(plain.Hits)
	}
	if more < 300 || common < 1000 {
		t.Errorf("%d hits with slips, and %d without", more, common)
	}
}

// Passages mark words with slips, filters are not widened, and lists and rescores are.
func TestTyposElsewhere(t *testing.T) {
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(ctx, pinion.Doc{ID: "a", Fields: map[string]any{"text": "Pineapples ripen."}}, pinion.Doc{ID: "b", Fields: map[string]any{"text": "A pinapple."}}); err != nil {
		t.Fatal(err)
	}
	typed := query.Match{Text: "pinapples"}
	for want, r := range map[string]pinion.Request{
		"[b:A [pinapple]. a:[Pineapples] ripen.]": {Query: typed, Typos: true, Snippet: &pinion.Snippet{}},
		"[b:A [pinapple].]":                       {Query: typed, Snippet: &pinion.Snippet{}},
		"[b:]":                                    {Query: query.Bool{Must: []query.Node{typed}, Filter: []query.Node{typed}}, Typos: true},
		"[a:]":                                    {Query: query.Bool{Must: []query.Node{typed}, MustNot: []query.Node{typed}}, Typos: true},
		"[b: a:]":                                 {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: typed}}}, Typos: true},
		"[a: b:]":                                 {Query: query.All{}, Rescore: &pinion.Rescore{Query: query.Match{Text: "ripan"}}, Typos: true},
	} {
		page, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range page.Hits {
			p := h.Passage()
			s := p.Text
			for i := len(p.Spans) - 1; i >= 0; i-- {
				s = s[:p.Spans[i].Start] + "[" + s[p.Spans[i].Start:p.Spans[i].End] + "]" + s[p.Spans[i].End:]
			}
			got = append(got, h.ID+":"+s)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%+v: %v, want %s", r, got, want)
		}
	}
}
