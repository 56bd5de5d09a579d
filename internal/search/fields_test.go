package search_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
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

// shelfSchema is the schema of the tests: fields whose order is not that of their names.
func shelfSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "simple", Lengths: schema.LengthsByte, K1: 0.9, B: 0.4, Boost: 2.5},
		{Name: "body", Kind: schema.Text, Analyzer: "simple"},
		{Name: "shelf", Kind: schema.Keyword, K1: 1.5, Boost: 0.5},
		{Name: "notes", Kind: schema.Text, Analyzer: "simple", Index: schema.IndexDocs},
		{Name: "year", Kind: schema.Integer, Stored: true},
		{Name: "cost", Kind: schema.Integer, Column: true},
		{Name: "tag", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
		{Name: "seen", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
		{Name: "rank", Kind: schema.Float, Column: true},
	}}
}

// shelved are the same fields for the oracle.
func shelved() []oracle.Field {
	return []oracle.Field{
		{Name: "title", Lengths: oracle.Bytes, K1: 0.9, B: 0.4, Weight: 2.5},
		{Name: "body", Lengths: oracle.Exact, K1: 1.2, B: 0.75, Weight: 1},
		{Name: "shelf", Lengths: oracle.None, K1: 1.5, B: 0.75, Weight: 0.5},
		{Name: "notes", Lengths: oracle.None, K1: 1.2, B: 0.75, Weight: 1},
		{Name: "vector", Lengths: oracle.None, Scale: vectorScale},
	}
}

// books draws documents.
func books(rng *rand.Rand, n int) []oracle.Record {
	bodies, titles := querytest.ZipfDocs(rng, n, 150, 30), querytest.ZipfDocs(rng, n, 150, 5)
	docs := make([]oracle.Record, n)
	for d := range docs {
		docs[d].Terms = map[string][]string{"shelf": {fmt.Sprintf("Shelf %d", rng.IntN(4))}, "notes": titles[n-1-d]}
		if rng.IntN(4) > 0 {
			docs[d].Terms["body"] = bodies[d]
		}
		if rng.IntN(3) > 0 {
			docs[d].Terms["title"] = titles[d]
		}
		if rng.IntN(100) == 0 {
			docs[d].Terms["title"] = slices.Repeat(titles[d], 40)
		}
		docs[d].Deleted = rng.IntN(15) == 0
		shelve(docs[d].Terms, uint64(d))
		embed(&docs[d], uint64(d))
	}
	return docs
}

// shelve adds values in columns, as texts, which depend on the number of the document only.
func shelve(values map[string][]string, d uint64) {
	h := d
	next := func(n uint64) uint64 {
		h = h*6364136223846793005 + 1442695040888963407
		return (h >> 33) % n
	}
	for range next(3) {
		values["cost"] = append(values["cost"], fmt.Sprint(int64(next(1000))-100))
	}
	for range next(4) {
		values["tag"] = append(values["tag"], fmt.Sprint("tag", next(40)))
	}
	if next(50) > 0 {
		values["seen"] = append(values["seen"], fmt.Sprint(1e9+3*d+next(20)))
	}
	values["rank"] = append(values["rank"], fmt.Sprint(float64(next(100))/8-2))
}

// shelfValues are the values that shelve has added.
func shelfValues(values map[string][]string) (all []schema.Value) {
	for _, s := range values["cost"] {
		n, _ := strconv.ParseInt(s, 10, 64)
		all = append(all, schema.IntegerValue(5, n))
	}
	for _, s := range values["tag"] {
		all = append(all, schema.KeywordValue(6, []byte(s)))
	}
	for _, s := range values["seen"] {
		x, _ := strconv.ParseFloat(s, 64)
		all = append(all, schema.TimeValue(7, time.Unix(int64(x), int64(len(s)))))
	}
	for _, s := range values["rank"] {
		x, _ := strconv.ParseFloat(s, 64)
		all = append(all, schema.FloatValue(8, x))
	}
	return all
}

// library adds documents to an index, with a flush after every flush-th, and deletes those that are deleted.
func library(t *testing.T, o writer.Options, docs []oracle.Record, flush int) *querytest.Live {
	t.Helper()
	return libraryFrom(t, o, docs, 0, flush)
}

// libraryFrom is library with ids from first on.
func libraryFrom(t *testing.T, o writer.Options, docs []oracle.Record, first, flush int) *querytest.Live {
	t.Helper()
	o.Schema = withVectors(shelfSchema())
	return libraryOf(t, o, docs, first, flush, func(int) []schema.Value { return nil })
}

