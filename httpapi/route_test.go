package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

var (
	afterScore = pinion.After{Score: 1.5, ID: "p1"}
	afterPrice = pinion.After{ID: "p1", Sort: []schema.Value{schema.IntegerValue(0, 3)}}
)

// TestOthers asks for everything but pages of hits.
func TestOthers(t *testing.T) {
	x := open(t, 60)
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
	total := *answer[httpapi.Response](t, s, "/v1/search?q=rose&total", "").Total
	for _, c := range []struct{ path, body string }{{"/v1/count?q=rose", ""}, {"/v1/count", `{"text": "rose"}`}} {
		if n := answer[httpapi.CountResponse](t, s, c.path, c.body).Count; n != total || n == 0 {
			t.Errorf("%s %s counts %d of %d", c.path, c.body, n, total)
		}
	}
	if n := answer[httpapi.CountResponse](t, s, "/v1/count?q=*&filter=price%3D3", "").Count; n == 0 || n > 6 {
		t.Errorf("a filter leaves %d", n)
	}
	want := `{"terms":[{"term":"thorn","df":`
	for _, c := range []struct{ path, body string }{{"/v1/suggest?field=body&prefix=Th&k=1", ""}, {"/v1/suggest", `{"field": "body", "prefix": "th", "k": 1}`}} {
		if w := ask(s, c.path, c.body); w.Code != 200 || !strings.HasPrefix(w.Body.String(), want) {
			t.Errorf("%s %s: %d %s, want %s", c.path, c.body, w.Code, w.Body, want)
		}
	}
	if w := ask(s, "/v1/suggest?field=body&prefix=xyz", ""); w.Body.String() != "{\"terms\":[]}\n" {
		t.Errorf("nothing is suggested as %s", w.Body)
	}
	sum := answer[httpapi.Summary](t, s, "/v1/index", "")
	if _, ok := sum.Schema.Field("title"); !ok || sum.Documents != 59 || sum.Commit == 0 || sum.Segments == 0 {
		t.Errorf("the index is %+v", sum)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if w := ask(s, path, ""); w.Code != 200 || w.Body.String() != "{\"status\":\"ok\"}\n" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if doc := answer[map[string]any](t, s, "/openapi.json", ""); doc["openapi"] != "3.1.0" {
		t.Errorf("openapi.json begins with %v", doc["openapi"])
	}
	head := httptest.NewRecorder()
	r := httptest.NewRequest("HEAD", "http://localhost/v1/search?q=rose", nil)
	if s.ServeHTTP(head, r); head.Code != 200 {
		t.Errorf("HEAD: %d", head.Code)
	}
}

// TestFacets compares what is counted with what the index counts.
func TestFacets(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 60)), httpapi.Options{})
	a := answer[httpapi.Response](t, s, "/v1/search", `{"q": "*", "k": 1, "facets": [{"field": "tag", "k": 1}, {"field": "price", "ranges": ["<5", "5..7", "= 9"]}, {"field": "price", "every": "5"}, {"field": "ts", "every": "240h"}]}`)
	got, err := json.Marshal(a.Facets)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"field":"tag","counts":[{"value":"a","count":18}],"missing":6},` +
		`{"field":"price","counts":[{"range":"\u003c5","count":28},{"range":"5..7","count":15},{"range":"= 9","count":5}],"missing":6},` +
		`{"field":"price","counts":[{"value":0,"count":28},{"value":5,"count":25}],"missing":6},` +
		`{"field":"ts","counts":[{"value":"2025-12-26T00:00:00Z","count":11},{"value":"2026-01-05T00:00:00Z","count":28},{"value":"2026-01-15T00:00:00Z","count":14}],"missing":6}]`
	if a.Total == nil || *a.Total != 59 || string(got) != want {
		t.Errorf("counted %s of %v, want\n%s", got, a.Total, want)
	}
}

// TestShown compares values and passages, bytes that are not UTF-8 among them, with the documents.
func TestShown(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 20)), httpapi.Options{})
	for _, c := range []struct{ body, want string }{
		{`{"q": "*", "filter": "ids(p7)", "fields": ["tag", "price", "rank", "ts"]}`,
			`"values":{"price":[7],"rank":[0.6666666666666666],"tag":["b",{"base64":"ev4="}],"ts":["2026-01-08T00:00:00Z"]}`},
		{`{"q": "*", "filter": "ids(p7)", "fields": ["body"]}`, `,"second garden"]}`},
		{`{"q": "*", "filter": "price = 5", "k": 1}`, `"id":{"base64":"/zU="}`},
		{`{"q": "*", "filter": "ids(p3)", "values": true}`, `"values":{"body":["`},
		{`{"q": "*", "filter": "ids(p3)", "sort": ["price", "-ts"]}`, `"score":0,"sort":[null,null]}`},
		{`{"q": "garden", "filter": "ids(p7)", "passages": {"length": 12, "field": "body"}}`, `"spans":[[`},
		{`{"q": "nonsense"}`, `{"hits":[]}`},
	} {
		if w := ask(s, "/v1/search", c.body); w.Code != 200 || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
	a := answer[httpapi.Response](t, s, "/v1/search", `{"q": "*", "filter": "price = 5", "k": 1}`)
	if a.Hits[0].ID != "\xff5" {
		t.Errorf("the id is read as %q", string(a.Hits[0].ID))
	}
}

// TestPaging goes through all hits page by page, by score and sorted, and by offsets.
func TestPaging(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 100)), httpapi.Options{})
	for _, with := range []string{`"q": "rose garden"`, `"q": "*", "sort": ["-price", "tag"]`, `"q": "rose", "sort": ["ts", "rank"], "collapse": "ts"`} {
		all := answer[httpapi.Response](t, s, "/v1/search", `{"k": 1000, `+with+`}`).Hits
		var paged, skipped []httpapi.Hit
		for after := ""; ; {
			a := answer[httpapi.Response](t, s, "/v1/search", fmt.Sprintf(`{"k": 7, "after": %q, %s}`, after, with))
			paged = append(paged, a.Hits...)
			if after = a.Next; after == "" {
				break
			}
		}
		for {
			a := answer[httpapi.Response](t, s, "/v1/search", fmt.Sprintf(`{"k": 9, "offset": %d, %s}`, len(skipped), with))
			if skipped = append(skipped, a.Hits...); len(a.Hits) < 9 {
				break
			}
		}
		if want, got := fmt.Sprint(all), fmt.Sprint(paged); got != want || len(all) < 10 {
			t.Errorf("%s: pages are\n%s\nwant\n%s", with, got, want)
		}
		if want, got := fmt.Sprint(all), fmt.Sprint(skipped); got != want {
			t.Errorf("%s: by offset\n%s\nwant\n%s", with, got, want)
		}
	}
}

