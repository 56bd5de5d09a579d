package pool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

var models = []Model{Inter, DocRanges, Partitions, FineGrained}

func newTestPool(t testing.TB, s *search.Searcher, o Options) *Pool {
	t.Helper()
	p, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// newSearcher returns a Searcher over docs, cut into segments before the documents in cuts.
func newSearcher(t testing.TB, docs [][]string, deleted []int, cuts ...int) *search.Searcher {
	t.Helper()
	s, err := search.NewSearcher(querytest.Index(t, docs, deleted, cuts...), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// difference describes where two results differ.
func difference(a, b []search.Hit) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("hit %d is %v and %v", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d hits", len(a), len(b))
}

// Every model gives the results of the Searcher to the bit, with any number of workers and
// tasks of any size.
func TestPoolsAgree(t *testing.T) {
	n := longtest.Count(2000, 6000)
	rng := rand.New(rand.NewPCG(31, 32))
	docs, deleted := querytest.ZipfDocs(rng, n, 200, 12), []int{7, n / 2}
	searchers := []*search.Searcher{newSearcher(t, docs, deleted), newSearcher(t, docs, deleted, n/3, n/2)}
	var queries []search.Query
	for range 60 {
		var ws []string
		for range 1 + rng.IntN(5) {
			ws = append(ws, fmt.Sprintf("w%d", rng.IntN(1<<(1+rng.IntN(8)))))
		}
		q := search.Query{RawTerms: querytest.Terms(ws...), K: []int{1, 10, 200}[rng.IntN(3)], Mode: query.Mode(rng.IntN(3)),
			Algorithm: search.Algorithms()[rng.IntN(len(search.Algorithms()))]}
		if rng.IntN(2) == 0 {
			var some []uint32
			lo := rng.IntN(n)
			for d, step := lo, 1+rng.IntN(3); d < lo+rng.IntN(n-lo)+1; d += step {
				some = append(some, uint32(d))
			}
			q.Filter = docset.GlobalOf(some...)
		}
		if q.Mode != query.ModeAndOr && rng.IntN(3) == 0 {
			q.After = &search.Position{Score: 8 * rng.Float32(), Doc: uint32(rng.IntN(n))}
		}
		if rng.IntN(3) == 0 {
			q.Node = query.Bool{Should: []query.Node{query.Match{Text: strings.Join(ws, " "), Mode: q.Mode, Boost: 0.5}}}
			q.RawTerms, q.Mode = nil, query.ModeOr
		}
		queries = append(queries, q)
	}
	queries = append(queries, search.Query{K: 10}, search.Query{RawTerms: querytest.Terms("w1"), K: 0}, search.Query{RawTerms: querytest.Terms("nowhere", "w2"), K: 10, Mode: query.ModeAndOr})
	for i, s := range searchers {
		want, err := s.Execute(context.Background(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			for _, workers := range []int{1, 3, 8} {
				p := newTestPool(t, s, Options{Workers: workers, Model: m, TaskPostings: 128, Threshold: 1 + rng.IntN(20),
					SpinFor: []time.Duration{-1, 0, 5 * time.Millisecond}[rng.IntN(3)]})
				got, err := p.Execute(context.Background(), queries)
				if err != nil {
					t.Fatal(err)
				}
				for j := range queries {
					one, err := p.Search(context.Background(), queries[j])
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got[j].Hits, want[j].Hits) || !slices.Equal(one.Hits, want[j].Hits) {
						t.Fatalf("collection %d, %v, %d workers, query %d (%v, %v, k %d): %s", i, m, workers, j, queries[j].Mode, queries[j].Algorithm,
							queries[j].K, difference(want[j].Hits, got[j].Hits))
					}
				}
			}
		}
	}
}

// Many callers share a Pool; cancelled queries do not disturb others.
func TestPoolConcurrency(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(33, 34)), 4000, 100, 12), nil, 1500)
	term := func(w string) query.Node { return query.Term{Text: w} }
	queries := []search.Query{
		{RawTerms: querytest.Terms("w0", "w3", "w11"), K: 10},
		{Node: query.Bool{Must: []query.Node{query.Match{Text: "w0 w3"}}, Should: []query.Node{term("w11"), query.Const{Node: term("w2")}},
			MustNot: []query.Node{term("w40")}, Filter: []query.Node{query.Prefix{Text: "w1"}}}, Total: true},
		{Node: query.Best{Of: []query.Node{query.Bool{Should: []query.Node{term("w1"), term("w5"), term("w9")}, AtLeast: 2}, term("w7")}, Tie: 0.3}},
		{Node: query.Fuzzy{Text: "w12", Edits: 1}, Total: true},
	}
	want, err := s.Execute(context.Background(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 4, Model: m, TaskPostings: 256})
		var group sync.WaitGroup
		for g := range 6 {
			group.Go(func() {
				for i := range 30 {
					ctx, cancel := context.WithCancel(context.Background())
					if (g+i)%5 == 0 {
						go cancel()
					}
					k := i % len(queries)
					res, err := p.Search(ctx, queries[k])
					cancel()
					switch {
					case errors.Is(err, context.Canceled) && (g+i)%5 == 0:
					case err != nil:
						t.Errorf("%v: %v", m, err)
					case !slices.Equal(res.Hits, want[k].Hits) || res.Total != want[k].Total:
						t.Errorf("%v, query %d: total %d, want %d; %s", m, k, res.Total, want[k].Total, difference(want[k].Hits, res.Hits))
					}
				}
			})
		}
		group.Wait()
	}
}

