package search_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

var (
	manyTrees = flag.Int("trees", manyOf(longtest.Count(1000, 10_000), 200), "how many random trees TestTrees draws, and at most TestStatic and TestColumns")
	treesSeed = flag.Uint64("trees-seed", 102, "what TestTrees draws them from: another number gives others")
)

// manyOf returns usual, or fewer where programs are slow.
func manyOf(usual, slow int) int {
	if longtest.Slow() {
		return slow
	}
	return usual
}

// treeDrawer draws trees, each for the engine and for the oracle.
type treeDrawer struct {
	*rand.Rand
	ids     [][]byte // of the documents
	docs    []oracle.Record
	terms   map[string][]string // by field, of documents that are not deleted
	blends  int
	parts   bool                  // only nodes that a part of the documents answers as all of them do
	sharded bool                  // only nodes that shards answer: no Bitmap, whose numbers are those of all
	phrases bool                  // also phrases
	dots    bool                  // also Dots, and terms of the field of impacts
	dense   bool                  // also Nearest and Similarity
	denied  int                   // within so many MustNot and Not
	fields  func() []oracle.Field // of the oracle; nil means shelved
	quiet   int                   // within so many nodes in which nothing scores
	probed  bool                  // long lists have been, so that they are cached
	ranks   [][]float64           // of the documents in the column "worth", if there is one
	// weights are those of static scores, and words how many there are; nil and 0 mean the usual ones.
	weights []float64
	words   int
}

func (r *treeDrawer) boost() float64 { return []float64{0, 0, 0, 1, 0.3, 4, 0.01}[r.IntN(7)] }

// node draws a tree of at most that depth.
func (r *treeDrawer) node(depth int) (query.Node, *oracle.Node) {
	if !r.parts && r.IntN(12) == 0 {
		return r.expansion()
	}
	if r.phrases && (r.IntN(5) == 0 || depth == 0 && r.IntN(2) == 0) {
		return r.phrase()
	}
	if r.dots && r.IntN(8) == 0 {
		return r.impacts()
	}
	if r.dense && r.denied == 0 && r.IntN(5) == 0 {
		return r.nearest()
	}
	kind := r.IntN(16)
	if depth == 0 {
		kind = r.IntN(6)
	}
	switch kind {
	case 0, 1, 2:
		return r.term()
	case 3, 4:
		return r.match()
	case 5:
		if r.IntN(3) > 0 {
			return r.term()
		}
		s := []float64{0, 2, 0.5, query.Zero}[r.IntN(4)]
		return query.All{Score: s}, &oracle.Node{Kind: oracle.All, Score: s}
	case 6:
		r.quiet++
		n, o := r.node(depth - 1)
		r.quiet--
		s := []float64{0, 3, 0.25, query.Zero}[r.IntN(4)]
		return query.Const{Node: n, Score: s}, &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{o}, Score: s}
	case 7, 8:
		nodes, own := r.nodes(depth-1, 4)
		tie, boost := []float64{0, 0.3, 0.9, 1}[r.IntN(4)], r.boost()
		return query.Best{Of: nodes, Tie: tie, Boost: boost}, &oracle.Node{Kind: oracle.Best, Should: own, Tie: tie, Boost: boost}
	}
	if kind >= 14 {
		return r.combined(depth - 1)
	}
	return r.bool(depth - 1)
}

// combined draws an And or Or of nodes, some of which only match.
func (r *treeDrawer) combined(depth int) (query.Node, *oracle.Node) {
	var nodes []query.Node
	var scoring, matching []*oracle.Node
	for range 1 + r.IntN(4) {
		n, o := r.node(depth)
		if r.IntN(3) == 0 {
			n, o = r.matching(depth)
			matching = append(matching, o)
		} else {
			scoring = append(scoring, o)
		}
		nodes = append(nodes, n)
	}
	if n, o := r.similarity(); n != nil {
		nodes, scoring = append(nodes, n), append(scoring, o)
	}
	if r.IntN(2) == 0 {
		return query.And(nodes), &oracle.Node{Kind: oracle.Bool, Must: scoring, Filter: matching}
	}
	for _, o := range matching {
		scoring = append(scoring, &oracle.Node{Kind: oracle.Bool, Filter: []*oracle.Node{o}})
	}
	return query.Or(nodes), &oracle.Node{Kind: oracle.Bool, Should: scoring}
}

