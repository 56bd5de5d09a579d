// Package page takes from a page of HTML what a search finds: its title, and the text of its sections.
//
// The content is what stands in elements with the attribute data-pinion-body, or else in main, article or body, the first of these
// that there is. Left out of it are menus (nav), footers, forms, scripts, what is hidden, and elements with data-pinion-ignore.
// Pagefind's attributes data-pagefind-body and data-pagefind-ignore mean the same.
//
// A heading that a link can lead to, by an id, begins a section.
package page

import (
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is what a page of HTML has to search.
type Page struct {
	// Title is the first h1 that is a part of the element title, as of "Install | Guide", or else that element. Without one it is
	// the first h1.
	Title string
	// Language is what the page says that it is in, such as en-US, or "".
	Language string
	// Canonical is the URL that the page says it has, or "".
	Canonical string
	// Marked says whether the content was found by data-pinion-body.
	Marked bool
	// Redirect says that the page leads to another one at once, and NoIndex that it asks not to be found.
	Redirect, NoIndex bool
	// Sections are what has text or a heading, in the order of the page. The first may be what comes before all headings, without
	// Anchor and Heading. It is empty on a page with no more than a title of its own.
	Sections []Section
}

// Section is a part of a page.
type Section struct {
	// Anchor is the id that a link to the section has after #, or "". No two sections of a page have the same.
	Anchor string
	// Heading is the text of the heading.
	Heading string
	// Text is the text below it, with a space where there are spaces, line breaks or borders of blocks.
	Text string
	// Links is how many bytes of Text are in links: of lists of other pages most.
	Links int
}

// MaxAnchor is the length in bytes of the longest Section.Anchor; longer ids are none.
const MaxAnchor = 1024

// Parse reads a page in UTF-8. Like a browser it takes anything for HTML; the error is that of reading, or for elements that are nested
// too deep.
func Parse(r io.Reader) (*Page, error) {
	root, err := html.Parse(r)
	if err != nil {
		return nil, err
	}
	p := &Page{}
	var found contents
	p.survey(root, &found)
	w := &walker{page: p, seen: map[string]bool{}, header: true}
	roots := found.marked
	switch p.Marked = len(roots) > 0; {
	case p.Marked:
	case len(found.main) > 0:
		roots = found.main
	case len(found.article) > 0:
		roots = found.article
	default:
		roots, w.header = found.body, false
	}
	w.begin("", "")
	for _, n := range roots {
		w.walk(n)
		w.space()
	}
	w.end()
	if w.title != "" {
		p.Title = w.title
		if len(p.Sections) == 0 {
			p.Sections = []Section{{}} // such as a list of other pages, which is a menu
		}
	}
	return p, nil
}

// contents are the elements that may hold the content, outermost only.
type contents struct{ marked, main, article, body []*html.Node }

// survey reads what a page says of itself, and finds what may hold its content.
func (p *Page) survey(n *html.Node, found *contents) {
	if n.Type == html.ElementNode {
		switch n.DataAtom {
		case atom.Html:
			p.Language = attribute(n, "lang")
		case atom.Title:
			if p.Title == "" && n.Parent.DataAtom == atom.Head {
				p.Title = plain(n)
			}
		case atom.Link:
			if strings.EqualFold(attribute(n, "rel"), "canonical") {
				p.Canonical = attribute(n, "href")
			}
		case atom.Meta:
			p.meta(n)
		}
		for _, kind := range []struct {
			is bool
			of *[]*html.Node
		}{
			{marked(n, "body"), &found.marked},
			{n.DataAtom == atom.Main || attribute(n, "role") == "main", &found.main},
			{n.DataAtom == atom.Article, &found.article},
			{n.DataAtom == atom.Body, &found.body},
		} {
			if kind.is && (len(*kind.of) == 0 || !within(n, (*kind.of)[len(*kind.of)-1])) {
				*kind.of = append(*kind.of, n)
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.survey(c, found)
	}
}

func (p *Page) meta(n *html.Node) {
	content := strings.ToLower(attribute(n, "content"))
	switch {
	case strings.EqualFold(attribute(n, "http-equiv"), "refresh"):
		p.Redirect = true
	case strings.EqualFold(attribute(n, "name"), "robots"):
		p.NoIndex = p.NoIndex || strings.Contains(content, "noindex") || content == "none"
	}
}

func within(n, ancestor *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == ancestor {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return true
		}
	}
	return false
}

// marked reports whether n has an attribute of this program's or of Pagefind's.
func marked(n *html.Node, what string) bool {
	return has(n, "data-pinion-"+what) || has(n, "data-pagefind-"+what)
}

// plain returns the text in n.
func plain(n *html.Node) string {
	w := &walker{page: &Page{}, inside: true}
	w.children(n)
	return w.take()
}

// walker collects sections.
type walker struct {
	page   *Page
	title  string // of the first h1
	header bool   // whether the element header is content
	inside bool   // a heading, which has no headings
	seen   map[string]bool
	text   strings.Builder
	gap    bool // the next character is preceded by a space
	linked bool // within a link
	links  int  // bytes of text that are
}

// walk adds what is in n.
func (w *walker) walk(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.add(n.Data)
	case n.Type != html.ElementNode:
	case w.ignored(n):
		w.gap = w.gap || !inline[n.DataAtom]
	case level(n) > 0 && !w.inside:
		w.heading(n)
	case n.DataAtom == atom.A:
		before := w.linked
		w.linked = before || has(n, "href")
		w.children(n)
		w.linked = before
	case inline[n.DataAtom] || n.DataAtom == 0 && !strings.Contains(n.Data, "-"):
		w.children(n)
	default:
		w.space()
		w.children(n)
		w.space()
	}
}

func (w *walker) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c)
	}
}

