package docs

import (
	"bytes"
	"cmp"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// target is where a link leads: to a page of the site, a file of the folder, or elsewhere.
type target struct {
	page *page
	file string // slash-separated
	dir  bool   // whether file is a folder
	u    *url.URL
	why  string // the link is broken, or ""
}

// follow returns where a link of a page leads. One that begins with a slash begins at the folder.
func (s *site) follow(from *page, to string) (t target) {
	u, err := url.Parse(to)
	if err != nil {
		return target{why: "not a URL"}
	}
	t.u = u
	switch {
	case u.Scheme != "" || u.Host != "":
		return t
	case u.Path == "":
		t.page = from
	default:
		name := path.Join(path.Dir(from.path), u.Path)
		if strings.HasPrefix(u.Path, "/") {
			name = path.Join(".", path.Clean(u.Path)[1:])
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			t.why = "leads out of the folder"
			return t
		}
		if t.page = cmp.Or(s.byPath[name], s.indexOf(name)); t.page == nil {
			info, err := fs.Stat(s.root.FS(), name)
			if err != nil {
				t.why = "no such file"
				return t
			}
			t.file, t.dir = name, info.IsDir()
			return t
		}
	}
	if lower := strings.ToLower(u.Fragment); !t.page.anchors[u.Fragment] && t.page.anchors[lower] {
		u.Fragment, u.RawFragment = lower, "" // GitHub finds it too
	}
	if u.Fragment != "" && !t.page.anchors[u.Fragment] {
		t.why = "no such heading in " + t.page.path
	}
	return t
}

// images are the extensions of files that pages show.
var images = []string{".apng", ".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"}

func isImage(name string) bool { return slices.Contains(images, strings.ToLower(path.Ext(name))) }

// link has the links and images of a page lead to where they lead in the site.
func (s *site) link(p *page) {
	for _, n := range find(p.content, atom.A) {
		if to := attribute(n, "href"); to != "" {
			s.point(p, n, "href", to)
		}
	}
	for _, n := range find(p.content, atom.Source) {
		n.Parent.RemoveChild(n) // of other sizes: the img beside it shows the picture
	}
	for _, n := range find(p.content, atom.Img) {
		to := attribute(n, "src")
		n.Attr = slices.DeleteFunc(n.Attr, func(a dom.Attribute) bool { return a.Key == "srcset" })
		switch u, err := url.Parse(to); {
		case err == nil && u.Scheme == "data":
		case err == nil && (u.Scheme != "" || u.Host != ""):
			named(n, to, cmp.Or(attribute(n, "alt"), u.Host))
		default:
			s.point(p, n, "src", to)
		}
	}
}

// named puts a link in place of an image that would be loaded from elsewhere.
func named(n *dom.Node, to, name string) {
	text := &dom.Node{Type: dom.TextNode, Data: name}
	for parent := n.Parent; parent != nil; parent = parent.Parent {
		if parent.DataAtom == atom.A {
			n.Parent.InsertBefore(text, n)
			n.Parent.RemoveChild(n)
			return
		}
	}
	n.Type, n.DataAtom, n.Data = dom.ElementNode, atom.A, "a"
	n.Attr = []dom.Attribute{{Key: "href", Val: to}}
	n.AppendChild(text)
}

// point points an attribute of a link or image to where it leads.
func (s *site) point(p *page, n *dom.Node, key, to string) {
	t := s.follow(p, to)
	link := Link{Page: p.path, Line: lineOf(p.source, to), To: to, Why: t.why}
	switch {
	case t.why != "":
		s.report.Broken = append(s.report.Broken, link)
		unlink(n)
	case t.page != nil:
		if u := (url.URL{Fragment: t.u.Fragment}); t.page == p && u.Fragment != "" {
			set(n, key, u.String())
			return
		}
		set(n, key, relative(p.out, t.page.out, t.u.Fragment))
		entitle(n, t)
	case t.file == "":
	case isImage(t.file):
		s.images[t.file] = true
		set(n, key, relative(p.out, t.file, ""))
	default:
		s.report.Outside = append(s.report.Outside, link)
		if s.options.Source == "" {
			unlink(n)
			return
		}
		u := url.URL{Path: t.file, Fragment: t.u.Fragment}
		set(n, key, strings.TrimSuffix(s.options.Source, "/")+"/"+strings.TrimPrefix(u.String(), "./"))
	}
}

// entitle has a link that only names the file of a page name the page, which has no such file in the site.
func entitle(n *dom.Node, t target) {
	text := n.FirstChild
	if text == nil || text.NextSibling != nil || text.Type != dom.TextNode || !isMarkdown(text.Data) {
		return
	}
	if name := path.Clean(text.Data); path.Base(name) == path.Base(t.page.path) {
		text.Data = t.page.title
	}
}

// unlink makes a link the text that it has.
func unlink(n *dom.Node) {
	text := attribute(n, "alt")
	n.Type, n.DataAtom, n.Data, n.Attr = dom.ElementNode, atom.Span, "span", nil
	if text != "" {
		n.AppendChild(&dom.Node{Type: dom.TextNode, Data: text})
	}
}

// relative returns the URL of a file of the site, relative to that of another.
func relative(from, to, fragment string) string {
	name, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		name = to // not of paths that are both relative
	}
	u := url.URL{Path: filepath.ToSlash(name), Fragment: fragment}
	return u.String()
}

// lineOf returns the line of a page that has a link first, or 0.
func lineOf(source []byte, to string) int {
	at := bytes.Index(source, []byte(to))
	if in := bytes.Index(source, []byte("]("+to)); in >= 0 {
		at = in
	}
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(source[:at], []byte("\n"))
}
