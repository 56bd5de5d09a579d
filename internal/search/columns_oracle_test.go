package search_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

var shopColumns = []string{"price", "stars", "sold", "brand", "added", "never"}

// soldAt returns the time that a document was sold at, as the oracle has it.
func soldAt(second int64) time.Time { return time.Unix(1_700_000_000+second, 0) }

// shopValues draws what documents have in columns: some nothing, some several values.
func shopValues(rng *rand.Rand, n int) oracle.Values {
	v := oracle.Values{}
	for _, f := range shopColumns {
		v[f] = make([][]any, n)
	}
	for d := range n {
		some := func(f string, draw func() any) {
			k := []int{0, 1, 1, 1, 1, 3}[rng.IntN(6)]
			if f == "added" {
				k = 1
			}
			for range k {
				v[f][d] = append(v[f][d], draw())
			}
		}
		some("price", func() any { return int64(rng.IntN(500) * rng.IntN(500)) })
		some("stars", func() any { return []float64{0, math.Copysign(0, -1), 1.5, 4.5, -2, 1e300}[rng.IntN(6)] })
		some("sold", func() any { return int64(d*10 + rng.IntN(300)) })
		some("brand", func() any { return fmt.Sprint("Brand ", rng.IntN(3+d/300)) })
		some("added", func() any { return int64(d) })
	}
	return v
}

// logSchema has the columns of shopSchema and no field that is indexed, as logs and metrics may have it.
func logSchema() *schema.Schema {
	s := shopSchema()
	s.Fields = slices.DeleteFunc(s.Fields, func(f schema.Field) bool { return !slices.Contains(shopColumns, f.Name) })
	for i := range s.Fields {
		s.Fields[i].Index = schema.IndexNone
	}
	return s
}

// shop adds documents with values to an index, with a flush after every flush-th, and deletes those that are deleted.
func shop(t *testing.T, s *schema.Schema, docs []oracle.Record, v oracle.Values, flush int) *querytest.Live {
	t.Helper()
	l := querytest.NewLive(t, writer.Options{Schema: s})
	for d := range docs {
		var values []schema.Value
		for i, f := range s.Fields {
			switch words := docs[d].Terms[f.Name]; {
			case f.Kind == schema.Text:
				values = append(values, schema.TextValue(i, []byte(strings.Join(words, " "))))
			case f.Name == "shelf" && len(words) > 0:
				values = append(values, schema.KeywordValue(i, []byte(words[0])))
			}
			if all := v[f.Name]; all != nil {
				for _, x := range all[d] {
					values = append(values, shopValue(i, f.Kind, x))
				}
			}
		}
		if s.Number("cost") >= 0 {
			values = append(values, shelfValues(docs[d].Terms)...)
		}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: values}))
		if d%flush == flush-1 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	for d := range docs {
		if docs[d].Deleted {
			l.Do(l.Delete(t.Context(), fmt.Append(nil, d)))
		}
	}
	return l
}

// shopValue returns what the oracle has as a value.
func shopValue(field int, kind schema.Kind, x any) schema.Value {
	switch x := x.(type) {
	case nil:
		return schema.Value{}
	case string:
		return schema.KeywordValue(field, []byte(x))
	case float64:
		return schema.FloatValue(field, x+0)
	case int64:
		if kind == schema.Time {
			return schema.TimeValue(field, soldAt(x))
		}
		return schema.IntegerValue(field, x)
	}
	panic(x)
}

// shopper draws queries that want columns.
type shopper struct {
	*treeDrawer
	values oracle.Values
	schema *schema.Schema
}

// score stands for scores among the keys of the oracle, as a column that matches have.
const score = "_score"

func (r *shopper) value(field string, x any) schema.Value {
	if field == score {
		return schema.FloatValue(0, x.(float64))
	}
	i := r.schema.Number(field)
	return shopValue(i, r.schema.Fields[i].Kind, x)
}

