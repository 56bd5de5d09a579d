package pinion_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// fusedWorld is an index of documents with words, dense and sparse vectors.
type fusedWorld struct {
	*rapid.T
	fs      *memfs.FS
	w       *writer.Writer
	added   int
	ordered bool // by n, descending
}

func (x *fusedWorld) check(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

var fusedWords = []string{"a", "b", "c", "d", "e"}

func openFused(t *rapid.T) *fusedWorld {
	x := &fusedWorld{T: t, fs: memfs.New(), ordered: rapid.Bool().Draw(t, "ordered")}
	o := writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true},
		{Name: "class", Kind: schema.Keyword, Column: true}, {Name: "n", Kind: schema.Integer, Column: true},
		{Name: "dense", Kind: schema.Vector, Dims: 2}, {Name: "sparse", Kind: schema.Impacts}, {Name: "rank", Kind: schema.Float, Column: true}}}}
	if x.ordered {
		o.Order = writer.OrderField("n", true)
	}
	var err error
	x.w, err = writer.OpenFS(t.Context(), x.fs, o)
	x.check(err)
	for range rapid.IntRange(1, 4).Draw(t, "segments") {
		for range rapid.IntRange(0, 25).Draw(t, "documents") {
			x.add()
		}
		x.check(x.w.Flush(t.Context()))
	}
	for id := range x.added {
		if rapid.IntRange(0, 9).Draw(t, "delete") == 0 {
			x.check(x.w.Delete(t.Context(), fmt.Append(nil, "d", id)))
		}
	}
	x.check(x.w.Commit(t.Context()))
	return x
}

// words draws words that come in a text.
func (x *fusedWorld) words(most int) (text []byte) {
	for _, w := range rapid.SliceOfN(rapid.SampledFrom(fusedWords), 1, most).Draw(x.T, "words") {
		text = append(append(text, w...), ' ')
	}
	return text
}

func (x *fusedWorld) vector() []float32 {
	return []float32{float32(rapid.IntRange(1, 3).Draw(x.T, "x")), float32(rapid.IntRange(-3, 3).Draw(x.T, "y"))}
}

func (x *fusedWorld) add() {
	values := []schema.Value{schema.TextValue(0, x.words(8)), schema.KeywordValue(1, []byte(rapid.SampledFrom([]string{"p", "q"}).Draw(x.T, "class"))),
		schema.FloatValue(5, float64(rapid.IntRange(0, 3).Draw(x.T, "rank")))}
	if rapid.Bool().Draw(x.T, "valued") {
		values = append(values, schema.IntegerValue(2, int64(rapid.IntRange(0, 4).Draw(x.T, "n"))))
	}
	if rapid.IntRange(0, 3).Draw(x.T, "placed") > 0 {
		values = append(values, schema.VectorValue(3, x.vector()))
	}
	values = append(values, schema.ImpactsValue(4, []schema.Impact{{Term: rapid.SampledFrom(fusedWords).Draw(x.T, "term"), Weight: uint8(rapid.IntRange(1, 3).Draw(x.T, "weight"))}}))
	x.check(x.w.Add(x.Context(), writer.Doc{ID: fmt.Append(nil, "d", x.added), Values: values}))
	x.added++
}

// node draws what a list or a rescoring searches for. It is never as good as absent.
func (x *fusedWorld) node(depth int) query.Node {
	switch rapid.IntRange(0, 6-2*depth).Draw(x.T, "node") {
	case 0:
		return query.Match{Text: string(x.words(3))}
	case 1:
		return query.Match{Text: string(x.words(2)), Mode: query.ModeAnd, Boost: 0.5}
	case 2:
		return query.Const{Node: query.Match{Text: string(x.words(3))}, Score: 1} // many equal scores
	case 3:
		d := query.Dot{Field: "sparse"}
		x.check(d.Add(rapid.SampledFrom(fusedWords).Draw(x.T, "term"), 2))
		return d
	case 4:
		return query.Prefix{Field: "text", Text: rapid.SampledFrom(fusedWords).Draw(x.T, "prefix")}
	case 5:
		return query.Nearest{Field: "dense", Vector: x.vector(), K: rapid.IntRange(1, 20).Draw(x.T, "nearest")}
	}
	return query.Bool{Must: []query.Node{x.node(1)}, Should: []query.Node{x.node(1), query.Similarity{Field: "dense", Vector: x.vector()}}}
}