// libraryOf is libraryFrom with a schema that has more fields, and their values by document.
func libraryOf(t *testing.T, o writer.Options, docs []oracle.Record, first, flush int, more func(doc int) []schema.Value) *querytest.Live {
	t.Helper()
	l := querytest.NewLive(t, o)
	for d := range docs {
		v := []schema.Value{schema.IntegerValue(4, int64(d))}
		for i, name := range []string{"title", "body", "shelf", "notes"} {
			words := docs[d].Terms[name]
			switch {
			case len(words) == 0:
			case name == "shelf":
				v = append(v, schema.KeywordValue(i, []byte(words[0])))
			default: // in two values
				half := len(words) / 2
				v = append(v, schema.TextValue(i, []byte(strings.Join(words[:half], " "))), schema.TextValue(i, []byte(strings.Join(words[half:], " "))))
			}
		}
		v = append(v, shelfValues(docs[d].Terms)...)
		v = append(v, vectorOf(o.Schema, &docs[d])...)
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, first+d), Values: append(v, more(d)...)}))
		if d%flush == flush-1 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	for d := range docs {
		if docs[d].Deleted {
			l.Do(l.Delete(t.Context(), fmt.Append(nil, first+d)))
		}
	}
	return l
}

// fieldQuery draws a query and what it is for the oracle.
func fieldQuery(rng *rand.Rand) (query.Node, oracle.LeafQuery) {
	word := func() string { return fmt.Sprint("w", int(150*rng.Float64()*rng.Float64())) }
	boosts := []float64{1, 1, 0.3, 4}
	names := []string{"title", "body", "notes"}
	var q oracle.LeafQuery
	if q.All = rng.IntN(3) == 0; q.All {
		name, boost := names[rng.IntN(3)], boosts[rng.IntN(4)]
		var words []string
		for range 1 + rng.IntN(3) {
			words = append(words, word())
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: name, Term: words[len(words)-1], Boost: boost})
		}
		last := word()
		q.Leaves = append(q.Leaves, oracle.Leaf{Field: name, Term: last, Boost: 1})
		return query.Bool{Must: []query.Node{query.Match{Field: name, Text: strings.Join(words, ", "), Mode: query.ModeAnd, Boost: boost},
			query.Term{Field: name, Text: last}}}, q
	}
	var nodes []query.Node
	for range 1 + rng.IntN(3) {
		boost := boosts[rng.IntN(4)]
		switch name, a, b := names[rng.IntN(3)], word(), word(); rng.IntN(4) {
		case 0: // all fields of text
			nodes = append(nodes, query.Match{Text: a, Boost: boost})
			for _, name := range names {
				q.Leaves = append(q.Leaves, oracle.Leaf{Field: name, Term: a, Boost: boost})
			}
		case 1:
			nodes = append(nodes, query.Match{Field: "shelf", Text: "Shelf 2", Boost: boost})
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: "shelf", Term: "Shelf 2", Boost: boost})
		case 2:
			nodes = append(nodes, query.Match{Field: name, Text: a + " " + b, Boost: boost})
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: name, Term: a, Boost: boost}, oracle.Leaf{Field: name, Term: b, Boost: boost})
		default:
			nodes = append(nodes, query.Bool{Should: []query.Node{query.Term{Field: name, Text: a, Boost: boost}}})
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: name, Term: a, Boost: boost})
		}
	}
	return query.Bool{Should: nodes}, q
}

// Queries over fields give the hits of the oracle to the bit, whatever the codec, the segments, the algorithm and the
// model of the pool, before and after a merge; so do their pages.
func TestFieldsAgree(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(91, 92))
	docs := books(rng, 1500)
	truth := oracle.NewRecords(shelved(), docs)
	for i, c := range []codec.Codec{bp128.Codec{}, vbyte128.Codec{}} {
		l := library(t, writer.Options{DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c)}, docs, []int{2000, 400}[i])
		fieldsAgree(t, rng, l.Snapshot(), truth, 40, fieldQuery)
		if i == 0 {
			continue
		}
		l.MergeAll() // without the deleted documents
		live := slices.DeleteFunc(slices.Clone(docs), func(r oracle.Record) bool { return r.Deleted })
		fieldsAgree(t, rng, l.Snapshot(), oracle.NewRecords(shelved(), live), 40, fieldQuery)
	}
}

