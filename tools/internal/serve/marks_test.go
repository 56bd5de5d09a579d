package serve

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/writer"
)

// hostile are texts that would be markup, or break the cutting of texts.
var hostile = []string{
	`<script>alert("shepherd")</script> & <b onload='x'>shepherd</b> "shepherd"`,
	strings.Repeat("x ", 5000) + "<img src=x onerror=shepherd> " + strings.Repeat("y ", 5000) + "shepherds lord shepherd",
	"\xff\xfe\x00\x1b[31mshepherd\x1b[0m\u202elord\u202c" + strings.Repeat("\u00e9", 400),
	strings.Repeat("\u4e16", 300) + "shepherd",
	strings.Repeat("shepherd", 100) + " lord",
}

func texts(t *testing.T, analyzer string, contents []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "texts.idx")
	a, err := analysis.New(analyzer, "")
	if err != nil {
		t.Fatal(err)
	}
	w, err := writer.Open(t.Context(), dir, writer.Options{Stored: true, Analyzer: a})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, text := range contents {
		if err := w.Add(t.Context(), writer.Document{ID: fmt.Appendf(nil, "<i>%d", i), Contents: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMarks looks for the words of a query in hostile texts, on the page of hits and on those
// of documents, which must hold no markup but their own.
func TestMarks(t *testing.T) {
	h := start(t, Options{Index: texts(t, "english", hostile)})
	q := "shepherding <script> LORD"
	pages := []string{"search?q=" + url.QueryEscape(q)}
	for i := range hostile {
		pages = append(pages, fmt.Sprintf("doc?doc=%d&q=%s", i, url.QueryEscape(q)))
	}
	for _, page := range pages {
		code, body := get(t, h.URL+"/secret/"+page)
		if code != 200 {
			t.Fatalf("%s: %d", page, code)
		}
		for _, bad := range []string{"<script>alert", "<b onload", "<img", "<i>0", "\x1b", "\x00"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q", page, bad)
			}
		}
		if strings.HasPrefix(page, "search") {
			for _, want := range []string{
				"&lt;<mark>script</mark>&gt;alert(&#34;<mark>shepherd</mark>&#34;)", "<mark>shepherds</mark> <mark>lord</mark>",
				"q=shepherding&#43;%3Cscript%3E&#43;LORD", "…",
			} {
				if !strings.Contains(body, want) && !strings.Contains(body, strings.ReplaceAll(want, "&#43;", "+")) {
					t.Errorf("%s does not have %q", page, want)
				}
			}
		}
	}
	if _, body := get(t, h.URL+"/secret/doc?doc=1&q=lord"); strings.Count(body, "<mark>") != 1 {
		t.Error("a document does not have its one word marked")
	}
	if _, body := get(t, h.URL+"/secret/doc?doc=1"); strings.Contains(body, "<mark>") {
		t.Error("a document is marked without a query")
	}
}

// TestPassage checks that all pieces together are a part of the text, and which.
func TestPassage(t *testing.T) {
	dir := texts(t, "simple", hostile[:1])
	x, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	m := x.marker("lord shepherd")
	for _, tt := range []struct {
		text, want string
		marks      int
	}{
		{"", "", 0},
		{"none", "none", 0},
		{"the Lord is my shepherd; lordly", "the Lord is my shepherd; lordly", 2},
		{strings.Repeat("a ", 100) + "the lord", "…" + strings.Repeat("a ", 27) + "the lord", 1},
		{"lord " + strings.Repeat("a ", 300) + "shepherd lord", "…" + strings.Repeat("a ", 29) + "shepherd lord", 2},
		{"lord " + strings.Repeat("b", 400), "lord " + strings.Repeat("b", 275) + "…", 1},
	} {
		all, marks := "", 0
		for _, p := range m.passage([]byte(tt.text)) {
			all += p.Text
			if p.Match {
				marks++
			}
		}
		if all != tt.want || marks != tt.marks {
			t.Errorf("%.40q: %q with %d marks, want %q with %d", tt.text, all, marks, tt.want, tt.marks)
		}
	}
}
