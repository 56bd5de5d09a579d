package pinion_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// orderedDoc is a document of TestOrderedPages, as its model has it.
type orderedDoc struct {
	id     string
	score  float32 // of the query
	n      int     // the value in the order; below 0: none
	class  string  // what hits are sorted by
	added  int     // documents with equal values are in this order
	before bool    // it was there when the walk began
}

// orderedWorld is an index that keeps an order, beside its model.
type orderedWorld struct {
	*rapid.T
	fs    *memfs.FS
	w     *writer.Writer
	docs  map[string]*orderedDoc
	added int
	desc  bool
	words bool // the values in the order are keywords
}

// check fails the test on an error.
func (x *orderedWorld) check(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// add adds some documents.
func (x *orderedWorld) add(most int) {
	for range rapid.IntRange(0, most).Draw(x.T, "adds") {
		d := &orderedDoc{id: fmt.Sprint("d", x.added), added: x.added, score: float32(rapid.IntRange(1, 2).Draw(x.T, "score")),
			n: rapid.IntRange(-1, 4).Draw(x.T, "n"), class: rapid.SampledFrom([]string{"a", "b"}).Draw(x.T, "class")}
		x.added++
		text := "one"
		if d.score == 2 {
			text = "two"
		}
		values := []schema.Value{schema.TextValue(0, []byte(text)), schema.KeywordValue(2, []byte(d.class))}
		switch {
		case d.n >= 0 && x.words:
			values = append(values, schema.KeywordValue(1, fmt.Append(nil, d.n)))
		case d.n >= 0:
			values = append(values, schema.IntegerValue(1, int64(d.n)))
		}
		x.check(x.w.Add(x.Context(), writer.Doc{ID: []byte(d.id), Values: values}))
		x.docs[d.id] = d
	}
}

// change makes the index another one between two pages, but does not delete the document with an id.
func (x *orderedWorld) change(keep string) {
	for range rapid.IntRange(0, 3).Draw(x.T, "changes") {
		switch rapid.IntRange(0, 3).Draw(x.T, "change") {
		case 0:
			x.add(4)
		case 1:
			x.check(x.w.Flush(x.Context()))
		case 2:
			_, err := x.w.Merge(x.Context(), writer.MergeOptions{MaxSegments: rapid.IntRange(1, 3).Draw(x.T, "segments")})
			x.check(err)
		case 3:
			ids := slices.Sorted(maps.Keys(x.docs))
			if len(ids) == 0 {
				continue
			}
			if id := rapid.SampledFrom(ids).Draw(x.T, "delete"); id != keep {
				x.check(x.w.Delete(x.Context(), []byte(id)))
				delete(x.docs, id)
			}
		}
	}
	x.check(x.w.Commit(x.Context()))
}

// page returns the answer of the newest commit to a request.
func (x *orderedWorld) page(r pinion.Request) pinion.Page {
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
		p, err := pool.New(searcher, pool.Options{Workers: 2, Model: rapid.SampledFrom([]pool.Model{pool.Inter, pool.DocRanges, pool.Partitions, pool.FineGrained}).Draw(x.T, "model")})
		x.check(err)
		defer p.Close()
		executor = pooled{p}
	}
	s, err := pinion.NewView(snapshot, executor)
	x.check(err)
	defer s.Close()
	p, err := s.Search(x.Context(), r)
	x.check(err)
	return p
}

// compare says in which order two documents are hits.
func (x *orderedWorld) compare(a, b *orderedDoc, sorted bool) int {
	c := cmp.Compare(b.score, a.score)
	if sorted {
		c = cmp.Compare(a.class, b.class)
	}
	values := cmp.Compare(a.n, b.n)
	if x.desc {
		values = -values
	}
	if a.n < 0 || b.n < 0 {
		values = cmp.Compare(min(b.n, 0), min(a.n, 0))
	}
	return cmp.Or(c, values, cmp.Compare(a.added, b.added))
}

// In an index that keeps an order, pages are in it, and show each hit that stays once, whatever is added, deleted and
// merged between them.
func TestOrderedPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &orderedWorld{T: t, fs: memfs.New(), docs: map[string]*orderedDoc{}, desc: rapid.Bool().Draw(t, "desc"), words: rapid.Bool().Draw(t, "words")}
		kind := schema.Integer
		if x.words {
			kind = schema.Keyword
		}
		var err error
		x.w, err = writer.OpenFS(t.Context(), x.fs, writer.Options{MergePolicy: writer.NoMerges, Order: writer.OrderField("n", x.desc), Schema: &schema.Schema{Fields: []schema.Field{
			{Name: "text", Kind: schema.Text}, {Name: "n", Kind: kind, Column: true}, {Name: "class", Kind: schema.Keyword, Column: true}}}})
		x.check(err)
		defer x.w.Close()
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			x.add(12)
			x.check(x.w.Flush(t.Context()))
		}
		x.change("")
		r := pinion.Request{Limit: rapid.IntRange(1, 5).Draw(t, "k"), Query: query.Bool{Should: []query.Node{
			query.Const{Node: query.Match{Text: "one"}, Score: 1}, query.Const{Node: query.Match{Text: "two"}, Score: 2}}}}
		sorted := rapid.Bool().Draw(t, "sorted")
		if sorted {
			r.Sort = []pinion.Sort{{Field: "class"}}
		}
		for _, d := range x.docs {
			d.before = true
		}
		seen := map[string]int{}
		var last *orderedDoc
		for {
			p := x.page(r)
			for i := range p.Hits {
				d := x.docs[string(p.Hits[i].ID)]
				if d == nil {
					t.Fatalf("%s is a hit", p.Hits[i].ID)
				}
				if last != nil && x.compare(last, d, sorted) >= 0 {
					t.Fatalf("%+v follows %+v", d, last)
				}
				seen[d.id]++
				last = d
			}
			if r.After = p.Next(); r.After == nil {
				break
			}
			x.change(last.id)
		}
		for _, d := range x.docs {
			if n := seen[d.id]; n > 1 || n == 0 && d.before {
				t.Fatalf("%+v is a hit %d times", d, n)
			}
		}
	})
}

// pooled is an Executor that answers by a pool, of one snapshot.
type pooled struct{ *pool.Pool }

func (x pooled) Execute(ctx context.Context, s *reader.Snapshot, requests []pinion.Request) ([]*pinion.Page, error) {
	var pages []*pinion.Page
	for _, r := range requests {
		q, err := pinion.QueryOf(&r, s)
		if err != nil {
			return nil, err
		}
		result, err := x.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		p := &pinion.Page{Total: result.Total, Facets: pinion.CountsOf(&r, result.Facets)}
		for i, h := range result.Hits {
			p.Hits = append(p.Hits, pinion.Hit{Doc: h.Doc, Score: h.Score})
			if result.Sort != nil {
				p.Hits[i].Sort = result.Sort[i]
			}
		}
		pages = append(pages, p)
	}
	return pages, nil
}