// view calls f with the newest commit.
func (x *fusedWorld) view(f func(*pinion.View)) {
	index, err := reader.Open(context.Background(), reader.FromStore(x.fs), reader.Options{})
	x.check(err)
	defer index.Close()
	snapshot, err := index.Snapshot()
	x.check(err)
	defer snapshot.Close()
	var executor pinion.Executor
	if rapid.Bool().Draw(x.T, "pool") {
		searcher, err := search.NewSearcher(snapshot, search.Options{})
		x.check(err)
		defer searcher.Close()
		p, err := pool.New(searcher, pool.Options{Workers: 2})
		x.check(err)
		defer p.Close()
		executor = pooled{p}
	}
	v, err := pinion.NewView(snapshot, executor)
	x.check(err)
	defer v.Close()
	f(v)
}

// request draws a request with Fuse or without, and with Rescore or without.
func (x *fusedWorld) request() pinion.Request {
	r := pinion.Request{Limit: rapid.IntRange(1, 12).Draw(x.T, "limit"), Fields: []string{"n"}, Total: true, Facets: []pinion.Facet{{Field: "class"}}}
	if rapid.Bool().Draw(x.T, "filtered") {
		r.Filter = rapid.SampledFrom([]query.Node{query.Equal("class", "p"), query.Match{Text: "a"}, query.Between("n", 1, 3)}).Draw(x.T, "filter")
	}
	if rapid.Bool().Draw(x.T, "saturated") {
		r.K1 = 2
	}
	weight := rapid.SampledFrom([]float64{0, 1, 0.3, 7})
	fused := rapid.IntRange(0, 2).Draw(x.T, "fused") > 0
	if fused {
		r.Fuse = &pinion.Fuse{By: rapid.SampledFrom([]pinion.FuseBy{pinion.ByRanks, pinion.ByScores}).Draw(x.T, "by")}
		if r.Fuse.By == pinion.ByRanks {
			r.Fuse.RankConstant = rapid.SampledFrom([]float64{0, 1, query.Zero, 1000}).Draw(x.T, "constant")
		}
		for range rapid.IntRange(1, 4).Draw(x.T, "lists") {
			r.Fuse.Lists = append(r.Fuse.Lists, pinion.FuseList{Query: x.node(0), K: rapid.SampledFrom([]int{0, 1, 3, 10}).Draw(x.T, "k"), Weight: weight.Draw(x.T, "weight")})
		}
	} else {
		r.Query = x.node(0)
		if rapid.IntRange(0, 3).Draw(x.T, "static") == 0 {
			r.Static = &pinion.Static{Field: "rank"}
		}
	}
	if rapid.IntRange(0, 3).Draw(x.T, "collapsed") == 0 {
		r.Collapse = "n"
	}
	if !fused || rapid.Bool().Draw(x.T, "rescored") {
		r.Rescore = &pinion.Rescore{Query: x.node(0), N: rapid.SampledFrom([]int{0, 1, 4, 9}).Draw(x.T, "n"), Weight: weight.Draw(x.T, "weight")}
	}
	return r
}

// wanted is a hit that a request must have.
type wanted struct {
	doc      uint32
	id       string
	score    float32
	n        int64 // -1: none
	lists    []pinion.ListHit
	rescored float32
}

// plain returns all hits of a request without Fuse and Rescore.
func (x *fusedWorld) plain(v *pinion.View, r pinion.Request) (all []wanted, p pinion.Page) {
	if r.Fields = []string{"n"}; r.Limit == 0 {
		r.Limit = 10_000
	}
	p, err := v.Search(x.Context(), r)
	x.check(err)
	for _, h := range p.Hits {
		w := wanted{doc: h.Doc, id: h.ID, score: h.Score, n: -1}
		if n, ok := h.Value("n").(int64); ok {
			w.n = n
		}
		all = append(all, w)
	}
	return all, p
}

