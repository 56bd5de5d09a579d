package docs

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// group is some pages of the list of all.
type group struct {
	title   string // "" of the first
	entries []entry
}

// entry is a page in the list.
type entry struct {
	title string
	page  *page
}

// navigation returns all pages in the order in which they are read: the first page of the folder, those that the page of
// Options.Navigation links to, divided by its headings unless it is the first page by default, and the others by folder.
func (s *site) navigation() ([]group, error) {
	guide := s.byPath[s.options.Navigation]
	if s.options.Navigation != "" && guide == nil {
		return nil, fmt.Errorf("%w: there is no page %s to navigate by", ErrInvalid, s.options.Navigation)
	}
	home := s.indexOf(".")
	if guide == nil {
		if guide = s.indexOf("docs"); guide == nil {
			guide = home
		}
	}
	groups, seen := []group{{}}, map[*page]bool{}
	add := func(p *page, title string) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		last := &groups[len(groups)-1]
		last.entries = append(last.entries, entry{title, p})
	}
	if home != nil {
		add(home, home.title)
	}
	if guide != nil {
		add(guide, guide.title)
		for _, n := range find(guide.content, atom.H2, atom.A) {
			if n.DataAtom == atom.H2 && guide == home && s.options.Navigation == "" {
				continue // of an introduction
			}
			if n.DataAtom == atom.H2 {
				groups = append(groups, group{title: strings.TrimSpace(plain(n))})
				continue
			}
			t := s.follow(guide, attribute(n, "href"))
			if t.page == nil {
				continue
			}
			title := t.page.title
			if item(n) {
				title = strings.TrimSpace(plain(n))
			}
			add(t.page, title)
		}
	}
	others := map[string][]*page{}
	for _, p := range s.pages {
		if !seen[p] {
			others[s.folder(p)] = append(others[s.folder(p)], p)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(others)) {
		title := dir
		if dir == "." {
			title = "Others"
		}
		groups = append(groups, group{title: title})
		for _, p := range others[dir] {
			add(p, p.title)
		}
	}
	return filled(groups), nil
}

// folder returns the folder that a page is listed under. A page that is alone in its folder is listed beside it.
func (s *site) folder(p *page) string {
	dir := path.Dir(p.path)
	if s.indexOf(dir) != p {
		return dir
	}
	for _, other := range s.pages {
		if other != p && path.Dir(other.path) == dir {
			return dir
		}
	}
	return path.Dir(dir)
}

// filled returns the groups that have pages.
func filled(groups []group) (out []group) {
	for _, g := range groups {
		if len(g.entries) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// item reports whether a link is what an item of a list begins with: then its text is the title of the page.
func item(n *dom.Node) bool {
	in := n.Parent
	if in.DataAtom == atom.P {
		if in.FirstChild != n {
			return false
		}
		n, in = in, in.Parent
	}
	for before := n.PrevSibling; before != nil; before = before.PrevSibling {
		if before.Type != dom.TextNode || strings.TrimSpace(before.Data) != "" {
			return false
		}
	}
	return in != nil && in.DataAtom == atom.Li
}

// order returns the pages in the order of the list.
func (s *site) order() (pages []*page) {
	for _, g := range s.groups {
		for _, e := range g.entries {
			pages = append(pages, e.page)
		}
	}
	return pages
}
