package site_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/site/internal/site"
)

// see returns a page as a browser gets it.
func see(t *testing.T, s *site.Site, path string, status int) string {
	t.Helper()
	w := ask(s, "GET", path, "", "browser")
	if w.Code != status || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s: %d %v", path, w.Code, w.Header())
	}
	return w.Body.String()
}

// has reports the texts that a page lacks, or has behind a "!".
func has(t *testing.T, path, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		text, not := strings.CutPrefix(text, "!")
		if strings.Contains(page, text) == not {
			t.Errorf("%s: %q: %v in\n%s", path, text, !not, page)
		}
	}
}

// The page shows hits, with what leads to others.
func TestPage(t *testing.T) {
	s := open(t, site.Options{Index: pinion.Options{Schema: shop}, HTTP: secured(), Title: "My shop"})
	var docs strings.Builder
	for i := range 25 {
		fmt.Fprintf(&docs, `{"id": "p%d", "title": "Rose %d", "text": "a red rose <i>", "brand": "b & %d", "price": %d, "url": "https://example.org/%d"}`+"\n", i, i, i%2, i, i)
	}
	fmt.Fprintln(&docs, `{"id": "headed", "title": "Orchid house", "text": "where nothing else grows that has a longer text"}`)
	fmt.Fprintln(&docs, `{"id": "evil", "title": "<script>alert(1)</script>", "text": "tulip <img src=x onerror=alert(1)>", "url": "javascript:alert(1)", "brand": "\"><script>"}`)
	want(t, s, 200, "", "POST", "/v1/docs", docs.String())
	for path, texts := range map[string][]string{
		"/":                         {"<title>My shop</title>", "autofocus", "!<ol", "What can be typed", "27 documents", "brand:&#34;b &amp; 0&#34;", "price:0..24", "title:"},
		"/?q=rose":                  {"25 documents", `start="1"`, "<mark>", `href="https://example.org/`, `rel="next"`, `href="./?from=10&amp;q=rose"`, "!rel=\"prev\"", "b &amp; 1</span> <small>12<", "&lt;i&gt;"},
		"/?q=rose&from=20":          {`start="21"`, `rel="prev"`, "!rel=\"next\""},
		"/?q=rose&is.brand=b+%26+1": {"12 documents", "brand: b &amp; 1", `href="./?q=rose"><span class="unseen">Remove the filter`, `name="is.brand" value="b &amp; 1"`, "b &amp; 0</span> <small>13<"},
		"/?q=rose&is.brand=b+%26+1&is.brand=b+%26+0": {"25 documents"},
		"/?q=tulip":             {"1 document ", "&lt;script&gt;alert", "!<script>", "!=\"javascript:", "!<img src=x", "!#ZgotmplZ", `href="doc?id=evil"`, `brand</h3>`},
		"/?q=orchid":            {"><mark>Orchid</mark> house</a>", "!Orchid</mark> house</p>"},
		"/?q=house+grows":       {">Orchid house</a>", "<p dir=\"auto\">where nothing else <mark>grows</mark>"},
		"/?q=tulib":             {"1 document ", "Did you mean", ">tulip</a>? <small>1 document<", "like them"},
		"/?q=%22rose+3%3A16":    {"25 documents", `Searched for as words: <q dir="auto">&#34;rose 3:16</q>`},
		"/?q=rose&strict":       {"25 documents", `<input type="hidden" name="strict" value="">`, "q=rose&amp;strict="},
		"/?q=%3Cscript%3E":      {`value="&lt;script&gt;"`, "!<script>"},
		"/?q=&is.brand=b+%26+0": {"13 documents"},
		"/doc?id=evil":          {">evil</h1>", "<h2>title</h2>", "&lt;script&gt;alert", "!<script>", "!href=\"javascript"},
		"/doc?id=p1":            {"<h2>price</h2>", ">1</p>"},
	} {
		has(t, path, see(t, s, path, 200), append(texts, `<label class="unseen" for="q">`, `<html lang="en">`)...)
	}
	for path, x := range map[string]struct {
		status int
		text   string
	}{
		"/?q=rose&from=x": {400, "from is not a number"}, "/?q=rose&from=991": {400, "up to 990"},
		"/?q=rose&is.none=1": {400, "none"}, "/?q=%22rose+3%3A16&strict": {400, "rose"}, "/doc?id=none": {404, "no such document"}, "/doc": {404, "no such document"},
	} {
		has(t, path, see(t, s, path, x.status), x.text)
	}
}

// An index without fields has a page too.
func TestPageOfTexts(t *testing.T) {
	s := open(t, site.Options{HTTP: secured()})
	want(t, s, 200, "", "POST", "/v1/docs", `{"id": "a b/ü", "contents": "one rose\ntwo"}`)
	has(t, "/", see(t, s, "/?q=rose", 200), `href="doc?id=a&#43;b%2F%C3%BC"`, "<mark>rose</mark>", "<title>rose · shop</title>")
	has(t, "/doc", see(t, s, "/doc?id=a+b%2F%C3%BC", 200), "one rose\ntwo")
}
