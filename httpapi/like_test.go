package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// What is similar over HTTP is what Index.Like finds, by a body, by a URL, in a batch and counted, and it goes on by pages.
func TestLike(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "body", Kind: schema.Text}, {Name: "tag", Kind: schema.Keyword, Column: true}, {Name: "v", Kind: schema.Vector, Dims: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for id, title := range map[string]string{"a": "red red shoes of leather", "b": "red leather", "c": "leather and shoes", "\xff": "a \xfered hat"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: id, Fields: map[string]any{"title": []byte(title), "body": "red", "tag": "t" + title[:1], "v": []float32{float32(len(title))}}}); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	ids := func(a httpapi.Response) string {
		var all []string
		for _, h := range a.Hits {
			all = append(all, fmt.Sprintf("%q %.3g", h.ID, h.Score))
		}
		return strings.Join(all, ", ")
	}
	for body, like := range map[string]pinion.Like{
		`{"ids": ["a"], "fields": ["title"]}`:                                      {IDs: []string{"a"}, Fields: []string{"title"}},
		`{"ids": ["a", {"base64": "/w=="}], "fields": ["title"], "terms": 2}`:      {IDs: []string{"a", "\xff"}, Fields: []string{"title"}, Terms: 2},
		`{"text": "red hats, and shoes"}`:                                          {Text: "red hats, and shoes"},
		`{"ids": ["b"], "text": "shoes", "fields": ["title", "tag"], "terms": 10}`: {IDs: []string{"b"}, Text: "shoes", Fields: []string{"title", "tag"}, Terms: 10},
		`{"text": "nothing has this"}`:                                             {Text: "nothing has this"},
	} {
		n, err := x.Like(t.Context(), like)
		if err != nil {
			t.Fatal(err)
		}
		page, err := x.Search(t.Context(), pinion.Request{Query: n})
		if err != nil {
			t.Fatal(err)
		}
		var want httpapi.Response
		for _, h := range page.Hits {
			want.Hits = append(want.Hits, httpapi.Hit{ID: httpapi.Text(h.ID), Score: h.Score})
		}
		whole := fmt.Sprintf(`{"like": %s}`, body)
		if got := ids(answer[httpapi.Response](t, s, "/v1/search", whole)); got != ids(want) {
			t.Errorf("%s: %s, want %s", body, got, ids(want))
		}
		of := ask(s, "/v1/search", whole).Body.String()
		if got := ask(s, "/v1/search?"+url.Values{"like": {body}}.Encode(), "").Body.String(); got != of {
			t.Errorf("%s in a URL: %s, want %s", body, got, of)
		}
		if got := ask(s, "/v1/search/batch", whole).Body.String(); got != of {
			t.Errorf("%s in a batch: %s, want %s", body, got, of)
		}
		if c := answer[httpapi.CountResponse](t, s, "/v1/count", whole); int(c.Count) != len(page.Hits) {
			t.Errorf("%s: %d documents, want %d", body, c.Count, len(page.Hits))
		}
		l := (&httpapi.Like{IDs: []httpapi.Text{}}).With(n)
		for _, id := range like.IDs {
			l.IDs = append(l.IDs, httpapi.Text(id))
		}
		known, err := json.Marshal(httpapi.Request{Like: l})
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(s, "/v1/search", string(known)).Body.String(); got != of {
			t.Errorf("%s: %s, want %s", known, got, of)
		}
	}
	first := answer[httpapi.Response](t, s, "/v1/search", `{"like": {"ids": ["a"], "fields": ["title"]}, "k": 1}`)
	if next := answer[httpapi.Response](t, s, "/v1/search", fmt.Sprintf(`{"like": {"ids": ["a"], "fields": ["title"]}, "after": %q}`, first.Next)); len(next.Hits) != 2 || next.Hits[0].ID == first.Hits[0].ID {
		t.Errorf("%s and then %s", ids(first), ids(next))
	}
	for _, h := range answer[httpapi.Response](t, s, "/v1/search", `{"like": {"ids": ["a"], "fields": ["title"]}, "nearest": {"field": "v", "vector": [1], "k": 9}}`).Hits {
		if h.ID == "a" {
			t.Error("what is beside like finds the document that is named")
		}
	}
	many := strings.TrimSuffix(strings.Repeat(`"a", `, pinion.MaxLike+1), ", ")
	for _, c := range []struct{ body, key string }{
		{`{"like": {"ids": ["a"]}}`, "like"}, // body is not stored
		{`{"like": {"ids": ["a", "none"], "fields": ["title"]}}`, "like.ids"},
		{`{"like": {}}`, "like"}, {`{"like": {"text": "red", "terms": 2000}}`, "like"}, {`{"like": {"text": "red", "fields": ["none"]}}`, "like"},
		{`{"like": {"text": "red"}, "q": "red"}`, "like"}, {`{"like": {"text": "red"}, "text": "red"}`, "like"},
		{`{"like": {"text": "red"}, "fuse": {"lists": [{"q": "red"}]}}`, "fuse"},
		{`{"like": {"text": "red", "words": {"title": ["red"]}}}`, "like.words"}, {`{"like": {"words": {"none": ["red"]}}}`, "like.words"}, {`{"like": {"words": {"v": ["red"]}}}`, "like.words"},
		{`{"like": {"words": {}, "ids": [` + many + `]}}`, "like.ids"}, {`{"like": {"ids": [` + many + `]}}`, "like"},
		{`{"like": {"id": "a"}}`, "like.id"},
	} {
		if code, e := refusal(t, s, "/v1/search", c.body); code != 400 || e.Field != c.key {
			t.Errorf("%.80s: %d %+v, want %s", c.body, code, e, c.key)
		}
	}
	if _, err := (&httpapi.Request{Like: &httpapi.Like{Text: "red"}}).Search(x.Schema()); httpapi.ErrorOf(err).Field != "like" {
		t.Errorf("words that are not known: %v", err)
	}
	if n := (&httpapi.Like{}).With(query.Bool{}); !n.Known() {
		t.Errorf("%+v is not known", n)
	}
}
