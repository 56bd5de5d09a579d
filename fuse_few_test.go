package pinion_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// fusedIndex is an index with four documents.
func fusedIndex(t *testing.T) *pinion.Index {
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true},
		{Name: "tenant", Kind: schema.Keyword, Column: true}, {Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityDot}}}
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i, text := range []string{"the rose", "a rose and a thorn", "the thorn", "no word"} {
		d := pinion.Doc{ID: fmt.Sprint("d", i), Values: []schema.Value{schema.TextValue(0, []byte(text)), schema.KeywordValue(1, fmt.Append(nil, "t", i%2)), schema.VectorValue(2, []float32{float32(i), 1})}}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// hitsOf returns ids with scores.
func hitsOf(t *testing.T, x pinion.Searcher, r pinion.Request) (all []string) {
	t.Helper()
	p, err := x.Search(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range p.Hits {
		all = append(all, fmt.Sprintf("%s %.4g", h.ID, h.Score))
	}
	return all
}

// Lists without a hit add nothing: of stop words alone, of a filter that nothing passes, and of a Similarity alone. A Rescore sees
// only what it rescores.
func TestFuseFew(t *testing.T) {
	x := fusedIndex(t)
	nearest := func(k int) query.Nearest { return query.Nearest{Field: "v", Vector: []float32{1, 0}, K: k} }
	lists := func(all ...query.Node) *pinion.Fuse {
		f := &pinion.Fuse{RankConstant: query.Zero}
		for _, n := range all {
			f.Lists = append(f.Lists, pinion.FuseList{Query: n})
		}
		return f
	}
	stop := query.Match{Text: "the and"}
	similar := query.Similarity{Field: "v", Vector: []float32{1, 0}}
	for _, c := range []struct {
		r     pinion.Request
		total uint64
		want  []string
	}{
		{pinion.Request{Fuse: lists(stop)}, 0, nil},
		{pinion.Request{Fuse: lists(stop), Filter: query.Equal("tenant", "t1")}, 0, nil},
		{pinion.Request{Fuse: lists(stop, nearest(1)), Filter: query.Equal("tenant", "t1")}, 1, []string{"d3 1"}},
		{pinion.Request{Fuse: lists(similar, query.Match{Text: "thorn"})}, 2, []string{"d2 1", "d1 0.5"}},
		{pinion.Request{Fuse: lists(query.Match{Text: "rose"}, nearest(2)), Filter: query.Equal("tenant", "t9")}, 0, nil},
		{pinion.Request{Fuse: lists(query.Match{Text: "rose"}, nearest(2)), Filter: query.Equal("tenant", "t0")}, 2, []string{"d0 1.5", "d2 1"}},
		// Of all, d3 is the nearest: of the two with a thorn, d2.
		{pinion.Request{Query: query.Const{Node: query.Match{Text: "thorn"}, Score: 1}, Rescore: &pinion.Rescore{Query: nearest(1)}}, 2, []string{"d2 4", "d1 1"}},
		{pinion.Request{Query: query.All{}, Rescore: &pinion.Rescore{Query: similar, N: 3, Weight: 2}}, 4, []string{"d2 7", "d1 5", "d0 3", "d3 1"}},
		{pinion.Request{Filter: query.Equal("tenant", "t1"), Rescore: &pinion.Rescore{Query: similar}}, 2, []string{"d3 4", "d1 2"}},
		{pinion.Request{Fuse: lists(nearest(3)), Rescore: &pinion.Rescore{Query: query.Const{Node: query.Match{Text: "rose"}, Score: 1}}}, 3, []string{"d1 1.333", "d3 1", "d2 0.5"}},
		{pinion.Request{Query: query.Match{Text: "nowhere"}, Rescore: &pinion.Rescore{Query: similar}}, 0, nil},
	} {
		for _, c.r.Limit = range []int{10, 4} { // of several pages: from the cache the second time
			if got := hitsOf(t, x, c.r); !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, want %v", c.r, got, c.want)
			}
		}
		c.r.Total = true
		if p, err := x.Search(t.Context(), c.r); err != nil || p.Total != c.total {
			t.Errorf("%+v: a total of %d, %v, want %d", c.r, p.Total, err, c.total)
		}
	}
}

// The words of all lists are marked.
func TestFusePassages(t *testing.T) {
	x := fusedIndex(t)
	r := pinion.Request{Snippet: &pinion.Snippet{}, Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.Match{Text: "thorns"}},
		{Query: query.Nearest{Field: "v", Vector: []float32{-1, 0}, K: 2}}, {Query: query.Match{Text: "roses"}}}}}
	p, err := x.Search(t.Context(), r)
	if err != nil || len(p.Hits) != 3 || p.Hits[0].ID != "d1" || p.Hits[0].HTML("text") != "a <mark>rose</mark> and a <mark>thorn</mark>" {
		t.Fatalf("%+v, %v", p.Hits, err)
	}
	err = x.View(t.Context(), func(v *pinion.View) error {
		shown, err := v.Show(t.Context(), p.Hits[:1], r)
		if err == nil && shown.Hits[0].HTML("text") != p.Hits[0].HTML("text") {
			t.Errorf("shown: %s", shown.Hits[0].HTML("text"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Executors are asked for each list, and the CPU answers for what they do not.
func TestFuseExecutors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := openFused(t)
		defer x.w.Close()
		r := x.request()
		index, err := reader.Open(context.Background(), reader.FromStore(x.fs), reader.Options{})
		x.check(err)
		defer index.Close()
		snapshot, err := index.Snapshot()
		x.check(err)
		defer snapshot.Close()
		plain, err := pinion.NewView(snapshot, nil)
		x.check(err)
		defer plain.Close()
		of, err := pinion.NewView(snapshot, &halfHearted{x: x})
		x.check(err)
		defer of.Close()
		want, err := plain.Search(t.Context(), r)
		x.check(err)
		got, err := of.Search(t.Context(), r)
		x.check(err)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// halfHearted is an Executor that answers some requests.
type halfHearted struct{ x *fusedWorld }

func (h *halfHearted) Execute(ctx context.Context, s *reader.Snapshot, requests []pinion.Request) (pages []*pinion.Page, err error) {
	v, err := pinion.NewView(s, nil)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	switch rapid.IntRange(0, 4).Draw(h.x.T, "mood") {
	case 0:
		return nil, errMoody
	case 1:
		return make([]*pinion.Page, len(requests)+1), nil
	}
	for _, r := range requests {
		if r.Query == nil || r.Filter != nil || r.Fuse != nil || r.Rescore != nil {
			h.x.Fatalf("asked %+v", r)
		}
		p, err := v.Search(ctx, r)
		if err != nil {
			return nil, err
		}
		pages = append(pages, &p)
		if rapid.Bool().Draw(h.x.T, "takes none") {
			pages[len(pages)-1] = nil
		}
	}
	return pages, nil
}

// Texts in lists and in a Rescore are embedded, and the request stays as it was.
func TestFuseEmbeds(t *testing.T) {
	model := &encoder{}
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: notes(), Embed: []pinion.Embed{{Field: "v", From: []string{"title"}, Texts: model.embed}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	type note struct{ ID, Title, Body string }
	if err := pinion.For[note](x).Add(t.Context(), note{"a", "whale", "ship"}, note{"b", "ship", "whale"}); err != nil {
		t.Fatal(err)
	}
	near, r := query.Nearest{Field: "v", Text: "ship", K: 1}, pinion.Request{}
	r.Fuse = &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.All{}}, {Query: near, Weight: 9}}}
	r.Rescore = &pinion.Rescore{Query: query.Similarity{Field: "v", Text: "whale"}, Weight: 50}
	p, err := x.Search(t.Context(), r)
	if err != nil || len(p.Hits) != 2 || p.Hits[0].ID != "a" || p.Hits[1].Lists[1].Rank != 1 || p.Hits[0].Rescored < 0.999 {
		t.Errorf("%+v, %v", p.Hits, err)
	}
	if !reflect.DeepEqual(r.Fuse.Lists[1].Query, query.Node(near)) || !reflect.DeepEqual(r.Rescore.Query, query.Node(query.Similarity{Field: "v", Text: "whale"})) {
		t.Errorf("the request is now %+v, %+v", r.Fuse, r.Rescore)
	}
}
