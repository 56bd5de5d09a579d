package pinion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

func likeSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
		{Name: "tag", Kind: schema.Keyword, Index: schema.IndexDocs, Column: true},
		{Name: "hidden", Kind: schema.Keyword, Index: schema.IndexDocs},
		{Name: "price", Kind: schema.Integer, Column: true},
	}}
}

// liked is what documents have in each field: several texts each.
type liked map[string][]string

// terms returns the terms of a field, as often as they are there.
func (d liked) terms(field string) []string {
	if field == "tag" {
		return d["tag"]
	}
	return strings.Fields(strings.Join(d[field], " "))
}

var likedWord = rapid.Custom(func(t *rapid.T) string {
	return fmt.Sprint("w", min(rapid.IntRange(0, 30).Draw(t, "a"), rapid.IntRange(0, 30).Draw(t, "b")))
})

func drawLiked(t *rapid.T) liked {
	d := liked{}
	for _, field := range []string{"title", "body", "body"} {
		if words := rapid.SliceOfN(likedWord, 0, 12).Draw(t, field); len(words) > 0 {
			d[field] = append(d[field], strings.Join(words, " "))
		}
	}
	d["tag"] = slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.SampledFrom([]string{"red", "w1", "a b"}), 0, 2).Draw(t, "tags"))))
	return d
}

func (d liked) doc(id string) pinion.Doc {
	return pinion.Doc{ID: id, Fields: map[string]any{"title": d["title"], "body": d["body"], "tag": d["tag"], "price": int64(len(d["body"]))}}
}

// likedTerms chooses the terms of l by counting in all documents.
func likedTerms(docs map[string]liked, l pinion.Like) []query.Node {
	type term struct {
		field, text string
		tf          int
		score       float64
	}
	var all []term
	fields := l.Fields
	if len(fields) == 0 {
		fields = []string{"body", "title"}
	}
	for _, field := range fields {
		tf, own, df, n := map[string]int{}, map[string]bool{}, map[string]int{}, 0
		for _, w := range (liked{field: {l.Text}}).terms(field) {
			if w != "" {
				tf[w]++
			}
		}
		for id, d := range docs {
			words := d.terms(field)
			if len(words) > 0 || field == "tag" { // keywords have no lengths: all documents count
				n++
			}
			for _, w := range words {
				if slices.Contains(l.IDs, id) {
					tf[w]++
				} else {
					own[w] = true
				}
			}
			for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
				df[w]++
			}
		}
		for w, n1 := range tf {
			if own[w] {
				all = append(all, term{field, w, n1, float64(n1) * math.Log(1+(float64(n-df[w])+0.5)/(float64(df[w])+0.5))})
			}
		}
	}
	slices.SortFunc(all, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.text, b.text), cmp.Compare(a.field, b.field))
	})
	var nodes []query.Node
	for _, x := range all[:min(len(all), cmp.Or(l.Terms, 25))] {
		nodes = append(nodes, query.Term{Field: x.field, Text: x.text})
	}
	return nodes
}

// Like chooses the terms that counting in all documents chooses, and they find what a disjunction of them finds, without the documents that
// were named: in an index of several segments with deletes, in a View of it, and in two parts of a collection.
func TestLike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		x, parts := openLike(t), []*pinion.Index{openLike(t), openLike(t)}
		defer closeAll(t, append(parts, x)...)
		docs := map[string]liked{}
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			id := fmt.Sprint("d", rapid.IntRange(0, 19).Draw(t, "id"))
			to := []*pinion.Index{x, parts[len(id)-2]}
			change := func(f func(x *pinion.Index) error) {
				for _, x := range to {
					if err := f(x); err != nil {
						t.Fatal(err)
					}
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				delete(docs, id)
				change(func(x *pinion.Index) error { return x.Delete(ctx, id) })
				continue
			}
			docs[id] = drawLiked(t)
			change(func(x *pinion.Index) error { return x.Add(ctx, docs[id].doc(id)) })
			if rapid.Bool().Draw(t, "sync") {
				change(func(x *pinion.Index) error { return x.Sync(ctx) })
			}
		}
		ids := slices.Sorted(maps.Keys(docs))
		for range 4 {
			l := pinion.Like{Terms: rapid.SampledFrom([]int{0, 1, 3, 7}).Draw(t, "terms"), Fields: rapid.SampledFrom([][]string{nil, {"title"}, {"body", "tag"}, {"tag", "title", "tag"}}).Draw(t, "fields")}
			if len(ids) > 0 {
				l.IDs = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 3).Draw(t, "ids")
			}
			if len(l.IDs) == 0 || rapid.Bool().Draw(t, "text") {
				l.Text = strings.Join(rapid.SliceOfN(likedWord, 1, 8).Draw(t, "words"), " ")
			}
			checkLike(t, x, parts, docs, l)
		}
	})
}

