//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// asked counts the queries that a Searcher is asked.
type asked struct {
	*search.Searcher
	n int
}

func (a *asked) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	a.n += len(queries)
	return a.Searcher.Execute(ctx, queries)
}

// fieldRounds returns how many indexes with a schema a test draws, and how many queries over each.
func fieldRounds() (rounds, queries int) {
	if n, err := strconv.Atoi(os.Getenv("PINION_FIELD_ROUNDS")); err == nil {
		return n, 1000
	}
	return few(2, 8), few(60, 100)
}

// withLibrary calls f with a drawn index, and again when its segments are merged.
func withLibrary(t *testing.T, rng *rand.Rand, docs int, f func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher)) {
	t.Helper()
	l, err := gputrial.DrawLibrary(t.Context(), rng, docs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, merged := range []bool{false, true} {
		if merged {
			if err := l.Merge(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s, cpu, err := l.Searcher()
		if err != nil {
			t.Fatal(err)
		}
		f(l, s, cpu)
		if err := errors.Join(cpu.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}

// compareFields executes queries on x, which must give the hits of cpu.
func compareFields(t *testing.T, x search.Executor, cpu *search.Searcher, queries []search.Query) {
	t.Helper()
	want, err := cpu.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			terms, mode, _ := cpu.Terms(&queries[i])
			t.Fatalf("query %d, K %d, %v of %+v:\n got %v\nwant %v", i, queries[i].K, mode, terms, got[i].Hits, want[i].Hits)
		}
	}
}

// The device answers queries over the fields of any schema as the CPU does, to the bit: over fields with exact lengths,
// length codes and none, with weights and boosts, deleted documents, several segments and one. It leaves those to
// the CPU that it has no kernel for. Of those with a filter it leaves some.
func TestFieldsEqualCPU(t *testing.T) {
	rounds, n := fieldRounds()
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 71))
		withLibrary(t, rng, 200+rng.IntN(2500), func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
			dev := testDevice(t, uint64(round%2))
			own := &asked{Searcher: cpu}
			presence := rng.IntN(3)
			x, err := New(newDevice(dev), s, Options{Memory: 16 << 20, CPU: own, AsStored: rng.IntN(2) == 0, ranges: either(rng.IntN(3) == 0),
				tiles: rng.IntN(2) * 8, width: 1024 * rng.IntN(3), Presence: int64(presence % 2), NoPresence: presence == 2, overflow: []int64{0, 64}[rng.IntN(2)]})
			if err != nil {
				t.Fatal(err)
			}
			if rng.IntN(2) == 0 {
				if err := x.LoadAll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			var queries []search.Query
			onCPU, filtered := 0, 0
			for range n {
				q := l.Query(rng)
				switch rng.IntN(40) {
				case 2:
					q.Node, q.Text, onCPU = query.Const{Node: query.Term{Field: l.Schema.Fields[0].Name, Text: "t3"}}, "", onCPU+1
				case 0:
					q.Filter, filtered = docset.GlobalOf(1, 5, 100, 150), filtered+1
				case 1:
					if m, ok := q.Node.(query.Match); !ok || m.Mode != query.ModeAndOr {
						q.After = &search.Position{Score: 1, Doc: 3}
					}
				}
				queries = append(queries, q)
			}
			compareFields(t, x, cpu, queries)
			compareFields(t, x, cpu, queries[:n/3]) // presence words, the cache of terms
			if st := x.Stats(); x.Err() != nil || own.n < onCPU || own.n > 2*(onCPU+filtered) || st.Refused > 0 {
				t.Errorf("round %d: %v, %d queries on the CPU, %d expected, %+v", round, x.Err(), own.n, onCPU, st)
			}
			closeExecutor(t, x)
		})
	}
}