func TestPoolErrors(t *testing.T) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(35, 36)), 3000, 30, 10), nil)
	seg := snapshot.Segments()[0]
	e, _, err := seg.Lookup([]byte("w1"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := seg.Views().Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Docs.Payload {
		l.Docs.Payload[i] ^= 0x55
	}
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 3, Model: m, TaskPostings: 128})
		good, bad := search.Query{RawTerms: querytest.Terms("w2"), K: 5}, search.Query{RawTerms: querytest.Terms("w2", "w1"), K: 5}
		var e *format.Error
		if _, err := p.Search(context.Background(), bad); !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) || e.List != "w1" || e.File != seg.Name() {
			t.Errorf("%v: damage gives %v", m, err)
		}
		if res, err := p.Execute(context.Background(), []search.Query{good, bad, good}); !errors.Is(err, format.ErrCorrupt) || res != nil {
			t.Errorf("%v: damage gives %v, %v", m, res, err)
		}
		if res, err := p.Search(context.Background(), good); err != nil || len(res.Hits) != 5 {
			t.Errorf("%v: after damage %v, %v", m, res, err)
		}
		if _, err := p.Search(late, good); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		if _, err := p.Execute(late, []search.Query{good}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		p.Close()
		if _, err := p.Search(context.Background(), good); !errors.Is(err, ErrClosed) {
			t.Errorf("%v: closed pool gives %v", m, err)
		}
	}
}

// Invalid values are refused, and a closed Pool answers nothing.
func TestInvalid(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(37, 38)), 50, 30, 10), nil)
	for _, o := range []Options{{Model: 4}, {Model: 9}, {Workers: -1}, {Threshold: -1}, {TaskPostings: -1}} {
		if _, err := New(s, o); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v gives %v", o, err)
		}
	}
	if _, err := New(nil, Options{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("no searcher gives %v", err)
	}
	if _, err := ParseModel("outer"); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("an unknown name gives %v", err)
	}
	ctx := context.Background()
	p := newTestPool(t, s, Options{Workers: 1})
	for _, q := range []search.Query{{Mode: 3}, {Mode: 9, Algorithm: 200}, {RawTerms: querytest.Terms("w1"), K: 1, Algorithm: 200}} {
		if _, err := p.Search(ctx, q); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v gives %v", q, err)
		}
		var failed *search.NumberError
		if res, err := p.Execute(ctx, []search.Query{{}, q}); !errors.Is(err, query.ErrInvalid) || !errors.As(err, &failed) || failed.Number != 1 || res != nil {
			t.Errorf("%+v in a batch gives %v, %v", q, res, err)
		}
		if err := p.Submit(ctx, &q, func([]search.Hit, error) { t.Error("done was called") }); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v submitted gives %v", q, err)
		}
	}
	p.Close()
	p.Close()
	if _, err := p.Search(ctx, search.Query{}); !errors.Is(err, ErrClosed) {
		t.Errorf("an empty query to a closed pool gives %v", err)
	}
	if _, err := p.Execute(ctx, []search.Query{{}}); !errors.Is(err, ErrClosed) {
		t.Errorf("an empty query to a closed pool gives %v", err)
	}
}

