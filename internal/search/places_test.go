package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A word that comes several times in a text over several fields, all of whose words must match, is one word with the sum of
// its boosts, whatever the fields make of it: words, several of them, or nothing. By every algorithm, and in a pool, the
// hits are those of the oracle for the tree that FORMAT.md, 8.1, makes of the text.
func TestRepeatedPlaces(t *testing.T) {
	longtest.Once(t)
	s := &schema.Schema{}
	var fields []oracle.Field
	analyzers := map[string]analysis.Analyzer{}
	for i, analyzer := range []string{"simple", "whitespace", "english"} {
		name := []string{"a", "b", "c"}[i]
		s.Fields = append(s.Fields, schema.Field{Name: name, Kind: schema.Text, Analyzer: analyzer})
		fields = append(fields, oracle.Field{Name: name, K1: 1.2, B: 0.75, Weight: 1})
		a, err := analysis.New(analyzer, "")
		if err != nil {
			t.Fatal(err)
		}
		analyzers[name] = a
	}
	words := []string{"red", "Red", "green", "blue-blue", "blue-red", "the", "of", "The"}
	r := rand.New(rand.NewPCG(8, 1))
	l := querytest.NewLive(t, writer.Options{Schema: s})
	var docs []oracle.Record
	cut := func(field, text string) (all []string) {
		for _, w := range analysis.Terms(analyzers[field].Tokenizer(), []byte(text)) {
			all = append(all, string(w))
		}
		return all
	}
	for d := range 400 {
		doc := oracle.Record{Terms: map[string][]string{}}
		var values []schema.Value
		for i, f := range fields {
			var some []string
			for range r.IntN(9) {
				some = append(some, words[r.IntN(len(words))])
			}
			text := strings.Join(some, " ")
			doc.Terms[f.Name] = cut(f.Name, text)
			values = append(values, schema.TextValue(i, []byte(text)))
		}
		docs = append(docs, doc)
		if l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values})); d == 250 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	searcher, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	p, err := pool.New(searcher, pool.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	truth := oracle.NewTrees(oracle.NewRecords(fields, docs))
	texts := []string{"red red", "red red red green", "blue-blue blue-blue", "blue-red red blue-red", "the red the", "The the red The", "red Red", "the the", "green the blue-blue of blue-blue the"}
	for range 60 {
		var some []string
		for range 1 + r.IntN(7) {
			some = append(some, words[r.IntN(len(words))])
		}
		texts = append(texts, strings.Join(some, " "))
	}
	hits := 0
	for _, text := range texts {
		const boost = 0.7
		root := &oracle.Node{Kind: oracle.Bool, Boost: boost}
		places, some := map[string]*oracle.Node{}, 0
		for _, w := range strings.Fields(text) {
			key := ""
			for _, f := range fields {
				key += fmt.Sprintf("%q", cut(f.Name, w))
			}
			place := places[key]
			if place == nil {
				place = &oracle.Node{Kind: oracle.Bool, Should: []*oracle.Node{{Kind: oracle.Bool}, {Kind: oracle.Bool}, {Kind: oracle.Bool}}}
				places[key] = place
				if every := !slices.ContainsFunc(fields, func(f oracle.Field) bool { return len(cut(f.Name, w)) == 0 }); every {
					root.Must = append(root.Must, place)
				} else {
					root.Should = append(root.Should, place)
				}
			}
			for i, f := range fields {
				for _, term := range cut(f.Name, w) {
					place.Should[i].Must = append(place.Should[i].Must, &oracle.Node{Field: f.Name, Term: term})
					some++
				}
			}
		}
		want, _ := truth.Answer(oracle.TreeQuery{Root: root, K: 30})
		hits += len(want)
		q := search.Query{K: 30, Node: query.Match{Text: text, Mode: query.ModeAnd, Boost: boost}}
		for _, q.Algorithm = range search.Algorithms() {
			for _, x := range []search.Executor{searcher, p} {
				got, err := x.Execute(t.Context(), []search.Query{q})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.EqualFunc(got[0].Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
					t.Fatalf("%q by %v, %T:\n%v\nwant %v", text, q.Algorithm, x, got[0].Hits, want)
				}
			}
		}
	}
	if hits < 500 {
		t.Errorf("only %d hits", hits)
	}
}
