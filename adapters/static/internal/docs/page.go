package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is a page of the site.
type page struct {
	path, out string // of the Markdown and of the HTML, slash-separated
	source    []byte
	title     string
	content   *dom.Node       // a div
	anchors   map[string]bool // where links to the page may lead
	headings  []heading       // of the second level
}

// heading is a heading that the page's own list has.
type heading struct{ Anchor, Text string }

// markdown is the Markdown of GitHub.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote,
	),
	goldmark.WithRendererOptions(html.WithUnsafe()), // parse drops what runs
)

// parse reads a page.
func parse(name string, text []byte) (*page, error) {
	p := &page{path: name, source: text, anchors: map[string]bool{}}
	title, text := frontMatter(text)
	var b bytes.Buffer
	if err := markdown.Convert(text, &b); err != nil {
		return nil, err
	}
	body := &dom.Node{Type: dom.ElementNode, DataAtom: atom.Div, Data: "div"}
	nodes, err := dom.ParseFragment(&b, body)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	p.content = body
	clean(body)
	p.anchor(title)
	if p.title == "" {
		p.title = cmp.Or(title, strings.TrimSuffix(path.Base(name), path.Ext(name)))
		h1 := element(atom.H1)
		h1.AppendChild(&dom.Node{Type: dom.TextNode, Data: p.title})
		body.InsertBefore(h1, body.FirstChild)
	}
	for _, table := range find(body, atom.Table) {
		scroll := element(atom.Div, "class", "table")
		table.Parent.InsertBefore(scroll, table)
		table.Parent.RemoveChild(table)
		scroll.AppendChild(table)
	}
	return p, nil
}

// frontMatter returns the title in the lines of YAML that a page may begin with, or "", and what follows them.
func frontMatter(text []byte) (title string, rest []byte) {
	if !bytes.HasPrefix(text, []byte("---\n")) {
		return "", text
	}
	lines, rest, ok := bytes.Cut(text[len("---\n"):], []byte("\n---\n"))
	if !ok {
		return "", text
	}
	for line := range strings.Lines(string(lines)) {
		if value, ok := strings.CutPrefix(line, "title:"); ok {
			title = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return title, rest
}

// clean removes what would run or load something, as GitHub does.
func clean(n *dom.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.Script, atom.Style, atom.Iframe, atom.Object, atom.Embed, atom.Link, atom.Meta, atom.Base, atom.Form:
			n.RemoveChild(c)
		default:
			if c.Type == dom.CommentNode {
				n.RemoveChild(c)
			}
			kept := c.Attr[:0]
			for _, a := range c.Attr {
				if !strings.HasPrefix(a.Key, "on") && a.Key != "style" && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
					kept = append(kept, a)
				}
			}
			c.Attr = kept
			clean(c)
		}
		c = next
	}
}

// anchor gives headings the ids that GitHub gives them, and links to themselves, and finds the title. Without one of the first level,
// and without the title of front matter, it is the first heading.
func (p *page) anchor(title string) {
	for n := range p.content.Descendants() {
		if id := attribute(n, "id"); id != "" {
			p.anchors[id] = true
		}
		if name := attribute(n, "name"); name != "" && n.DataAtom == atom.A {
			p.anchors[name] = true
		}
	}
	all := find(p.content, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	if title == "" && len(all) > 0 && len(find(p.content, atom.H1)) == 0 {
		all[0].DataAtom, all[0].Data = atom.H1, "h1"
	}
	for _, h := range all {
		text := strings.Join(strings.Fields(plain(h)), " ")
		id := attribute(h, "id")
		if id == "" {
			id = slug(text)
			for n := 1; p.anchors[id]; n++ {
				id = fmt.Sprintf("%s-%d", slug(text), n)
			}
			h.Attr = append(h.Attr, dom.Attribute{Key: "id", Val: id})
		}
		p.anchors[id] = true
		switch {
		case h.DataAtom == atom.H1 && p.title == "":
			p.title = text
			continue
		case h.DataAtom == atom.H2:
			p.headings = append(p.headings, heading{id, text})
		}
		h.AppendChild(element(atom.A, "class", "anchor", "href", "#"+id, "aria-label", "Link to "+text))
	}
}

// slug returns the id that GitHub gives a heading.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func element(a atom.Atom, attributes ...string) *dom.Node {
	n := &dom.Node{Type: dom.ElementNode, DataAtom: a, Data: a.String()}
	for i := 0; i < len(attributes); i += 2 {
		n.Attr = append(n.Attr, dom.Attribute{Key: attributes[i], Val: attributes[i+1]})
	}
	return n
}

// find returns the elements of some kinds in n.
func find(n *dom.Node, kinds ...atom.Atom) (found []*dom.Node) {
	for d := range n.Descendants() {
		for _, a := range kinds {
			if d.Type == dom.ElementNode && d.DataAtom == a {
				found = append(found, d)
			}
		}
	}
	return found
}

func attribute(n *dom.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func set(n *dom.Node, key, value string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr[i].Val = value
		}
	}
}

// plain returns the text in n.
func plain(n *dom.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == dom.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
