package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// records are documents with three fields, and one of another index that no segment but the first has.
func records(rng *rand.Rand, n int) ([]oracle.Field, []oracle.Record) {
	fields := []oracle.Field{
		{Name: "body", Lengths: oracle.Exact, K1: 0.9, B: 0.4, Weight: 1},
		{Name: "late", Lengths: oracle.Exact, K1: 2, B: 0.75, Weight: 0.5},
		{Name: "tags", Lengths: oracle.None, K1: 1.2, B: 0.4, Weight: 3},
		{Name: "title", Lengths: oracle.Bytes, K1: 1.2, B: 0.75, Weight: 2.5},
	}
	bodies, titles := querytest.ZipfDocs(rng, n, 200, 30), querytest.ZipfDocs(rng, n, 200, 6)
	docs := make([]oracle.Record, n)
	for d := range docs {
		docs[d].Deleted = rng.IntN(20) == 0
		docs[d].Terms = map[string][]string{"body": bodies[d], "tags": {fmt.Sprint("w", rng.IntN(3)), "all"}}
		if rng.IntN(3) > 0 {
			docs[d].Terms["title"] = titles[d]
		}
		if d < n/2 {
			docs[d].Terms["late"] = titles[d][:1]
		}
		if rng.IntN(200) == 0 {
			docs[d].Terms["title"] = slices.Repeat(titles[d], 50)
		}
	}
	return fields, docs
}

// stub is a segment whose dictionary has the terms of all fields with the fields' names before them.
type stub struct {
	segment *segment.Segment
	lengths map[string]segment.LengthTable
}

// prefixed are the terms of a field of a stub.
type prefixed struct {
	segment.Lists
	field string
}

func (p prefixed) Lookup(term []byte) (segment.Entry, bool, error) {
	return p.Lists.Lookup([]byte(p.field + "\x00" + string(term)))
}

// newStub makes a segment of docs.
func newStub(t *testing.T, fields []oracle.Field, docs []oracle.Record, c codec.Codec) stub {
	t.Helper()
	f := new(querytest.File)
	w := format.NewFileWriter(f, format.KindSegment, format.ID{1})
	o := build.Options{Docs: uint32(len(docs)), Lengths: []segment.LengthTable{segment.NewLengthTable(make([]uint32, len(docs)))}, ForeignLengths: true, Analyzer: "none", DocsCodec: c, FreqsCodec: c}
	b, err := build.New(w, o)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	for d := range docs {
		check(b.AddDoc(fmt.Appendf(nil, "d%07d", d), nil))
	}
	s := stub{lengths: map[string]segment.LengthTable{}}
	for _, of := range fields {
		lists := map[string]format.Postings{}
		lens, codes, sum := make([]uint32, len(docs)), make([]byte, len(docs)), 0
		for d := range docs {
			words := slices.Sorted(slices.Values(docs[d].Terms[of.Name]))
			codes[d] = format.EncodeLen(uint32(len(words)))
			lens[d] = uint32(len(words))
			switch of.Lengths {
			case oracle.None:
				words, lens[d] = slices.Compact(words), 1
			case oracle.Bytes:
				lens[d] = format.DecodeLen(codes[d])
			}
			sum += len(words)
			for i := 0; i < len(words); {
				n := 1
				for ; i+n < len(words) && words[i+n] == words[i]; n++ {
				}
				lists[words[i]] = lists[words[i]].AppendPosting(uint32(d), uint32(n))
				i += n
			}
		}
		switch table := segment.NewLengthTable(lens); of.Lengths {
		case oracle.Bytes:
			s.lengths[of.Name] = segment.PackedLengths(codes, 1)
		case oracle.Exact:
			s.lengths[of.Name] = table
		}
		own := o
		own.Lengths = []segment.LengthTable{segment.NewLengthTable(lens)}
		e := build.NewEncoder(own, float64(sum)/float64(len(docs)))
		var words []string
		for term := range lists {
			words = append(words, term)
		}
		slices.Sort(words)
		for _, term := range words {
			l, _, err := e.Encode(nil, lists[term])
			check(err)
			check(b.Append([]byte(of.Name+"\x00"+term), l))
		}
	}
	_, err = b.Finish()
	check(err)
	s.segment, err = segment.Open("stub", segment.Aligned(f.Bytes))
	check(err)
	return s
}

// fieldsOver returns a Searcher over docs with fields.
func fieldsOver(t *testing.T, fields []oracle.Field, docs []oracle.Record, c codec.Codec, cuts ...int) *Searcher {
	t.Helper()
	var stubs []stub
	var segments []Segment
	lo, o := 0, Options{}
	for _, hi := range append(cuts, len(docs)) {
		deleted := &docset.Bits{}
		for d := lo; d < hi; d++ {
			if docs[d].Deleted {
				deleted.Add(uint32(d - lo))
			} else {
				o.Docs++
			}
		}
		own := fields
		if lo >= len(docs)/2 {
			own = slices.DeleteFunc(slices.Clone(fields), func(f oracle.Field) bool { return f.Name == "late" })
		}
		s := newStub(t, own, docs[lo:hi], c)
		segments = append(segments, Segment{reader.NewSegment(s.segment, uint32(lo), len(stubs)), reader.NewDeletes(deleted.Words())})
		stubs = append(stubs, s)
		lo = hi
	}
	of := func(s *segment.Segment) *stub {
		return &stubs[slices.IndexFunc(stubs, func(x stub) bool { return x.segment == s })]
	}
	for _, f := range fields {
		o.Fields = append(o.Fields, Field{Name: f.Name, Scorer: fieldScorer(&f, docs),
			Terms: func(s *segment.Segment) terms.Dictionary {
				if _, ok := of(s).lengths[f.Name]; !ok && f.Lengths != oracle.None {
					return nil
				}
				return prefixed{s.Lists(), f.Name}
			},
			Lengths: func(s *segment.Segment) (segment.LengthTable, error) { return of(s).lengths[f.Name], nil }})
	}
	s := new(Searcher)
	if err := s.Init(segments, o); err != nil {
		t.Fatal(err)
	}
	return s
}