// fieldsAgree draws queries.
func fieldsAgree(t *testing.T, rng *rand.Rand, snapshot *reader.Snapshot, truth *oracle.Records, queries int, draw func(*rand.Rand) (query.Node, oracle.LeafQuery)) {
	t.Helper()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	executors := []search.Executor{s}
	for m := range pool.FineGrained + 1 {
		p, err := pool.New(s, pool.Options{Workers: 3, Model: m, TaskPostings: 200})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		executors = append(executors, p)
	}
	for range queries {
		node, own := draw(rng)
		own.K = 2000
		whole := truth.Answer(own)
		q := search.Query{Node: node, K: []int{1, 10, 100, 2000}[rng.IntN(4)]}
		same := func(x search.Executor, want []oracle.Hit) {
			t.Helper()
			r, err := x.Execute(t.Context(), []search.Query{q})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(r[0].Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
				t.Fatalf("%+v by %T: %d hits, want %d", q, x, len(r[0].Hits), len(want))
			}
		}
		for _, x := range executors {
			q.Algorithm, q.After = search.Algorithms()[rng.IntN(len(search.Algorithms()))], nil
			same(x, whole[:min(q.K, len(whole))])
			if len(whole) > 0 {
				at := rng.IntN(min(len(whole), 300))
				q.After = &search.Position{Score: whole[at].Score, Doc: whole[at].Doc}
				same(x, whole[at+1:min(at+1+q.K, len(whole))])
			}
		}
		if n, err := s.Count(t.Context(), q); err != nil || n != uint64(len(whole)) {
			t.Fatalf("%+v: %d matches, %v, want %d", q, n, err, len(whole))
		}
	}
}

// What an index with a schema cannot answer is an error that says what and where, by every executor.
func TestFieldErrors(t *testing.T) {
	l := library(t, writer.Options{}, books(rand.New(rand.NewPCG(93, 94)), 50), 100)
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := pool.New(s, pool.Options{Workers: 2, Model: pool.FineGrained})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	term := func(field string) query.Node { return query.Term{Field: field, Text: "w1"} }
	for _, c := range []struct {
		q    search.Query
		is   error
		says string
	}{
		{search.Query{Node: term("author")}, query.ErrInvalid, `no field "author", but body, notes, shelf, title`},
		{search.Query{Node: query.Match{Field: "author", Text: "w1"}}, query.ErrInvalid, `"author"`},
		{search.Query{Node: term("year")}, query.ErrInvalid, `field "year", of kind integer, is not indexed`},
		{search.Query{Node: term("")}, query.ErrInvalid, "must name its field"},
		{search.Query{RawTerms: querytest.Terms("w1")}, query.ErrInvalid, "without a field"},
		{search.Query{Text: "w1 w2", Mode: query.ModeAndOr}, errors.ErrUnsupported, "body, notes, title"},
		{search.Query{Node: query.Match{Field: "body", Text: "w1", Boost: 1e9}}, query.ErrInvalid, `boost is 1e+09, not above 0 and up to 1e+06: "w1" in field "body"`},
	} {
		for _, x := range []search.Executor{s, p} {
			if _, err := x.Execute(t.Context(), []search.Query{c.q}); !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("%+v by %T: %v, want %v that says %q", c.q, x, err, c.is, c.says)
			}
		}
	}
	if _, err := s.Parse("w1"); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("Parse: %v", err)
	}
	if _, err := s.AppendLengths(nil, querytest.Terms("w1")); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("AppendLengths: %v", err)
	}
	for _, name := range []string{"", "year", "nope"} { // year is not indexed
		if _, err := s.AppendFieldLengths(nil, name, querytest.Terms("w1")); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("AppendFieldLengths in %q: %v", name, err)
		}
	}
	if _, err := s.Complete([]search.Query{{RawTerms: querytest.Terms("w1"), K: 1}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("Complete: %v", err)
	}
	if s.Scorer() != nil {
		t.Error("a scorer of no field")
	}
	if sc, ok := s.FieldScorer("title"); !ok || sc.Weight(3, 1) <= 0 {
		t.Error("no scorer of a field")
	}
	if _, ok := s.FieldScorer("year"); ok {
		t.Error("a scorer of a field that is not indexed")
	}
}

// Parameters of the query win over those of the schema, and these over the defaults.
func TestFieldParameters(t *testing.T) {
	docs := books(rand.New(rand.NewPCG(95, 96)), 300)
	snapshot := library(t, writer.Options{}, docs, 100).Snapshot()
	for _, p := range []query.Params{{}, {K1: 2}, {B: query.Zero}, {K1: query.Zero, B: 1}} {
		fields := shelved()
		for i := range fields {
			if p.K1 != 0 {
				fields[i].K1, _ = p.Values()
			}
			if p.B != 0 {
				_, fields[i].B = p.Values()
			}
		}
		s, err := search.NewSearcher(snapshot, search.Options{Params: p})
		if err != nil {
			t.Fatal(err)
		}
		truth := oracle.NewRecords(fields, docs)
		q := oracle.LeafQuery{K: 300}
		for _, f := range fields[:2] {
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: f.Name, Term: "w1", Boost: 1}, oracle.Leaf{Field: f.Name, Term: "w2", Boost: 1})
			sc, err := search.NewFieldScorer(snapshot, f.Name, p)
			if own, ok := s.FieldScorer(f.Name); err != nil || !ok || sc.Weight(2, 3) != own.Weight(2, 3) || sc.Norm(7) != own.Norm(7) {
				t.Errorf("%+v: the scorer of %s, %v, is another", p, f.Name, err)
			}
		}
		r, err := s.Search(t.Context(), search.Query{K: 300, Node: query.Bool{Should: []query.Node{query.Match{Field: "title", Text: "w1 w2"}, query.Match{Field: "body", Text: "w1 w2"}}}})
		if want := truth.Answer(q); err != nil || !slices.EqualFunc(r.Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
			t.Errorf("%+v: %v, %d hits, want %d", p, err, len(r.Hits), len(want))
		}
		s.Close()
	}
}

