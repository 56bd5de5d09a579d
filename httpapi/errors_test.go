package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// refusal asks for what is no answer, and reads why.
func refusal(t *testing.T, h http.Handler, path, body string) (int, httpapi.Error) {
	t.Helper()
	w := ask(h, path, body)
	var e httpapi.ErrorBody
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == nil || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%s %s: %d %s", path, body, w.Code, w.Body)
	}
	return w.Code, *e.Error
}

// What people type is read, and the answer says what is words; in strict requests it is refused.
func TestTyped(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 10)), httpapi.Options{})
	for path, want := range map[string]string{
		"/v1/search?q=John+3:16+-":           `"words":["3:16","-"]`,
		"/v1/search?q=%22red+rose%22+(tulip": `"words":["(tulip"]`,
		"/v1/search?q=rose":                  `"hits":[`,
		"/v1/count?q=rose+AND":               `"count":`,
	} {
		w := ask(s, path, "")
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, want) || strings.Contains(body, "words") != strings.Contains(want, "words") {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
		if w := ask(s, path+"&strict", ""); (w.Code == 400) != (path != "/v1/search?q=rose") {
			t.Errorf("%s, strict: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestRefused asks for what cannot be answered. The error names the key.
func TestRefused(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 30)), httpapi.Options{MaxK: 100})
	for _, c := range []struct{ path, body, field, message string }{
		{"/v1/search", "{}", "q", "it is missing"},
		{"/v1/search", `{"q": ""}`, "q", "it is missing"},
		{"/v1/search?q=", "", "q", "it is missing"},
		{"/v1/search", `{"q": "a", "text": "b"}`, "text", "either"},
		{"/v1/search", `{"q": "(rose", "strict": true}`, "q", "at"},
		{"/v1/search", `{"q": "nothing:rose", "strict": true}`, "q", `"nothing`},
		{"/v1/search", `{"q": "\"red rose\"", "strict": true}`, "q", "indexed without positions"},
		{"/v1/search", `{"q": "title:\"red rose\"", "strict": true, "filter": "price <"}`, "filter", "value"},
		{"/v1/search", `{"q": "*", "filter": "title = a"}`, "filter", "title"},
		{"/v1/search", `{"Q": "rose"}`, "Q", "there is no such key, but q, text"},
		{"/v1/search", `{"q": "rose", "q": "thorn"}`, "q", "twice"},
		{"/v1/search", `{"q": 1}`, "q", "1 is not a string"},
		{"/v1/search", `{"q": "rose", "k": "3"}`, "k", `"3" is not a whole number`},
		{"/v1/search", `{"q": "rose", "k1": -1}`, "k1", "k1 is -1, not within 0 and 1e6"},
		{"/v1/search", `{"q": "rose", "b": 1.5}`, "b", "b is 1.5, not within 0 and 1"},
		{"/v1/search", `{"q": "rose", "scorer": "bm26"}`, "scorer", `no scorer "bm26", but bm25, bm25+, inl2`},
		{"/v1/search?q=rose&b=x", "", "b", `"x" is not a number`},
		{"/v1/search?q=rose&b=NaN", "", "b", "not within 0 and 1"},
		{"/v1/search", `{"q": "rose", "k": 1.5}`, "k", "1.5 is not a whole number"},
		{"/v1/search", `{"q": "rose", "k": -1}`, "k", "-1"},
		{"/v1/search", `{"q": "rose", "k": 101}`, "k", "more than 100"},
		{"/v1/search", `{"q": "rose", "k": 99999999999999999999}`, "k", "not a whole number"},
		{"/v1/search", `{"q": "rose", "offset": -1}`, "offset", "-1"},
		{"/v1/search", `{"q": "rose", "offset": 91}`, "offset", "more than 100 together"},
		{"/v1/search", `{"q": "rose", "k": -9223372036854775808, "offset": 9223372036854775807}`, "offset", ""},
		{"/v1/search", `{"q": "rose", "total": 1}`, "total", "not a boolean"},
		{"/v1/search", `{"q": "rose", "sort": "ts"}`, "sort", "not an array"},
		{"/v1/search", `{"q": "rose", "sort": ["ts", "-nothing"]}`, "sort[1]", `no field "nothing"`},
		{"/v1/search", `{"q": "rose", "sort": ["title"]}`, "sort[0]", "no column"},
		{"/v1/search", `{"q": "rose", "sort": ["-_score"]}`, "sort[0]", `no field "_score"`},
		{"/v1/search", `{"q": "rose", "sort": ["_score", "_score"]}`, "", "twice"},
		{"/v1/search", `{"q": "rose", "sort": ["_score"], "after": "` + httpapi.FormatAfter(&afterPrice) + `"}`, "after", "sorted in another way"},
		{"/v1/search", `{"q": "rose", "sort": ["ts", 1]}`, "sort[1]", "not a string"},
		{"/v1/search", `{"q": "rose", "sort": ["ts","ts","ts","ts","ts","ts","ts","ts","ts"]}`, "sort", "more than 8"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "tag"}, {"field": "tag", "size": 3}]}`, "facets[1].size", "there is no such key, but field, k"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "body"}]}`, "facets[0].field", "no column"},
		{"/v1/search", `{"q": "rose", "facets": [{}]}`, "facets[0].field", `no field ""`},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "tag", "k": -2}]}`, "facets[0].k", "-2"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "price", "ranges": ["1..2", "x"]}]}`, "facets[0].ranges[1]", "x"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "price", "ranges": ["<3 or price > 5"]}]}`, "facets[0].ranges[0]", "not a range"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "ts", "every": "soon"}]}`, "facets[0].every", "soon"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "ts", "every": "-1h"}]}`, "facets[0].every", "not above 0"},
		{"/v1/search", `{"q": "rose", "facets": [{"field": "price"}]}`, "", "counted by ranges, or in buckets of some width"},
		{"/v1/search", `{"q": "rose", "collapse": "title"}`, "collapse", "no column"},
		{"/v1/search", `{"q": "rose", "static": {"field": "title"}}`, "static.field", "no column"},
		{"/v1/search", `{"q": "rose", "static": {"field": "rank", "weight": -1}}`, "static.weight", "-1"},
		{"/v1/search", `{"q": "rose", "static": "rank"}`, "static", "not an object"},
		{"/v1/search", `{"q": "rose", "after": "page 2"}`, "after", "not the next"},
		{"/v1/search", `{"q": "rose", "sort": ["ts"], "after": "` + httpapi.FormatAfter(&afterScore) + `"}`, "after", "sorted in another way"},
		{"/v1/search", `{"q": "rose", "sort": ["ts"], "after": "` + httpapi.FormatAfter(&afterPrice) + `"}`, "after", "sorted in another way"},
		{"/v1/search", `{"q": "rose", "offset": 1, "after": "` + httpapi.FormatAfter(&afterScore) + `"}`, "offset", "either"},
		{"/v1/search", `{"q": "rose", "fields": ["nothing"]}`, "fields[0]", `no field "nothing"`},
		{"/v1/search", `{"q": "rose", "fields": ["hidden"]}`, "fields[0]", "not stored"},
		{"/v1/search", `{"q": "rose", "fields": ["title", "title"]}`, "fields[1]", "twice"},
		{"/v1/search", `{"q": "rose", "fields": ["title"], "values": true}`, "values", "or those of fields"},
		{"/v1/search", `{"q": "rose", "passages": {"field": "hidden"}}`, "passages.field", "no text that is stored"},
		{"/v1/search", `{"q": "rose", "passages": {"field": "none"}}`, "passages.field", "no field"},
		{"/v1/search", `{"q": "rose", "passages": {"length": -1}}`, "passages.length", "-1"},
		{"/v1/search", `{"q": "rose"} {}`, "", "behind the request"},
		{"/v1/search", `{"q": "rose"`, "", "not JSON"},
		{"/v1/search", `["rose"]`, "", "not an object"},
		{"/v1/search", " ", "", "no JSON object"},
		{"/v1/search", "{\"q\": \"\xff\"}", "", "not UTF-8"},
		{"/v1/search?k=3", `{"q": "rose"}`, "k", "a POST takes no parameter"},
		{"/v1/search?query=rose", "", "query", "there is no such parameter, but q, text"},
		{"/v1/search?q=rose&q=thorn", "", "q", "twice"},
		{"/v1/search?q=rose&k=many", "", "k", `"many" is not a whole number`},
		{"/v1/search?q=rose&total=perhaps", "", "total", "not a boolean"},
		{"/v1/search?q=%ff", "", "q", "not UTF-8"},
		{"/v1/search?q=rose&timeout=soon", "", "timeout", "200ms"},
		{"/v1/search?q=rose&timeout=-1s", "", "timeout", "above 0"},
		{"/v1/count?filter=price%3D1", "", "q", "missing"},
		{"/v1/count?q=rose&k=3", "", "k", "no such parameter, but q, text, filter"},
		{"/v1/suggest?field=none&prefix=a", "", "field", "no field"},
		{"/v1/suggest?field=title&prefix=a&k=-1", "", "k", "-1"},
		{"/v1/suggest?field=title&prefix=a&k=101", "", "k", "101"},
		{"/v1/suggest?field=price&prefix=a", "", "", "price"},
		{"/v1/index?timeout=x", "", "timeout", "200ms"},
		{"/v1/search/batch?timeout=0s", "{}", "timeout", "above 0"},
	} {
		code, e := refusal(t, s, c.path, c.body)
		if code != 400 || e.Code != httpapi.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s %s: %d %+v, want %s: %s", c.path, c.body, code, e, c.field, c.message)
		}
	}
}

// TestStatus provokes each status but 200 and 400.
func TestStatus(t *testing.T) {
	closed := open(t, 3)
	closed.Close()
	with := func(err error) httpapi.Backend { return failing{err: err} }
	const token = "0123456789abcdef"
	for _, c := range []struct {
		name         string
		backend      httpapi.Backend
		o            httpapi.Options
		method, path string
		body         string
		header       string
		status       int
		code         string
	}{
		{name: "no path", path: "/v2/search", status: 404, code: httpapi.CodeNotFound},
		{name: "root", path: "/", status: 404, code: httpapi.CodeNotFound},
		{name: "method", method: "DELETE", path: "/v1/search", status: 405, code: httpapi.CodeMethod},
		{name: "GET of a batch", path: "/v1/search/batch", status: 405, code: httpapi.CodeMethod},
		{name: "large", method: "POST", path: "/v1/search", body: strings.Repeat(" ", 101), o: httpapi.Options{MaxBody: 100}, status: 413, code: httpapi.CodeTooLarge},
		{name: "large batch", method: "POST", path: "/v1/search/batch", body: strings.Repeat("\n", 101), o: httpapi.Options{MaxBody: 100}, status: 413, code: httpapi.CodeTooLarge},
		{name: "long batch", method: "POST", path: "/v1/search/batch", body: "{}\n{}\n{}\n", o: httpapi.Options{MaxBatch: 2}, status: 413, code: httpapi.CodeTooLarge},
		{name: "deadline", path: "/v1/search?q=a", backend: with(nil), o: httpapi.Options{Deadline: time.Millisecond}, status: 504, code: httpapi.CodeDeadline},
		{name: "deadline of the client", path: "/v1/search?q=a&timeout=1ms", backend: with(nil), status: 504, code: httpapi.CodeDeadline},
		{name: "closed", path: "/v1/search?q=a", backend: httpapi.OfIndex(closed), status: 503, code: httpapi.CodeUnavailable},
		{name: "closed is not ready", path: "/readyz", backend: httpapi.OfIndex(closed), status: 503, code: httpapi.CodeUnavailable},
		{name: "the backend's own", path: "/v1/search?q=a", backend: with(fmt.Errorf("router: %w", &httpapi.Error{Status: 503, Code: "shard", Message: "shard 3 is missing"})), status: 503, code: "shard"},
		{name: "damage", path: "/v1/search?q=a", backend: with(fmt.Errorf("secret path: %w", format.ErrCorrupt)), status: 500, code: httpapi.CodeInternal},
		{name: "fault of the program", path: "/v1/search?q=a", backend: with(&store.PanicError{Value: "secret"}), status: 500, code: httpapi.CodeInternal},
		{name: "too many terms", path: "/v1/search?q=a", backend: with(query.ErrTooManyTerms), status: 400, code: httpapi.CodeInvalid},
		{name: "unsupported", path: "/v1/search?q=a", backend: with(errors.ErrUnsupported), status: 400, code: httpapi.CodeInvalid},
		{name: "canceled", path: "/v1/search?q=a", backend: with(context.Canceled), status: 499, code: httpapi.CodeCanceled},
		{name: "file closed", path: "/v1/search?q=a", backend: with(fs.ErrClosed), status: 503, code: httpapi.CodeUnavailable},
		{name: "no token", path: "/v1/search?q=a", o: httpapi.Options{Tokens: []string{token}}, status: 401, code: httpapi.CodeToken},
		{name: "no token for metrics", path: "/metrics", o: httpapi.Options{Tokens: []string{token}}, status: 401, code: httpapi.CodeToken},
		{name: "no token for no path", path: "/", o: httpapi.Options{Tokens: []string{token}}, status: 401, code: httpapi.CodeToken},
		{name: "wrong token", path: "/metrics", header: "Bearer 0123456789abcdeF", o: httpapi.Options{Tokens: []string{token}}, status: 401, code: httpapi.CodeToken},
		{name: "wrong scheme", path: "/metrics", header: "Basic " + token, o: httpapi.Options{Tokens: []string{token}}, status: 401, code: httpapi.CodeToken},
		{name: "token", path: "/metrics", header: "bearer " + token, o: httpapi.Options{Tokens: []string{"another one of them", token}}, status: 200},
		{name: "health without token", path: "/healthz", o: httpapi.Options{Tokens: []string{token}}, status: 200},
		{name: "rebound", path: "http://evil.example/v1/search?q=a", status: 421, code: httpapi.CodeHost},
		{name: "own host", path: "http://search.example:80/metrics", o: httpapi.Options{Hosts: []string{"search.example"}}, status: 200},
		{name: "address", path: "http://[::1]:8080/metrics", status: 200},
		{name: "any host with a token", path: "http://search.example/metrics", header: "Bearer " + token, o: httpapi.Options{Tokens: []string{token}}, status: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.backend == nil {
				c.backend = failing{err: errors.New("never asked")}
			}
			var seen httpapi.Observation
			c.o.Observe = func(o httpapi.Observation) { seen = o }
			r := httptest.NewRequest(or(c.method, "GET"), c.path, strings.NewReader(c.body))
			if !strings.HasPrefix(c.path, "http:") {
				r.Host = "127.0.0.1:8080"
			}
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			w := httptest.NewRecorder()
			serve(t, c.backend, c.o).ServeHTTP(w, r)
			var e httpapi.ErrorBody
			if c.status != 200 {
				if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == nil || e.Error.Code != c.code {
					t.Errorf("it is answered %s", w.Body)
				}
				if seen.Err == nil {
					t.Error("no error was observed")
				}
			}
			if w.Code != c.status || seen.Status != c.status {
				t.Errorf("status %d, observed as %d, want %d: %s", w.Code, seen.Status, c.status, w.Body)
			}
			if strings.Contains(w.Body.String(), "secret") {
				t.Errorf("clients are told %s", w.Body)
			}
		})
	}
}

// An index of which no field is indexed answers everything but words.
func TestNoIndexedField(t *testing.T) {
	x, err := pinion.Open(t.Context(), t.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i, level := range []string{"error", "warn"} {
		d := pinion.Doc{ID: string(rune('a' + i)), Values: []schema.Value{schema.KeywordValue(0, []byte(level)), schema.IntegerValue(1, int64(2+i))}}
		if err := errors.Join(x.Add(t.Context(), d), x.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	for _, c := range []struct{ path, body, want string }{
		{"/v1/search", `{"q": "n:>2"}`, `"id":"b"`},
		{"/v1/search", `{"q": "level:warn", "values": true}`, `"level":["warn"]`},
		{"/v1/search", `{"q": "*", "filter": "n >= 3", "facets": [{"field": "level"}], "sort": ["-n"], "collapse": "level", "total": true}`, `"id":"b"`},
		{"/v1/search", `{"q": "*", "sort": ["_score", "-n"], "k": 1}`, `"score":1,"sort":[1,3]`},
		{"/v1/search/batch", `{"q": "n:>2"}` + "\n", `"id":"b"`},
		{"/v1/count?q=*", "", "2"},
		{"/v1/index", "", `"level"`},
	} {
		if w := ask(s, c.path, c.body); w.Code != 200 || !strings.Contains(w.Body.String(), c.want) || strings.Contains(w.Body.String(), `"error":`) {
			t.Errorf("%s %s: %d %s, want %s", c.path, c.body, w.Code, w.Body, c.want)
		}
	}
	for _, q := range []string{"warn", `\"a b\"`, "wa*"} {
		if code, e := refusal(t, s, "/v1/search", `{"q": "`+q+`"}`); code != 400 || !strings.Contains(e.Message, "no field of text") {
			t.Errorf("%s: %d %+v", q, code, e)
		}
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Requests are not changed by what answers them: many may be answered by one.
func TestRequestStays(t *testing.T) {
	b := httpapi.OfIndex(open(t, 5))
	r := httpapi.Request{Query: "rose 10:30 -"}
	before := r
	a, err := b.Search(t.Context(), &r)
	if err != nil || !slices.Equal(a.Words, []string{"10:30", "-"}) {
		t.Fatalf("%+v, %v", a, err)
	}
	if !reflect.DeepEqual(r, before) {
		t.Errorf("%+v was %+v", r, before)
	}
}