// sort sorts hits as searches do.
func (x *fusedWorld) sort(all []wanted) {
	slices.SortFunc(all, func(a, b wanted) int {
		c := cmp.Compare(b.score, a.score)
		if c == 0 && x.ordered {
			c = cmp.Compare(b.n, a.n)
		}
		return cmp.Or(c, cmp.Compare(a.doc, b.doc))
	})
}

// answer returns all hits of a request, from searches for each of its queries alone.
func (x *fusedWorld) answer(v *pinion.View, r pinion.Request) []wanted {
	alone := pinion.Request{Query: r.Query, Filter: r.Filter, K1: r.K1, Static: r.Static}
	if r.Fuse == nil {
		alone.Collapse = r.Collapse
		all, _ := x.plain(v, alone)
		return x.rescored(v, r, all)
	}
	by := map[string]*wanted{}
	for i, l := range r.Fuse.Lists {
		alone.Query, alone.Limit = l.Query, cmp.Or(l.K, 100)
		hits, _ := x.plain(v, alone)
		for k, h := range hits {
			if by[h.id] == nil {
				by[h.id] = &wanted{doc: h.doc, id: h.id, n: h.n, lists: make([]pinion.ListHit, len(r.Fuse.Lists))}
			}
			weight := cmp.Or(l.Weight, 1)
			add := float32(weight / (cmp.Or(r.Fuse.RankConstant, 60) + float64(k+1)))
			if first, last := float64(hits[0].score), float64(hits[len(hits)-1].score); r.Fuse.By == pinion.ByScores && first == last {
				add = float32(weight)
			} else if r.Fuse.By == pinion.ByScores {
				share := (float64(h.score) - last) / (first - last)
				add = float32(weight * share)
			}
			by[h.id].score += add
			by[h.id].lists[i] = pinion.ListHit{Rank: k + 1, Score: h.score, Added: add}
		}
	}
	var all []wanted
	for _, w := range by {
		all = append(all, *w)
	}
	x.sort(all)
	if r.Collapse != "" {
		var first []wanted
		for _, w := range all {
			if w.n < 0 || !slices.ContainsFunc(first, func(f wanted) bool { return f.n == w.n }) {
				first = append(first, w)
			}
		}
		all = first
	}
	return x.rescored(v, r, all)
}

// rescored returns hits after Rescore.
func (x *fusedWorld) rescored(v *pinion.View, r pinion.Request, all []wanted) []wanted {
	if r.Rescore == nil {
		return all
	}
	best := all[:min(len(all), cmp.Or(r.Rescore.N, 100))]
	var docs []uint32
	for _, w := range best {
		docs = append(docs, w.doc)
	}
	scored, _ := x.plain(v, pinion.Request{Query: r.Rescore.Query, Filter: query.DocsOf(slices.Values(docs)), K1: r.K1})
	for i := range best {
		for _, s := range scored {
			if s.id == best[i].id {
				best[i].rescored = s.score
				more := float32(cmp.Or(r.Rescore.Weight, 1) * float64(s.score))
				best[i].score += more
			}
		}
	}
	x.sort(best)
	return all
}

// compare compares hits of a page, without docIDs if those are others now.
func (x *fusedWorld) compare(what string, got []pinion.Hit, want []wanted, docs bool) {
	x.Helper()
	if len(got) != len(want) {
		x.Fatalf("%s: %d hits, want %d", what, len(got), len(want))
	}
	for i, h := range got {
		w := want[i]
		if h.ID != w.id || math.Float32bits(h.Score) != math.Float32bits(w.score) || docs && h.Doc != w.doc ||
			math.Float32bits(h.Rescored) != math.Float32bits(w.rescored) || !slices.Equal(h.Lists, w.lists) {
			x.Fatalf("%s: hit %d is %+v, want %+v", what, i, h, w)
		}
	}
}

