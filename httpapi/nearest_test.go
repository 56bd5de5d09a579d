package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// placed returns a server over four documents with vectors.
func placed(t *testing.T) *httpapi.Server {
	t.Helper()
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}, {Name: "tenant", Kind: schema.Keyword, Column: true},
		{Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityDot}}}
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "v.idx"), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i, v := range [][]float32{{1, 2}, {3, -1}, {0, 0}, {-5, 2}} {
		d := pinion.Doc{ID: fmt.Sprint("d", i), Values: []schema.Value{schema.TextValue(0, fmt.Append(nil, "text ", i)), schema.KeywordValue(1, fmt.Append(nil, "t", i%2)), schema.VectorValue(2, v)}}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, httpapi.OfIndex(x), httpapi.Options{})
}

// TestNearest searches for the nearest, alone, beside words and with a filter, by a URL and by a body.
func TestNearest(t *testing.T) {
	s := placed(t)
	for _, c := range []struct {
		nearest, rest, want string
		count               int
	}{
		{`{"field": "v", "vector": [1, 1], "k": 2}`, "", "d0 4, d1 3", 2},
		{`{"field": "v", "vector": [1, 1], "boost": 2}`, "", "d0 8, d1 6, d2 2, d3 0.5", 4},
		{`{"field": "v", "vector": [1, 1], "k": 1}`, `"filter": "tenant=t1"`, "d1 3", 1},
		{`{"field": "v", "vector": [1, 1], "k": 1}`, `"q": "*"`, "d0 5, d1 1, d2 1, d3 1", 4},
		{`{"field": "v", "vector": [1, 1], "k": 1}`, `"similarity": {"field": "v", "vector": [0, 1], "boost": 0.5}`, "d0 5.5", 1},
		{``, `"q": "*", "similarity": {"field": "v", "vector": [-1, 0]}`, "d3 7, d2 2, d0 1.5, d1 1.25", 4},
	} {
		body := "{" + c.rest + "}"
		if c.nearest != "" {
			body = strings.TrimSuffix(`{"nearest": `+c.nearest+", "+c.rest, ", ") + "}"
		}
		a := answer[httpapi.Response](t, s, "/v1/search", body)
		var got []string
		for _, h := range a.Hits {
			got = append(got, fmt.Sprintf("%s %v", h.ID, h.Score))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %v", body, got, c.want)
		}
		if strings.Contains(body, "similarity") {
			continue
		}
		if n := answer[httpapi.CountResponse](t, s, "/v1/count", body); int(n.Count) != c.count {
			t.Errorf("%s: %d documents, want %d", body, n.Count, c.count)
		}
		if u := ask(s, "/v1/search?nearest="+url.QueryEscape(c.nearest), ""); c.rest == "" && u.Body.String() != ask(s, "/v1/search", body).Body.String() {
			t.Errorf("%s in a URL: %d %s", c.nearest, u.Code, u.Body)
		}
	}
}

func TestNearestRefused(t *testing.T) {
	s := placed(t)
	for _, c := range []struct{ path, body, field, message string }{
		{"/v1/search", `{"nearest": {"field": "text", "vector": [1]}}`, "nearest.field", `no field "text" of vectors`},
		{"/v1/search", `{"nearest": {"vector": [1, 2]}}`, "nearest.field", `no field "" of vectors`},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1]}}`, "nearest.vector", "1 dimensions, in a field of 2"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1e300]}}`, "nearest.vector[1]", "is not a number"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, "2"]}}`, "nearest.vector[1]", "is not a number"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "k": 65537}}`, "nearest.k", "65537"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "k": -1}}`, "nearest.k", "-1"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "boost": -1}}`, "nearest.boost", "-1"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": {}}}`, "nearest.vector", "not an array"},
		{"/v1/search", `{"similarity": {"field": "v", "vector": [1, 1]}}`, "q", "it is missing"},
		{"/v1/search", `{"q": "*", "similarity": {"field": "tenant", "vector": [1, 1]}}`, "similarity.field", `no field "tenant" of vectors`},
		{"/v1/search", `{"nearest": {"field": "v", "text": "a", "vector": [1, 1]}}`, "nearest.text", "either a text or a vector"},
		{"/v1/search", `{"nearest": {"field": "v"}}`, "nearest.vector", "0 dimensions"},
		{"/v1/search", `{"nearest": {"field": "v", "text": "a"}}`, "", "here nothing embeds texts"},
		{"/v1/search?nearest=whale", "", "nearest", "not JSON"},
		{"/v1/count", `{"nearest": {"field": "none", "vector": [1]}}`, "nearest.field", "none"},
	} {
		code, e := refusal(t, s, c.path, c.body)
		if code != 400 || e.Code != httpapi.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s %s: %d %+v, want %s: %s", c.path, c.body, code, e, c.field, c.message)
		}
	}
}

// TestNearestText searches for what is nearest to a text, which the index embeds.
func TestNearestText(t *testing.T) {
	var fails error
	of := func(_ context.Context, texts []string) (all [][]float32, err error) {
		if fails != nil {
			return nil, fails
		}
		for _, text := range texts {
			all = append(all, []float32{float32(len(text)), 1})
		}
		return all, nil
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}, {Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityL2}}}
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "v.idx"), pinion.Options{Schema: s, Embed: []pinion.Embed{{Field: "v", From: []string{"text"}, Texts: of}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, text := range []string{"a", "aaa", "aaaaaa"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: text, Fields: map[string]any{"text": text}}); err != nil {
			t.Fatal(err)
		}
	}
	var seen error
	server := serve(t, httpapi.OfIndex(x), httpapi.Options{Observe: func(o httpapi.Observation) { seen = o.Err }})
	body := `{"nearest": {"field": "v", "text": "bbbb", "k": 1}}`
	if a := answer[httpapi.Response](t, server, "/v1/search", body); len(a.Hits) != 1 || a.Hits[0].ID != "aaa" || a.Hits[0].Score != 0.5 {
		t.Errorf("%+v", a)
	}
	if n := answer[httpapi.CountResponse](t, server, "/v1/count", body); n.Count != 1 {
		t.Errorf("%d documents", n.Count)
	}
	if a := answer[httpapi.Response](t, server, "/v1/search", `{"q": "*", "similarity": {"field": "v", "text": "cccccc"}}`); len(a.Hits) != 3 || a.Hits[0].ID != "aaaaaa" {
		t.Errorf("%+v", a)
	}
	for _, cause := range []error{nil, pinion.ErrInvalid, errors.ErrUnsupported, pinion.ErrClosed} {
		fails = errors.Join(errors.New("https://key@model.example is down"), cause)
		code, e := refusal(t, server, "/v1/search", `{"nearest": {"field": "v", "text": "new"}}`)
		if code != 502 || e.Code != httpapi.CodeEmbed || strings.Contains(e.Message, "example") || !errors.Is(seen, pinion.ErrEmbed) {
			t.Errorf("a model that is down, %v: %d %+v, %v", cause, code, e, seen)
		}
	}
}