// facet draws a facet and the counts that the oracle has for it.
func (r *shopper) facet() (search.Facet, func(hits []oracle.Hit) search.FacetCounts) {
	counted := func(f search.Facet, k int, as func(any) any, order func(a, b oracle.Counted) int) func([]oracle.Hit) search.FacetCounts {
		return func(hits []oracle.Hit) (c search.FacetCounts) {
			all, missing := r.values.Count(hits, f.Field, as)
			if order != nil {
				slices.SortFunc(all, order)
			}
			c.Missing = missing
			for _, n := range all[:min(k, len(all))] {
				c.Counts = append(c.Counts, search.FacetCount{Value: r.value(f.Field, n.Value), Count: n.Docs})
			}
			return c
		}
	}
	byValue := func(a, b oracle.Counted) int {
		if x, ok := a.Value.(float64); ok {
			return cmp.Compare(x, b.Value.(float64))
		}
		return cmp.Compare(a.Value.(int64), b.Value.(int64))
	}
	switch r.IntN(5) {
	case 0:
		f := search.Facet{Field: "brand", Limit: []int{0, 1, 3, 1000}[r.IntN(4)]}
		return f, counted(f, max(f.Limit, 1+9*(1-min(f.Limit, 1))), func(x any) any { return x }, nil)
	case 1:
		step := int64(1 + r.IntN(100_000))
		f := search.Facet{Field: "price", Width: float64(step)}
		return f, counted(f, math.MaxInt, func(x any) any { return x.(int64) / step * step }, byValue)
	case 2:
		f := search.Facet{Field: "sold", Every: time.Duration(1+r.IntN(20_000)) * time.Second}
		return f, counted(f, math.MaxInt, func(x any) any {
			return soldAt(x.(int64)).UTC().Truncate(f.Every).Unix() - soldAt(0).Unix()
		}, byValue)
	case 3:
		f := search.Facet{Field: "stars", Width: []float64{0.25, 1, 2, 1024}[r.IntN(4)]}
		return f, counted(f, math.MaxInt, func(x any) any { return math.Floor(x.(float64)/f.Width)*f.Width + 0 }, byValue)
	}
	var f search.Facet
	var in []func(any) bool
	if f.Field = "price"; r.IntN(2) == 0 {
		f.Field = "stars"
	}
	for range 1 + r.IntN(3) {
		lo, hi := any(int64(r.IntN(100_000))), any(int64(r.IntN(200_000)))
		if f.Field == "stars" {
			lo, hi = []float64{-3, 0, 1.5}[r.IntN(3)], []float64{0, 1.5, 7}[r.IntN(3)]
		}
		x := query.Range{Min: r.value(f.Field, lo), Max: r.value(f.Field, hi), AboveMin: r.IntN(2) == 0, BelowMax: r.IntN(2) == 0}
		some := [2]bool{r.IntN(4) > 0, r.IntN(4) > 0}
		if !some[0] {
			x.Min = schema.Value{}
		}
		if !some[1] {
			x.Max = schema.Value{}
		}
		f.Ranges = append(f.Ranges, x)
		number := func(v any) float64 {
			if n, ok := v.(int64); ok {
				return float64(n)
			}
			return v.(float64)
		}
		in = append(in, func(v any) bool {
			n := number(v)
			return (!some[0] || n > number(lo) || n == number(lo) && !x.AboveMin) && (!some[1] || n < number(hi) || n == number(hi) && !x.BelowMax)
		})
	}
	return f, func(hits []oracle.Hit) (c search.FacetCounts) {
		_, c.Missing = r.values.Count(hits, f.Field, func(x any) any { return x })
		for _, within := range in {
			c.Counts = append(c.Counts, search.FacetCount{Count: r.values.Within(hits, f.Field, within)})
		}
		return c
	}
}

