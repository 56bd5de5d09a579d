package ocis_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/adapters/ocis"
)

// model is what spaces must hold: plain resources by id.
type model map[string]ocis.Resource

// asked is a query with what it means, so that the model needs no grammar.
type asked struct {
	nodes   []ocis.Node
	matches func(r *ocis.Resource) bool
}

var (
	modelNames = []string{"a", "ab", "B.txt", "c d", "ab0"}
	modelWords = []string{"sun", "moon", "star"}
)

// glob reports whether a pattern stands for s.
func glob(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return glob(pattern[1:], s) || s != "" && glob(pattern, s[1:])
	}
	return s != "" && (pattern[0] == '?' || pattern[0] == s[0]) && glob(pattern[1:], s[1:])
}

// drawQuery draws a query of at most so many levels.
func drawQuery(t *rapid.T, levels int) asked {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if levels == 0 {
		kind %= 4
	}
	one := func(n ocis.Node, f func(*ocis.Resource) bool) asked { return asked{[]ocis.Node{n}, f} }
	switch kind {
	case 0:
		p := rapid.SampledFrom([]string{"a", "AB", "a*", "*b*", "?", "*.txt", "c ?", "*0", "*"}).Draw(t, "pattern")
		return one(name(p), func(r *ocis.Resource) bool { return glob(strings.ToLower(p), strings.ToLower(r.Name)) })
	case 1:
		n := rapid.IntRange(0, 9).Draw(t, "size")
		return one(is("size", fmt.Sprintf(">%d", n)), func(r *ocis.Resource) bool { return r.Size > uint64(n) })
	case 2:
		w := rapid.SampledFrom(modelWords).Draw(t, "word")
		return one(is("content", w), func(r *ocis.Resource) bool { return strings.Contains(r.Content, w) })
	case 3:
		w := rapid.SampledFrom(modelWords).Draw(t, "tag")
		return one(is("tag", w), func(r *ocis.Resource) bool { return slices.Contains(r.Tags, w) })
	case 4:
		q := drawQuery(t, levels-1)
		return asked{[]ocis.Node{ocis.Not, ocis.Group{Nodes: q.nodes}}, func(r *ocis.Resource) bool { return !q.matches(r) }}
	}
	l, r := drawQuery(t, levels-1), drawQuery(t, levels-1)
	between := func(op ocis.Op, f func(*ocis.Resource) bool) asked {
		return asked{[]ocis.Node{ocis.Group{Nodes: l.nodes}, op, ocis.Group{Nodes: r.nodes}}, f}
	}
	if kind == 5 {
		return between(ocis.And, func(x *ocis.Resource) bool { return l.matches(x) && r.matches(x) })
	}
	return between(ocis.Or, func(x *ocis.Resource) bool { return l.matches(x) || r.matches(x) })
}

// below reports whether r is what is at a path of a space, or below it.
func below(r *ocis.Resource, root, at string) bool {
	return r.RootID == root && (at == "." || r.Path == at || strings.HasPrefix(r.Path, at+"/"))
}

// change applies f to a resource and, if it is a folder, to all below it.
func (m model) change(id string, f func(r *ocis.Resource)) {
	top := m[id]
	for k, r := range m {
		if k == id || top.Type == ocis.Container && below(&r, top.RootID, top.Path) && r.Path != top.Path {
			f(&r)
			m[k] = r
		}
	}
}

