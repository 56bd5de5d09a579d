package search_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

var manyPhrases = flag.Int("phrases", manyOf(longtest.Count(400, 2000), 100), "how many random trees with phrases TestPhrases draws")

// placedSchema is shelfSchema with positions in title and body.
func placedSchema() *schema.Schema {
	s := shelfSchema()
	s.Fields[0].Positions, s.Fields[1].Positions = true, true
	s.Fields = s.Fields[:4]
	s.NextID = 5
	for i := range s.Fields {
		f := &s.Fields[i]
		f.ID, f.Index = uint32(i+1), f.Indexing()
		if f.Kind == schema.Text {
			f.Analyzer, f.Options = f.Analysis()
		}
	}
	return s
}

// placed makes documents know where their words are, as a library keeps them: in two values.
func placed(docs []oracle.Record) {
	for d := range docs {
		docs[d].Places = map[string][]int{}
		for _, f := range []string{"title", "body"} {
			n := len(docs[d].Terms[f])
			for i := range n {
				if i >= n/2 {
					i += 99
				}
				docs[d].Places[f] = append(docs[d].Places[f], i)
			}
		}
	}
}

// phrase draws a Phrase or Near, mostly of words that a document has one after the other.
func (r *treeDrawer) phrase() (query.Node, *oracle.Node) {
	field := []string{"title", "body"}[r.IntN(2)]
	var words []string
	if all := r.docs[r.IntN(len(r.docs))].Terms[field]; len(all) > 0 {
		from := r.IntN(len(all))
		words = slices.Clone(all[from:min(len(all), from+1+r.IntN(4))])
	}
	if r.IntN(4) == 0 || len(words) == 0 {
		words = append(words, r.word())
	}
	if r.IntN(5) == 0 {
		words[r.IntN(len(words))] = r.word()
	}
	if r.IntN(5) == 0 {
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	}
	s := &oracle.Sequence{}
	for i, w := range words {
		s.Words, s.Offsets = append(s.Words, []string{w}), append(s.Offsets, i)
	}
	text, terms, boost := strings.Join(words, " "), []string(nil), r.boost()
	if r.IntN(3) == 0 {
		text, terms = "", slices.Clone(words)
	}
	if r.IntN(3) == 0 {
		n := query.Near{Field: field, Text: text, Terms: terms, Distance: max(0, r.IntN(8)-3), Ordered: r.IntN(2) == 0, Boost: boost}
		s.Width, s.Ordered = n.Distance+len(words)-1, n.Ordered
		clear(s.Offsets)
		return n, r.sequence(field, s, boost)
	}
	n := query.Phrase{Field: field, Text: text, Terms: terms, Slop: max(0, r.IntN(9)-4), Boost: boost}
	s.Width = n.Slop
	if !r.parts && r.IntN(4) == 0 {
		n.Prefix = true
		last := len(words) - 1
		prefix := words[last][:min(len(words[last]), 2)]
		n.Text = n.Text[:max(0, len(n.Text)-len(words[last])+len(prefix))]
		if len(n.Terms) > 0 {
			n.Text, n.Terms[last] = "", prefix
		}
		s.Words[last] = slices.DeleteFunc(slices.Clone(r.terms[field]), func(t string) bool { return !strings.HasPrefix(t, prefix) })
	}
	return n, r.sequence(field, s, boost)
}

// sequence returns what a phrase is for the oracle.
func (r *treeDrawer) sequence(field string, s *oracle.Sequence, boost float64) *oracle.Node {
	last := s.Words[len(s.Words)-1]
	switch {
	case len(last) == 0:
		return &oracle.Node{Kind: oracle.Nothing}
	case len(s.Words) > 1:
		return &oracle.Node{Kind: oracle.Phrase, Field: field, Sequence: s, Boost: boost}
	case len(last) == 1:
		return &oracle.Node{Field: field, Term: last[0], Boost: boost}
	}
	o := &oracle.Node{Kind: oracle.Bool}
	r.blends++
	for _, w := range last {
		o.Should = append(o.Should, &oracle.Node{Field: field, Term: w, Boost: boost, Blend: r.blends})
	}
	return o
}

// Random trees with phrases give the hits of the oracle to the bit, whoever executes them, with deleted documents, filters,
// pages and several segments; and so many matches are counted.
func TestPhrases(t *testing.T) {
	n := *manyPhrases
	rng := rand.New(rand.NewPCG(37, *treesSeed))
	for _, c := range []struct {
		docs, size, trees int
		codec             codec.Codec
	}{{250, 90, n * 9 / 10, bp128.Codec{}}, {6000, 2500, n / 10, vbyte128.Codec{}}} {
		docs := books(rng, c.docs)
		placed(docs)
		r := &treeDrawer{Rand: rng, phrases: true}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		r.agree(t, placedIndex(t, placedSchema(), docs, c.codec, c.size), docs, c.trees/2)
		docs = slices.DeleteFunc(docs, func(d oracle.Record) bool { return d.Deleted })
		r.ids = r.ids[:len(docs)]
		r.probed = true
		r.agree(t, placedIndex(t, placedSchema(), docs, c.codec, len(docs)), docs, c.trees/2)
	}
}

