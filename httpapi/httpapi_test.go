package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// shop is the schema of the tests' index.
var shop = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Stored: true, Positions: true, Boost: 2},
	{Name: "body", Kind: schema.Text, Stored: true},
	{Name: "tag", Kind: schema.Keyword, Column: true},
	{Name: "price", Kind: schema.Integer, Column: true, Stored: true},
	{Name: "rank", Kind: schema.Float, Column: true},
	{Name: "ts", Kind: schema.Time, Column: true, Unit: schema.UnitSecond},
	{Name: "hidden", Kind: schema.Text},
}}

var words = []string{"rose", "thorn", "red", "white", "tulip", "garden", "Käse", "still", "waters"}

// product returns the document of a number.
func product(i int) pinion.Doc {
	text := func(n int) []byte {
		var b []byte
		for j := range n {
			b = append(append(b, words[(i*7+j*j*3+j)%len(words)]...), ' ')
		}
		return b
	}
	d := pinion.Doc{ID: fmt.Sprintf("p%d", i), Values: []schema.Value{
		schema.TextValue(0, text(2+i%3)), schema.TextValue(1, text(5+i%17)), schema.TextValue(6, []byte("secret")),
		schema.KeywordValue(2, []byte([]string{"a", "b", "c d"}[i%3])), schema.IntegerValue(3, int64(i%10)),
		schema.FloatValue(4, float64(i%5)/3), schema.TimeValue(5, time.Date(2026, 1, 1+i%20, 0, 0, 0, 0, time.UTC)),
	}}
	switch i % 11 {
	case 3:
		d.Values = d.Values[:3]
	case 5:
		d.ID = fmt.Sprintf("\xff%d", i)
	case 7:
		d.Values = append(d.Values, schema.KeywordValue(2, []byte("z\xfe")), schema.TextValue(1, []byte("second garden")))
	}
	return d
}