func checkLike(t *rapid.T, x *pinion.Index, parts []*pinion.Index, docs map[string]liked, l pinion.Like) {
	ctx := context.Background()
	got, err := x.Like(ctx, l)
	if err != nil {
		t.Fatal(err)
	}
	own := l
	own.Fields = slices.Compact(slices.Sorted(slices.Values(l.Fields)))
	want := likedTerms(docs, own)
	if len(want) != len(got.Should) || len(want) > 0 && !reflect.DeepEqual(got.Should, want) {
		t.Fatalf("%+v: %v, want %v, of %v", l, got.Should, want, docs)
	}
	if in := likeInParts(t, parts, l); !reflect.DeepEqual(in, got) {
		t.Fatalf("%+v: %v in parts, %v in one index", l, in, got)
	}
	for _, filter := range []query.Node{nil, query.AtLeast("price", int64(1))} {
		hits := func(n query.Node) (all []string) {
			page, err := x.Search(ctx, pinion.Request{Query: n, Filter: filter, Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range page.Hits {
				if !slices.Contains(l.IDs, h.ID) {
					all = append(all, fmt.Sprint(h.ID, " ", math.Float32bits(h.Score)))
				}
			}
			if m, ok := n.(query.Bool); ok && len(m.MustNot) > 0 && len(all) < len(page.Hits) {
				t.Fatalf("%+v finds what it names: %v", l, page.Hits)
			}
			return all
		}
		var all []string
		if len(want) > 0 {
			all = hits(query.Bool{Should: want})
		}
		if found := hits(got); !slices.Equal(found, all) {
			t.Fatalf("%+v, filter %v: %v, want %v", l, filter, found, all)
		}
	}
}

func openLike(t interface{ Fatal(...any) }) *pinion.Index {
	x, err := pinion.OpenFS(context.Background(), memfs.New(), pinion.Options{Schema: likeSchema()})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func closeAll(t interface{ Error(...any) }, all ...*pinion.Index) {
	for _, x := range all {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// likeInParts does what Like does by the parts of a collection.
func likeInParts(t *rapid.T, parts []*pinion.Index, l pinion.Like) query.Bool {
	ctx := context.Background()
	of, err := pinion.LikeOf(parts[0].Schema())(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range of.IDs() {
		for _, x := range parts {
			d, err := x.Get(ctx, id)
			if errors.Is(err, pinion.ErrNotFound) {
				continue
			}
			maps.DeleteFunc(d.Fields, func(name string, _ any) bool { return !slices.Contains(of.Fields(), name) })
			if err := errors.Join(err, of.Add(d)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var c query.Collection
	var f query.Frequencies
	for _, x := range parts {
		err := x.View(ctx, func(v *pinion.View) error {
			var own query.Frequencies
			for n := range of.Nodes() {
				some, err := v.Frequencies(ctx, n)
				if err := errors.Join(err, own.Add(some)); err != nil {
					return err
				}
			}
			return errors.Join(c.Add(v.Collection()), f.Add(own))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return of.Node(c, f)
}

// A text has more terms than a node of Frequencies.
func TestLikeLong(t *testing.T) {
	ctx := t.Context()
	x := openLike(t)
	defer closeAll(t, x)
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "w%d ", i)
	}
	if err := x.Add(ctx, pinion.Doc{ID: "a", Fields: map[string]any{"body": b.String() + " w12345"}}, pinion.Doc{ID: "b", Fields: map[string]any{"body": "w12345 w19999 w0"}}); err != nil {
		t.Fatal(err)
	}
	got, err := x.Like(ctx, pinion.Like{IDs: []string{"a"}, Terms: 2})
	want := query.Bool{Should: []query.Node{query.Term{Field: "body", Text: "w12345"}, query.Term{Field: "body", Text: "w0"}}, MustNot: []query.Node{query.IDs{"a"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestLikeImplicit(t *testing.T) {
	ctx := t.Context()
	x, err := pinion.OpenFS(ctx, memfs.New(), pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(t, x)
	if err := x.Add(ctx, pinion.Text("a", "Stars and moons."), pinion.Text("b", "MOONS, moons"), pinion.Text("c", "the sun")); err != nil {
		t.Fatal(err)
	}
	for _, l := range []pinion.Like{{IDs: []string{"a"}}, {Text: "moons", Fields: []string{"text"}}} {
		n, err := x.Like(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		page, err := x.Search(ctx, pinion.Request{Query: n})
		if err != nil || len(page.Hits) == 0 || page.Hits[0].ID != "b" {
			t.Errorf("%+v finds %+v, %v", l, page.Hits, err)
		}
	}
}

func TestLikeMisuse(t *testing.T) {
	ctx := t.Context()
	x := openLike(t)
	defer closeAll(t, x)
	if err := x.Add(ctx, pinion.Doc{ID: "a", Fields: map[string]any{"body": "one two"}}); err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]pinion.Like{
		"neither a document nor a text":       {},
		"-1 terms, not up to 1024":            {Text: "one", Terms: -1},
		"1025 terms, not up to 1024":          {Text: "one", Terms: 1025},
		"1001 documents, more than 1000":      {IDs: make([]string, 1001)},
		`there is no field "nosuch"`:          {Text: "one", Fields: []string{"nosuch"}},
		`field "price", of kind integer`:      {Text: "one", Fields: []string{"price"}},
		`in the field "hidden" is not kept, `: {IDs: []string{"a"}, Fields: []string{"body", "hidden"}},
	} {
		if _, err := x.Like(ctx, l); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := x.Like(ctx, pinion.Like{IDs: []string{"a", "b"}}); !errors.Is(err, pinion.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), `"b"`) {
		t.Errorf("a document that is not there: %v", err)
	}
	for _, l := range []pinion.Like{{Text: "nothing has this"}, {IDs: []string{"a"}}} {
		n, err := x.Like(ctx, l)
		if err != nil || len(n.Should) > 0 {
			t.Fatalf("%+v: %+v, %v", l, n, err)
		}
		for _, filter := range []query.Node{nil, query.All{}} {
			page, err := x.Search(ctx, pinion.Request{Query: n, Filter: filter, Total: true})
			if err != nil || page.Total != 0 {
				t.Errorf("%+v under %v finds %+v, %v", l, filter, page, err)
			}
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Like(canceled, pinion.Like{IDs: []string{"a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	var v pinion.View
	if _, err := v.Like(ctx, pinion.Like{Text: "one"}); !errors.Is(err, pinion.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
