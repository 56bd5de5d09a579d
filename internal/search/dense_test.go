package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Caching long lists changes no answer, not even with frequencies above 255, and stays within its
// bound.
func TestDenseLists(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(41, 42))
	docs := querytest.ZipfDocs(rng, 30000, 2000, 4) // lists of less than readAlways postings are never probed
	for d := range docs {
		if d%10 > 0 {
			docs[d] = append(docs[d], "common")
		}
		if d%7 > 0 {
			docs[d] = append(docs[d], "usual")
		}
		if d%97 == 0 {
			for range 200 + rng.IntN(120) {
				docs[d] = append(docs[d], "common", "usual")
			}
		}
	}
	parts := querytest.Parts(t, docs, nil, bp128.Codec{})
	several := searcherOver(t, querytest.Parts(t, docs, nil, bp128.Codec{}, 25000), Options{})
	all := searcherOver(t, parts, Options{})
	plain := searcherOver(t, parts, Options{DenseBytes: -1})
	one := searcherOver(t, parts, Options{DenseBytes: 2})
	for i := range 60 {
		q := Query{RawTerms: querytest.Terms("common", "usual", fmt.Sprintf("w%d", 100+rng.IntN(300)), fmt.Sprintf("w%d", 400+rng.IntN(1000))), K: 1 + rng.IntN(20)}
		short := q // whose conjunction has matches
		short.RawTerms = querytest.Terms("common", fmt.Sprintf("w%d", rng.IntN(200)), "usual")
		both := q // is answered from bitmaps alone
		both.RawTerms = querytest.Terms("common", "usual")
		for _, q := range []Query{q, short, both} {
			for _, q.Mode = range []query.Mode{query.ModeOr, query.ModeAnd} {
				want, err := plain.Search(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				for j, s := range []*Searcher{all, one, several} {
					got, err := s.Search(context.Background(), q)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Hits, want.Hits) {
						t.Fatalf("query %d, mode %v, searcher %d: %s", i, q.Mode, j, difference(want.Hits, got.Hits))
					}
				}
			}
		}
	}
	for _, x := range []struct {
		s    *Searcher
		want int
	}{{plain, 0}, {one, 1}, {all, 2}} {
		if n, _ := x.s.engine.Dense(0); n != x.want {
			t.Errorf("%d lists are kept, want %d", n, x.want)
		}
	}
}

