package page

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, html string
		want       Page
	}{
		{"empty", "", Page{}},
		{"text alone", "a b", Page{Sections: []Section{{Text: "a b"}}}},
		{"title of the head", "<title> A  title </title><p>x", Page{Title: "A title", Sections: []Section{{Text: "x"}}}},
		{"title of h1", "<title>A | Site</title><h1 id=a>A</h1>x", Page{Title: "A", Sections: []Section{{Text: "x"}}}},
		{"a title alone", "<main><h1>A</h1></main>", Page{Title: "A", Sections: []Section{{}}}},
		{"svg has titles too", "<title>A</title><svg><title>B</title></svg>", Page{Title: "A"}},
		{"language and address", `<html lang=de-AT><link rel=canonical href=https://x/a>`, Page{Language: "de-AT", Canonical: "https://x/a"}},
		{"redirect", `<meta http-equiv=Refresh content="0; url=/x">`, Page{Redirect: true}},
		{"noindex", `<meta name=robots content="NOINDEX, follow">x`, Page{NoIndex: true, Sections: []Section{{Text: "x"}}}},
		{"sections", "a<h2 id=b>B</h2>c<h3 id=d>D</h3>e", Page{Sections: []Section{{"", "", "a", 0}, {"b", "B", "c", 0}, {"d", "D", "e", 0}}}},
		{"no text before", "<h2 id=b>B</h2>", Page{Sections: []Section{{"b", "B", "", 0}}}},
		{"a heading without id", "a<h2>B</h2>c", Page{Sections: []Section{{Text: "a B c"}}}},
		{"an id twice", "<h2 id=a>A</h2>b<h2 id=a>C</h2>d", Page{Sections: []Section{{"a", "A", "b C d", 0}}}},
		{"id in the heading", "<h2><a name=x></a>A</h2>b", Page{Sections: []Section{{"x", "A", "b", 0}}}},
		{"id around the heading", "<section id=x> <h2>A</h2>b</section>", Page{Sections: []Section{{"x", "A", "b", 0}}}},
		{"not the heading's", "<section id=x><p>y</p><h2>A</h2>b</section>", Page{Sections: []Section{{Text: "y A b"}}}},
		{"links of headings", "<h2 id=a>A<a href=#a>#</a></h2><h2 id=b>B<a href=#b aria-label=Link>\u200b</a></h2>", Page{Sections: []Section{{"a", "A", "", 0}, {"b", "B", "", 0}}}},
		{"main", "x<nav>y</nav><main>a<aside>b</aside></main><footer>z</footer>", Page{Sections: []Section{{Text: "a b"}}}},
		{"article", "x<article>a</article><article>b</article>", Page{Sections: []Section{{Text: "a b"}}}},
		{"main in main", "<main>a<div role=main>b</div></main>", Page{Sections: []Section{{Text: "a b"}}}},
		{"a header of content", "<main><header><h1>A</h1></header>b</main>", Page{Title: "A", Sections: []Section{{Text: "b"}}}},
		{"a header of the site", "<header>Site</header>b", Page{Sections: []Section{{Text: "b"}}}},
		{"marked", "<main>a<div data-pinion-body>b<i data-pinion-ignore>c</i></div><p data-pagefind-body>d</main>", Page{Marked: true, Sections: []Section{{Text: "b d"}}}},
		{"ignored", "a<nav>b</nav><script>b</script><style>b</style><p hidden>b</p><p aria-hidden=true>b</p><p data-pagefind-ignore>b</p><form>b</form><template>b</template>c", Page{Sections: []Section{{Text: "a c"}}}},
		{"words", "<b>bo</b>ld a<br>b<div>c</div><pre><code><span>f</span><span>unc</span>\n x</code></pre>so\u00adft<p>p<p>q<x-y>r</x-y>", Page{Sections: []Section{{Text: "bold a b c func x soft p q r"}}}},
		{"entities", "a&amp;b &lt;c&gt;&nbsp;d", Page{Sections: []Section{{Text: "a&b <c> d"}}}},
		{"not UTF-8", "a\xffb", Page{Sections: []Section{{Text: "a\ufffdb"}}}},
		{"links", "<a href=x>ab</a> c<h2 id=d>D</h2><a>e</a><a href=y>f<b>g</b></a>", Page{Sections: []Section{{Text: "ab c", Links: 2}, {"d", "D", "efg", 2}}}},
		{"comments", "a<!-- b -->c", Page{Sections: []Section{{Text: "ac"}}}},
	} {
		got, err := Parse(strings.NewReader(tt.html))
		if err != nil || !reflect.DeepEqual(*got, tt.want) && !(len(got.Sections) == 0 && len(tt.want.Sections) == 0 && got.Title == tt.want.Title) {
			t.Errorf("%s: %+v, want %+v (%v)", tt.name, got, tt.want, err)
		}
	}
}

// FuzzParse looks for pages whose sections are not as Page says.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"guide/index.html", "reference.html"} {
		b, err := os.ReadFile("../testdata/site/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("<main><h2 id=a>A<h2 id=a>B</h2><svg><desc><h1>c</h1><table><h3 id='#'>d")
	f.Add(strings.Repeat("<div>", 1000) + "x")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		words := 0
		for i, s := range p.Sections {
			if s.Links < 0 || s.Links > len(s.Text) || seen[s.Anchor] || (s.Anchor == "") != (s.Heading == "") || s.Text+s.Heading == "" && (len(p.Sections) > 1 || p.Title == "") || i > 0 && s.Anchor == "" {
				t.Fatalf("section %d of %d: %+v", i, len(p.Sections), s)
			}
			seen[s.Anchor] = true
			words += len(s.Text) + len(s.Heading)
			for _, part := range []string{p.Title, s.Heading, s.Text} {
				if !utf8.ValidString(part) || strings.TrimSpace(part) != part || strings.Contains(part, "  ") || strings.ContainsAny(part, "\n\t\u00a0") {
					t.Fatalf("%q has white space or is no text", part)
				}
			}
		}
		if words > 8*len(text)+8 { // an entity of two characters is the longest; a byte that is no text takes three
			t.Fatalf("%d bytes of %d", words, len(text))
		}
	})
}

// TestTitle takes an h1 for the title only if the element title has it too.
func TestTitle(t *testing.T) {
	for _, tt := range []struct{ html, title, text string }{
		{"<title>Guide</title><main><h1>Install</h1><p>word</main>", "Guide", "Install word"},
		{"<title>Install | Guide</title><main><h1>install</h1><p>word</main>", "install", "word"},
		{"<main><h1>Install</h1><p>word</main>", "Install", "word"},
		{"<title>Guide</title><main><h1>Install</h1><h1>The guide</h1><p>word</main>", "Guide", "Install The guide word"},
		{"<title> </title><main><h1>Install</h1>", "Install", ""},
	} {
		p, err := Parse(strings.NewReader(tt.html))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Sections) != 1 || p.Title != tt.title || p.Sections[0].Text != tt.text {
			t.Errorf("%s: %+v", tt.html, p)
		}
	}
}