// matching draws a node that only matches.
func (r *treeDrawer) matching(depth int) (query.Node, *oracle.Node) {
	if r.IntN(2) == 0 && !r.phrases {
		f, passes := r.values()
		return f, &oracle.Node{Kind: oracle.Set, Has: func(d uint32) bool { return passes(r.docs[d].Terms) }}
	}
	r.denied++
	f, o := r.filter(depth)
	r.denied--
	return query.Not{Node: f}, &oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{{Kind: oracle.All}}, Not: []*oracle.Node{o}}
}

// nodes draws up to most nodes.
func (r *treeDrawer) nodes(depth, most int) (nodes []query.Node, own []*oracle.Node) {
	for range r.IntN(most + 1) {
		n, o := r.node(depth)
		nodes, own = append(nodes, n), append(own, o)
	}
	return nodes, own
}

func (r *treeDrawer) bool(depth int) (query.Node, *oracle.Node) {
	b, o := query.Bool{Boost: r.boost()}, &oracle.Node{Kind: oracle.Bool}
	o.Boost = b.Boost
	if r.IntN(2) == 0 {
		b.Must, o.Must = r.nodes(depth, 3)
	}
	if r.IntN(4) > 0 {
		b.Should, o.Should = r.nodes(depth, 5)
	}
	if n, own := r.similarity(); n != nil {
		if r.IntN(2) == 0 {
			b.Must, o.Must = append(b.Must, n), append(o.Must, own)
		} else {
			b.Should, o.Should = append(b.Should, n), append(o.Should, own)
		}
	}
	if r.IntN(4) == 0 {
		r.denied++
		r.quiet++
		b.MustNot, o.Not = r.nodes(depth, 2)
		r.denied--
		r.quiet--
	}
	if r.IntN(6) == 0 {
		f, of := r.matching(depth)
		switch r.IntN(3) {
		case 0:
			b.Must, o.Filter = append(b.Must, f), append(o.Filter, of)
		case 1:
			b.Should, o.Should = append(b.Should, f), append(o.Should, &oracle.Node{Kind: oracle.Bool, Filter: []*oracle.Node{of}})
		default:
			b.MustNot, o.Not = append(b.MustNot, f), append(o.Not, of)
		}
	}
	for r.IntN(3) == 0 {
		f, of := r.filter(depth)
		b.Filter, o.Filter = append(b.Filter, f), append(o.Filter, of)
	}
	if r.IntN(3) == 0 {
		b.AtLeast = r.IntN(4)
		o.AtLeast = b.AtLeast
	}
	return b, o
}

func (r *treeDrawer) filter(depth int) (query.Node, *oracle.Node) {
	r.quiet++
	defer func() { r.quiet-- }()
	if r.IntN(2) == 0 && !r.phrases {
		return r.columns(min(depth, 2))
	}
	some := map[uint32]bool{}
	var ids query.IDs
	for d, step := r.IntN(len(r.ids)), 1+r.IntN(5); d < len(r.ids); d += step {
		some[uint32(d)] = true
		ids = append(ids, string(r.ids[d]))
	}
	has := func(doc uint32) bool { return some[doc] }
	switch kind := r.IntN(4); {
	case kind == 0 && !r.parts && !r.sharded:
		return query.DocsOf(maps.Keys(some)), &oracle.Node{Kind: oracle.Set, Has: has}
	case kind == 1:
		return append(ids, "nosuch"), &oracle.Node{Kind: oracle.Set, Has: has}
	}
	n, o := r.node(depth)
	return n, o
}

// expansion draws a node that stands for terms. Not scored, it has the documents with one of them, and the boosts
// make a constant score.
func (r *treeDrawer) expansion() (query.Node, *oracle.Node) {
	scored := r.IntN(2) == 0
	x := drawExpansion(r.Rand, scored)
	o := &oracle.Node{Kind: oracle.Bool}
	has := map[uint32]bool{}
	for _, f := range []string{"title", "body", "notes"} {
		if x.field != "" && x.field != f {
			continue
		}
		r.blends++
		matching := map[string]bool{}
		for _, term := range r.terms[f] {
			if x.match(term) {
				matching[term] = true
				o.Should = append(o.Should, &oracle.Node{Field: f, Term: term, Boost: x.boost, Blend: r.blends})
			}
		}
		for d := range r.docs {
			if !scored && slices.ContainsFunc(r.docs[d].Terms[f], func(t string) bool { return matching[t] }) {
				has[uint32(d)] = true
			}
		}
	}
	switch {
	case len(o.Should) == 0:
		o = &oracle.Node{Kind: oracle.Nothing}
	case !scored:
		set := &oracle.Node{Kind: oracle.Set, Has: func(d uint32) bool { return has[d] }}
		o = &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{set}, Score: x.boost}
	}
	return x.node, o
}

