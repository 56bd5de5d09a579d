package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// build writes an index of 1,000 documents, in two segments, of which one is deleted.
func build(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "test.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("", "", true), MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 1000 {
		text := fmt.Sprintf("every document says so number%d <b>not bold</b> %s", i, strings.Repeat("again ", i%7))
		if err := w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "id-%d", i), []byte(text))); err != nil {
			t.Fatal(err)
		}
		if i == 600 {
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Delete(t.Context(), []byte("id-3")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, o Options) *httptest.Server {
	t.Helper()
	o.Token = "secret"
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// TestPages checks that every page shows what it is for.
func TestPages(t *testing.T) {
	dir := build(t)
	h := start(t, Options{Index: dir, With: dir})
	for _, test := range []struct {
		path   string
		status int
		want   []string
	}{
		{"", 200, []string{"999", "1 deleted", "Bytes by section", "segment-000000000001.pin", "deletes-"}},
		{"search?q=number7+again", 200, []string{"id-7", "why this score", "What the query did"}},
		{"search?q=again+every", 200, []string{"10 of 999 hits in"}},
		{"search?q=again&mode=and-or", 200, []string{"10 hits in"}},
		{"search?q=xyzzy", 200, []string{"The index does not have <b>xyzzy</b>", "No documents match"}},
		{"search?q=a&mode=most", 400, []string{"most"}},
		{"search?q=again&k=1000", 200, []string{"A page shows at most 100 hits, not 1,000.", `name="k" form="query" value="100"`}},
		{"search?q=again&k=-1", 400, []string{"no number"}},
		{"search?q=again+-number7", 200, []string{"-number7 is read as plain words: choose operators in place of or."}},
		{"search?q=again+-number7+numb*&mode=operators", 200, []string{"<option selected>operators", "10 of 99"}},
		{"search?q=number7~1^2+AND+again&mode=operators", 200, []string{"id-7"}},
		{"search?q=again+(number7&mode=operators", 200, []string{"read as plain words: (number7.", "id-7"}},
		{"search?q=again+(number7&mode=strict+operators", 400, []string{"(number7"}},
		{"search?q=again+-number7+numb*&mode=strict+operators", 200, []string{"<option selected>strict operators", "10 of 99", "mode=strict&#43;operators"}},
		{"search?q=everry", 200, []string{"The index does not have <b>everry</b>. Did you mean <a href=", ">every</a>?"}},
		{"terms", 200, []string{"again", "behind"}},
		{"terms?prefix=numb", 200, []string{"number0", "number10"}},
		{"terms?prefix=zz", 200, []string{"No terms"}},
		{"terms?sort=df&prefix=numb", 200, []string{"number0", "order of terms"}},
		{"terms?sort=size", 400, []string{"size"}},
		{"list?term=every", 200, []string{"segment-000000000001.pin", "bits a posting", "from docID"}},
		{"list?term=number5", 200, []string{"singleton"}},
		{"list?term=nowhere", 404, []string{"no term"}},
		{"block?term=every&seg=0&block=1", 200, []string{"id-128", "gap"}},
		{"block?term=every&seg=0&block=99", 404, []string{"no block 99"}},
		{"block?term=every&seg=9&block=0", 404, []string{"no segment 9"}},
		{"docs", 200, []string{"id-0", "deleted", "&lt;b&gt;not bold"}},
		{"docs?from=990", 200, []string{"id-999"}},
		{"doc?id=id-700", 200, []string{"number700", "Stored text"}},
		{"doc?doc=010", 200, []string{"number10"}},
		{"doc?doc=0X0a", 200, []string{"number10"}},
		{"doc?doc=1_0", 400, []string{"no number up to"}},
		{"doc?id=nobody", 404, []string{"no document has the id"}},
		{"doc?doc=1000", 404, []string{"no document 1000"}},
		{"bytes", 200, []string{"magic"}},
		{"bytes?file=segment-000000000001.pin", 200, []string{"major version", "not compared"}},
		{"bytes?file=segment-000000000001.pin&section=meta", 200, []string{"documents", "601"}},
		{"bytes?file=segment-000000000001.pin&section=nonsense", 404, []string{"no section"}},
		{"bytes?file=segment-000000000001.pin&term=every", 200, []string{"extent of every"}},
		{"bytes?file=segment-000000000001.pin&off=0x10", 200, []string{"00000010", "file id"}},
		{"bytes?file=segment-000000000001.pin&off=99999999", 404, []string{"there is none at"}},
		{"bytes?file=..%2F..%2Fetc%2Fpasswd", 404, []string{"no file"}},
		{"bytes?file=write.lock", 404, []string{"no file"}},
		{"compare?term=every&q=again", 200, []string{"The same documents with the same scores", "codecs"}},
		{"verify", 200, []string{"Start"}},
		{"nothing", 404, []string{"there is no page"}},
		{"static/app.js", 200, []string{"keydown"}},
		{"static/%2e%2e/server.go", 403, nil}, // redirected to what has no token,
	} {
		status, body := get(t, h.URL+"/secret/"+test.path)
		if status != test.status {
			t.Errorf("%s: status %d, want %d", test.path, status, test.status)
		}
		for _, want := range test.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not have %q", test.path, want)
			}
		}
		if strings.Contains(body, "<b>not bold") || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s: text is not escaped", test.path)
		}
	}
}