// fieldScorer returns the Scorer of a field over docs.
func fieldScorer(f *oracle.Field, docs []oracle.Record) *bm25.Scorer {
	var st bm25.Stats
	lens := bm25.Exact
	for d := range docs {
		n := uint32(len(docs[d].Terms[f.Name]))
		switch f.Lengths {
		case oracle.None:
			n, lens = 1, bm25.Even
		case oracle.Bytes:
			n, lens = format.DecodeLen(format.EncodeLen(n)), bm25.Coded
		}
		if st.MaxLen = max(st.MaxLen, n); n > 0 && !docs[d].Deleted {
			st.Docs++
			st.Tokens += uint64(n)
		}
	}
	return bm25.NewField("", f.K1, f.B, st, lens, f.Weight)
}

// Queries over fields with lengths of every form give the hits of the oracle to the bit, whatever the codec, the
// segments, and the algorithm; so do the pages of one, one after the other.
func TestFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	fields, docs := records(rng, 3000)
	truth := oracle.NewRecords(fields, docs)
	bp, _ := registry.ByName("bp128")
	vb, _ := registry.ByName("vbyte128")
	searchers := []*Searcher{fieldsOver(t, fields, docs, bp), fieldsOver(t, fields, docs, vb, 700, 2000, 2001)}
	some := docset.NewGlobal(docset.Range(100, 2000))
	for i := range 60 {
		q := randomLeaves(rng, i%3 == 1)
		q.K = []int{1, 10, 100, 3000}[rng.IntN(4)]
		own := Query{K: q.K, Mode: Or}
		if q.All {
			own.Mode = And
		}
		if i%4 == 0 {
			q.Filter, own.Filter = some.Contains, some
		}
		own.Node = q.Leaves
		want := truth.Answer(q)
		for _, s := range searchers {
			s.parse = func(q *Query, w *Words) error {
				for _, l := range q.Node.([]oracle.Leaf) {
					w.Add(slices.IndexFunc(fields, func(f oracle.Field) bool { return f.Name == l.Field }), l.Boost, []byte(l.Term))
				}
				return nil
			}
			for a := range algorithm.Names {
				own.Algorithm = algorithm.Name(a)
				if got := answer(t, s, &own); !slices.Equal(got, want) {
					t.Fatalf("%v, k %d, by %v: %d hits %v, want %d %v", q.Leaves, own.K, own.Algorithm, len(got), got[:min(3, len(got))], len(want), want[:min(3, len(want))])
				}
			}
		}
		q.K = len(docs)
		pages(t, searchers[i%2], own, truth.Answer(q))
	}
}

// pages joins the pages of a query with hits want, and compares.
func pages(t *testing.T, s *Searcher, q Query, want []oracle.Hit) {
	t.Helper()
	for _, k := range []int{1, 7, 64, 100} {
		q.K = k
		want := want[:min(len(want), 12*k)]
		for a := range algorithm.Names {
			q.Algorithm, q.After = algorithm.Name(a), nil
			for at := 0; at < len(want); at += k {
				if got, page := answer(t, s, &q), want[at:min(at+k, len(want))]; !slices.Equal(got, page) {
					t.Fatalf("%v by %v, k %d: hits from %d on: %v, want %v", q.Node, q.Algorithm, k, at, got, page)
				}
				last := want[min(at+k, len(want))-1]
				q.After = &Place{Score: last.Score, Doc: last.Doc}
			}
		}
	}
}

// answer returns the hits of a query.
func answer(t *testing.T, s *Searcher, q *Query) (hits []oracle.Hit) {
	t.Helper()
	got, _, err := AppendHits(t.Context(), s, []topk.Hit(nil), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range got {
		hits = append(hits, oracle.Hit(h))
	}
	return hits
}

// randomLeaves returns a disjunction or conjunction over fields, or a conjunction within one.
func randomLeaves(rng *rand.Rand, all bool) oracle.LeafQuery {
	names := []string{"body", "body", "title", "title", "tags", "late"}
	q := oracle.LeafQuery{All: all}
	one, several := names[rng.IntN(len(names))], !all || rng.IntN(2) == 0
	for range 1 + rng.IntN(5) {
		l := oracle.Leaf{Field: one, Term: fmt.Sprint("w", int(200*rng.Float64()*rng.Float64()*rng.Float64())), Boost: []float64{1, 1, 1, 0.25, 7}[rng.IntN(5)]}
		if several {
			l.Field = names[rng.IntN(len(names))]
		}
		if l.Field == "tags" && rng.IntN(2) == 0 {
			l.Term = "all"
		}
		q.Leaves = append(q.Leaves, l)
	}
	return q
}
