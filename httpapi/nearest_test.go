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

// TestNearestVectors asks which vectors of hits were the nearest, of nodes beside each other and in lists.
func TestNearestVectors(t *testing.T) {
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "v.idx"), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text}, {Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityDot}, {Name: "w", Kind: schema.Vector, Dims: 1, Similarity: schema.SimilarityL2}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"text": "rose", "v": [][]float32{{0, 1}, {4, 0}, {1, 1}}, "w": []float32{2}}},
		pinion.Doc{ID: "b", Fields: map[string]any{"text": "rose thorn", "v": []float32{1, 0}}}, pinion.Doc{ID: "c", Fields: map[string]any{"text": "thorn"}}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	const near, similar = `"nearest": {"field": "v", "vector": [1, 2], "boost": 9}`, `"similarity": {"field": "w", "vector": [1]}`
	for _, c := range []struct{ request, want string }{
		{`{` + near + `}`, "a: , b: "},
		{`{` + near + `, "nearest_vectors": true}`, "a: v 1 5, b: v 0 2"},
		{`{"q": "*", ` + near + `, ` + similar + `, "nearest_vectors": true}`, "a: v 1 5 w 0 0.5, b: v 0 2, c: "},
		{`{"fuse": {"lists": [{"q": "thorn"}, {` + near + `}]}, "rescore": {` + similar + `}, "nearest_vectors": true}`, "a: v 1 5, b: v 0 2, c: "},
		{`{"q": "rose", "nearest_vectors": true}`, "a: , b: "},
	} {
		var got []string
		for _, h := range answer[httpapi.Response](t, s, "/v1/search", c.request).Hits {
			var all []string
			for _, n := range h.Nearest {
				all = append(all, fmt.Sprint(n.Field, " ", n.Number, " ", n.Score))
			}
			got = append(got, fmt.Sprint(h.ID, ": ", strings.Join(all, " ")))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.request, got, c.want)
		}
	}
	if a, b := ask(s, "/v1/search?nearest_vectors&nearest="+url.QueryEscape(`{"field": "v", "vector": [1, 2]}`), "").Body.String(), ask(s, "/v1/search", `{"nearest": {"field": "v", "vector": [1, 2]}, "nearest_vectors": true}`).Body.String(); a != b {
		t.Errorf("in a URL %s, in a body %s", a, b)
	}
}

// TestFewNearest bounds what is nearest and ranked, also where a request does not say how many.
func TestFewNearest(t *testing.T) {
	s := serve(t, failing{err: pinion.ErrClosed}, httpapi.Options{MaxK: 9})
	const near = `"nearest": {"field": "v", "vector": [1]}`
	for _, c := range []struct{ path, body, field string }{
		{"/v1/search", `{"k": 1, ` + near + `}`, "nearest.k"},
		{"/v1/count", `{` + near + `}`, "nearest.k"},
		{"/v1/search", `{"k": 1, "fuse": {"lists": [{"q": "a"}]}}`, "fuse.lists[0].k"},
		{"/v1/count", `{"fuse": {"lists": [{"q": "a"}]}}`, "fuse.lists[0].k"},
		{"/v1/search", `{"k": 1, "fuse": {"lists": [{"q": "a", "k": 9}, {"k": 9, "nearest": {"field": "v", "vector": [1], "k": 10}}]}}`, "fuse.lists[1].nearest.k"},
		{"/v1/search", `{"k": 1, "q": "a", "rescore": {"q": "b"}}`, "rescore.n"},
		{"/v1/search", `{"k": 1, "q": "a", "rescore": {"n": 9, "nearest": {"field": "v", "vector": [1], "k": 10}}}`, "rescore.nearest.k"},
	} {
		code, e := refusal(t, s, c.path, c.body)
		if code != 400 || e.Code != httpapi.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, "more than 9") {
			t.Errorf("%s %s: %d %+v, want %s", c.path, c.body, code, e, c.field)
		}
	}
	for _, body := range []string{`{"k": 1, "nearest": {"field": "v", "vector": [1], "k": 9}}`, `{"k": 1, "fuse": {"lists": [{"k": 9, ` + near + `}]}}`} {
		if r := ask(s, "/v1/search", body); r.Code != 503 {
			t.Errorf("%s: %d %s", body, r.Code, r.Body)
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
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "probe": 1.5}}`, "nearest.probe", "1.5"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "boost": -1}}`, "nearest.boost", "-1"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": {}}}`, "nearest.vector", "not an array"},
		{"/v1/search", `{"similarity": {"field": "v", "vector": [1, 1]}}`, "q", "it is missing"},
		{"/v1/search", `{"q": "*", "similarity": {"field": "tenant", "vector": [1, 1]}}`, "similarity.field", `no field "tenant" of vectors`},
		{"/v1/search", `{"nearest": {"field": "v", "text": "a", "vector": [1, 1]}}`, "nearest.text", "either a text or a vector"},
		{"/v1/search", `{"nearest": {"field": "v"}}`, "nearest.vector", "it is missing, as is text"},
		{"/v1/search", `{"q": "*", "similarity": {"field": "v"}}`, "similarity.vector", "it is missing, as is text"},
		{"/v1/search", `{"nearest": {"field": "v", "vector": [1, 1], "k": 1001}}`, "nearest.k", "more than 1000"},
		{"/v1/count", `{"nearest": {"field": "v", "vector": [1, 1], "k": 1001}}`, "nearest.k", "more than 1000"},
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