// TestLinks follows every link of every page, to a depth, and expects no failure.
func TestLinks(t *testing.T) {
	h := start(t, Options{Index: build(t)})
	href := regexp.MustCompile(`(?:href|action)="([^"]*)"`)
	seen := map[string]bool{}
	level := []string{"", "search?q=every+number7", "terms?prefix=e"}
	for depth := range 3 {
		var next []string
		for _, path := range level {
			if seen[path] {
				continue
			}
			seen[path] = true
			status, body := get(t, h.URL+"/secret/"+path)
			if status != 200 {
				t.Errorf("%s: status %d", path, status)
			}
			if depth == 2 && len(seen) > 400 {
				return
			}
			for _, m := range href.FindAllStringSubmatch(body, -1) {
				next = append(next, strings.TrimPrefix(strings.ReplaceAll(m[1], "&amp;", "&"), "./"))
			}
		}
		level = next
	}
	if len(seen) < 100 {
		t.Errorf("only %d pages", len(seen))
	}
}

// TestScores checks that the page has the hits and scores of a Searcher.
func TestScores(t *testing.T) {
	dir := build(t)
	h := start(t, Options{Index: dir})
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
	searcher, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	score := regexp.MustCompile(`<span class="score">([^<]*)</span>`)
	sum := regexp.MustCompile(`<td class="n">([^<]*)</tr></tbody></table></details>`)
	for _, text := range []string{"again again number13", "every document again", "number77 number3"} {
		terms, err := searcher.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := searcher.Search(t.Context(), search.Query{RawTerms: terms, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		_, body := get(t, h.URL+"/secret/search?q="+url.QueryEscape(text))
		scores, sums := score.FindAllStringSubmatch(body, -1), sum.FindAllStringSubmatch(body, -1)
		if len(scores) != len(r.Hits) || len(sums) != len(r.Hits) {
			t.Fatalf("%s: %d scores, %d sums of %d hits", text, len(scores), len(sums), len(r.Hits))
		}
		for i, hit := range r.Hits {
			got, err := strconv.ParseFloat(scores[i][1], 32)
			if err != nil || float32(got) != hit.Score {
				t.Errorf("%s, hit %d: score %s, want %v", text, i, scores[i][1], hit.Score)
			}
			if sums[i][1] != "" && sums[i][1] != scores[i][1] {
				t.Errorf("%s, hit %d: the explanation adds up to %s, the score is %s", text, i, sums[i][1], scores[i][1])
			}
		}
	}
}

// TestManySegments checks that a search says which segments its table leaves out.
func TestManySegments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "many.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 6 {
		err := w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "id-%d", i), []byte("every one")))
		if err == nil {
			err = w.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := start(t, Options{Index: dir})
	if _, body := get(t, h.URL+"/secret/search?q=every"); !strings.Contains(body, "The first 4 of 6 passes") {
		t.Error("the page does not say that passes are left out")
	}
	if _, body := get(t, start(t, Options{Index: build(t)}).URL+"/secret/search?q=every"); strings.Contains(body, "passes over") {
		t.Error("the page says that passes are left out")
	}
}

