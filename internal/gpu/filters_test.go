//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// drawSet draws a set of a snapshot of docs documents, beyond the last of which some are, and its members.
func drawSet(rng *rand.Rand, docs uint32, term func() (Set, func(doc uint32) bool)) (s Set, has func(doc uint32) bool) {
	switch rng.IntN(5) {
	case 0:
		s = Set{First: rng.Uint32N(docs + 100), End: rng.Uint32N(docs + 100)}
		if rng.IntN(4) == 0 {
			s.End = ^uint32(0)
		}
		first, end := s.First, s.End
		has = func(doc uint32) bool { return doc >= first && doc < end }
	case 1:
		some := &docset.Bits{}
		for range rng.IntN(2000) {
			some.Add(rng.Uint32N(docs + 100))
		}
		s.Bitmap, has = docset.NewGlobal(some.Set()), some.Contains
	default:
		s, has = term()
	}
	in := has
	if s.Not = rng.IntN(4) == 0; s.Not {
		has = func(doc uint32) bool { return !in(doc) }
	}
	return s, has
}

// checkFilters draws filters and compares what passes with what the members of their sets say, document by document.
func checkFilters(t *testing.T, x *Executor, rng *rand.Rand, n int, docs uint32, live func(doc uint32) bool, term func() (Set, func(doc uint32) bool)) {
	t.Helper()
	filters, members := make([]Filter, n), make([][][]func(uint32) bool, n)
	var drawn []Set // of all filters, and what they have
	var hold []func(uint32) bool
	for i := range filters {
		for range rng.IntN(4) {
			var sets []Set
			var has []func(uint32) bool
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(drawn) + 3)
				if at >= len(drawn) {
					s, h := drawSet(rng, docs, term)
					at, drawn, hold = len(drawn), append(drawn, s), append(hold, h)
				}
				sets, has = append(sets, drawn[at]), append(has, hold[at])
			}
			if rng.IntN(20) == 0 {
				sets, has = nil, nil // no document is in one of them
			}
			filters[i], members[i] = append(filters[i], sets), append(members[i], has)
		}
	}
	b, err := x.Filters(t.Context(), filters)
	if err != nil {
		t.Fatal(err)
	}
	if at, stride := b.Device(); b.Len() != n || at == 0 || stride%256 != 0 || 8*stride < int(docs) {
		t.Fatalf("%d filters at %x, %d bytes each", b.Len(), at, stride)
	}
	for i := range filters {
		var want []uint32
	docs:
		for doc := range docs {
			if !live(doc) {
				continue
			}
			for _, clause := range members[i] {
				some := false
				for _, has := range clause {
					some = some || has(doc)
				}
				if !some {
					continue docs
				}
			}
			want = append(want, doc)
		}
		got, err := b.Bitmap(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(slices.Collect(got.All()), want) || int(b.Count(i)) != len(want) {
			t.Fatalf("filter %d %+v: %d documents pass, the count is %d, want %d; first %v, want %v", i, filters[i], got.Len(), b.Count(i),
				len(want), got.AppendDocs(nil, 0, docset.End)[:min(5, got.Len())], want[:min(5, len(want))])
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Bitmap(t.Context(), 0); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Filters over lists of any codec, of one segment or of several, joined or not, with deleted documents, are passed by
// the documents that the lists say. Lists that the device does not have in bp128 are read by the CPU, as are those
// for which there is no memory.
func TestFiltersEqualLists(t *testing.T) {
	for i, s := range []struct {
		gputrial.Shape
		asStored bool
		memory   int64
	}{
		{gputrial.Shape{Docs: 150_000, Segments: 1, Terms: 12, MaxDF: 0.3, MinDF: 1, DocsCodec: "newpfd", FreqsCodec: "newpfd"}, false, 8 << 20},
		{gputrial.Shape{Docs: 9000, Segments: 3, Terms: 30, MaxDF: 0.9, MinDF: 1, DocsCodec: gputrial.Mixed}, false, 8 << 20},
		{gputrial.Shape{Docs: 9001, Segments: 3, Terms: 30, MaxDF: 0.5, MinDF: 1, DocsCodec: "bp256", FreqsCodec: "bp256", Clustered: true}, true, 8 << 20},
		{gputrial.Shape{Docs: 70_000, Segments: 2, Terms: 20, MaxDF: 0.5, MinDF: 1, DocsCodec: "vbyte1024", FreqsCodec: "vbyte1024"}, true, 8 << 20},
		{gputrial.Shape{Docs: 70_000, Segments: 1, Terms: 20, MaxDF: 0.5, MinDF: 100, DocsCodec: "bp128", FreqsCodec: "bp128"}, false, 200 << 10},
	} {
		t.Run(fmt.Sprintf("%s-%d-%v", s.DocsCodec, s.Segments, s.asStored), func(t *testing.T) {
			s.Seed = uint64(i)
			c, err := gputrial.New(s.Shape, true)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(i), 91))
			dead, docs := &docset.Bits{}, uint32(0)
			var views []residency.Segment
			for j, p := range c.Parts {
				own := residency.Segment{Seg: p.Segment, Base: p.Base}
				n := uint32(len(p.Lens))
				if docs = p.Base + n; (i+j)%2 == 0 {
					deleted := &docset.Bits{}
					for range n / 10 {
						doc := rng.Uint32N(n)
						deleted.Add(doc)
						dead.Add(p.Base + doc)
					}
					own.Deletes = reader.NewDeletes(deleted.Words())
				}
				views = append(views, own)
			}
			term := func() (Set, func(uint32) bool) {
				n := rng.IntN(s.Terms + 1)
				all := &docset.Bits{}
				for _, p := range c.Parts {
					if n < len(p.Lists) {
						for _, doc := range p.Lists[n].Docs {
							all.Add(p.Base + doc)
						}
					}
				}
				return Set{Term: gputrial.Term(n)}, all.Contains
			}
			dev := testDevice(t, uint64(i%2))
			x, err := newExecutor(dev, views, Options{Scorer: mustScorer(t, c), Memory: s.memory, AsStored: s.asStored})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				checkFilters(t, x, rng, 12, docs, func(doc uint32) bool { return !dead.Contains(doc) }, term)
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Filters over the fields of an index with a schema pass what a Searcher finds in each.
func TestFiltersOverFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 92))
	withLibrary(t, rng, 900, func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
		x, err := New(newDevice(testDevice(t, 1)), s, Options{Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer closeExecutor(t, x)
		term := func() (Set, func(uint32) bool) {
			f := x.docs.Fields[rng.IntN(len(x.docs.Fields))].Name
			set := Set{Field: f, Term: fmt.Appendf(nil, "t%d", rng.IntN(12))}
			r, err := cpu.Execute(t.Context(), []search.Query{{Node: query.Term{Field: f, Text: string(set.Term)}, K: 1 << 20}})
			if err != nil {
				t.Fatal(err)
			}
			all := &docset.Bits{}
			for _, h := range r[0].Hits {
				all.Add(h.Doc)
			}
			return set, all.Contains
		}
		dead := &docset.Bits{}
		for _, seg := range s.Segments() {
			d, err := seg.Deletes()
			if err != nil {
				t.Fatal(err)
			}
			for doc := range seg.Docs() {
				if d.Has(doc) {
					dead.Add(seg.Base() + doc)
				}
			}
		}
		checkFilters(t, x, rng, 40, uint32(x.docs.N), func(doc uint32) bool { return !dead.Contains(doc) }, term)
		for _, set := range []Set{{Field: "nowhere", Term: []byte("a")}, {Field: x.docs.Fields[0].Name}, {Term: []byte("a")},
			{Field: x.docs.Fields[0].Name, Term: []byte("a"), Bitmap: docset.GlobalOf()}, {Bitmap: docset.GlobalOf(), End: 3}, {Field: x.docs.Fields[0].Name, Bitmap: docset.GlobalOf()},
			{Where: query.Exists{Field: "nowhere"}}, {Where: query.Exists{Field: x.docs.Fields[0].Name}}, {Where: query.And{}, Bitmap: docset.GlobalOf()}} {
			if _, err := x.Filters(t.Context(), []Filter{{{{End: 7}}, {set}}}); !errors.Is(err, query.ErrInvalid) {
				t.Errorf("%+v: %v", set, err)
			}
		}
		if b, err := x.Filters(t.Context(), nil); err != nil || b.Len() != 0 || b.Close() != nil {
			t.Errorf("no filters: %v", err)
		}
	})
	if _, err := new(Executor).Filters(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("the zero value: %v", err)
	}
	if _, err := new(FilterBits).Bitmap(t.Context(), 0); !errors.Is(err, ErrClosed) || new(FilterBits).Close() != nil {
		t.Errorf("zero bits: %v", err)
	}
}

// Queries under a filter have the hits that a Searcher finds with its bitmap, to the bit, on the device and where the CPU
// answers.
func TestExecuteWithin(t *testing.T) {
	for round := range few(2, 4) {
		rng := rand.New(rand.NewPCG(uint64(round), 95))
		withLibrary(t, rng, 200+rng.IntN(1500), func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
			own := &asked{Searcher: cpu}
			x, err := New(newDevice(testDevice(t, 1)), s, Options{Memory: 8 << 20, CPU: own, AsStored: round%4 == 3, ranges: either(round%2 == 1)})
			if err != nil {
				t.Fatal(err)
			}
			defer closeExecutor(t, x)
			some := &docset.Bits{}
			for doc := range uint32(x.docs.N) {
				if rng.IntN(3) > 0 {
					some.Add(doc)
				}
			}
			filters := []Filter{{{{Bitmap: docset.NewGlobal(some.Set())}}}, {{{Field: x.docs.Fields[0].Name, Term: []byte("t1")}}, {{First: 7, End: uint32(x.docs.N) / 2}}}, {{}}}
			b, err := x.Filters(t.Context(), filters)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			for i := range filters {
				bits, err := b.Bitmap(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				var queries, filtered []search.Query
				for range 60 {
					q := l.Query(rng)
					queries = append(queries, q)
					q.Filter = bits
					filtered = append(filtered, q)
				}
				want, err := cpu.Execute(t.Context(), filtered)
				if err != nil {
					t.Fatal(err)
				}
				got, err := b.Execute(t.Context(), i, queries)
				if err != nil {
					t.Fatal(err)
				}
				for j := range queries {
					if !slices.Equal(got[j].Hits, want[j].Hits) {
						t.Fatalf("filter %d, query %+v:\n got %v\nwant %v", i, queries[j], got[j].Hits, want[j].Hits)
					}
				}
				if _, err := b.Execute(t.Context(), i, filtered); !errors.Is(err, query.ErrInvalid) {
					t.Errorf("two filters: %v", err)
				}
			}
			if len(x.docs.Views) == 1 && own.n > 60 {
				t.Errorf("the CPU answers %d queries", own.n)
			}
		})
	}
}

// Filters of columns are passed by the documents that have such values, in segments of any lengths, with terms of a field
// and with deleted documents.
func TestFiltersOfColumns(t *testing.T) {
	fs := memfs.New()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "brand", Kind: schema.Keyword}, {Name: "price", Kind: schema.Integer, Column: true}}}})
	do(err)
	defer w.Close()
	rng := rand.New(rand.NewPCG(7, 94))
	const n = 5000
	brands, prices, dead := make([]string, n), make([]int64, n), &docset.Bits{}
	for i := range uint32(n) {
		if i == 64 || i == 2001 {
			do(w.Flush(t.Context()))
		}
		brands[i], prices[i] = fmt.Sprint("b", rng.IntN(9)), int64(rng.IntN(100))
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.KeywordValue(0, []byte(brands[i])), schema.IntegerValue(1, prices[i])}}))
	}
	do(w.Commit(t.Context()))
	for range n / 20 {
		doc := rng.Uint32N(n)
		dead.Add(doc)
		do(w.Delete(t.Context(), fmt.Append(nil, doc)))
	}
	do(w.Commit(t.Context()))
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer index.Close()
	s, err := index.Snapshot()
	do(err)
	defer s.Close()
	for _, asStored := range []bool{false, true} {
		x, err := New(newDevice(testDevice(t, 1)), s, Options{Memory: 8 << 20, AsStored: asStored})
		do(err)
		defer closeExecutor(t, x)
		checkFilters(t, x, rng, 30, n, func(doc uint32) bool { return !dead.Contains(doc) }, func() (Set, func(uint32) bool) {
			if rng.IntN(2) == 0 {
				brand := fmt.Sprint("b", rng.IntN(10))
				return Set{Field: "brand", Term: []byte(brand)}, func(doc uint32) bool { return brands[doc] == brand }
			}
			lo, hi := int64(rng.IntN(100)), int64(rng.IntN(100))
			return Set{Where: query.Range{Field: "price", Min: schema.IntegerValue(0, lo), Max: schema.IntegerValue(0, hi)}},
				func(doc uint32) bool { return prices[doc] >= lo && prices[doc] <= hi }
		})
	}
}

