package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// weighted returns a Searcher over documents that have some of the terms t0 to t9 in a field of impacts, "v", and the
// same ones in one of keywords, "k", and words in one of text, in two segments with deleted documents.
func weighted(t *testing.T, docs int) *search.Searcher {
	t.Helper()
	ctx, fs, r := t.Context(), memfs.New(), rand.New(rand.NewPCG(1, 2))
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "v", Kind: schema.Impacts, Scale: 0.5}, {Name: "k", Kind: schema.Keyword}, {Name: "body", Kind: schema.Text},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		values := []schema.Value{schema.TextValue(2, fmt.Appendf(nil, "w%d w%d", r.IntN(4), r.IntN(4)))}
		var all []schema.Impact
		for j := range 10 {
			if term := fmt.Append(nil, "t", j); r.IntN(1+j*j/2) == 0 {
				all = append(all, schema.Impact{Term: string(term), Weight: uint8(1 + r.IntN(255))})
				values = append(values, schema.KeywordValue(1, term))
			}
		}
		if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, i), Values: append(values, schema.ImpactsValue(0, all))}); err != nil {
			t.Fatal(err)
		}
		if i == docs/2 {
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 0; i < docs; i += 13 {
		if err := w.Delete(ctx, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Lexical nodes in a field of impacts match what they match in one of keywords with the same terms, and score as
// constants, whatever the weights.
func TestNodesInImpacts(t *testing.T) {
	s := weighted(t, 4000)
	term := func(field, term string) query.Node {
		n := query.Node(query.Term{Field: field, Text: term, Boost: 2})
		if field == "k" {
			n = query.Const{Node: n, Score: 2}
		}
		return n
	}
	match := func(field, text string) query.Node {
		n := query.Node(query.Match{Field: field, Text: text})
		if field == "k" {
			n = query.Const{Node: n}
		}
		return n
	}
	twice := func(field string, twice string) []query.Node {
		once := query.Node(query.Term{Field: field, Text: twice, Boost: 0.1})
		if field == "k" {
			return []query.Node{query.Const{Node: once, Score: 0.1 + 0.7 + 0.3}}
		}
		return []query.Node{once, query.Term{Field: field, Text: twice, Boost: 0.7}, query.Match{Field: field, Text: twice, Boost: 0.3}}
	}
	word := query.Match{Field: "body", Text: "w1 w2"}
	for name, node := range map[string]func(field string) query.Node{
		"a term":       func(f string) query.Node { return term(f, "t3") },
		"a rare term":  func(f string) query.Node { return term(f, "t9") },
		"no such term": func(f string) query.Node { return term(f, "t10") },
		"a match":      func(f string) query.Node { return match(f, "t2") },
		"should": func(f string) query.Node {
			return query.Bool{Should: []query.Node{term(f, "t1"), term(f, "t4"), term(f, "t7"), word}}
		},
		"at least two": func(f string) query.Node {
			return query.Bool{Should: []query.Node{term(f, "t1"), term(f, "t4"), term(f, "t2"), word}, AtLeast: 2}
		},
		"at least two, of which one comes thrice": func(f string) query.Node {
			return query.Bool{Should: append(twice(f, "t2"), term(f, "t4"), word), AtLeast: 2}
		},
		"must thrice": func(f string) query.Node { return query.Bool{Must: append(twice(f, "t2"), word)} },
		"must":        func(f string) query.Node { return query.Bool{Must: []query.Node{term(f, "t1"), term(f, "t2"), word}} },
		"not": func(f string) query.Node {
			return query.Bool{Must: []query.Node{word}, MustNot: []query.Node{term(f, "t3")}}
		},
		"a filter": func(f string) query.Node {
			return query.Bool{Must: []query.Node{word}, Filter: []query.Node{term(f, "t2")}}
		},
		"best": func(f string) query.Node { return query.Best{Of: []query.Node{term(f, "t4"), word}, Tie: 0.25} },
		"a prefix": func(f string) query.Node {
			return query.Bool{Should: []query.Node{query.Prefix{Field: f, Text: "t", Scored: f == "v", Boost: 3}, word}}
		},
		"a pattern": func(f string) query.Node { return query.Wildcard{Field: f, Pattern: "t*", Scored: f == "v"} },
		"an expression": func(f string) query.Node {
			return query.Bool{Should: []query.Node{query.Regexp{Field: f, Pattern: "t[2-5]", Scored: f == "v", Boost: 0.1}, word}}
		},
		"a word with edits": func(f string) query.Node {
			n := query.Fuzzy{Field: f, Text: "t1", Edits: 1}
			if f == "k" {
				return query.Const{Node: n}
			}
			return n
		},
		"two expansions": func(f string) query.Node {
			return query.Bool{AtLeast: 2, Should: []query.Node{query.Prefix{Field: f, Text: "t1", Scored: f == "v"}, query.Prefix{Field: f, Text: "t1", Scored: f == "v"}, word}}
		},
		"a phrase of one place that begins": func(f string) query.Node {
			if f == "k" {
				return query.Prefix{Field: f, Text: "t", Boost: 3}
			}
			return query.Phrase{Field: f, Text: "t", Prefix: true, Boost: 3}
		},
		"a phrase of one word": func(f string) query.Node {
			if f == "k" {
				return query.Const{Node: query.Phrase{Field: f, Text: "t5"}}
			}
			return query.Phrase{Field: f, Text: "t5"}
		},
	} {
		var hits [2][]search.Hit
		var counts [2]uint64
		var matches [2][]uint32
		for i, field := range []string{"k", "v"} {
			for _, k := range []int{1, 10, 5000} {
				found, err := s.AppendHits(t.Context(), nil, &search.Query{Node: node(field), K: k})
				if err != nil {
					t.Fatalf("%s in %s: %v", name, field, err)
				}
				hits[i] = append(hits[i], found...)
			}
			var err error
			if counts[i], err = s.Count(t.Context(), search.Query{Node: node(field)}); err != nil {
				t.Fatal(err)
			}
			for doc, err := range s.Matches(t.Context(), search.Query{Node: node(field)}) {
				if err != nil {
					t.Fatal(err)
				}
				matches[i] = append(matches[i], doc)
			}
		}
		if !slices.Equal(hits[0], hits[1]) || counts[0] != counts[1] || !slices.Equal(matches[0], matches[1]) {
			t.Errorf("%s: %d hits of %d in keywords, %d of %d in impacts", name, len(hits[0]), counts[0], len(hits[1]), counts[1])
		}
		if len(hits[0]) == 0 && name != "no such term" {
			t.Errorf("%s: no hits", name)
		}
	}
}