// TestGuard checks who is turned away.
func TestGuard(t *testing.T) {
	h := start(t, Options{Index: build(t), Hosts: []string{"box.example"}})
	ask := func(method, path, host, site string) (int, http.Header) {
		r, err := http.NewRequest(method, h.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		a, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode, a.Header
	}
	for _, test := range []struct {
		method, path, host, site string
		want                     int
	}{
		{"GET", "/secret/", "", "", 200},
		{"GET", "/secret/", "localhost:99", "", 200},
		{"GET", "/secret/", "[::1]:99", "", 200},
		{"GET", "/secret/", "box.example:99", "", 200},
		{"GET", "/secret", "", "", 301},
		{"GET", "/secret/", "evil.example", "", 421},
		{"GET", "/secret/", "127.0.0.1.evil.example", "", 421},
		{"GET", "/", "", "", 403},
		{"GET", "/Secret/", "", "", 403},
		{"GET", "/secre/", "", "", 403},
		{"GET", "/static/app.js", "", "", 403},
		{"GET", "//secret/", "", "", 403},
		{"POST", "/secret/", "", "", 405},
		{"PUT", "/secret/verify", "", "", 405},
		{"POST", "/secret/verify?stop=1", "", "cross-site", 403},
		{"POST", "/secret/verify?stop=1", "", "same-origin", 303},
	} {
		got, head := ask(test.method, test.path, test.host, test.site)
		if got != test.want && !(test.want == 405 && got == 404) {
			t.Errorf("%v: status %d", test, got)
		}
		if head.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%v: headers %v", test, head)
		}
	}
}

// flip flips a bit of the byte at an offset of a file.
func flip(t *testing.T, dir, name string, at int64) {
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDamage checks that damaged indexes are shown as far as they open, that pages name the
// damage, and that a verification finds it.
func TestDamage(t *testing.T) {
	t.Run("segment", func(t *testing.T) {
		dir := build(t)
		flip(t, dir, indexdir.SegmentName(1), 20)
		h := start(t, Options{Index: dir})
		for path, want := range map[string]string{
			"": "header checksum does not match", "search?q=again": "answers no queries", "docs?from=700": "id-700",
			"list?term=every": "segment-000000000002.pin", "bytes?file=segment-000000000001.pin": "DAMAGED",
		} {
			if status, body := get(t, h.URL+"/secret/"+path); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: status %d, no %q", path, status, want)
			}
		}
	})
	t.Run("manifest", func(t *testing.T) {
		dir := build(t)
		for _, name := range []string{indexdir.ManifestName(3), indexdir.MirrorName(3)} {
			flip(t, dir, name, 132)
		}
		h := start(t, Options{Index: dir})
		for path, want := range map[string]string{"": "This index is damaged", "docs": "id-0", "terms": "again"} {
			if status, body := get(t, h.URL+"/secret/"+path); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: status %d, no %q", path, status, want)
			}
		}
	})
	t.Run("content", func(t *testing.T) {
		dir := build(t)
		flip(t, dir, indexdir.SegmentName(1), 772)
		h := start(t, Options{Index: dir})
		if state := verifyAll(t, h); state.Damaged == 0 {
			t.Errorf("%+v", state)
		}
		_, body := get(t, h.URL+"/secret/verify")
		if !strings.Contains(body, "damaged place") || !strings.Contains(body, "a flip of bit 0 of byte 772") {
			t.Error("the page does not show the damage")
		}
	})
}

// verifyAll runs a verification to its end.
func verifyAll(t *testing.T, h *httptest.Server) (state verifyState) {
	t.Helper()
	r, err := http.PostForm(h.URL+"/secret/verify", url.Values{"level": {"3: and every posting"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		_, body := get(t, h.URL+"/secret/verify.json")
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatal(err)
		}
		if !state.Running {
			return state
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the verification does not end")
	return state
}

func TestVerify(t *testing.T) {
	h := start(t, Options{Index: build(t)})
	if state := verifyAll(t, h); state.Damaged != 0 || state.Error != "" || state.Percent != 100 || state.Level != 3 {
		t.Errorf("%+v", state)
	}
}

// TestListAt checks that bytes of an extent are found to belong to its list.
func TestListAt(t *testing.T) {
	dir := build(t)
	x, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	found := 0
	for _, g := range x.Segs {
		for it := g.Lists().Terms(); it.Next(); {
			l, err := g.Lists().List(it.Entry())
			if err != nil {
				t.Fatal(err)
			}
			size := int64(len(l.Extent()))
			at := inspect.ListOf(g, l).Offset
			if l.Kind != segment.KindExtent {
				continue
			}
			found++
			for _, off := range []int64{at, at + size/2, at + size - 1} {
				if got := listAt(g, off); got != string(it.Term()) {
					t.Errorf("byte %d belongs to %q, want %q", off, got, it.Term())
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d extents", found)
	}
}

// TestNoIndex checks that what is no index is an error.
func TestNoIndex(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		if s, err := New(Options{Index: dir, Token: "x"}); err == nil {
			s.Close()
			t.Errorf("%s: no error", dir)
		}
	}
}
