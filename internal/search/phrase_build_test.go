package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "github.com/pinion-index/pinion/analysis/languages"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// What phrases mean of a text, its analyzer and terms, and what they refuse.
func TestPhraseNodes(t *testing.T) {
	sch := &schema.Schema{NextID: 5, Fields: []schema.Field{
		{ID: 1, Name: "body", Kind: schema.Text, Index: schema.IndexFreqs, Positions: true, Analyzer: "simple"},
		{ID: 2, Name: "stopped", Kind: schema.Text, Index: schema.IndexFreqs, Positions: true, Analyzer: "english"},
		{ID: 3, Name: "plain", Kind: schema.Text, Index: schema.IndexFreqs, Analyzer: "simple"},
		{ID: 4, Name: "shelf", Kind: schema.Keyword, Index: schema.IndexDocs},
	}}
	var docs []oracle.Record
	for _, text := range []string{"a b c d", "b a c d", "a x b c", "a a b", "flight to the moon", "flight moonlight", "new york", "new yorkshire"} {
		words := strings.Fields(text)
		d := oracle.Record{Terms: map[string][]string{"body": words, "plain": words, "shelf": {text}}, Places: map[string][]int{}}
		for i, w := range words {
			d.Places["body"] = append(d.Places["body"], i)
			if w != "to" && w != "the" && w != "a" {
				d.Terms["stopped"], d.Places["stopped"] = append(d.Terms["stopped"], w), append(d.Places["stopped"], i)
			}
		}
		docs = append(docs, d)
	}
	snapshot := placedIndex(t, sch, docs, bp128.Codec{}, 3)
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		node query.Node
		want string // the documents, or what the error says
	}{
		{query.Phrase{Field: "body", Text: "a b"}, "0 3"},
		{query.Phrase{Field: "body", Text: "a, B!"}, "0 3"},
		{query.Phrase{Field: "body", Terms: []string{"a", "b"}}, "0 3"},
		{query.Phrase{Field: "body", Terms: []string{"A", "b"}}, ""},
		{query.Phrase{Field: "body", Text: "a b", Slop: 1}, "0 2 3"},
		{query.Phrase{Field: "body", Text: "a b", Slop: 2}, "0 1 2 3"},
		{query.Phrase{Field: "body", Text: "a a"}, "3"},
		{query.Phrase{Field: "body", Text: "a nothing"}, ""},
		{query.Near{Field: "body", Text: "c b"}, "0 2"},
		{query.Near{Field: "body", Text: "c b", Ordered: true}, ""},
		{query.Near{Field: "body", Text: "b c", Ordered: true, Distance: 1}, "0 1 2"},
		{query.Near{Field: "body", Text: "d a b", Distance: 1}, "0 1"},
		{query.Phrase{Field: "stopped", Text: "flight to the moon"}, "4"},
		{query.Phrase{Field: "stopped", Text: "the flight of some moon"}, ""},
		{query.Phrase{Field: "stopped", Text: "flight moon", Slop: 2}, "4"},
		{query.Phrase{Field: "body", Text: "new yor", Prefix: true}, "6 7"},
		{query.Phrase{Field: "body", Text: "new yorks ", Prefix: true}, "7"},
		{query.Phrase{Field: "body", Terms: []string{"new", "yor"}, Prefix: true}, "6 7"},
		{query.Phrase{Field: "body", Text: "new z", Prefix: true}, ""},
		{query.Phrase{Field: "stopped", Text: "flight to the m", Prefix: true}, "4"},
		{query.Phrase{Field: "stopped", Text: "flight m", Prefix: true}, "5"},
		{query.Phrase{Field: "stopped", Text: "b the", Prefix: true}, ""}, // not all that begin with b
		{query.Phrase{Field: "body", Text: "moon", Prefix: true}, "4 5"},
		{query.Phrase{Field: "plain", Text: "york"}, "6"}, // one place needs no positions
		{query.Phrase{Field: "plain", Text: "york", Prefix: true}, "6 7"},
		{query.Phrase{Field: "shelf", Text: "a x b c"}, "2"},
		{query.Phrase{Text: "york"}, "6"},
		{query.Phrase{Field: "body"}, ""},
		{query.Bool{Must: []query.Node{query.Phrase{Field: "stopped", Text: "the"}, query.Phrase{Field: "body", Text: "c d"}}}, "0 1"},
		{query.Bool{Must: []query.Node{query.Phrase{Field: "body", Text: "c d"}}, MustNot: []query.Node{query.Phrase{Field: "body", Text: "b c"}}}, "1"},
		{query.Phrase{Field: "plain", Text: "a b"}, `phrase "a b": the field plain is indexed without positions`},
		{query.Near{Field: "plain", Terms: []string{"a", "b"}}, "the field plain is indexed without positions"},
		{query.Phrase{Text: "new york"}, "the field plain is indexed without positions"},
		{query.Phrase{Field: "shelf", Terms: []string{"a", "b"}}, "the field shelf is indexed without positions"},
		{query.Phrase{Field: "nowhere", Text: "a b"}, "no field"},
		{query.Phrase{Field: "body", Text: "a b", Terms: []string{"a"}}, "Text and Terms"},
		{query.Phrase{Field: "body", Text: "a b", Slop: -1}, "by -1 places"},
		{query.Near{Field: "body", Text: "a b", Distance: -1}, "by -1 places"},
		{query.Phrase{Field: "body", Text: "a b", Boost: -1}, `the boost is -1, not above 0 and up to 1e+06: "phrase \"a b\"" in field "body"`},
		{query.Bool{Should: []query.Node{query.Phrase{Field: "plain", Text: "a b"}}}, "at Should[0]"},
	} {
		r, err := s.Search(t.Context(), search.Query{Node: c.node, K: 100})
		if err != nil {
			if !errors.Is(err, query.ErrInvalid) || c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.node, err, c.want)
			}
			continue
		}
		var docs []uint32
		for _, h := range r.Hits {
			docs = append(docs, h.Doc)
		}
		slices.Sort(docs)
		if got := strings.Trim(fmt.Sprint(docs), "[]"); got != c.want {
			t.Errorf("%+v: %s, want %s", c.node, got, c.want)
		}
		if n, err := s.Count(t.Context(), search.Query{Node: c.node}); err != nil || int(n) != len(docs) {
			t.Errorf("%+v: %d matches, %v, want %d", c.node, n, err, len(docs))
		}
	}
	if _, _, err := search.NewParser(snapshot).Terms(&search.Query{Node: query.Phrase{Field: "body", Text: "a b", Prefix: true}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("a prefix without a snapshot: %v", err)
	}
}
