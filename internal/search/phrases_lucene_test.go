package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// slashes is an analyzer whose texts have places between spaces: words between slashes, or _ for none.
type slashes struct{}

func (slashes) Name() string                  { return "query_test slashes" }
func (slashes) Options() string               { return "" }
func (slashes) Tokenizer() analysis.Tokenizer { return slashes{} }

func (slashes) Tokenize(dst *analysis.Tokens, text []byte) {
	at, gap := 0, 0
	for place := range strings.SplitSeq(string(text), " ") {
		gap++
		if place != "_" {
			for w := range strings.SplitSeq(place, "/") {
				dst.Add(analysis.Token{Term: []byte(w), Start: at, End: at + len(w), Increment: gap})
				at, gap = at+len(w)+1, 0
			}
		} else {
			at += 2
		}
	}
}

// The engine finds what Lucene was seen to find. The collections are in one index, and each has its own words.
func TestPhrasesFindAsLucene(t *testing.T) {
	longtest.Once(t)
	analysis.Register("query_test slashes", func(string) (analysis.Analyzer, error) { return slashes{}, nil })
	all, err := oracle.LucenePhrases()
	if err != nil {
		t.Fatal(err)
	}
	own := func(words []string, collection int) []string {
		named := slices.Clone(words)
		for i := range named {
			named[i] += fmt.Sprint(collection)
		}
		return named
	}
	var docs []oracle.Record
	for c, r := range all {
		for _, doc := range r.Docs {
			x := oracle.Record{Terms: map[string][]string{}, Places: map[string][]int{}}
			for p, words := range doc {
				for _, w := range own(words, c) {
					x.Terms["text"], x.Places["text"] = append(x.Terms["text"], w), append(x.Places["text"], p)
				}
			}
			docs = append(docs, x)
		}
	}
	snapshot := placedIndex(t, &schema.Schema{NextID: 2, Fields: []schema.Field{
		{ID: 1, Name: "text", Kind: schema.Text, Analyzer: "query_test slashes", Index: schema.IndexFreqs, Positions: true}}}, docs, bp128.Codec{}, 500)
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, cases := 0, 0
	for c, r := range all {
		for i := range r.Cases {
			x := &r.Cases[i]
			var places []string
			for _, words := range x.Places {
				if len(words) == 0 {
					words = []string{"_"}
				} else {
					words = own(words, c)
				}
				places = append(places, strings.Join(words, "/"))
			}
			text := strings.Join(places, " ")
			var n query.Node = query.Phrase{Field: "text", Text: text, Slop: x.Slop}
			if x.Near {
				n = query.Near{Field: "text", Text: text, Distance: x.Slop, Ordered: x.Ordered}
			}
			var got []int
			for doc, err := range s.Matches(t.Context(), search.Query{Node: n}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, int(doc)-first)
			}
			if cases++; !slices.Equal(got, x.Matches) {
				t.Errorf("%v: %s: found %v", r.Docs, x.Text, got)
			}
		}
		first += len(r.Docs)
	}
	if cases < 5000 {
		t.Errorf("only %d cases", cases)
	}
}