// query draws a query, and its result from all hits by score.
func (r *shopper) query() (search.Query, *oracle.Node, func(hits []oracle.Hit) search.Result) {
	var node query.Node = query.All{}
	own := &oracle.Node{Kind: oracle.All}
	if r.schema.Number("title") >= 0 && r.IntN(4) > 0 {
		node, own = r.node(r.IntN(3))
	}
	node, own = r.restricted(node, own)
	q := search.Query{Node: node, K: []int{1, 7, 100, len(r.docs)}[r.IntN(4)], Total: r.IntN(2) == 0}
	var by []oracle.SortKey
	if r.IntN(3) > 0 {
		for _, f := range r.Perm(len(shopColumns))[:1+r.IntN(3)] {
			by = append(by, oracle.SortKey{Field: shopColumns[f], Desc: r.IntN(2) == 0})
			q.Sort = append(q.Sort, search.SortBy{Field: by[len(by)-1].Field, Desc: by[len(by)-1].Desc})
		}
	}
	if r.IntN(3) == 0 {
		at := r.IntN(len(by) + 1)
		by, q.Sort = slices.Insert(by, at, oracle.SortKey{Field: score, Desc: true}), slices.Insert(q.Sort, at, search.SortBy{Score: true})
	}
	scored := slices.ContainsFunc(q.Sort, func(s search.SortBy) bool { return s.Score })
	r.values[score] = make([][]any, len(r.docs))
	if r.IntN(3) == 0 {
		q.Collapse = shopColumns[r.IntN(len(shopColumns))]
	}
	var facets []func([]oracle.Hit) search.FacetCounts
	for range r.IntN(4) * r.IntN(2) {
		f, counts := r.facet()
		q.Facets, facets = append(q.Facets, f), append(facets, counts)
	}
	after := uint32(r.IntN(len(r.docs)))
	switch paged := r.IntN(3) == 0; {
	case paged && len(by) > 0:
		q.SortAfter = &search.SortPosition{Doc: after, Before: r.IntN(4) == 0}
		r.values[score][after] = []any{float64(10 * r.Float32())} // unless it matches
		for _, k := range by {
			q.SortAfter.Values = append(q.SortAfter.Values, r.value(k.Field, r.values.Key(k, after)))
		}
	case paged:
		q.After = &search.Position{Doc: after, Score: 10 * r.Float32()}
	}
	return q, own, func(hits []oracle.Hit) (x search.Result) {
		if q.Total || len(facets) > 0 {
			x.Total = uint64(len(hits))
		}
		for _, h := range hits {
			r.values[score][h.Doc] = []any{float64(h.Score)}
		}
		for i, k := range by {
			if q.SortAfter != nil && k.Field == score {
				q.SortAfter.Values[i] = r.value(score, r.values.Key(k, after))
			}
		}
		for _, counts := range facets {
			x.Facets = append(x.Facets, counts(hits))
		}
		if len(by) > 0 {
			hits = r.values.Sort(hits, by)
		}
		if q.Collapse != "" {
			hits = r.values.Collapse(hits, q.Collapse)
		}
		for _, h := range hits {
			if len(by) > 0 && !scored {
				h.Score = 0
			}
			if len(x.Hits) == q.K || !r.behind(&q, by, h) {
				continue
			}
			x.Hits = append(x.Hits, search.Hit(h))
			var keys []schema.Value
			for _, k := range by {
				keys = append(keys, r.value(k.Field, r.values.Key(k, h.Doc)))
			}
			if len(by) > 0 {
				x.Sort = append(x.Sort, keys)
			}
		}
		return x
	}
}

// restricted restricts a query by a column, or not.
func (r *shopper) restricted(n query.Node, o *oracle.Node) (query.Node, *oracle.Node) {
	if r.IntN(3) > 0 {
		return n, o
	}
	lo := int64(r.IntN(len(r.docs)))
	hi := lo + int64(r.IntN(len(r.docs)))
	var f query.Node = query.Range{Field: "added", Min: schema.IntegerValue(0, lo), Max: schema.IntegerValue(0, hi)}
	has := func(d uint32) bool {
		x := r.values["added"][d][0].(int64)
		return lo <= x && x <= hi
	}
	if r.IntN(2) == 0 {
		brand := fmt.Sprint("Brand ", r.IntN(5))
		f = query.In{Field: "brand", Values: []any{schema.KeywordValue(0, []byte(brand))}}
		has = func(d uint32) bool { return slices.Contains(r.values["brand"][d], any(brand)) }
	}
	return query.Bool{Must: []query.Node{n}, Filter: []query.Node{f}},
		&oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{o}, Filter: []*oracle.Node{{Kind: oracle.Set, Has: has}}}
}