// The devices of a Group score fields as its CPU does, whose parameters are not those of the schema.
func TestGroupScoresFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 73))
	withLibrary(t, rng, 300, func(l *gputrial.Library, s *reader.Snapshot, _ *search.Searcher) {
		cpu, err := search.NewSearcher(s, search.Options{Params: query.Params{K1: 2.5, B: 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGroup([]*Device{newDevice(testDevice(t, 0)), newDevice(testDevice(t, 1))}, s, Options{Memory: 16 << 20, CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		for range 40 {
			queries = append(queries, l.Query(rng))
		}
		compareFields(t, g, cpu, queries)
		if err := errors.Join(g.Close(), cpu.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Where memory is too small for the lists of fields, the CPU answers what the device does not, and the answers are the same.
func TestFieldsOfLittleMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 72))
	evicted, onCPU := int64(0), 0
	for range few(2, 8) {
		withLibrary(t, rng, 1500, func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
			own := &asked{Searcher: cpu}
			x, err := New(newDevice(testDevice(t, 0)), s, Options{Memory: 1 << uint(9+rng.IntN(6)), CPU: own})
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				var queries []search.Query
				for range 10 {
					queries = append(queries, l.Query(rng))
				}
				compareFields(t, x, cpu, queries)
			}
			evicted, onCPU = evicted+x.Stats().Evicted, onCPU+own.n
			closeExecutor(t, x)
		})
	}
	if evicted == 0 || onCPU == 0 {
		t.Errorf("%d lists evicted, %d queries on the CPU", evicted, onCPU)
	}
}

// The scorers of fields are those of the CPU, be it a Searcher or a Pool. A scorer for all fields is refused, as are terms
// without a field, and conjunctions give the documents that match.
func TestFieldScorers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 73))
	withLibrary(t, rng, 600, func(l *gputrial.Library, s *reader.Snapshot, _ *search.Searcher) {
		cpu, err := search.NewSearcher(s, search.Options{Params: query.Params{K1: 2.5, B: 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		defer cpu.Close()
		p, err := pool.New(cpu, pool.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var queries []search.Query
		for range 40 {
			queries = append(queries, l.Query(rng))
		}
		for _, c := range []search.Executor{cpu, p} {
			x, err := New(newDevice(testDevice(t, 0)), s, Options{Memory: 4 << 20, CPU: c})
			if err != nil {
				t.Fatal(err)
			}
			compareFields(t, x, cpu, queries)
			if _, err := x.Execute(t.Context(), []search.Query{{RawTerms: [][]byte{[]byte("t1")}}}); !errors.Is(err, query.ErrInvalid) {
				t.Errorf("a term without a field: %v", err)
			}
			closeExecutor(t, x)
		}
		sc, _ := cpu.FieldScorer(l.Schema.Fields[0].Name)
		if _, err := New(newDevice(testDevice(t, 0)), s, Options{Memory: 1 << 20, Scorer: sc}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("a scorer for all fields: %v", err)
		}
		conjoinFields(t, l, s, cpu)
	})
}

// conjoinFields compares the documents of a Conjunction with those of a Searcher.
func conjoinFields(t *testing.T, l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
	t.Helper()
	x, err := New(newDevice(testDevice(t, 0)), s, Options{Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	var queries []search.Query
	for _, f := range l.Schema.Fields {
		queries = append(queries, search.Query{Node: query.Match{Field: f.Name, Text: "t0 t1", Mode: query.ModeAnd}})
		of := l.Schema.Fields[0].Name // beside another field
		queries = append(queries, search.Query{Node: query.Bool{Must: []query.Node{query.Match{Field: of, Text: "t1"}, query.Match{Field: f.Name, Text: "t0"}}}})
	}
	if f := l.Schema.Fields[0]; f.Index != 0 || f.Kind != 0 {
		queries = append(queries, search.Query{Node: query.Term{Field: f.Name, Text: "t2"}})
	}
	c, err := x.NewConjunction(t.Context(), queries, 0, Auto)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Matches{}, c.Start()
	if err == nil {
		m, err = c.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		var want []uint32
		for doc, err := range cpu.Matches(t.Context(), queries[i]) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, doc)
		}
		if got := m.Of(i); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", queries[i].Node, got, want)
		}
	}
	c.Close()
	first := l.Schema.Fields[0].Name
	or := query.Match{Field: first, Text: "t0 t1"}
	for _, q := range []search.Query{{Node: or}, {Node: query.Bool{Must: []query.Node{or, query.Match{Field: first, Text: "t2"}}}},
		{Node: query.Match{Field: first, Text: "t0"}, After: &search.Position{}}, {Node: query.Match{Field: first, Text: "t0"}, Total: true}} {
		if _, err := x.NewConjunction(t.Context(), []search.Query{q}, 0, Auto); !errors.Is(err, ErrUnsupported) {
			t.Errorf("conjunction of %+v: %v", q, err)
		}
	}
}

// The devices answer over several indexes joined as the CPU does, which must score with their own statistics.
func TestJoinedIndexes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 74))
	l, err := gputrial.DrawLibrary(t.Context(), rng, 900)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	part, cpu, err := l.Searcher()
	if err != nil {
		t.Fatal(err)
	}
	s, err := reader.Join(part, part)
	if err != nil {
		t.Fatal(err)
	}
	own, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev := newDevice(testDevice(t, 0))
	x, err := New(dev, s, Options{Memory: 16 << 20, CPU: own})
	if err != nil {
		t.Fatal(err)
	}
	var queries []search.Query
	for range few(40, 400) {
		queries = append(queries, l.Query(rng))
	}
	compareFields(t, x, own, queries)
	closeExecutor(t, x)
	other, err := search.NewSearcher(part, search.Options{Statistics: s})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pool.New(other, pool.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []search.Executor{other, p} {
		if x, err := New(dev, part, Options{Memory: 16 << 20, CPU: c}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%T with other statistics: %v, %v", c, x, err)
		}
		if g, err := NewGroup([]*Device{dev}, part, Options{Memory: 16 << 20, CPU: c}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("a group, %T with other statistics: %v, %v", c, g, err)
		}
	}
	p.Close()
	if err := errors.Join(own.Close(), other.Close(), cpu.Close(), s.Close(), part.Close()); err != nil {
		t.Error(err)
	}
}
