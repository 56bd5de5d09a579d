package site_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/site/internal/site"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// suggested returns what the box is suggested for a text, with a ~ before corrections.
func suggested(t *testing.T, s *site.Site, text, as string) string {
	t.Helper()
	w := ask(s, "GET", "/suggest?"+url.Values{"q": {text}}.Encode(), "", as)
	var a struct {
		Suggestions []struct {
			Text       string
			Correction bool
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 || a.Suggestions == nil {
		t.Fatalf("%q: %d %s: %v", text, w.Code, w.Body, err)
	}
	var all []string
	for _, x := range a.Suggestions {
		if x.Correction {
			x.Text = "~" + x.Text
		}
		all = append(all, x.Text)
	}
	return strings.Join(all, ", ")
}

func stock(t *testing.T, s *site.Site) {
	t.Helper()
	var docs strings.Builder
	for i := range 20 {
		fmt.Fprintf(&docs, `{"id": "p%d", "title": "Red shoes %d", "text": "running in the garden <b>", "brand": "b & %d", "price": %d}`+"\n", i, i, i%12, i)
	}
	fmt.Fprintln(&docs, `{"id": "s", "title": "Blue shorts", "text": "runner's shorts", "brand": "New \"York\""}`)
	want(t, s, 200, "", "POST", "/v1/docs", docs.String())
}

// Completions come from all fields of text, keep what of the query language is before them, and follow words with slips.
func TestSuggest(t *testing.T) {
	s := open(t, site.Options{Index: pinion.Options{Schema: shop}, HTTP: secured()})
	stock(t, s)
	for text, want := range map[string]string{
		"sho": "shoes, shorts", "red sho": "red shoes", "blue sho": "blue shorts", "+red -sho": "+red -shoes, +red -shorts", `"red sho`: `"red shoes, "red shorts`,
		"text:sho": "text:shorts", "shose": "~shoes", "rde sho": "~red shoes", "shoes": "", "RED SHO": "RED shoes", "": "", "  ": "", "zzzzz": "", "ro*": "", "sho~1": "",
		"brand:new": `brand:"New \"York\""`, `brand:"N`: `brand:"New \"York\""`, "price:1": "", "none:sho": "", "\xff": "", strings.Repeat("a", 2000): "", "red OR sho": "red OR shoes, red OR shorts",
	} {
		if got := suggested(t, s, text, "browser"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	within := ask(s, "GET", "/suggest?"+url.Values{"q": {"sho"}, "is.brand": {"b & 1"}}.Encode(), "", "browser").Body.String()
	if !strings.Contains(within, `"shoes"`) || strings.Contains(within, `"shorts"`) {
		t.Errorf("of one brand: %s", within)
	}
	if w := ask(s, "GET", "/suggest?q=sho&is.none=x", "", "browser"); w.Code != 200 {
		t.Errorf("no such field: %d %s", w.Code, w.Body)
	}
	for as, code := range map[string]int{"browser": 200, "client": 200, "": 401} {
		if w := ask(s, "GET", "/suggest?q=sho", "", as); w.Code != code {
			t.Errorf("as %q: %d %s", as, w.Code, w.Body)
		}
	}
	public := open(t, site.Options{HTTP: secured(), Public: true})
	if w := ask(public, "GET", "/suggest?q=sho", "", ""); w.Code != 200 || w.Body.String() != "{\"suggestions\":[]}\n" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("public: %d %s", w.Code, w.Body)
	}
}

// Of fields that stem, words are as they stand in documents.
func TestSuggestStems(t *testing.T) {
	s := open(t, site.Options{HTTP: secured(), Index: pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true}, {Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true}}}}})
	stock(t, s)
	for text, want := range map[string]string{"sho": "shoes, shorts", "runni": "running", "gard": "garden", "gadren": "~garden", "gardn": "~garden", "ru": "running", "red sho": "red shoes, red shorts"} {
		if got := suggested(t, s, text, "browser"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	has(t, "gardn", see(t, s, "/?q=gardn", 200), "Did you mean", ">garden</a>")
}

// What may have been meant is said where little was found, and where nothing was, why, and what finds something.
func TestAdvice(t *testing.T) {
	s := open(t, site.Options{Index: pinion.Options{Schema: shop}, HTTP: secured()})
	stock(t, s)
	for path, texts := range map[string][]string{
		"/?q=red+shose":                             {"20 documents for", "Did you mean", ">red shoes</a>", "20 documents<", "No document has <q dir=\"auto\">shose</q>."},
		"/?q=red+shoes":                             {"!Did you mean", "!No document has"},
		"/?q=shose":                                 {"20 documents for", "like them", ">shoes</a>"},
		"/?q=%2Bblue+%2Bgarden":                     {"0 documents for", "Each word is in some document", ">Any of the words blue garden</a> <small>21 documents<", "What can be typed"},
		"/?q=%2Bblue+%2Bzzzzzz":                     {"No document has <q dir=\"auto\">zzzzzz</q>", ">Only blue</a>"},
		"/?q=%26+zzzzzz":                            {"Left out", `<q dir="auto">&amp;</q>`, `has <q dir="auto">zzzzzz</q>`},
		"/?q=blue&is.brand=b+%26+1":                 {"0 documents", "The same without filters</a> <small>1 document<", "brand: b &amp; 1"},
		"/?q=blue+%2Bzzzzzz&is.brand=b+%26+1":       {"Only blue, without filters</a> <small>1 document<"},
		"/?q=%3Cscript%3Exxxx":                      {"No document has <q dir=\"auto\">&lt;script&gt;xxxx</q>", "!<script>"},
		"/?q=zzzzzz&strict":                         {"0 documents"},
		"/?q=" + strings.Repeat("zzzz+", 30):        {"0 documents", "What can be typed"},
		"/?q=red&sort=-price":                       {"Red</mark> shoes 19<", `sort=-price" aria-current="true">price, high to low<`, `name="sort" value="-price"`},
		"/?q=red&sort=-price&from=10":               {"Red</mark> shoes 9<", `from=10&amp;q=red&amp;sort=-price" aria-current="page"`},
		"/?sort=price":                              {"21 documents"},
		"/?q=red":                                   {`href="./?is.brand=b&#43;%26&#43;7&amp;q=red"`, `href="./?more=brand&amp;q=red"`, "!b &amp; 9<"},
		"/?q=red&more=brand":                        {"b &amp; 9<", "!>More"},
		"/?q=red&is.brand=b+%26+7&is.brand=b+%26+8": {"3 documents", `href="./?is.brand=b&#43;%26&#43;8&amp;q=red" aria-current="true"`, "(2)"},
	} {
		has(t, path, see(t, s, path, 200), texts...)
	}
	has(t, "sort", see(t, s, "/?q=red&sort=none", 400), "none")
}

// An empty index has a page too.
func TestNothing(t *testing.T) {
	for _, o := range []site.Options{{HTTP: secured()}, {HTTP: secured(), Index: pinion.Options{Schema: shop}}} {
		s := open(t, o)
		has(t, "/", see(t, s, "/", 200), "0 documents", "!What can be typed", "!Show all")
		has(t, "/?q=a", see(t, s, "/?q=a", 200), "0 documents")
	}
}

// Files that pages load are for all, and checked again by what is in them.
func TestFiles(t *testing.T) {
	s := open(t, site.Options{HTTP: httpapi.Options{Tokens: []string{token}}})
	for path, kind := range map[string]string{"/style.css": "text/css; charset=utf-8", "/search.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml", "/favicon.ico": "image/svg+xml"} {
		w := ask(s, "GET", path, "", "")
		if w.Code != 200 || w.Header().Get("Content-Type") != kind || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("ETag") == "" || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	page := ask(s, "GET", "/", "", "browser")
	if policy := page.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || page.Code != http.StatusOK {
		t.Errorf("%d %s", page.Code, policy)
	}
}
