package httpapi_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// encoded returns a server over three documents with vectors, of steps of 1 and of 0.5.
func encoded(t *testing.T) *httpapi.Server {
	t.Helper()
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}, {Name: "tenant", Kind: schema.Keyword, Column: true},
		{Name: "vector", Kind: schema.Impacts}, {Name: "fine", Kind: schema.Impacts, Scale: 0.5}}}
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "v.idx"), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i, v := range [][]schema.Impact{{{Term: "whale", Weight: 100}, {Term: "sea", Weight: 2}}, {{Term: "sea", Weight: 50}}, {{Term: "ship", Weight: 255}}} {
		d := pinion.Doc{ID: fmt.Sprint("d", i), Values: []schema.Value{schema.TextValue(0, fmt.Append(nil, "text ", i)),
			schema.KeywordValue(1, fmt.Append(nil, "t", i%2)), schema.ImpactsValue(2, v), schema.ImpactsValue(3, v)}}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, httpapi.OfIndex(x), httpapi.Options{})
}

// TestVector searches for vectors, alone, beside words and with a filter, by a URL and by a body.
func TestVector(t *testing.T) {
	s := encoded(t)
	for _, c := range []struct{ vector, rest, want string }{
		{`{"field": "vector", "terms": {"whale": 1, "sea": 3}}`, "", "d1 150, d0 106"},
		{`{"field": "fine", "terms": {"whale": 1, "sea": 3}}`, "", "d1 75, d0 53"},
		{`{"field": "vector", "terms": {"whale": 0.5, "sea": 0.8}, "scale": 0.25}`, "", "d0 51.5, d1 37.5"},
		{`{"field": "vector", "terms": {"sea": 1, "none": 4}}`, `"filter": "tenant=t0"`, "d0 2"},
		{`{"field": "vector", "terms": {"ship": 1}}`, `"q": "*"`, "d2 256, d0 1, d1 1"},
		{`{"field": "vector", "terms": {"ship": 1}}`, `"q": "-text *"`, "d2 255"},
		{`{"field": "vector", "terms": {}}`, "", ""},
	} {
		body := `{"vector": ` + c.vector + "}"
		if c.rest != "" {
			body = strings.TrimSuffix(body, "}") + ", " + c.rest + "}"
		}
		a := answer[httpapi.Response](t, s, "/v1/search", body)
		var got []string
		for _, h := range a.Hits {
			got = append(got, fmt.Sprintf("%s %v", h.ID, h.Score))
		}
		want := strings.Split(c.want, ", ")
		if c.want == "" {
			want = nil
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
		if n := answer[httpapi.CountResponse](t, s, "/v1/count", body); int(n.Count) != len(want) {
			t.Errorf("%s: %d documents, want %d", body, n.Count, len(want))
		}
		if c.rest == "" {
			if u := ask(s, "/v1/search?vector="+url.QueryEscape(c.vector), ""); u.Body.String() != ask(s, "/v1/search", body).Body.String() {
				t.Errorf("%s in a URL: %d %s", c.vector, u.Code, u.Body)
			}
		}
	}
}

func TestVectorRefused(t *testing.T) {
	s := encoded(t)
	for _, c := range []struct{ path, body, field, message string }{
		{"/v1/search", `{"vector": {"field": "text", "terms": {"a": 1}}}`, "vector.field", `no field "text" of impacts`},
		{"/v1/search", `{"vector": {"terms": {"a": 1}}}`, "vector.field", `no field "" of impacts`},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": 1.5}}}`, "vector.terms", "fraction"},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": -1}}}`, "vector.terms", "weight -1"},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": 65793, "b": 1}}}`, "vector.terms", "add up to more than 65793"},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": 1}, "scale": -1}}`, "vector.scale", "-1"},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": "1"}}}`, "vector.terms.a", `is not a number`},
		{"/v1/search", `{"vector": {"field": "vector", "terms": {"a": 1, "\u0061": 2}}}`, "vector.terms", `"a" is there twice`},
		{"/v1/search", `{"vector": {"field": "vector", "terms": ["a"]}}`, "vector.terms", "not an object"},
		{"/v1/search", `{"vector": {"field": "vector", "weights": {}}}`, "vector.weights", "there is no such key, but field, terms, scale"},
		{"/v1/search", `{"vector": "whale"}`, "vector", "not an object"},
		{"/v1/search?vector=whale", "", "vector", "not JSON"},
		{"/v1/search?vector=" + url.QueryEscape(`{"field": "vector"} {}`), "", "vector", "behind it"},
		{"/v1/count", `{"vector": {"field": "none", "terms": {"a": 1}}}`, "vector.field", "none"},
	} {
		code, e := refusal(t, s, c.path, c.body)
		if code != 400 || e.Code != httpapi.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s %s: %d %+v, want %s: %s", c.path, c.body, code, e, c.field, c.message)
		}
	}
}
