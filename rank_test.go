package pinion

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// ranksBy returns a schema with parameters and a weight.
func ranksBy(k1, b, boost float64) *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, K1: k1, B: b, Boost: boost}, {Name: "body", Kind: schema.Text, K1: k1, B: b}}}
}

func rankedDocs(n int) (docs []Doc) {
	words := []string{"rose", "vase", "red", "the"}
	for i := range n {
		title, body := words[i%4], ""
		for j := range 1 + i%9 {
			body += words[(i*j+j)%4] + " "
		}
		docs = append(docs, Doc{ID: fmt.Sprint(i), Fields: map[string]any{"title": title, "body": body}})
	}
	return docs
}

// A request with k1 and b, 0 among them, has the page of an index whose schema says so, also where pages of other ones are cached.
func TestRequestParams(t *testing.T) {
	open := func(s *schema.Schema) *Index {
		x, err := Open(t.Context(), t.TempDir(), Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		if err := x.Add(t.Context(), rankedDocs(60)...); err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := open(ranksBy(0.9, 0.4, 2))
	for _, p := range []query.Params{{}, {K1: 2}, {B: query.Zero}, {K1: query.Zero, B: 1}, {K1: 0.9, B: 0.4}} {
		k1, b := 0.9, 0.4
		if p.K1 != 0 {
			k1 = p.K1
		}
		if p.B != 0 {
			b = p.B
		}
		want, err := open(ranksBy(k1, b, 2)).Search(t.Context(), Request{Query: query.Match{Text: "red vase"}})
		if err != nil || len(want.Hits) == 0 {
			t.Fatalf("%+v, %v", want, err)
		}
		for range 3 {
			got, err := x.Search(t.Context(), Request{Query: query.Match{Text: "red vase"}, K1: p.K1, B: p.B})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %+v, %v, want %+v", p, got, err, want)
			}
		}
	}
	for _, r := range []Request{{K1: -1}, {B: 2}} {
		r.Query = query.All{}
		if _, err := x.Search(t.Context(), r); !errors.Is(err, query.ErrParams) || !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// k1, b and weights are those of the schema that the index was opened with last, in it and in readers of it, whatever it was built
// with.
func TestRankingOfSchema(t *testing.T) {
	dir, want := t.TempDir(), map[float64]Page{}
	for _, boost := range []float64{1, 5} {
		fresh, err := Open(t.Context(), t.TempDir(), Options{Schema: ranksBy(boost, 0.5/boost, boost)})
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.Add(t.Context(), rankedDocs(60)...); err != nil {
			t.Fatal(err)
		}
		if want[boost], err = fresh.Search(t.Context(), Request{Query: query.Match{Text: "red vase"}}); err != nil {
			t.Fatal(err)
		}
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var r *Reader
	for i, boost := range []float64{1, 5, 1} {
		x, err := Open(t.Context(), dir, Options{Schema: ranksBy(boost, 0.5/boost, boost)})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := x.Add(t.Context(), rankedDocs(60)...); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := x.Search(t.Context(), Request{Query: query.Match{Text: "red vase"}}); err != nil || !reflect.DeepEqual(got, want[boost]) {
			t.Errorf("opened with %v: %+v, %v, want %+v", boost, got, err, want[boost])
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			if r, err = OpenReader(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
		}
		if got, err := r.Search(t.Context(), Request{Query: query.Match{Text: "red vase"}}); err != nil || !reflect.DeepEqual(got, want[boost]) {
			t.Errorf("a reader, %v: %+v, %v, want %+v", boost, got, err, want[boost])
		}
	}
}

// A request with a scorer has the page of an index whose options name it, also where pages of others are cached.
func TestRequestScorer(t *testing.T) {
	open := func(p query.Params) *Index {
		x, err := Open(t.Context(), t.TempDir(), Options{Schema: ranksBy(0.9, 0.4, 2), Params: p})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		if err := x.Add(t.Context(), rankedDocs(60)...); err != nil {
			t.Fatal(err)
		}
		return x
	}
	r := Request{Query: query.Match{Text: "red vase"}}
	x, scores := open(query.Params{}), map[float32]string{}
	for _, name := range []string{"bm25", "bm25+", "inl2"} {
		want, err := open(query.Params{Scorer: name}).Search(t.Context(), r)
		if err != nil || len(want.Hits) == 0 {
			t.Fatalf("%+v, %v", want, err)
		}
		if other, ok := scores[want.Hits[0].Score]; ok {
			t.Errorf("%s scores as %s", name, other)
		}
		scores[want.Hits[0].Score] = name
		for range 3 {
			with := r
			with.Scorer = name
			if got, err := x.Search(t.Context(), with); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
			}
		}
	}
	r.Scorer = "bm26"
	if _, err := x.Search(t.Context(), r); !errors.Is(err, ErrInvalid) {
		t.Errorf("an unknown scorer: %v", err)
	}
}
