//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// parts are those of a collection, with what searches each with the numbers of all.
type parts struct {
	snapshots []*reader.Snapshot
	cpus      []*search.Searcher
	whole     *search.Searcher // an index of all documents
	bases     []uint32
}

func partsOf(t *testing.T, snapshots []*reader.Snapshot) *parts {
	t.Helper()
	p := &parts{snapshots: snapshots}
	all, base := new(query.Collection), uint32(0)
	for _, s := range snapshots {
		t.Cleanup(func() { s.Close() })
		if err := all.Add(search.CollectionOf(s)); err != nil {
			t.Fatal(err)
		}
		p.bases, base = append(p.bases, base), base+uint32(s.Stats().Docs)
	}
	for _, s := range snapshots {
		cpu, err := search.NewSearcher(s, search.Options{Collection: all})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cpu.Close() })
		p.cpus = append(p.cpus, cpu)
	}
	joined, err := reader.Join(snapshots...)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	if p.whole, err = search.NewSearcher(joined, search.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.whole.Close() })
	return p
}

// bring sets the Frequencies of a query.
func (p *parts) bring(t *testing.T, q *search.Query) {
	t.Helper()
	f := new(query.Frequencies)
	for _, cpu := range p.cpus {
		own, err := cpu.Frequencies(t.Context(), *q)
		if err == nil {
			err = f.Add(own)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f.Trim()
	q.Frequencies = f
}

// check compares the answers of executors, one for each part, with those of the CPU, and what they are together with the
// answers of one index, to the bit. Hits of AndOr depend on how many each part has.
func (p *parts) check(t *testing.T, on []search.Executor, queries []search.Query) {
	t.Helper()
	all := make([][]search.Result, len(queries))
	for i, x := range on {
		got, err := x.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.cpus[i].Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for j := range queries {
			if all[j] = append(all[j], got[j]); !slices.Equal(got[j].Hits, want[j].Hits) || got[j].Total != want[j].Total {
				t.Fatalf("part %d, query %d %+v\n got %v\nwant %v", i, j, queries[j], got[j], want[j])
			}
		}
	}
	for j, q := range queries {
		if _, mode, err := p.whole.Terms(&q); err != nil || mode == query.ModeAndOr || q.Filter != nil {
			continue
		}
		got, _, err := q.Merge(p.bases, all[j])
		if err != nil {
			t.Fatal(err)
		}
		q.Frequencies = nil
		want, err := p.whole.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("query %d %+v\n got %v\nwant %v", j, q, got.Hits, want.Hits)
		}
	}
}

// devices returns an Executor for each part on a device, on which cpu counts what is left to it.
func (p *parts) devices(t *testing.T, rng *rand.Rand, seed uint64) (on []search.Executor, left []*asked) {
	t.Helper()
	for i, s := range p.snapshots {
		own := &asked{Searcher: p.cpus[i]}
		presence := rng.IntN(3)
		x, err := New(newDevice(testDevice(t, seed)), s, Options{Memory: 16 << 20, CPU: own, AsStored: rng.IntN(2) == 0, ranges: either(rng.IntN(3) == 0),
			tiles: rng.IntN(2) * 8, Presence: int64(presence % 2), NoPresence: presence == 2, overflow: []int64{0, 64}[rng.IntN(2)]})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeExecutor(t, x) })
		on, left = append(on, x), append(left, own)
	}
	return on, left
}