// A cached list with a frequency of 2^31 or more scores as it does before it is cached, whatever
// list used the memory before.
func TestDenseHugeFrequency(t *testing.T) {
	const n, huge = 20000, 3_000_000_000
	f := new(querytest.File)
	lens, all, twos := make([]uint32, n), make([]uint32, n), slices.Repeat([]uint32{2}, n)
	var rare []uint32
	for d := range uint32(n) {
		lens[d], all[d] = 10, d
		if d%1000 == 0 {
			rare = append(rare, d)
		}
	}
	lens[0], twos[0] = huge+8, huge
	w := format.NewFileWriter(f, format.KindSegment, format.ID{1})
	b, err := build.New(w, build.Options{Docs: n, Lengths: []segment.LengthTable{segment.NewLengthTable(lens)}, Analyzer: "whitespace", DocsCodec: bp128.Codec{}, FreqsCodec: bp128.Codec{}})
	if err != nil {
		t.Fatal(err)
	}
	for d := range n {
		err = errors.Join(err, b.AddDoc(fmt.Appendf(nil, "d%07d", d), nil))
	}
	err = errors.Join(err, b.AddList([]byte("huge"), format.Postings{Docs: all, Freqs: twos}))
	err = errors.Join(err, b.AddList([]byte("mid"), format.Postings{Docs: all[:n/10], Freqs: slices.Repeat([]uint32{1}, n/10)}))
	err = errors.Join(err, b.AddList([]byte("rare"), format.Postings{Docs: rare, Freqs: slices.Repeat([]uint32{1}, len(rare))}))
	if _, finish := b.Finish(); errors.Join(err, finish) != nil {
		t.Fatal(err, finish)
	}
	views, err := segment.Open("test", segment.Aligned(f.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	seg := reader.NewSegment(views, 0, 0)
	s := searcherOver(t, []querytest.Part{{Segment: seg}}, Options{})
	q := Query{RawTerms: querytest.Terms("huge", "rare"), K: 100, Mode: query.ModeAnd}
	other := Query{RawTerms: querytest.Terms("mid", "rare"), K: 100, Mode: query.ModeAnd}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * posting.DenseAsks {
		if _, err := s.Search(context.Background(), other); err != nil {
			t.Fatal(err)
		}
		got, err := s.Search(context.Background(), q)
		if err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("query %d: %v, %s", i, err, difference(want.Hits, got.Hits))
		}
	}
	if n, _ := s.engine.Dense(0); n == 0 {
		t.Error("the list is not cached")
	}
}

// Damage that a query does not meet does not change how it ends: not at the first time, and not when
// it would cache the list.
func TestDenseDamage(t *testing.T) {
	rng, docs := rand.New(rand.NewPCG(43, 44)), make([][]string, 60000)
	for d := range docs {
		if d%5 == 0 || rng.IntN(3) > 0 {
			docs[d] = []string{"common"}
		}
		if d < 6000 && d%5 == 0 {
			docs[d] = append(docs[d], "early")
		}
		if d%5 == 0 {
			docs[d] = append(docs[d], "everywhere")
		}
	}
	b := segment.Aligned(querytest.SegmentBytes(t, docs, bp128.Codec{}))
	s, err := segment.Open("damaged", b)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := s.Lists().Lookup([]byte("common"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	postings, _ := s.Header().Section(format.SectionPostings)
	for _, p := range l.Layout() {
		if p.Name == "docs" {
			b[postings.Offset+e.Offset+p.Offset+p.Length*2/3] ^= 1
		}
	}
	if s, err = segment.Open("damaged", b); err != nil {
		t.Fatal(err)
	}
	seg := reader.NewSegment(s, 0, 0)
	for word, damaged := range map[string]bool{"early": false, "everywhere": true} {
		searcher, err := over([]querytest.Part{{Segment: seg}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 * posting.DenseAsks {
			_, err := searcher.Search(context.Background(), Query{RawTerms: querytest.Terms("common", word), K: 10, Mode: query.ModeAnd})
			if errors.Is(err, format.ErrCorrupt) != damaged || !damaged && err != nil {
				t.Fatalf("query %d, %s: %v", i, word, err)
			}
		}
	}
}

// Damage of any part of a list changes no answer when the list would be cached, even if the pages are
// not checked: a list with damage is read as before.
func TestDenseDamagedParts(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(45, 46))
	docs := querytest.ZipfDocs(rng, 30000, 2000, 4)
	for d := range docs {
		if rng.IntN(3) > 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"common"}, 1+rng.IntN(8))...)
		}
	}
	whole := segment.Aligned(querytest.SegmentBytes(t, docs, bp128.Codec{}))
	s, err := segment.Open("whole", whole)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := s.Lists().Lookup([]byte("common"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	postings, _ := s.Header().Section(format.SectionPostings)
	for _, p := range l.Layout() {
		for round := range 6 {
			b := segment.Aligned(slices.Clone(whole))
			bytes := b[postings.Offset+e.Offset+p.Offset:][:p.Length]
			for i := range bytes {
				if round == 0 {
					bytes[i] = 0
				} else if rng.IntN(1<<(2*round)) == 0 {
					bytes[i] ^= 1 << rng.IntN(8)
				}
			}
			if s, err = segment.Open("damaged", b); err != nil {
				t.Fatal(err)
			}
			s.Raw().SkipPageChecks()
			parts := []querytest.Part{{Segment: reader.NewSegment(s, 0, 0)}}
			for _, q := range []Query{
				{RawTerms: querytest.Terms("common", "w150"), Mode: query.ModeAnd},
				{RawTerms: querytest.Terms("common", "w150", "w300"), Mode: query.ModeOr, Algorithm: RangeMaxScore},
			} {
				searcher := searcherOver(t, parts, Options{})
				want, first := searcher.Search(context.Background(), q)
				for i := range 2 * posting.DenseAsks {
					got, err := searcher.Search(context.Background(), q)
					if fmt.Sprint(err) != fmt.Sprint(first) || !slices.Equal(got.Hits, want.Hits) {
						t.Errorf("%s, round %d, %v, query %d: %v, before %v, %s", p.Name, round, q.Mode, i+2, err, first, difference(want.Hits, got.Hits))
					}
				}
			}
		}
	}
}