// behind reports whether a hit is behind the place that q begins after.
func (r *shopper) behind(q *search.Query, by []oracle.SortKey, h oracle.Hit) bool {
	switch {
	case q.After != nil:
		return h.Score < q.After.Score || h.Score == q.After.Score && h.Doc > q.After.Doc
	case q.SortAfter == nil:
		return true
	case q.SortAfter.Before:
		for _, k := range by {
			if c := r.values.Compare([]oracle.SortKey{k}, h.Doc, q.SortAfter.Doc); r.values.Key(k, h.Doc) != r.values.Key(k, q.SortAfter.Doc) && c != 0 {
				return c > 0
			}
		}
		return true
	}
	return r.values.Compare(by, h.Doc, q.SortAfter.Doc) > 0
}

// Queries sorted, counted and collapsed by columns give what the oracle does, whoever executes them, with deleted
// documents, pages and several segments, and after merges.
func TestColumns(t *testing.T) {
	longtest.Once(t)
	n := min(longtest.Count(200, 800), *manyTrees)
	rng := rand.New(rand.NewPCG(7, 36))
	for _, c := range []struct{ docs, flush, queries int }{{250, 90, n * 3 / 4}, {9500, 4600, n / 4}} {
		compareColumns(t, rng, shopSchema(), books(rng, c.docs), c.flush, c.queries)
	}
}

// The same without any field that is indexed: queries are of filters alone.
func TestColumnsOnly(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(8, 36))
	for _, c := range []struct{ docs, flush, queries int }{{1, 1, 20}, {250, 90, longtest.Count(50, 150)}, {9500, 4600, longtest.Count(20, 50)}} {
		docs := make([]oracle.Record, c.docs)
		for d := range docs {
			docs[d].Deleted = rng.IntN(15) == 0
		}
		docs[0].Deleted = false
		compareColumns(t, rng, logSchema(), docs, c.flush, c.queries)
	}
}

// compareColumns builds an index, and compares answers with the oracle's, before documents that are deleted are merged
// away and after.
func compareColumns(t *testing.T, rng *rand.Rand, s *schema.Schema, docs []oracle.Record, flush, queries int) {
	t.Helper()
	r := &shopper{&treeDrawer{Rand: rng}, shopValues(rng, len(docs)), s}
	for d := range docs {
		r.ids = append(r.ids, fmt.Append(nil, d))
	}
	l := shop(t, s, docs, r.values, flush)
	r.agree(t, l.Snapshot(), docs, queries/2)
	l.MergeAll()
	var live []oracle.Record
	for d := range docs {
		if !docs[d].Deleted {
			r.ids[len(live)] = r.ids[d]
			for _, f := range shopColumns {
				r.values[f][len(live)] = r.values[f][d]
			}
			live = append(live, docs[d])
		}
	}
	r.ids = r.ids[:len(live)]
	r.agree(t, l.Snapshot(), live, queries/2)
}

// agree draws queries, and compares what executors and the oracle answer.
func (r *shopper) agree(t *testing.T, snapshot *reader.Snapshot, docs []oracle.Record, queries int) {
	t.Helper()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	executors := []search.Executor{s}
	for m := range pool.FineGrained + 1 {
		p, err := pool.New(s, pool.Options{Workers: 3, Model: m})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		executors = append(executors, p)
	}
	fields := slices.DeleteFunc(shelved(), func(f oracle.Field) bool { return r.schema.Number(f.Name) < 0 })
	records := oracle.NewRecords(fields, docs)
	truth := oracle.NewTrees(records)
	r.docs, r.terms = docs, map[string][]string{}
	for _, f := range []string{"title", "body", "notes"} {
		if r.schema.Number(f) >= 0 {
			r.terms[f] = records.Terms(f)
		}
	}
	for i := range queries {
		q, own, result := r.query()
		all, _ := truth.Answer(oracle.TreeQuery{Root: own, K: len(docs)})
		want := result(all)
		got, err := executors[i%len(executors)].Execute(t.Context(), []search.Query{q})
		if err != nil {
			t.Fatalf("%s: %v", shown(q.Node), err)
		}
		if a, b := fmt.Sprint(got[0]), fmt.Sprint(want); a != b {
			t.Fatalf("query %d by %T, %d documents: %s\nsort %v after %v %v, collapse %q, facets %v, K %d\n got %.1500s\nwant %.1500s", i, executors[i%len(executors)], len(docs),
				shown(q.Node), q.Sort, q.SortAfter, q.After, q.Collapse, q.Facets, q.K, a, b)
		}
	}
}