// word draws a word, most likely a frequent one.
func (r *treeDrawer) word() string {
	return fmt.Sprint("w", int(float64(cmp.Or(r.words, 160))*r.Float64()*r.Float64()))
}

func (r *treeDrawer) term() (query.Node, *oracle.Node) {
	boost := r.boost()
	if r.IntN(8) == 0 {
		shelf := fmt.Sprintf("Shelf %d", r.IntN(5))
		return query.Term{Field: "shelf", Text: shelf, Boost: boost}, &oracle.Node{Field: "shelf", Term: shelf, Boost: boost}
	}
	field, word := []string{"title", "body", "body", "notes"}[r.IntN(4)], r.word()
	return query.Term{Field: field, Text: word, Boost: boost}, &oracle.Node{Field: field, Term: word, Boost: boost}
}

func (r *treeDrawer) match() (query.Node, *oracle.Node) {
	var words []string
	for range r.IntN(4) {
		words = append(words, r.word())
	}
	m := query.Match{Text: strings.Join(words, ", "), Mode: query.Mode(r.IntN(2)), Boost: r.boost()}
	fields := []string{"body", "notes", "title"}
	if r.IntN(3) > 0 {
		fields = fields[r.IntN(3):][:1]
		m.Field = fields[0]
	}
	o := &oracle.Node{Kind: oracle.Bool, Boost: m.Boost}
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			continue
		}
		each := &oracle.Node{Kind: oracle.Bool}
		for _, f := range fields {
			in := &oracle.Node{Kind: oracle.Bool} // of all that are equal
			for _, same := range words {
				if same == w {
					in.Must = append(in.Must, &oracle.Node{Field: f, Term: w})
				}
			}
			each.Should = append(each.Should, in)
		}
		if m.Mode == query.ModeAnd {
			o.Must = append(o.Must, each)
		} else {
			o.Should = append(o.Should, each)
		}
	}
	return m, o
}

// Random trees over fields give the hits of the oracle to the bit, and nearly the scores of exact arithmetic, whoever
// executes them, with deleted documents, filters, pages, several segments, and after merges.
func TestTrees(t *testing.T) {
	n := *manyTrees
	rng := rand.New(rand.NewPCG(101, *treesSeed))
	for _, c := range []struct {
		docs, flush, trees int
		codec              codec.Codec
	}{{250, 90, n * 9 / 10, bp128.Codec{}}, {6000, 2500, n / 10, vbyte128.Codec{}}} {
		docs := books(rng, c.docs)
		l := library(t, writer.Options{DocsCodec: codec.Name(c.codec), FreqsCodec: codec.Name(c.codec)}, docs, c.flush)
		r := &treeDrawer{Rand: rng, dots: true}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		r.agree(t, l.Snapshot(), docs, c.trees/2)
		l.MergeAll()
		var live []oracle.Record
		for d := range docs {
			if !docs[d].Deleted {
				r.ids[len(live)] = r.ids[d]
				live = append(live, docs[d])
			}
		}
		r.ids = r.ids[:len(live)]
		r.probed = true
		r.agree(t, l.Snapshot(), live, c.trees/2)
	}
}

