package pinion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// An index gets a field with a column while it is in use: documents that are there have no value in it, and those that come have
// one. k1, b and weights change, and nothing else of a field that is there; the error names it, and the index goes on.
func TestEvolve(t *testing.T) {
	mem := memfs.New()
	x := must(OpenFS(ctx, mem, Options{Language: "en", Schema: &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true}}}}))(t)
	defer x.Close()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(x.Add(ctx, Doc{ID: "a", Fields: map[string]any{"title": "red roses", "n": 1}}))
	if err := x.Add(ctx, Doc{ID: "b", Fields: map[string]any{"stock": 2}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a field that is not there yet: %v", err)
	}
	before := x.Schema()
	do(x.Evolve(ctx, before.Set(schema.Field{Name: "stock", Kind: schema.Integer, Column: true})))
	do(x.Evolve(ctx, &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Positions: true}, {Name: "title", Kind: schema.Text, Stored: true, Boost: 3}}}))
	do(x.Add(ctx, Doc{ID: "b", Fields: map[string]any{"title": "a rose", "stock": 2, "body": "of the shepherds"}}))
	s := x.Schema()
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	if f, _ := s.Field("title"); !slices.Equal(names, []string{"title", "n", "stock", "body"}) || f.Boost != 3 || s.Fields[3].Analyzer != "english" {
		t.Fatalf("%+v", s)
	}
	for i, w := range []struct {
		r    Request
		want string
	}{
		{Request{Query: query.Equal("stock", 2)}, "b"}, {Request{Query: query.Exists{Field: "n"}}, "a"}, {Request{Query: query.Match{Text: "rose"}}, "ab"},
		{Request{Query: query.Phrase{Field: "body", Text: "of the shepherd"}}, "b"}, {Request{Query: query.All{}, Sort: []Sort{{Field: "stock"}}}, "ba"},
		{Request{Query: query.Match{Field: "title", Text: "roses"}, Filter: query.Not{Node: query.Exists{Field: "stock"}}}, "a"},
	} {
		p, err := x.Search(ctx, w.r)
		got := ""
		for _, h := range p.Hits {
			got += h.ID
		}
		if b := []byte(got); i == 2 {
			slices.Sort(b)
			got = string(b)
		}
		if err != nil || got != w.want {
			t.Errorf("%+v: %q, %v, want %q", w.r, got, err, w.want)
		}
	}
	for name, f := range map[string]schema.Field{
		"kind": {Name: "n", Kind: schema.Float, Column: true}, "analyzer": {Name: "title", Kind: schema.Text, Stored: true, Analyzer: "simple"},
		"column": {Name: "n", Kind: schema.Integer, Stored: true}, "positions": {Name: "title", Kind: schema.Text, Stored: true, Positions: true}, "no kind": {Name: "x"},
	} {
		err := x.Evolve(ctx, &schema.Schema{Fields: []schema.Field{f}})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("field %q: ", f.Name)) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dropped := must(x.Schema().Drop("n"))(t)
	renamed := must(x.Schema().Rename("n", "number"))(t)
	for says, s := range map[string]*schema.Schema{`field "n": it is not dropped`: dropped, `field "n": it is not renamed`: renamed, "has changed since": before.Set(schema.Field{Name: "late", Kind: schema.Keyword}), "no schema": nil} {
		if err := x.Evolve(ctx, s); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if !x.Schema().Equal(s) {
		t.Errorf("%+v after what was refused", x.Schema())
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := x.Evolve(gone, &schema.Schema{Fields: []schema.Field{{Name: "z", Kind: schema.Keyword}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	do(x.Add(ctx, Doc{ID: "c", Fields: map[string]any{"title": "rose", "n": 5}}))
	y := must(OpenFS(ctx, mem.Crash(), Options{}))(t) // all that Evolve has returned for is there
	if got := y.Schema(); !got.Equal(s) {
		t.Errorf("after a crash: %+v, want %+v", got, s)
	}
	do(y.Close())
	if err := y.Evolve(ctx, s); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := new(Index).Evolve(ctx, s); !errors.Is(err, ErrClosed) {
		t.Errorf("never opened: %v", err)
	}
}

// Many goroutines add documents, with fields as they come, and search, while others evolve the schema.
func TestEvolveConcurrently(t *testing.T) {
	x := must(OpenFS(ctx, memfs.New(), Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text}}}}))(t)
	defer x.Close()
	const goroutines, each = 4, 60
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				s := x.Schema()
				d := Doc{ID: fmt.Sprint(g, "-", i), Fields: map[string]any{"title": "rose"}}
				for _, f := range s.Fields[1:] {
					d.Fields[f.Name] = i
				}
				if err := x.Add(ctx, d); err != nil {
					t.Error(err)
				}
				if n, err := x.Count(ctx, query.IDs{d.ID}); n != 1 || err != nil {
					t.Errorf("%s: %d, %v", d.ID, n, err)
				}
				for _, f := range s.Fields[1:] {
					if n, err := x.Count(ctx, query.And{query.IDs{d.ID}, query.Equal(f.Name, i)}); n != 1 || err != nil {
						t.Errorf("%s, field %s: %d, %v", d.ID, f.Name, n, err)
					}
				}
			}
		})
		wg.Go(func() {
			for i := range 5 {
				for {
					f := schema.Field{Name: fmt.Sprint("f", g, i), Kind: schema.Integer, Column: true}
					err := x.Evolve(ctx, x.Schema().Set(f))
					if err == nil {
						break
					}
					if !strings.Contains(err.Error(), "has changed since") {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if n := len(x.Schema().Fields); n != 1+5*goroutines || x.Len() != goroutines*each {
		t.Errorf("%d fields, %d documents", n, x.Len())
	}
}

// A program with an older schema goes on with an index that a newer one has evolved, and the newer one after it; a reader sees each
// of their commits. What the older one replaces loses the values that it does not know.
func TestEvolveRollback(t *testing.T) {
	dir := t.TempDir()
	older := &schema.Schema{Fields: []schema.Field{{Name: "b", Kind: schema.Keyword, Column: true}, {Name: "a", Kind: schema.Text, Stored: true}}}
	newer := &schema.Schema{Fields: []schema.Field{{Name: "new", Kind: schema.Integer, Column: true}, {Name: "a", Kind: schema.Text, Stored: true, Boost: 2}, {Name: "b", Kind: schema.Keyword, Column: true}}}
	var r *Reader
	for i, s := range []*schema.Schema{older, newer, older, newer} {
		x := must(Open(ctx, dir, Options{Schema: s}))(t)
		docs := []Doc{{ID: fmt.Sprint("own", i), Fields: map[string]any{"a": "word", "b": "k"}}, {ID: "shared", Fields: map[string]any{"a": fmt.Sprint("word ", i)}}}
		if s == newer {
			docs[0].Fields["new"], docs[1].Fields["new"] = i, i
		}
		if err := errors.Join(x.Add(ctx, docs...), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			r = must(OpenReader(ctx, dir))(t)
			defer r.Close()
		}
		for _, in := range []Searcher{x, r} {
			if n, err := in.Count(ctx, query.Match{Text: "word"}); n != i+2 || err != nil {
				t.Errorf("%d: %d, %v", i, n, err)
			}
			has := func(n query.Node) int {
				if i == 0 {
					return 0 // there is no such field
				}
				return must(in.Count(ctx, n))(t)
			}
			ofNew, shared := has(query.Exists{Field: "new"}), has(query.And{query.IDs{"shared"}, query.Exists{Field: "new"}})
			if want := [...][2]int{{0, 0}, {2, 1}, {1, 0}, {3, 1}}[i]; ofNew != want[0] || shared != want[1] {
				t.Errorf("%d: %d documents with the new field, %d of them shared; want %v", i, ofNew, shared, want)
			}
			if names := in.Schema().Fields; i > 0 && len(names) != 3 {
				t.Errorf("%d: %+v", i, names)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever operation of the file system fails, the index has the schema before or the one after, and every document; Evolve says
// nothing else.
func TestEvolveFaults(t *testing.T) {
	injected := errors.New("injected")
	old := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}}}
	for at := 0; ; at++ {
		rng := rand.New(rand.NewPCG(uint64(at), 3))
		mem := memfs.New()
		x := must(OpenFS(ctx, mem, Options{Schema: old}))(t)
		if err := errors.Join(x.Add(ctx, Doc{ID: "1", Fields: map[string]any{"a": "word"}}), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		mem.Inject(memfs.Fault{At: at, Err: injected, Sticky: at%2 == 0, Effect: at%3 == 0})
		err := x.Evolve(ctx, x.Schema().Set(schema.Field{Name: "n", Kind: schema.Integer, Column: true}))
		if err != nil && !errors.Is(err, injected) {
			t.Fatalf("operation %d: %v", at, err)
		}
		left := mem.CrashKeeping(rng)
		closed := x.Close()
		mem.Heal()
		y := must(OpenFS(ctx, left, Options{}))(t)
		fields, n := len(y.Schema().Fields), must(y.Count(ctx, query.Match{Text: "word"}))(t)
		if n != 1 || err == nil && fields != 2 {
			t.Fatalf("operation %d: %v; %d documents, %d fields", at, err, n, fields)
		}
		if fields == 2 {
			if err := errors.Join(y.Add(ctx, Doc{ID: "2", Fields: map[string]any{"n": 1}}), y.Sync(ctx)); err != nil || must(y.Count(ctx, query.Equal("n", 1)))(t) != 1 {
				t.Fatalf("operation %d: %v", at, err)
			}
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
		if err == nil && closed == nil && at > 40 {
			return
		}
	}
}

// Evolutions between adds, deletes, searches, commits and reopening with older and newer schemas, or none, leave what a map says.
func TestEvolveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memfs.New()
		all := []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}, {Name: "k", Kind: schema.Keyword, Column: true}, {Name: "n", Kind: schema.Integer, Column: true},
			{Name: "more", Kind: schema.Text, Positions: true}, {Name: "f", Kind: schema.Float, Stored: true, Column: true}}
		draw := func() *schema.Schema { // some of the fields, in any order, with other weights
			fields := slices.Clone(rapid.Permutation(all).Draw(t, "fields")[:rapid.IntRange(1, len(all)).Draw(t, "fields of the schema")])
			for i := range fields {
				if fields[i].Kind == schema.Text {
					fields[i].Boost = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
				}
			}
			return &schema.Schema{Fields: fields}
		}
		s := draw()
		if rapid.Bool().Draw(t, "without a schema") {
			s = nil
		}
		x, err := OpenFS(ctx, mem, Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { x.Close() }()
		known, docs := map[string]bool{}, map[string]map[string]any{}
		knows := func(s *schema.Schema) {
			for _, f := range s.Fields {
				known[nameOf(f.Name)] = true
			}
		}
		knows(x.Schema())
		value := func(f string) any {
			n := rapid.IntRange(0, 3).Draw(t, "value")
			switch f {
			case "n":
				return n
			case "f":
				return float64(n) / 2
			}
			return fmt.Sprint("w", n)
		}
		check := func() {
			if x.Len() != len(docs) {
				t.Fatalf("%d documents, want %d", x.Len(), len(docs))
			}
			for f := range known {
				v := value(f)
				var n query.Node = query.Match{Field: f, Text: fmt.Sprint(v)}
				switch v := v.(type) {
				case int:
					n = query.Equal(f, v)
				case float64:
					n = query.Equal(f, v)
				}
				want := []string{}
				for id, d := range docs {
					if d[f] == v {
						want = append(want, id)
					}
				}
				got := []string{}
				p, err := x.Search(ctx, Request{Query: n, Limit: 100})
				if err != nil {
					t.Fatalf("field %s: %v", f, err)
				}
				for _, h := range p.Hits {
					got = append(got, h.ID)
				}
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("%s = %v: %v, want %v", f, v, got, want)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				fields := map[string]any{}
				for _, f := range slices.Sorted(maps.Keys(known)) {
					if x.Schema().IsImplicit() || rapid.Bool().Draw(t, f) { // a text is all that a document is, or one value of several
						fields[f] = value(f)
					}
				}
				id := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id"))
				if err := x.Add(ctx, Doc{ID: id, Fields: fields}); err != nil {
					t.Fatal(err)
				}
				docs[id] = fields
			},
			"delete": func(t *rapid.T) {
				id := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id"))
				if err := x.Delete(ctx, id); err != nil {
					t.Fatal(err)
				}
				delete(docs, id)
			},
			"evolve": func(t *rapid.T) {
				s := draw()
				if err := x.Evolve(ctx, s); err != nil {
					t.Fatal(err)
				}
				knows(s)
			},
			"reopen": func(t *rapid.T) {
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				s := draw()
				if rapid.Bool().Draw(t, "without a schema") {
					s = nil
				}
				if x, err = OpenFS(ctx, mem, Options{Schema: s}); err != nil {
					t.Fatal(err)
				}
				if knows(x.Schema()); len(docs) == 0 { // it may be as new
					clear(known)
					knows(x.Schema())
				} else if n := len(x.Schema().Fields); n != len(known) {
					t.Fatalf("%d fields, not %d", n, len(known))
				}
			},
			"sync": func(t *rapid.T) {
				if err := x.Sync(ctx); err != nil {
					t.Fatal(err)
				}
			},
			"": func(*rapid.T) { check() },
		})
	})
}
