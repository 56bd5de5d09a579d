package site

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// structure returns the characters of a page by which browsers tell tags, attributes and texts apart: all of its attributes
// are in double quotes.
func structure(page string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\"'", r) {
			return r
		}
		return -1
	}, page)
}

var drawnSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Stored: true}, {Name: "url", Kind: schema.Keyword, Stored: true}, {Name: "tag", Kind: schema.Keyword, Column: true},
}}

// look returns the built-in templates.
var look = sync.OnceValue(func() *theme {
	t, err := loadTheme("")
	if err != nil {
		panic(err)
	}
	return t
})

// drawn returns the search page, or that of a document, of a hit that consists of a text and a query.
func drawn(t *testing.T, text, q string, doc bool) string {
	x := shownOf(drawnSchema)
	a, err := readAsked(url.Values{"q": {q}, "is.tag": {text}, "sort": {"-" + text}, "from": {"10"}})
	if err != nil {
		t.Fatal(err)
	}
	total := uint64(100)
	h := httpapi.Hit{ID: httpapi.Text(text), Values: map[string][]any{"title": {httpapi.Text("t" + text)}, "url": {httpapi.Text(text)}},
		Passage: &httpapi.Passage{Text: httpapi.Text("a" + text + "b"), Spans: [][2]int{{1, 1 + len(text)}}, Before: true}}
	p := newPage(a)
	p.Title, p.Meant = printable(text), &choice{Text: "m" + q, To: a.link()}
	p.Unknown, p.Ways, p.Help = []string{q}, []choice{{Text: "w" + q, To: a.link()}}, []example{{q, a.link(), "f" + text}}
	p.fill(a, &x, &httpapi.Response{Hits: []httpapi.Hit{h}, Total: &total,
		Facets: []httpapi.FacetCounts{{Field: "tag", Counts: []httpapi.FacetCount{{Value: httpapi.Text("x" + text), Count: 1}, {Value: httpapi.Text(text), Count: 1}}}}})
	if doc {
		p.Error = "e" + text
		p.Document = &document{ID: "d" + text, Fields: []field{{"f" + text, []string{text}}}}
	}
	w := httptest.NewRecorder()
	s := &Site{theme: look(), o: Options{Title: "s" + text}}
	if err := s.show(w, p, nil); err != nil {
		t.Fatal(err)
	}
	return w.Body.String()
}

// FuzzPage shows titles, texts, links and queries of any bytes: the page has the structure of one of plain words.
func FuzzPage(f *testing.F) {
	for _, text := range []string{"rose", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "' onclick='x", "a=b", "`", "\x00<", "\xff\"", "</title>",
		"\u202e<b>", "data:text/html,<script>", "https://example.org/\"><b>", "//example.org", "&lt;", "--><", "{{.}}"} {
		f.Add(text, text)
		f.Add(text, "rose")
	}
	want := map[bool]string{}
	f.Fuzz(func(t *testing.T, text, q string) {
		q = strings.ToValidUTF8(q, "\ufffd") // others are refused
		if strings.TrimSpace(printable(text)) == "" || strings.TrimSpace(printable(q)) == "" {
			return // parts are left out
		}
		for _, doc := range []bool{false, true} {
			if want[doc] == "" {
				want[doc] = structure(drawn(t, "word", "word", doc))
			}
			page := drawn(t, text, q, doc)
			if got := structure(page); got != want[doc] {
				t.Errorf("%q, %q: the structure is\n%s\nwant\n%s\n%s", text, q, got, want[doc], page)
			}
			if strings.Contains(strings.ToLower(page), `href="javascript:`) || strings.Contains(strings.ToLower(page), `href="data:`) {
				t.Errorf("%q: a link that runs a script", text)
			}
		}
	})
}
