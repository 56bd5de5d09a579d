package serve

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
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
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit(analyzer, "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, text := range contents {
		if err := w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "<i>%d", i), []byte(text))); err != nil {
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
	for _, tt := range []struct {
		text, want string
		marks      int
	}{
		{"the Lord is my shepherd; lordly", "the Lord is my shepherd; lordly", 2},
		{strings.Repeat("a ", 200) + "the lord", "…" + strings.Repeat("a ", 136) + "the lord", 1},
		{"lord " + strings.Repeat("a ", 300) + "shepherd lord", "…" + strings.Repeat("a ", 133) + "shepherd lord", 2},
		{"lord " + strings.Repeat("b", 400), "lord " + strings.Repeat("b", 275) + "…", 1},
	} {
		x, err := open(texts(t, "simple", []string{tt.text}))
		if err != nil {
			t.Fatal(err)
		}
		a := found{Text: "lord shepherd", K: 10}
		if err := a.run(t.Context(), x); err != nil || len(a.Hits) != 1 {
			t.Fatal(len(a.Hits), err)
		}
		all, marks := "", 0
		for _, p := range a.Hits[0].Passage {
			all += p.Text
			if p.Match {
				marks++
			}
		}
		if all != tt.want || marks != tt.marks {
			t.Errorf("%.40q: %q with %d marks, want %q with %d", tt.text, all, marks, tt.want, tt.marks)
		}
		x.close()
	}
}

// TestNextPage follows the links from page to page: together they have every hit once.
func TestNextPage(t *testing.T) {
	var contents []string
	for i := range 7 {
		contents = append(contents, strings.Repeat("lord ", 1+i/3))
	}
	h := start(t, Options{Index: texts(t, "simple", contents)})
	next := regexp.MustCompile(`<a [^>]*href="(search\?[^"]*rank=[^"]*)"`)
	seen := map[string]int{}
	page := "search?q=lord&k=3"
	for rank := 1; page != ""; {
		code, body := get(t, h.URL+"/secret/"+page)
		if code != 200 {
			t.Fatalf("%s: %d", page, code)
		}
		for _, m := range regexp.MustCompile(`<span class="soft">(\d+)</span> <a href="[^"]*">(&lt;i&gt;\d)</a>`).FindAllStringSubmatch(body, -1) {
			if m[1] != fmt.Sprint(rank) {
				t.Errorf("%s has rank %s, want %d", page, m[1], rank)
			}
			rank++
			seen[m[2]]++
		}
		page = ""
		if m := next.FindStringSubmatch(body); m != nil {
			page = html.UnescapeString(m[1])
		}
	}
	if len(seen) != len(contents) {
		t.Errorf("hits %v", seen)
	}
	for _, bad := range []string{"rank=1", "rank=1&score=x", "rank=1&score=-1&after=a", "rank=-1", "rank=1&score=NaN&after=a"} {
		if code, _ := get(t, h.URL+"/secret/search?q=lord&"+bad); code != 400 {
			t.Errorf("%s: %d", bad, code)
		}
	}
}

// TestFields looks at documents with fields.
func TestFields(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fields.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "price", Kind: schema.Float, Stored: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	d := writer.Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("red <shoes>")), schema.FloatValue(1, 59.5)}}
	if err := errors.Join(w.Add(t.Context(), d), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	h := start(t, Options{Index: dir})
	for page, want := range map[string]string{"docs": "title: red &lt;shoes&gt;", "doc?doc=0": `price<td class="soft">float<td class="n"><td class="any"><pre class="text">59.5</pre>`, "search?q=shoes": "red &lt;<mark>shoes</mark>&gt;"} {
		if code, body := get(t, h.URL+"/secret/"+page); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %q", page, code, want)
		}
	}
}