// Terms says what a query searches for.
func TestTerms(t *testing.T) {
	snapshot := library(t, writer.Options{}, books(rand.New(rand.NewPCG(97, 98)), 20), 100).Snapshot()
	p := search.NewParser(snapshot)
	for _, c := range []struct {
		q    search.Query
		want string
		mode query.Mode
	}{
		{search.Query{Text: "Rose"}, "body:rose^1 notes:rose^1 title:rose^1", query.ModeOr},
		{search.Query{Node: query.Match{Field: "body", Text: "No Rose", Mode: query.ModeAnd, Boost: 2}}, "body:no^2 body:rose^2", query.ModeAnd},
		{search.Query{Node: query.Bool{Should: []query.Node{query.Term{Field: "shelf", Text: "A b"}}}}, "shelf:A b^1", query.ModeOr},
		{search.Query{Text: "!"}, "", query.ModeOr},
	} {
		terms, mode, err := p.Terms(&c.q)
		var got []string
		for _, t := range terms {
			got = append(got, fmt.Sprintf("%s:%s^%v", t.Field, t.Text, t.Boost))
		}
		if s := strings.Join(got, " "); err != nil || s != c.want || mode != c.mode {
			t.Errorf("%+v: %q, %v, %v", c.q, s, mode, err)
		}
	}
	if _, _, err := p.Terms(&search.Query{RawTerms: querytest.Terms("w1")}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("a term without a field: %v", err)
	}
}

// Queries over fields of an index that is read on demand give the hits of the same files in memory.
func TestFieldsOnDemand(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 100))
	l := library(t, writer.Options{}, books(rng, 600), 250)
	local, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	x := (&objects{files: filesOf(l.FS())}).opened(t, 0)
	defer x.close(t)
	for range 30 {
		node, _ := fieldQuery(rng)
		q := search.Query{Node: node, K: 20}
		want, err := local.Search(t.Context(), q)
		got, err2 := x.Search(t.Context(), q)
		if err != nil || err2 != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("%+v: %v, %v, %d hits, want %d", q, err, err2, len(got.Hits), len(want.Hits))
		}
	}
}

// AppendFieldLengths gives what a count of the documents does, for terms of each field, whether the cache has
// them or not, and again after a merge.
func TestAppendFieldLengths(t *testing.T) {
	docs := books(rand.New(rand.NewPCG(17, 3)), 300)
	l := library(t, writer.Options{MergePolicy: writer.NoMerges}, docs, 70)
	want := map[string]map[string]uint64{}
	for d := range docs {
		for field, words := range docs[d].Terms {
			if f, _ := withVectors(shelfSchema()).Field(field); docs[d].Deleted || f.Indexing() == schema.IndexNone {
				continue
			}
			if want[field] == nil {
				want[field] = map[string]uint64{"absent": 0}
			}
			words = slices.Clone(words)
			slices.Sort(words)
			for _, w := range slices.Compact(words) {
				want[field][w]++
			}
		}
	}
	for range 2 {
		snapshot := l.Snapshot()
		s, err := search.NewSearcher(snapshot, search.Options{})
		l.Do(err)
		p, err := pool.New(s, pool.Options{Workers: 1})
		l.Do(err)
		for range 2 {
			for field, dfs := range want {
				words := slices.Sorted(maps.Keys(dfs))
				for _, x := range []interface {
					AppendFieldLengths([]uint64, string, [][]byte) ([]uint64, error)
				}{s, p} {
					got, err := x.AppendFieldLengths([]uint64{7}, field, querytest.Terms(words...))
					if err != nil || len(got) != 1+len(words) || got[0] != 7 {
						t.Fatalf("%s: %d lengths, %v", field, len(got), err)
					}
					for i, w := range words {
						if got[1+i] != dfs[w] {
							t.Errorf("%s: %s has %d, want %d", field, w, got[1+i], dfs[w])
						}
					}
				}
			}
		}
		p.Close()
		l.Do(s.Close())
		l.MergeAll()
	}
}
