package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// edits returns the least number of edits that make b of a, by trying all.
func edits(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	n := edits(a[1:], b[1:])
	if a[0] != b[0] {
		n = 1 + min(n, edits(a[1:], b), edits(a, b[1:]))
	}
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		n = min(n, 1+edits(a[2:], b[2:]))
	}
	return n
}

// expansion is what an expansion stands for.
type expansion struct {
	field string
	boost float64
	node  query.Node
	match func(term string) bool
}

// drawExpansion draws an expansion.
func drawExpansion(rng *rand.Rand, scored bool) expansion {
	x := expansion{field: []string{"title", "body", "notes", ""}[rng.IntN(4)], boost: []float64{1, 1, 0.3, 4}[rng.IntN(4)]}
	word := fmt.Sprint("w", rng.IntN(200))
	switch rng.IntN(4) {
	case 0:
		x.node = query.Prefix{Field: x.field, Text: strings.ToUpper(word), Boost: x.boost, Scored: scored}
		x.match = func(t string) bool { return strings.HasPrefix(t, word) }
	case 1:
		pattern := []string{"W?5", "w*9", "w1*2", `w*\7`, "*3", "w??"}[rng.IntN(6)]
		same := regexp.MustCompile("^" + strings.NewReplacer("W", "w", "*", ".*", "?", ".", `\`, "").Replace(pattern) + "$")
		x.node, x.match = query.Wildcard{Field: x.field, Pattern: pattern, Boost: x.boost, Scored: scored}, same.MatchString
	case 2:
		pattern := []string{"w(1|2)[05]", "w[^1]{2}", "w.+8|w0", "[wv](12|3)?4*", "nothing"}[rng.IntN(5)]
		same := regexp.MustCompile("^(" + pattern + ")$")
		x.node, x.match = query.Regexp{Field: x.field, Pattern: pattern, Boost: x.boost, Scored: scored}, same.MatchString
	default:
		most, fixed := 1+rng.IntN(2), rng.IntN(3)
		x.node = query.Fuzzy{Field: x.field, Text: word, Edits: most, FixedPrefix: fixed, Boost: x.boost}
		if !scored {
			x.node = query.Const{Node: query.Fuzzy{Field: x.field, Text: word, Edits: most, FixedPrefix: fixed}, Score: x.boost}
		}
		x.match = func(t string) bool {
			return len(t) >= fixed && t[:fixed] == word[:fixed] && edits(word[fixed:], t[fixed:]) <= most
		}
	}
	return x
}

// leaves returns the terms that x stands for.
func (x *expansion) leaves(truth *oracle.Records, blend int) (all []oracle.Leaf) {
	for i, f := range []string{"title", "body", "notes"} {
		for _, t := range truth.Terms(f) {
			if (x.field == "" || x.field == f) && x.match(t) {
				all = append(all, oracle.Leaf{Field: f, Term: t, Boost: x.boost, Blend: 3*blend + i + 1})
			}
		}
	}
	return all
}

// Scored expansions, alone and beside words, give the hits of the oracle to the bit, with deleted documents and
// without them.
func TestExpansionsAgree(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(353, 1))
	docs := books(rng, 300)
	truth := oracle.NewRecords(shelved(), docs)
	draw := func(rng *rand.Rand) (query.Node, oracle.LeafQuery) {
		nodes, q := []query.Node{}, oracle.LeafQuery{}
		for blend := range 1 + rng.IntN(2) {
			x := drawExpansion(rng, true)
			nodes, q.Leaves = append(nodes, x.node), append(q.Leaves, x.leaves(truth, blend)...)
		}
		if rng.IntN(2) == 0 || len(q.Leaves) == 0 {
			w := fmt.Sprint("w", rng.IntN(20))
			nodes = append(nodes, query.Term{Field: "body", Text: w})
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: "body", Term: w, Boost: 1})
		}
		if len(nodes) == 1 {
			return nodes[0], q
		}
		return query.Bool{Should: nodes}, q
	}
	n := longtest.Count(15, 40)
	l := library(t, writer.Options{}, docs, 120)
	fieldsAgree(t, rng, l.Snapshot(), truth, n, draw)
	l.MergeAll()
	live := slices.DeleteFunc(slices.Clone(docs), func(r oracle.Record) bool { return r.Deleted })
	truth = oracle.NewRecords(shelved(), live)
	fieldsAgree(t, rng, l.Snapshot(), truth, n, draw)
}

// An expansion that stands for too many terms, is none or has no index is an error, and never a part of the answer.
func TestExpansionErrors(t *testing.T) {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "tag", Kind: schema.Keyword}, {Name: "text", Kind: schema.Text}}}, MergePolicy: writer.NoMerges})
	for d := range 2 * (query.MaxScored + 1) {
		v := []schema.Value{schema.KeywordValue(0, fmt.Append(nil, "t", d/2)), schema.TextValue(1, fmt.Append(nil, "x", d/2))}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: v}))
	}
	l.Do(l.Commit(t.Context()))
	find := func(n query.Node) (int, error) {
		s, err := search.NewSearcher(l.Snapshot(), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Search(t.Context(), search.Query{Node: n, K: 5000})
		return len(r.Hits), err
	}
	if n, err := find(query.Prefix{Field: "tag", Text: strings.Repeat("t", 1<<16)}); n > 0 || err != nil {
		t.Errorf("a prefix of 65,536 bytes: %d hits, %v", n, err)
	}
	for want, n := range map[string]query.Node{
		`there is no field "nope", but tag, text`:             query.Prefix{Field: "nope", Text: "a"},
		"nothing closes this (":                               query.Regexp{Field: "tag", Pattern: "(a"},
		`nothing follows \`:                                   query.Wildcard{Field: "tag", Pattern: `a\`},
		"3 edits behind 0 characters; 0, 1 or 2 are possible": query.Fuzzy{Field: "tag", Text: "a", Edits: 3},
		"1 edits behind -1 characters":                        query.Fuzzy{Field: "tag", Text: "a", Edits: 1, FixedPrefix: -1},
		"the boost is -1, not above 0":                        query.Fuzzy{Field: "tag", Text: "a", Boost: -1},
		"pattern is too complex":                              query.Regexp{Field: "tag", Pattern: "(a{1000}){1000}"},
	} {
		if _, err := find(n); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", n, err, want)
		}
	}
	s := l.Snapshot()
	fuzzy := search.Query{Node: query.Fuzzy{Field: "tag", Text: "t1", Edits: 2}}
	if _, _, err := search.NewParser(s).Terms(&fuzzy); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("terms without a Searcher: %v", err)
	}
	if q, err := search.NewParser(s).Complete([]search.Query{fuzzy}); err != nil || q[0].Node == nil {
		t.Errorf("%+v, %v", q, err)
	}
	if _, flat, err := search.NewParser(s).AppendWords(new(terms.Query), &fuzzy); flat || err != nil {
		t.Errorf("a Parser knows the terms: %v", err)
	}
	x, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if terms, _, err := x.Terms(&fuzzy); err != nil || len(terms) < 100 {
		t.Errorf("%d terms, %v", len(terms), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(ctx, fuzzy); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	x.Close()
	if _, err := x.Search(t.Context(), fuzzy); !errors.Is(err, query.ErrClosed) {
		t.Error(err)
	}
	if _, _, err := x.Terms(&fuzzy); !errors.Is(err, query.ErrClosed) {
		t.Error(err)
	}
}