// plainParts draws indexes without a schema, each of which lacks some of the words.
func plainParts(t *testing.T, rng *rand.Rand, docs ...int) []*reader.Snapshot {
	t.Helper()
	var all []*reader.Snapshot
	for _, n := range docs {
		fs, lacks := memfs.New(), rng.IntN(5)
		w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		for d := range n {
			var text strings.Builder
			for range 1 + rng.IntN(20) {
				if word := drawnWord(rng); word%5 != lacks {
					fmt.Fprintf(&text, " t%d", word)
				}
			}
			err = errors.Join(err, w.Add(t.Context(), writer.Text(fmt.Append(nil, d), []byte(text.String()))))
			if d == n/2 {
				err = errors.Join(err, w.Flush(t.Context()))
			}
		}
		for range rng.IntN(n/4 + 1) {
			err = errors.Join(err, w.Delete(t.Context(), fmt.Append(nil, rng.IntN(n))))
		}
		if err = errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
		x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := x.Snapshot()
		if err = errors.Join(err, x.Close()); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// plainTree draws a tree of words of an index without a schema.
func plainTree(rng *rand.Rand) query.Node {
	words := func(n int) (all []query.Node) {
		for range n {
			all = append(all, query.Term{Field: "text", Text: fmt.Sprint("t", drawnWord(rng))})
		}
		return all
	}
	switch rng.IntN(3) {
	case 0:
		return query.Best{Of: words(2 + rng.IntN(4)), Tie: float64(rng.IntN(2)) / 2}
	case 1:
		return query.Bool{Should: words(2 + rng.IntN(5)), AtLeast: 1 + rng.IntN(3), MustNot: words(rng.IntN(2))}
	}
	return query.Bool{Must: append(words(1), query.Bool{Should: words(1 + rng.IntN(3))}), Should: words(rng.IntN(3)), MustNot: words(rng.IntN(2)), Filter: words(rng.IntN(2))}
}

func drawnWord(rng *rand.Rand) int { return int(60 * rng.Float64() * rng.Float64()) }

// The device scores a part of a collection with the numbers of all parts: its hits are those of a Searcher with
// Options.Collection, and those of all parts those of one index, to the bit. Terms that the part lacks count among the
// others and match nothing.
func TestPartsEqualOneIndex(t *testing.T) {
	for round := range few(1, 2) {
		rng := rand.New(rand.NewPCG(uint64(round), 38))
		p := partsOf(t, plainParts(t, rng, 300+rng.IntN(1500), 1+rng.IntN(40), 500))
		on, left := p.devices(t, rng, uint64(round%2))
		var queries []search.Query
		for range few(60, 200) {
			q := search.Query{Mode: query.Mode(rng.IntN(3)), K: []int{0, 1, 3, 10, 100, 1000}[rng.IntN(6)]}
			for range 1 + rng.IntN(5) {
				q.RawTerms = append(q.RawTerms, fmt.Appendf(nil, "t%d", drawnWord(rng)))
			}
			switch rng.IntN(10) {
			case 3, 4:
				q = search.Query{Node: plainTree(rng), K: q.K, Total: rng.IntN(2) == 0}
			case 0:
				q = search.Query{Text: fmt.Sprintf("t%d t%d nowhere", drawnWord(rng), drawnWord(rng)), K: q.K}
			case 1:
				q = search.Query{Node: query.Match{Text: fmt.Sprintf("t%d t%d t1", drawnWord(rng), drawnWord(rng)), Mode: q.Mode, Boost: 2}, K: q.K}
			case 2:
				q.Filter = docset.GlobalOf(0, 3, 7, 100, 150)
			}
			p.bring(t, &q)
			queries = append(queries, q)
		}
		p.check(t, on, queries)
		p.check(t, on, queries[:20]) // presence words, the cache of terms
		for i, own := range left {
			if own.n > len(queries)/2 {
				t.Errorf("part %d leaves %d of %d queries to the CPU", i, own.n, len(queries))
			}
		}
	}
}

// The same over fields, on one device and on a Group whose CPU is a Pool.
func TestPartsEqualOneIndexOverFields(t *testing.T) {
	for round := range few(1, 2) {
		rng := rand.New(rand.NewPCG(uint64(round), 39))
		libraries, err := gputrial.DrawLibraries(t.Context(), rng, 100+rng.IntN(1000), 1+rng.IntN(60), 200)
		if err != nil {
			t.Fatal(err)
		}
		var snapshots []*reader.Snapshot
		for _, l := range libraries {
			s, cpu, err := l.Searcher()
			if err != nil {
				t.Fatal(err)
			}
			cpu.Close()
			t.Cleanup(func() { l.Close() })
			snapshots = append(snapshots, s)
		}
		p := partsOf(t, snapshots)
		on, left := p.devices(t, rng, uint64(round%2))
		pooled, err := pool.New(p.cpus[0], pool.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pooled.Close)
		g, err := NewGroup([]*Device{newDevice(testDevice(t, 0)), newDevice(testDevice(t, 1))}, snapshots[0], Options{CPU: pooled, Memory: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		var queries []search.Query
		for range few(40, 150) {
			q := libraries[1].Query(rng)
			switch {
			case rng.IntN(2) == 0:
				q.Node, q.Text, q.Total = libraries[1].Tree(rng), "", rng.IntN(2) == 0
			case rng.IntN(20) == 0: // left to the CPU
				q = search.Query{Node: query.Prefix{Text: "t1", Scored: true}}
			}
			p.bring(t, &q)
			queries = append(queries, q)
		}
		p.check(t, on, queries)
		p.check(t, append([]search.Executor{g}, on[1:]...), queries)
		if left[0].n > len(queries)/2 {
			t.Errorf("%d of %d queries are left to the CPU", left[0].n, len(queries))
		}
	}
}

// What a Searcher with Options.Collection refuses, its device refuses.
func TestPartRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 40))
	p := partsOf(t, plainParts(t, rng, 300, 300))
	on, _ := p.devices(t, rng, 0)
	own, err := search.NewSearcher(p.snapshots[0], search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	alone, err := New(newDevice(testDevice(t, 0)), p.snapshots[0], Options{Memory: 16 << 20, CPU: own})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, alone)
	q := search.Query{RawTerms: [][]byte{[]byte("t1"), []byte("t2")}}
	without := q
	p.bring(t, &q)
	ask := func(x search.Executor, q search.Query) error {
		_, err := x.Execute(context.Background(), []search.Query{q})
		return err
	}
	if err := errors.Join(ask(on[0], q), ask(alone, without)); err != nil {
		t.Fatal(err)
	}
	fewer, less, more := q, q, q
	fewer.Frequencies = &query.Frequencies{Terms: q.Frequencies.Terms[1:]}
	less.Frequencies, more.Frequencies = &query.Frequencies{Terms: slices.Clone(q.Frequencies.Terms)}, &query.Frequencies{Terms: slices.Clone(q.Frequencies.Terms)}
	less.Frequencies.Terms[0].DF, less.Frequencies.Terms[1].DF, more.Frequencies.Terms[1].DF = 0, 0, 1<<40
	for _, tt := range []struct {
		what string
		x    search.Executor
		cpu  search.Executor
		q    search.Query
	}{
		{"frequencies for an index of its own", alone, own, q}, {"no frequencies", on[0], p.cpus[0], without},
		{"a term without a frequency", on[0], p.cpus[0], fewer}, {"less than the part has", on[0], p.cpus[0], less},
		{"more than the collection has", on[0], p.cpus[0], more},
	} {
		want, err := ask(tt.cpu, tt.q), ask(tt.x, tt.q)
		if !errors.Is(want, query.ErrInvalid) || !errors.Is(err, query.ErrInvalid) || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", tt.what, err, want)
		}
	}
	if err := on[0].(*Executor).Preload(t.Context(), []search.Query{without}); err != nil {
		t.Errorf("a log without frequencies: %v", err)
	}
	if s, err := NewStepper(on[0].(*Executor), p.cpus[0], StepOptions{}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("a stepper over a part: %v, %v", s, err)
	}
}