// Queries to a closed Pool fail in every model, also once their terms are cached.
func TestClosedPool(t *testing.T) {
	for m := range Model(len(modelNames)) {
		snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(7, 8)), 300, 30, 10), nil)
		s, err := search.NewSearcher(snapshot, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		p, err := New(s, Options{Workers: 2, Model: m})
		if err != nil {
			t.Fatal(err)
		}
		q := search.Query{RawTerms: querytest.Terms("w1", "w4"), K: 5}
		for range 10 {
			if _, err := p.Search(context.Background(), q); err != nil {
				t.Fatal(err)
			}
		}
		p.Close()
		if _, err := p.Search(context.Background(), q); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%v: a search after Close gives %v", m, err)
		}
	}
}

func TestRing(t *testing.T) {
	r := newRing[int](8)
	for round := range 5 {
		for i := range 8 {
			if !r.push(round*8 + i) {
				t.Fatal("no room")
			}
		}
		if r.push(0) || r.len() != 8 {
			t.Fatal("room beyond the size")
		}
		for i := range 8 {
			if v, ok := r.pop(); !ok || v != round*8+i {
				t.Fatalf("got %d, %v", v, ok)
			}
		}
		if _, ok := r.pop(); ok {
			t.Fatal("an empty ring gives a value")
		}
	}
	var sum, want [4]int
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 2000 {
				for !r.push(i) {
				}
				want[g] += i
				for {
					if v, ok := r.pop(); ok {
						sum[g] += v
						break
					}
				}
			}
		})
	}
	group.Wait()
	if sum[0]+sum[1]+sum[2]+sum[3] != want[0]+want[1]+want[2]+want[3] {
		t.Error("values were lost or doubled")
	}
}

// A query whose context ends while it waits for its turn stops waiting and does not disturb the
// queries after it. The same holds for a query in progress.
func TestPoolCancelQueued(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(41, 42)), 3000, 50, 12), nil, 1500)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 1, Model: m})
		hold, held := make(chan struct{}), make(chan struct{})
		if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { close(held); <-hold }); err != nil {
			t.Fatal(err)
		}
		<-held // the only worker is busy
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := p.Search(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", m, err)
		}
		short, stop := context.WithTimeout(context.Background(), time.Millisecond)
		if _, err := p.Execute(short, []search.Query{q, q}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		stop()
		close(hold)
		res, err := p.Search(context.Background(), q)
		if err != nil || !slices.Equal(res.Hits, want.Hits) {
			t.Errorf("%v: afterwards %v, %v", m, res, err)
		}
	}
}

