package site

import (
	"net/http/httptest"
	"net/url"
	"strings"
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

// drawn returns the search page, or that of a document, of a hit that consists of a text and a query.
func drawn(t *testing.T, text, q string, doc bool) string {
	x := shownOf(&schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "url", Kind: schema.Keyword, Stored: true}, {Name: "tag", Kind: schema.Keyword, Column: true},
	}})
	a, err := readAsked(url.Values{"q": {q}, "is.tag": {text}, "from": {"10"}})
	if err != nil {
		t.Fatal(err)
	}
	total := uint64(100)
	h := httpapi.Hit{ID: httpapi.Text(text), Values: map[string][]any{"title": {httpapi.Text("t" + text)}, "url": {httpapi.Text(text)}},
		Passage: &httpapi.Passage{Text: httpapi.Text("a" + text + "b"), Spans: [][2]int{{1, 1 + len(text)}}, Before: true}}
	p := &page{Title: printable(text), Query: q, From: 11, Asked: true, Picked: []picked{{text, text, a.link()}}, Meant: &link{"m" + q, a.link()}}
	p.fill(a, &x, &httpapi.Response{Hits: []httpapi.Hit{h}, Total: &total,
		Facets: []httpapi.FacetCounts{{Field: "tag", Counts: []httpapi.FacetCount{{Value: httpapi.Text("x" + text), Count: 1}}}}})
	if doc {
		p.Error = "e" + text
		p.Document = &document{ID: "d" + text, Fields: []field{{"f" + text, []string{text}}}}
	}
	w := httptest.NewRecorder()
	s := &Site{page: parsePage(), o: Options{Title: "s" + text}}
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