// search returns the ids of what a query finds.
func (m model) search(q asked, root, at string) []string {
	ids := []string{}
	for id, r := range m {
		if !r.Deleted && below(&r, root, at) && q.matches(&r) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// paths returns the paths of the folders of a space.
func (m model) folders(root string) []string {
	paths := []string{"."}
	for _, r := range m {
		if r.RootID == root && r.Type == ocis.Container {
			paths = append(paths, r.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Whatever is added, moved, deleted, restored and purged, also with a restart in between: searches find what a plain map says.
func TestModel(t *testing.T) {
	dir, o := t.TempDir(), ocis.Options{Lazy: 1 << 40} // one engine for all: each check has a space of its own
	e, err := ocis.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { e.Close() }()
	spaces := 0
	rapid.Check(t, func(t *rapid.T) {
		spaces++
		root, m := fmt.Sprintf("s%d", spaces), model{}
		do := func(err error, id string) {
			if _, there := m[id]; !there && id != "" && errors.Is(err, ocis.ErrNotFound) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		place := func() string {
			at := path.Join(rapid.SampledFrom(m.folders(root)).Draw(t, "folder"), rapid.SampledFrom(modelNames).Draw(t, "name"))
			return "./" + at
		}
		for range rapid.IntRange(3, 14).Draw(t, "changes") {
			id := fmt.Sprintf("%s!%d", root, rapid.IntRange(0, 7).Draw(t, "id"))
			switch rapid.IntRange(0, 7).Draw(t, "change") {
			case 0:
				do(e.Delete(id), id)
				m.change(id, func(r *ocis.Resource) { r.Deleted = true })
			case 1:
				do(e.Restore(id), id)
				m.change(id, func(r *ocis.Resource) { r.Deleted = false })
			case 2:
				do(e.Purge(id), "")
				delete(m, id)
			case 3:
				top, to := m[id], place()
				if top.Path != "" && strings.HasPrefix(to+"/", top.Path+"/") {
					continue // into itself
				}
				do(e.Move(id, "p", to), id)
				m.change(id, func(r *ocis.Resource) {
					if r.ID == id {
						r.Name, r.ParentID = path.Base(to), "p"
					}
					r.Path = to + strings.TrimPrefix(r.Path, top.Path)
				})
			default:
				r := ocis.Resource{ID: id, RootID: root, Path: place(), Type: uint64(rapid.IntRange(1, 2).Draw(t, "type")), Size: rapid.Uint64Range(0, 9).Draw(t, "size")}
				r.Name = path.Base(r.Path)
				r.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom(modelWords), 0, 2, rapid.ID).Draw(t, "tags")
				r.Content = strings.Join(rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 3).Draw(t, "content"), " ")
				do(e.Upsert(id, r), "")
				m[id] = r
			}
		}
		if rapid.IntRange(0, 15).Draw(t, "restart") == 0 {
			do(e.Close(), "")
			e, err = ocis.Open(dir, o)
			do(err, "")
		}
		for range 4 {
			q, at := drawQuery(t, 3), rapid.SampledFrom(m.folders(root)).Draw(t, "in")
			r, err := e.Search(context.Background(), ocis.Request{Query: q.nodes, RootID: root, Path: at, Limit: -1})
			do(err, "")
			ids := []string{}
			for _, x := range r.Matches {
				ids = append(ids, x.ID)
				want := m[x.ID]
				if x.Path != want.Path || x.ParentID != want.ParentID || x.Name != want.Name || x.Size != want.Size || x.Type != want.Type || x.RootID != root {
					t.Fatalf("found %+v, want %+v", x.Resource, want)
				}
			}
			slices.Sort(ids)
			if want := m.search(q, root, at); !slices.Equal(ids, want) || r.Total != uint64(len(want)) {
				t.Fatalf("%v in %s: got %q (%d), want %q of %v", q.nodes, at, ids, r.Total, want, slices.Collect(maps.Values(m)))
			}
		}
	})
}

// More names than a query takes apart for a pattern are found all the same.
func TestWide(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 70,000 resources")
	}
	e, err := ocis.Open(t.TempDir(), ocis.Options{Lazy: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const n = 70_000
	if err := e.Load(func(yield func(ocis.Resource) bool) {
		for i := range n {
			if !yield(ocis.Resource{ID: fmt.Sprint(i), RootID: "s", Path: "./x", Name: fmt.Sprintf("%x.%s", rand.Uint64()|1<<63, []string{"pdf", "txt"}[i%2])}) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[string]uint64{"*": n, "*.*": n, "*.pdf": n / 2} {
		r, err := e.Search(context.Background(), ocis.Request{Query: []ocis.Node{name(q), ocis.And, ocis.Not, is("tag", "x")}, Limit: 3})
		if err != nil || r.Total != want || len(r.Matches) != 3 {
			t.Errorf("%s: %d matches, %d of them shown, %v", q, r.Total, len(r.Matches), err)
		}
	}
}