// TestOfView searches an index without a schema through its snapshot.
func TestOfView(t *testing.T) {
	dir := t.TempDir()
	x, err := pinion.Open(t.Context(), dir, pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errorsOr(x.Add(t.Context(), pinion.Text("a", "no rose without a thorn"), pinion.Text("b", "a red tulip")), x.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	s := serve(t, httpapi.OfView(pages), httpapi.Options{})
	for path, want := range map[string]string{
		"/v1/search?q=rose&values&passages=": `"values":{"":["no rose without a thorn"]},"passage":{"text":"no rose without a thorn","spans":[[3,7]]}}]}`,
		"/v1/search?q=rose&fields=":          `"values":{"":["no rose without a thorn"]}`,
		"/v1/search?q=*&filter=ids(b)":       `{"hits":[{"id":"b","doc":1,"score":1}]}`,
		"/v1/count?q=a":                      `{"count":`,
		"/v1/suggest?prefix=th":              `{"terms":[{"term":"thorn","df":1}]}`,
		"/v1/index":                          `{"documents":2,"segments":1,"commit":3,"schema":{"fields":[{"name":"","kind":"text"`,
	} {
		if w := ask(s, path, ""); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

// TestBatch answers lines in their order, errors among them.
func TestBatch(t *testing.T) {
	var seen httpapi.Observation
	s := serve(t, httpapi.OfIndex(open(t, 60)), httpapi.Options{Observe: func(o httpapi.Observation) { seen = o }})
	var lines, want []string
	for i := range 200 {
		line := fmt.Sprintf(`{"q": %q, "k": %d, "total": true}`, words[i%len(words)], 1+i%13)
		if i%17 == 5 {
			line = `{"q": "rose", "limit": 3}`
		}
		w := ask(s, "/v1/search", line)
		lines, want = append(lines, line), append(want, strings.TrimSuffix(w.Body.String(), "\n"))
		if i%31 == 0 {
			lines = append(lines, " \r")
		}
	}
	w := ask(s, "/v1/search/batch", strings.Join(lines, "\n"))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	if got := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a batch is answered\n%s\nwant\n%s", got, want)
	}
	if seen.Route != "/v1/search/batch" || seen.Status != 200 || seen.Err == nil {
		t.Errorf("observed %+v", seen)
	}
	slow := serve(t, failing{}, httpapi.Options{})
	if w := ask(slow, "/v1/search/batch?timeout=1ms", "{\"q\": \"a\"}\n{\"q\": \"b\"}"); strings.Count(w.Body.String(), `"code":"deadline"`) != 2 {
		t.Errorf("lines past their time: %s", w.Body)
	}
}

// TestBatchPanic has a backend panic in a line of a batch. What observes it has the stack.
func TestBatchPanic(t *testing.T) {
	var seen httpapi.Observation
	s := serve(t, struct{ httpapi.Backend }{}, httpapi.Options{Observe: func(o httpapi.Observation) { seen = o }})
	if w := ask(s, "/v1/search/batch", `{"q": "a"}`); w.Code != 200 || !strings.Contains(w.Body.String(), `"code":"internal"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var fault *store.PanicError
	if !errors.As(seen.Err, &fault) || !strings.Contains(string(fault.Stack), "httpapi.(*Server).line") {
		t.Errorf("observed %v", seen.Err)
	}
}

// TestMetrics compares metrics after some requests, times left out.
func TestMetrics(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 5)), httpapi.Options{})
	ask(s, "/v1/search?q=rose", "")
	ask(s, "/v1/search?q=thorn", "")
	ask(s, "/v1/search?k=3", "")
	ask(s, "/v1/search/batch", "{}\n{}")
	ask(s, "/nothing", "")
	text := ask(s, "/metrics", "").Body.String()
	got := regexp.MustCompile(`(?m)^pinion_(http_requests|http_errors|http_in)\w*(\{.*\})? .*\n`).FindAllString(text, -1)
	const want = `pinion_http_requests_total{route="/",status="404"} 1
pinion_http_requests_total{route="/v1/search",status="200"} 2
pinion_http_requests_total{route="/v1/search",status="400"} 1
pinion_http_requests_total{route="/v1/search/batch",status="200"} 1
pinion_http_errors_total{code="invalid"} 3
pinion_http_errors_total{code="not_found"} 1
pinion_http_in_flight 0
`
	if got := strings.Join(got, ""); got != want {
		t.Errorf("the metrics are\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{`pinion_http_request_duration_seconds_bucket{route="/v1/search",le="+Inf"} 3`, `pinion_http_request_duration_seconds_count{route="/v1/count"} 0`,
		"# TYPE pinion_http_request_duration_seconds histogram"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}

// TestHandle serves a path of a program's own.
func TestHandle(t *testing.T) {
	x := open(t, 5)
	s := serve(t, httpapi.OfIndex(x), httpapi.Options{MaxBody: 1000})
	s.Handle("PUT /docs/{id...}", func(r *http.Request) (any, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		return nil, x.Add(r.Context(), pinion.Doc{ID: r.PathValue("id"), Values: []schema.Value{schema.TextValue(0, text)}})
	})
	s.Handle("/greeting", func(*http.Request) (any, error) { return "hello", nil })
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"PUT", "/docs/a/b", "orchid", 204, ""},
		{"PUT", "/docs/", "orchid", 400, `"code":"invalid"`},
		{"PUT", "/docs/a", strings.Repeat("a", 1001), 413, `"code":"too_large"`},
		{"POST", "/docs/a", "a", 404, `"code":"not_found"`},
		{"GET", "/greeting", "", 200, `"hello"`},
		{"GET", "/greeting?timeout=x", "", 400, `"field":"timeout"`},
	} {
		r := httptest.NewRequest(c.method, "http://localhost"+c.path, strings.NewReader(c.body))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, w.Body, c.status, c.want)
		}
	}
	if err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := answer[httpapi.Response](t, s, "/v1/search?q=orchid", ""); len(a.Hits) != 1 || a.Hits[0].ID != "a/b" {
		t.Errorf("found %v", a.Hits)
	}
}

// TestInFlight asks for more than is answered at a time.
func TestInFlight(t *testing.T) {
	b := waiting{began: make(chan struct{}), end: make(chan struct{})}
	s := serve(t, b, httpapi.Options{MaxInFlight: 2, Deadline: time.Hour})
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() { ask(s, "/v1/search?q=a", "") })
	}
	<-b.began
	<-b.began
	if w := ask(s, "/metrics", ""); !strings.Contains(w.Body.String(), "pinion_http_in_flight 2\n") {
		t.Errorf("metrics of two requests: %s", w.Body)
	}
	w := ask(s, "/v1/search?q=a", "")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"code":"busy"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(s, "/healthz", ""); w.Code != 200 {
		t.Errorf("a busy server is not healthy: %d", w.Code)
	}
	close(b.end)
	running.Wait()
}

// until waits for something to become true.
func until(f func() bool) {
	for !f() {
		time.Sleep(time.Millisecond)
	}
}