// Fused and rescored lists are those that a few lines make of plain searches: whole, in pages, counted, and after a merge.
func TestFuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := openFused(t)
		defer x.w.Close()
		r := x.request()
		var want []wanted
		x.view(func(v *pinion.View) {
			want = x.answer(v, r)
			x.pages(v, r, want)
			x.counts(v, r)
		})
		_, err := x.w.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1})
		x.check(err)
		x.check(x.w.Commit(t.Context()))
		x.view(func(v *pinion.View) {
			r.Limit = 1000
			p, err := v.Search(t.Context(), r)
			x.check(err)
			if x.ordered {
				return // a merge brings documents of equal value in another order
			}
			x.compare("merged", p.Hits, want, false)
		})
	})
}

// pages compares pages, one after the other and from offsets, with all hits.
func (x *fusedWorld) pages(v *pinion.View, r pinion.Request, want []wanted) {
	offset := rapid.IntRange(0, 20).Draw(x.T, "offset")
	skipping := r
	skipping.Offset = offset
	p, err := v.Search(x.Context(), skipping)
	x.check(err)
	from := min(offset, len(want))
	x.compare("by offset", p.Hits, want[from:min(from+r.Limit, len(want))], true)
	var all []pinion.Hit
	for {
		p, err := v.Search(x.Context(), r)
		x.check(err)
		all = append(all, p.Hits...)
		if r.After = p.Next(); r.After == nil {
			break
		}
		if r.Fuse != nil && len(all) == len(want) {
			x.Fatalf("there is a page behind the last of %d hits", len(want))
		}
		if rapid.IntRange(0, 3).Draw(x.T, "gone") == 0 && r.After.ID != "gone" { // its document is deleted: the page begins with all of its score
			r.After.ID = "gone"
			if rapid.Bool().Draw(x.T, "without order") {
				r.After.Order = nil
			}
			for len(all) > 0 && all[len(all)-1].Score == r.After.Score && x.tied(&all[len(all)-1], r.After) {
				all = all[:len(all)-1]
			}
		}
		if r.Limit++; r.Limit > 2000 { // pages grow, so that those that begin anew come to an end
			x.Fatalf("pages go on behind %d hits of %d", len(all), len(want))
		}
	}
	x.compare("page by page", all, want, true)
}

// tied reports whether a hit is at a place whose document is gone.
func (x *fusedWorld) tied(h *pinion.Hit, a *pinion.After) bool {
	if len(a.Order) == 0 {
		return true
	}
	n, ok := h.Value("n").(int64)
	return ok == (a.Order[0].Kind != 0) && n == a.Order[0].Int()
}

// counts compares Total and Facets with the documents that plain searches find.
func (x *fusedWorld) counts(v *pinion.View, r pinion.Request) {
	union := map[string]bool{}
	queries := []query.Node{r.Query}
	if r.Fuse != nil {
		queries = nil
		for _, l := range r.Fuse.Lists {
			queries = append(queries, l.Query)
		}
	}
	for _, q := range queries {
		all, _ := x.plain(v, pinion.Request{Query: q, Filter: r.Filter})
		for _, w := range all {
			union[w.id] = true
		}
	}
	r.After = nil
	p, err := v.Search(x.Context(), r)
	x.check(err)
	if int(p.Total) != len(union) {
		x.Fatalf("total %d, want %d", p.Total, len(union))
	}
	var ids []string
	for id := range union {
		ids = append(ids, id)
	}
	_, of := x.plain(v, pinion.Request{Filter: query.IDs(ids), Facets: r.Facets})
	if !reflect.DeepEqual(p.Facets, of.Facets) {
		x.Fatalf("facets %v, want %v", p.Facets, of.Facets)
	}
	n, err := v.Count(x.Context(), r.Node())
	x.check(err)
	if n != len(union) {
		x.Fatalf("%d are counted, want %d", n, len(union))
	}
}