func TestPoolSubmit(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(43, 44)), 3000, 50, 12), nil, 1500)
	ctx := context.Background()
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 3, Model: m, TaskPostings: 128})
		var group sync.WaitGroup
		for i := range 200 {
			q := search.Query{RawTerms: querytest.Terms(fmt.Sprintf("w%d", i%7), fmt.Sprintf("w%d", i%11)), K: i % 20, Mode: query.Mode(i % 3)}
			want, err := s.Search(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			group.Add(1)
			err = p.Submit(ctx, &q, func(hits []search.Hit, err error) {
				if err != nil || !slices.Equal(hits, want.Hits) {
					t.Errorf("%v, query %d: %v, %s", m, i, err, difference(want.Hits, hits))
				}
				group.Done()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		if n := p.Counts(); (n.Tasks > 0) != (m != Inter) || n.Tasks < n.Passes {
			t.Errorf("%v: %+v", m, n)
		}
		p.Close()
		if err := p.Submit(ctx, &search.Query{RawTerms: querytest.Terms("w1"), K: 1}, func([]search.Hit, error) {}); !errors.Is(err, ErrClosed) {
			t.Errorf("%v: closed pool gives %v", m, err)
		}
	}
}

// Submit returns before the answer of a trivial query, too, and that has no hits of the query before.
func TestPoolSubmitEmpty(t *testing.T) {
	s := newSearcher(t, [][]string{{"a", "b"}, {"a"}}, nil)
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 1, Model: m})
		for name, q := range map[string]search.Query{"no terms": {K: 10}, "no words": {Text: ".!"}} {
			q.Mode = query.ModeOr
			hold, held := make(chan struct{}), make(chan struct{})
			if err := p.Submit(t.Context(), &search.Query{RawTerms: querytest.Terms("b"), K: 1}, func([]search.Hit, error) { close(held); <-hold }); err != nil {
				t.Fatal(err)
			}
			<-held // the only worker is busy
			answers := make(chan int, 1)
			submit := func() {
				if err := p.Submit(t.Context(), &q, func(hits []search.Hit, err error) {
					if err != nil {
						t.Error(err)
					}
					answers <- len(hits)
				}); err != nil {
					t.Fatal(err)
				}
			}
			if submit(); len(answers) > 0 {
				t.Errorf("%v, %s: done was called before Submit returned", m, name)
			}
			close(hold)
			for range 5 {
				if n := <-answers; n > 0 {
					t.Errorf("%v, %s: %d hits", m, name, n)
				}
				if _, err := p.Search(t.Context(), search.Query{RawTerms: querytest.Terms("a"), K: 10}); err != nil {
					t.Fatal(err)
				}
				submit()
			}
			<-answers
		}
	}
}

// A query of Submit whose context ends before a worker takes it gives the context's error, however
// little work it is.
func TestPoolSubmitCancelled(t *testing.T) {
	s := newSearcher(t, [][]string{{"a", "b"}, {"a"}, {"b", "c"}}, nil)
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 1, Model: m})
		for _, words := range [][]string{{"a", "b"}, {"a", "nowhere"}, {"nowhere"}} {
			for _, a := range append(search.Algorithms(), search.Auto) {
				q := search.Query{RawTerms: querytest.Terms(words...), K: 5, Algorithm: a}
				if a.Conjunctive() {
					q.Mode = query.ModeAnd
				}
				hold, held := make(chan struct{}), make(chan struct{})
				if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { close(held); <-hold }); err != nil {
					t.Fatal(err)
				}
				<-held // the only worker is busy
				done := make(chan error, 2)
				notify := func(_ []search.Hit, err error) { done <- err }
				ctx, cancel := context.WithCancel(context.Background())
				before := p.Submit(ctx, &q, notify)
				cancel()
				if err := errors.Join(before, p.Submit(ctx, &q, notify)); err != nil {
					t.Fatal(err)
				}
				close(hold)
				for range 2 {
					if err := <-done; !errors.Is(err, context.Canceled) {
						t.Errorf("%v, %v, %s: %v", m, a, words, err)
					}
				}
			}
		}
	}
}

// The number of allocations of a query is bounded, however many postings and tasks it has.
func TestPoolAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(45, 46)), 6000, 50, 20), nil, 3000)
	ctx := context.Background()
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 2, Model: m, TaskPostings: 128})
		for mode := range query.Mode(3) {
			q := search.Query{RawTerms: querytest.Terms("w0", "w1", "w2"), K: 10, Mode: mode}
			var hits []search.Hit
			got := testing.AllocsPerRun(200, func() {
				var err error
				if hits, err = p.AppendHits(ctx, hits[:0], &q); err != nil {
					t.Fatal(err)
				}
			})
			if got > 8 {
				t.Errorf("%v, %v: %.1f allocations", m, mode, got)
			}
		}
	}
}