// inline are the elements that do not divide words.
var inline = map[atom.Atom]bool{}

func init() {
	for _, a := range []atom.Atom{atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I,
		atom.Ins, atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr} {
		inline[a] = true
	}
}

// ignored reports whether an element is not content.
func (w *walker) ignored(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Nav, atom.Footer, atom.Form, atom.Button, atom.Select, atom.Svg, atom.Iframe,
		atom.Dialog, atom.Object, atom.Textarea:
		return true
	case atom.Header:
		if !w.header {
			return true
		}
	}
	return has(n, "hidden") || attribute(n, "aria-hidden") == "true" || marked(n, "ignore")
}

// level returns 1 to 6 for h1 to h6, else 0.
func level(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return int(n.Data[1] - '0')
	}
	return 0
}

// heading begins a section, unless nothing can link to the heading: then it is text. The first h1 that can be is the title.
func (w *walker) heading(n *html.Node) {
	anchor, text := anchorOf(n), strings.TrimFunc(plain(n), decoration)
	if len(anchor) > MaxAnchor {
		anchor = ""
	}
	switch {
	case level(n) == 1 && w.title == "" && text != "" && names(w.page.Title, text):
		w.space()
		w.title = text
	case anchor == "" || w.seen[anchor] || text == "":
		w.space()
		w.add(text)
		w.space()
	default:
		w.seen[anchor] = true
		w.end()
		w.begin(anchor, text)
	}
}

// names reports whether h1 names a page of a title, which may have more, such as the name of the site.
func names(title, h1 string) bool {
	return title == "" || strings.Contains(strings.ToLower(title), strings.ToLower(h1))
}

// decoration reports what stands around headings for links to them.
func decoration(r rune) bool {
	return strings.ContainsRune("#¶§🔗\u200b\ufeff", r) || unicode.IsSpace(r)
}

// anchorOf returns the id that leads to a heading: its own, that of an element in it, or that of an element that begins with it.
func anchorOf(n *html.Node) string {
	if id := attribute(n, "id"); id != "" {
		return id
	}
	for c := range n.Descendants() {
		if c.Type != html.ElementNode {
			continue
		}
		if id := attribute(c, "id"); id != "" {
			return id
		}
		if name := attribute(c, "name"); name != "" && c.DataAtom == atom.A {
			return name
		}
	}
	before := n.PrevSibling
	for before != nil && before.Type != html.ElementNode && strings.TrimSpace(before.Data) == "" {
		before = before.PrevSibling
	}
	if p := n.Parent; before == nil && (p.DataAtom == atom.Section || p.DataAtom == atom.Div || p.DataAtom == atom.Article) {
		return attribute(p, "id")
	}
	return ""
}

// add appends text, with one space for each run of white space.
func (w *walker) add(s string) {
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			w.gap = true
		case r == '\u200b' || r == '\u00ad' || r == '\ufeff': // where a line may break; soft hyphens
		default:
			if w.gap && w.text.Len() > 0 {
				w.text.WriteByte(' ')
			}
			w.gap = false
			n, _ := w.text.WriteRune(r) // of invalid UTF-8, U+FFFD
			if w.linked {
				w.links += n
			}
		}
	}
}

func (w *walker) space() { w.gap = true }

// take returns the text so far, and begins anew.
func (w *walker) take() string {
	s := w.text.String()
	w.text.Reset()
	w.gap, w.links = false, 0
	return s
}

func (w *walker) begin(anchor, heading string) {
	w.page.Sections = append(w.page.Sections, Section{Anchor: anchor, Heading: heading})
}

// end ends the section that was begun last, and drops it if there is nothing in it.
func (w *walker) end() {
	last := len(w.page.Sections) - 1
	s := &w.page.Sections[last]
	s.Links = w.links
	if s.Text = w.take(); s.Text == "" && s.Heading == "" {
		w.page.Sections = w.page.Sections[:last]
	}
}