// BenchmarkFilters makes bitmaps of 1,000 filters of two to four of PINION_FILTER_LISTS lists, which have 10,000 to 3 million
// of 10 million documents. It reports the time of the kernels, too.
func BenchmarkFilters(b *testing.B) {
	lists, err := strconv.Atoi(os.Getenv("PINION_FILTER_LISTS"))
	if err != nil {
		b.Skip(err)
	}
	c, err := gputrial.New(gputrial.Shape{Docs: 10_000_000, Segments: 1, Terms: lists, MaxDF: 0.3, MinDF: 10_000, DocsCodec: "bp128", FreqsCodec: "bp128"}, false)
	if err != nil {
		b.Fatal(err)
	}
	sc, err := search.NewScorer(query.DefaultParams(), c.Stats())
	if err != nil {
		b.Fatal(err)
	}
	dev, err := OpenDevice()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	x, err := newExecutor(dev.dev, viewsIn(c), Options{Scorer: sc})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for _, n := range []int{lists / 8, lists} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 93))
			filters := make([]Filter, 1000)
			for i := range filters {
				for j := range 2 + rng.IntN(3) {
					set := Set{Term: gputrial.Term(rng.IntN(n) * (lists / n))}
					if j == 0 || rng.IntN(2) == 0 {
						filters[i] = append(filters[i], []Set{set})
					} else {
						filters[i][len(filters[i])-1] = append(filters[i][len(filters[i])-1], set)
					}
				}
			}
			var busy time.Duration
			run := func() {
				before := x.Stats().Busy
				bits, err := x.Filters(b.Context(), filters)
				if err != nil {
					b.Fatal(err)
				}
				busy += x.Stats().Busy - before
				if err := bits.Close(); err != nil {
					b.Fatal(err)
				}
			}
			run() // loads lists
			busy = 0
			b.ResetTimer()
			for range b.N {
				run()
			}
			b.ReportMetric(float64(busy.Microseconds())/1e3/float64(b.N), "kernels-ms/op")
		})
	}
}