// count compares how many documents match, and which.
func (r *treeDrawer) count(t *testing.T, s *search.Searcher, truth *oracle.Trees, q search.Query, o oracle.TreeQuery) {
	t.Helper()
	o.K, o.After, o.Static = len(r.docs), nil, nil
	all, _ := truth.Answer(o)
	q.Static = nil
	if n, err := s.Count(t.Context(), q); err != nil || n != uint64(len(all)) {
		t.Fatalf("%s: %d matches, %v, want %d", shown(q.Node), n, err, len(all))
	}
	slices.SortFunc(all, func(a, b oracle.Hit) int { return int(a.Doc) - int(b.Doc) })
	q.K = 0
	for doc, err := range s.Matches(t.Context(), q) {
		if err != nil || len(all) == 0 || all[0].Doc != doc {
			t.Fatalf("%s: match %d, %v, want %v", shown(q.Node), doc, err, all[:min(1, len(all))])
		}
		all = all[1:]
	}
	if len(all) > 0 {
		t.Fatalf("%s: %d matches more", shown(q.Node), len(all))
	}
}

// An index that is read on demand is searched for phrases as one in memory.
func TestRemotePhrases(t *testing.T) {
	docs := books(rand.New(rand.NewPCG(5, 37)), 3000)
	placed(docs)
	fs := placedFS(t, placedSchema(), docs, bp128.Codec{}, 1700)
	local, err := search.NewSearcher(snapshotOf(t, fs), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	files := filesOf(fs)
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files}
		x := o.opened(t, 64<<20)
		defer x.close(t)
		for _, node := range []query.Node{
			query.Phrase{Field: "body", Text: "w1 w3"},
			query.Phrase{Field: "title", Text: "w1 w0", Slop: 3},
			query.Near{Field: "body", Text: "w5 w0 w2", Distance: 4},
			query.Phrase{Field: "body", Text: "w2 w1", Prefix: true},
			query.Bool{Must: []query.Node{query.Match{Field: "body", Text: "w4"}}, Should: []query.Node{query.Phrase{Field: "title", Text: "w0 w1"}}},
		} {
			q := search.Query{Node: node, Total: true}
			want, err := local.Search(t.Context(), q)
			if err != nil || want.Total == 0 {
				t.Fatal(want.Total, err)
			}
			got, err := x.Search(t.Context(), q)
			if a, b := fmt.Sprint(got), fmt.Sprint(want); err != nil || a != b {
				t.Errorf("%+v: %v, %.300s, want %.300s", node, err, a, b)
			}
		}
	})
}

// Whatever bit of an index flips, phrases are answered right or not at all. Some errors are due to positions alone.
func TestDamagedPhrases(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(6, 37))
	docs := books(rng, 900)
	placed(docs)
	f := files{}
	for name, b := range filesOf(placedFS(t, placedSchema(), docs, bp128.Codec{}, len(docs))) {
		f[name] = segment.Aligned(b)
	}
	nodes := []query.Node{
		query.Phrase{Field: "body", Text: "w1 w3"},
		query.Phrase{Field: "body", Text: "w0 w1 w2", Slop: 4},
		query.Near{Field: "title", Text: "w1 w0", Distance: 2},
		query.Match{Field: "body", Text: "w0 w1 w2 w3", Mode: query.ModeAnd},
	}
	ask := func() (answers []string, errs []error) {
		x, err := reader.Open(t.Context(), reader.FromStore(&inMemory{f}), reader.Options{})
		if err != nil {
			return nil, []error{err}
		}
		defer x.Close()
		snapshot, err := x.Snapshot()
		if err != nil {
			return nil, []error{err}
		}
		defer snapshot.Close()
		s, err := search.NewSearcher(snapshot, search.Options{})
		if err != nil {
			return nil, []error{err}
		}
		defer s.Close()
		for _, n := range nodes {
			r, err := s.Search(t.Context(), search.Query{Node: n, Total: true})
			answers, errs = append(answers, fmt.Sprint(r.Hits, r.Total)), append(errs, err)
		}
		return answers, errs
	}
	want, errs := ask()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	alone := 0
	for name, b := range f {
		if !strings.HasPrefix(name, "segment-") {
			continue
		}
		for range 300 {
			bit := rng.IntN(8 * len(b))
			b[bit/8] ^= 1 << (bit % 8)
			got, errs := ask()
			b[bit/8] ^= 1 << (bit % 8)
			for i, err := range errs {
				if err == nil && got[i] != want[i] || err != nil && !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrTooNew) && !errors.Is(err, format.ErrNotAnIndex) {
					t.Errorf("bit %d, %+v: %v, want %v, %v", bit, nodes[i], got[i], want[i], err)
				}
			}
			if len(errs) == len(nodes) && errs[3] == nil && errors.Join(errs...) != nil {
				alone++
			}
		}
	}
	if alone == 0 {
		t.Error("no damage of positions alone")
	}
	t.Logf("%d errors of positions alone", alone)
}

// A trace counts the blocks whose frequencies phrases decode, and marks them.
func TestTracedPhrases(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(38, 1))
	docs := books(rng, 3000)
	placed(docs)
	s, err := search.NewSearcher(placedIndex(t, placedSchema(), docs, bp128.Codec{}, 1500), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	blocks := uint64(0)
	for d := range docs[:50] {
		words := docs[d].Terms["body"]
		if len(words) < 2 {
			continue
		}
		r, err := s.Search(t.Context(), search.Query{Node: query.Phrase{Field: "body", Terms: words[:2]}, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Trace.Segments {
			for _, l := range g.Lists {
				n := uint64(0)
				for _, f := range l.Fates {
					n += uint64(f & search.FreqsDecoded / search.FreqsDecoded)
				}
				if n > l.FreqBlocks || (n == 0) != (l.FreqBlocks == 0) {
					t.Errorf("%s of %q: %d blocks in fates, %+v", l.Term, words[:2], n, l.ListCounts)
				}
				blocks += n
			}
		}
	}
	if blocks == 0 {
		t.Error("no frequencies were decoded")
	}
}
