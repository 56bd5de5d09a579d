//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Queries each with a range of its own get the hits and totals of the CPU, in all ways that the device has, and it answers most of them: those
// over fields in which no document has several values.
func TestOwnRanges(t *testing.T) {
	for round := range few(2, 6) {
		rng := rand.New(rand.NewPCG(uint64(round), 17))
		s := newShop(t, rng, 600+rng.IntN(1500), 1+rng.IntN(3))
		own := &asked{Searcher: s.cpu}
		x, err := New(newDevice(testDevice(t, uint64(round%2))), s.snapshot, Options{Memory: 8 << 20, CPU: own, ranges: either(round%3 == 0), overflow: []int64{0, 64}[rng.IntN(2)]})
		if err != nil {
			t.Fatal(err)
		}
		several := 0
		draw := func() search.Query {
			var of query.Range
			switch lo := rng.IntN(s.docs); rng.IntN(9) {
			case 0: // some have several
				of = query.Range{Field: "worth", Min: schema.FloatValue(0, rng.Float64())}
				several++
			case 1, 2:
				of = query.Range{Field: "debt", Max: schema.FloatValue(0, rng.Float64()*6-3)}
			case 3:
				of = query.Range{Field: "price", Min: schema.IntegerValue(0, int64(lo)), AboveMin: true}
			default:
				of = query.Range{Field: "price", Min: schema.IntegerValue(0, int64(lo)), Max: schema.IntegerValue(0, int64(lo+rng.IntN(s.docs)))}
			}
			b := query.Bool{Must: []query.Node{query.Match{Field: "body", Text: shopWords(rng, 1+rng.IntN(5)), Mode: query.Mode(rng.IntN(2))}}, Filter: []query.Node{of}}
			if rng.IntN(3) == 0 {
				b.MustNot = []query.Node{query.Term{Field: "title", Text: shopWords(rng, 1)}}
			}
			return drawPage(t, rng, s.cpu, uint64(s.docs), search.Query{Node: b, K: 1 + rng.IntN(40)})
		}
		for range few(1, 3) {
			var queries []search.Query
			for range 100 {
				queries = append(queries, draw())
			}
			for i := range queries {
				queries[i].Filter = nil
			}
			compareTotals(t, x, s.cpu, queries)
		}
		if x.Err() != nil || own.n > 2*several+100 {
			t.Errorf("%v, %d queries on the CPU, of %d of several values: %v", x.Err(), own.n, several, x.Stats().OnCPU)
		}
		closeExecutor(t, x)
	}
}

// Dots and Nearests under ranges of their own are answered with the values of the column, and no bitmap that stays.
func TestSpansOfFields(t *testing.T) {
	w := newVectorsWorld(t, 5, vectorsShape{dims: 20, deletes: true, segments: []int{700, 90, 1}})
	defer w.close()
	dots := newImpactsWorld(t, 6, true, 900, 77)
	defer dots.close()
	for name, c := range map[string]struct {
		of   *impactsWorld
		node func(r *rand.Rand) query.Node
	}{
		"nearest": {&w.impactsWorld, func(r *rand.Rand) query.Node {
			return query.Nearest{Field: "dot", Vector: drawVector(r, 20, w.near), K: 1 + r.IntN(20)}
		}},
		"dot": {dots, func(r *rand.Rand) query.Node {
			return query.Dot{Field: "v", Terms: []query.WeightedTerm{{Term: "t0", Weight: 1 + r.Uint32N(50)}, {Term: "t3", Weight: 7}}}
		}},
	} {
		r := rand.New(rand.NewPCG(8, 1))
		x, err := New(newDevice(testDevice(t, 1)), c.of.s, Options{Memory: 8 << 20, CPU: c.of.cpu})
		if err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		for lo := range int64(9) {
			for hi := lo; hi < 9; hi++ {
				of := query.Range{Field: "n", Min: schema.IntegerValue(0, lo), Max: schema.IntegerValue(0, hi)}
				queries = append(queries, search.Query{Node: query.Bool{Must: []query.Node{c.node(r)}, Filter: []query.Node{of}}, K: 10})
			}
		}
		for before := -1; before != c.of.cpu.n; {
			before = c.of.cpu.n
			compareFields(t, x, c.of.cpu.Searcher, queries)
		}
		if s := x.Stats(); s.Tables != 1 || x.Err() != nil {
			t.Errorf("%s: %v, %+v", name, x.Err(), s)
		}
		closeExecutor(t, x)
	}
}