// agree draws trees over docs, and compares what executors and the oracle answer.
func (r *treeDrawer) agree(t *testing.T, snapshot *reader.Snapshot, docs []oracle.Record, trees int) {
	t.Helper()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for i := range 200 {
		if r.probed {
			pair := []query.Node{query.Term{Field: "body", Text: fmt.Sprint("w", i%40)}, query.Term{Field: "body", Text: fmt.Sprint("w", i%40+1)}}
			if _, err := s.Search(t.Context(), search.Query{Node: query.Bool{Must: pair}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	executors := []search.Executor{s}
	for m := range pool.FineGrained + 1 {
		p, err := pool.New(s, pool.Options{Workers: 3, Model: m, TaskPostings: 64})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		executors = append(executors, p)
	}
	fields := r.fields
	if fields == nil {
		fields = shelved
	}
	records := oracle.NewRecords(fields(), docs)
	truths := make(map[query.Params]*oracle.Trees)
	r.docs, r.terms = docs, map[string][]string{}
	for _, f := range []string{"title", "body", "notes"} {
		r.terms[f] = records.Terms(f)
	}
	for i := range trees {
		depth := 1 + r.IntN(4)
		if r.phrases && r.IntN(3) == 0 {
			depth = 0
		}
		node, own := r.node(depth)
		q, o := search.Query{Node: node, K: []int{1, 10, 100, len(docs)}[r.IntN(4)]}, oracle.TreeQuery{Root: own}
		o.K = q.K
		if r.IntN(6) == 0 {
			some := map[uint32]bool{}
			for d := r.IntN(len(docs)); d < len(docs); d++ {
				some[uint32(d)] = true
			}
			for i := r.IntN(3) * len(docs) / 2; i > 0; i-- {
				delete(some, uint32(r.IntN(len(docs))))
			}
			q.Filter = docset.GlobalOf(slices.Collect(maps.Keys(some))...)
			o.Filter = func(doc uint32) bool { return some[doc] }
		}
		if r.IntN(6) == 0 {
			o.After = &oracle.Hit{Doc: uint32(r.IntN(len(docs))), Score: 10 * r.Float32()}
			q.After = &search.Position{Score: o.After.Score, Doc: o.After.Doc}
		}
		if r.ranks != nil {
			q.Static, o.Static = r.static()
		}
		if r.IntN(4) == 0 {
			q.Params = drawParams(r.Rand)
		}
		truth := truths[q.Params]
		if truth == nil {
			truth = oracle.NewTrees(oracle.NewRecords(rankedBy(fields(), q.Params), docs))
			truths[q.Params] = truth
		}
		want, exact := truth.Answer(o)
		for j, x := range exact {
			if d := math.Abs(x - float64(want[j].Score)); d > 1e-4*x+1e-9 {
				t.Fatalf("%s: the oracle's score is %v, in exact arithmetic %v", shown(node), want[j].Score, x)
			}
		}
		if r.phrases && r.IntN(4) == 0 {
			r.count(t, s, truth, q, o)
		}
		which := executors
		if i%8 > 0 { // mostly the first
			which = executors[max(0, i%16-16+len(executors)):][:1]
		}
		for _, x := range which {
			got, err := x.Execute(t.Context(), []search.Query{q})
			if err != nil {
				t.Fatalf("%s: %v", shown(node), err)
			}
			if !slices.EqualFunc(got[0].Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
				t.Fatalf("tree %d, %d documents, K %d, after %v, static %v, params %v, by %T:\n%s\n%d hits %v\nwant %d %v", i, len(docs), q.K, q.After, q.Static, q.Params, x, shown(node),
					len(got[0].Hits), got[0].Hits[:min(8, len(got[0].Hits))], len(want), want[:min(8, len(want))])
			}
		}
	}
}

// shown is a node in short.
func shown(n query.Node) string {
	list := func(mark string, nodes []query.Node) (s string) {
		for _, k := range nodes {
			s += " " + mark + shown(k)
		}
		return s
	}
	switch n := n.(type) {
	case query.Term:
		return fmt.Sprintf("%s:%s^%v", n.Field, n.Text, n.Boost)
	case query.Match:
		return fmt.Sprintf("%s:%q,%v^%v", n.Field, n.Text, n.Mode, n.Boost)
	case query.Best:
		return fmt.Sprintf("best(%v^%v%s)", n.Tie, n.Boost, list("", n.Of))
	case query.Const:
		return fmt.Sprintf("%s=%v", shown(n.Node), n.Score)
	case query.Bool:
		s := fmt.Sprintf("(%d^%v%s%s%s", n.AtLeast, n.Boost, list("+", n.Must), list("", n.Should), list("-", n.MustNot))
		for _, f := range n.Filter {
			s += " #" + shown(f)
		}
		return s + ")"
	}
	return fmt.Sprintf("%+v", n)
}
