package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// TestComplete completes texts over HTTP, and refuses what cannot be.
func TestComplete(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english"}, {Name: "words", Kind: schema.Text, Analyzer: "simple", Of: "title"},
		{Name: "tag", Kind: schema.Keyword, Column: true}, {Name: "sold", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i, title := range []string{"Running shoes", "Red running shoe", "Red shorts", "Shoelaces"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"title": title, "tag": "a", "sold": 10 * i}}); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	for body, want := range map[string]string{
		`{"field": "title", "text": "red sho"}`:                                     `{"terms":[{"term":"shoe","df":1,"text":"red shoe"},{"term":"shorts","df":1,"text":"red shorts"}]}`,
		`{"field": "words", "text": "sho", "by": "sold", "k": 2}`:                   `{"terms":[{"term":"shoelaces","df":1,"text":"shoelaces","value":30},{"term":"shorts","df":1,"text":"shorts","value":20}]}`,
		`{"field": "title", "text": "shose", "filter": "sold < 10"}`:                `{"terms":[{"term":"shoes","df":1,"text":"shoes","slip":true}]}`,
		`{"field": "title", "text": "shose", "filter": "sold < 10", "exact": true}`: `{"terms":[]}`,
		`{"field": "title", "text": " "}`:                                           `{"terms":[]}`,
	} {
		if w := ask(s, "/v1/suggest", body); strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: %d %s, want %s", body, w.Code, w.Body, want)
		}
	}
	for _, c := range []struct{ body, key string }{
		{`{"field": "title", "text": "a", "prefix": "b"}`, "text"}, {`{"field": "title", "prefix": "a", "filter": "sold < 1"}`, "filter"},
		{`{"field": "title", "by": "sold"}`, "by"}, {`{"field": "title", "exact": true}`, "exact"}, {`{"field": "none", "text": "a"}`, "field"},
		{`{"field": "title", "text": "a", "by": "tag"}`, "by"}, {`{"field": "title", "text": "a", "by": "none"}`, "by"}, {`{"field": "title", "text": "a", "filter": "sold <"}`, "filter"},
	} {
		if code, e := refusal(t, s, "/v1/suggest", c.body); code != 400 || e.Field != c.key {
			t.Errorf("%s: %d %+v, want %s", c.body, code, e, c.key)
		}
	}
	if w := ask(s, "/v1/suggest?field=title&text=red+sh&exact", ""); !strings.Contains(w.Body.String(), `"text":"red shoe"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