// open returns an index with products in several segments, some of which are deleted.
func open(t testing.TB, n int) *pinion.Index {
	t.Helper()
	x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "shop.idx"), pinion.Options{Schema: shop})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i := range n {
		if err := x.Add(t.Context(), product(i)); err != nil {
			t.Fatal(err)
		}
		if i%40 == 39 {
			if err := x.Delete(t.Context(), fmt.Sprintf("p%d", i-20)); err != nil {
				t.Fatal(err)
			}
			if err := x.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// serve returns a Server over a backend.
func serve(t testing.TB, b httpapi.Backend, o httpapi.Options) *httpapi.Server {
	t.Helper()
	s, err := httpapi.New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request to a handler. A body makes it a POST.
func ask(h http.Handler, path, body string) *httptest.ResponseRecorder {
	method := "GET"
	if body != "" {
		method = "POST"
	}
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// answer asks for what must be an answer, and reads it.
func answer[A any](t testing.TB, h http.Handler, path, body string) (a A) {
	t.Helper()
	w := ask(h, path, body)
	if w.Code != 200 {
		t.Fatalf("%s %s: %d %s", path, body, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%s %s: %v in %s", path, body, err, w.Body)
	}
	return a
}

// TestSearch searches in each way, by a URL and by a body.
func TestSearch(t *testing.T) {
	x := open(t, 200)
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	for _, c := range []struct{ url, body string }{
		{"q=rose", `{"q": "rose"}`},
		{"text=rose%20%2Bthorn&k=3", `{"text": "rose +thorn", "k": 3}`},
		{"q=title:rose&filter=price%20%3C%205&total", `{"q": "title:rose", "filter": "price < 5", "total": true}`},
		{"q=*&sort=-ts&sort=price", `{"q": "*", "sort": ["-ts", "price"]}`},
		{"q=rose&collapse=tag", `{"q": "rose", "collapse": "tag"}`},
		{"q=rose&static=rank", `{"q": "rose", "static": {"field": "rank"}}`},
		{"q=rose&k1=2&b=0", `{"q": "rose", "k1": 2, "b": 0}`},
		{"q=rose&scorer=inl2", `{"q": "rose", "scorer": "inl2"}`},
		{"q=rose&facets=tag", `{"q": "rose", "facets": [{"field": "tag"}]}`},
		{"q=rose&fields=title&fields=tag", `{"q": "rose", "fields": ["title", "tag"]}`},
		{"q=rose&values", `{"q": "rose", "values": true}`},
		{"q=rose&passages=", `{"q": "rose", "passages": {}}`},
		{"q=rose&passages=title", `{"q": "rose", "passages": {"field": "title"}}`},
		{"q=rose&offset=4&k=3", `{"q": "rose", "offset": 4, "k": 3}`},
	} {
		byURL, byBody := ask(s, "/v1/search?"+c.url, ""), ask(s, "/v1/search", c.body)
		if byURL.Code != 200 || byBody.Code != 200 || byURL.Body.String() != byBody.Body.String() {
			t.Errorf("%s: %d %s\n%s: %d %s", c.url, byURL.Code, byURL.Body, c.body, byBody.Code, byBody.Body)
		}
		if a := answer[httpapi.Response](t, s, "/v1/search", c.body); len(a.Hits) == 0 {
			t.Errorf("%s: no hits", c.body)
		}
	}
}

// TestPage compares pages over HTTP with those of the index, scores to the bit.
func TestPage(t *testing.T) {
	x := open(t, 200)
	s := httptest.NewServer(serve(t, httpapi.OfIndex(x), httpapi.Options{}))
	defer s.Close()
	for _, r := range []struct {
		body string
		want pinion.Request
	}{
		{`{"text": "rose garden", "k": 50}`, pinion.Request{Query: query.Match{Text: "rose garden"}, Limit: 50}},
		{`{"q": "+rose title:thorn^0.3", "k": 50, "total": true}`, pinion.Request{Limit: 50, Total: true, Query: query.Bool{
			Must: []query.Node{query.Match{Text: "rose"}}, Should: []query.Node{query.Match{Field: "title", Text: "thorn", Boost: 0.3}}}}},
		{`{"text": "rose", "k1": 0.5, "b": 0}`, pinion.Request{Query: query.Match{Text: "rose"}, K1: 0.5, B: query.Zero}},
		{`{"text": "rose", "k1": 0}`, pinion.Request{Query: query.Match{Text: "rose"}, K1: query.Zero}},
		{`{"text": "rose", "scorer": "bm25+"}`, pinion.Request{Query: query.Match{Text: "rose"}, Scorer: "bm25+"}},
		{`{"text": "rose", "static": {"field": "rank", "weight": 0.7}}`, pinion.Request{Query: query.Match{Text: "rose"}, Static: &pinion.Static{Field: "rank", Boost: 0.7}}},
		{`{"text": "rose", "static": {"field": "rank", "multiply": true}}`, pinion.Request{Query: query.Match{Text: "rose"}, Static: &pinion.Static{Field: "rank", Multiply: true}}},
	} {
		want, err := x.Search(t.Context(), r.want)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(s.URL+"/v1/search", "application/json", strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var got httpapi.Response
		if err := errorsOr(err, json.Unmarshal(data, &got)); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if len(got.Hits) != len(want.Hits) || len(got.Hits) == 0 || r.want.Total != (got.Total != nil && *got.Total == want.Total) {
			t.Fatalf("%s: %s, want %v", r.body, data, want)
		}
		for i, h := range got.Hits {
			if w := want.Hits[i]; h.Score != w.Score || h.Doc != w.Doc || string(h.ID) != string(w.ID) {
				t.Errorf("%s: hit %d is %v, want %v", r.body, i, h, w)
			}
		}
	}
}

func errorsOr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// failing is a Backend that answers with an error.
type failing struct {
	httpapi.Backend
	err error
}

func (f failing) Search(ctx context.Context, _ *httpapi.Request) (*httpapi.Response, error) {
	if f.err == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, f.err
}
