//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// impactsWorld is an index with a field of impacts, "v", of terms t0 (in many documents) to t15 (in few), one of weights
// that are all 1, "w", and a column, "n".
type impactsWorld struct {
	s   *reader.Snapshot
	cpu *asked
}

func (w *impactsWorld) close() { _, _ = w.cpu.Close(), w.s.Close() }

// newImpactsWorld makes an index of segments with so many documents.
func newImpactsWorld(t *testing.T, seed uint64, deletes bool, segments ...int) *impactsWorld {
	t.Helper()
	ctx, fs, r := context.Background(), memfs.New(), rand.New(rand.NewPCG(seed, 39))
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(ctx, fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "v", Kind: schema.Impacts, Scale: 0.3}, {Name: "w", Kind: schema.Impacts}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "body", Kind: schema.Text}}}})
	try(err)
	id := 0
	var gone []int
	for _, docs := range segments {
		for range docs {
			var v, one []schema.Impact
			for j := range 16 {
				if r.IntN(1+j*j/2) == 0 {
					v = append(v, schema.Impact{Term: fmt.Sprint("t", j), Weight: uint8(1 + r.IntN(1+r.IntN(255)))})
				}
			}
			if r.IntN(3) > 0 {
				one = append(one, schema.Impact{Term: "x", Weight: 1})
			}
			try(w.Add(ctx, writer.Doc{ID: fmt.Append(nil, id), Values: []schema.Value{schema.ImpactsValue(0, v), schema.ImpactsValue(1, one),
				schema.IntegerValue(2, int64(id%10)), schema.TextValue(3, fmt.Appendf(nil, "w%d", r.IntN(4)))}}))
			if id++; deletes && r.IntN(9) == 0 {
				gone = append(gone, id-1)
			}
		}
		try(w.Flush(ctx))
	}
	for _, id := range gone {
		try(w.Delete(ctx, fmt.Append(nil, id)))
	}
	try(w.Commit(ctx))
	try(w.Close())
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	try(err)
	defer index.Close()
	s, err := index.Snapshot()
	try(err)
	cpu, err := search.NewSearcher(s, search.Options{})
	try(err)
	return &impactsWorld{s, &asked{Searcher: cpu}}
}

// drawDot draws a query of one Dot, under a filter or not.
func drawDot(r *rand.Rand, docs uint32) search.Query {
	d := query.Dot{Field: "v", Boost: []float64{0, 0, 2, 0.7}[r.IntN(4)]}
	most := []uint32{1, 100, 2000}[r.IntN(3)]
	for range 1 + r.IntN(14) {
		d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("t", r.IntN(18)), Weight: 1 + r.Uint32N(most)})
	}
	if r.IntN(6) == 0 { // scores that are equal
		d.Field, d.Terms = "w", []query.WeightedTerm{{Term: "x", Weight: 1 + r.Uint32N(most)}}
	}
	q := search.Query{Node: d, K: []int{1, 2, 10, 100, 1000, 1024}[r.IntN(6)]}
	switch r.IntN(6) {
	case 0:
		bits := &docset.Bits{}
		for range docs / 4 {
			bits.Add(r.Uint32N(docs))
		}
		q.Filter = docset.NewGlobal(bits.Set())
	case 1:
		q.Node = query.Bool{Must: []query.Node{d}, Filter: []query.Node{query.Range{Field: "n", Min: schema.IntegerValue(0, 2), Max: schema.IntegerValue(0, int64(2+r.IntN(6)))}}}
	}
	return q
}

// The device answers Dots as the CPU does, to the bit: over tiles that are full and that are not, several segments and one, with
// deleted documents, filters, equal scores, and more keys than there is room for.
func TestImpactsEqualCPU(t *testing.T) {
	for round := range few(4, 15) {
		r := rand.New(rand.NewPCG(uint64(round), 40))
		segments := [][]int{{1, 5000, 4097}, {9000}, {4096}, {30}, {700, 700}}[round%5]
		w := newImpactsWorld(t, r.Uint64(), round%2 == 0, segments...)
		docs := uint32(0)
		for _, n := range segments {
			docs += uint32(n)
		}
		dev := testDevice(t, uint64(round%3))
		x, err := New(newDevice(dev), w.s, Options{Memory: 16 << 20, CPU: w.cpu, AsStored: round%4 == 1, tileDocs: 4096, tileKeys: []int64{0, 50}[round/2%2]})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.LoadAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		onCPU := 0 // at most: filters that are not worth a bitmap
		for range 20 {
			q := drawDot(r, docs)
			if _, ok := q.Node.(query.Bool); ok || q.Filter != nil {
				onCPU++
			}
			queries = append(queries, q)
		}
		compareFields(t, x, w.cpu.Searcher, queries)
		if s := x.Stats(); w.cpu.n > onCPU || s.Tiled != 2 || s.Refused > 0 || s.TiledBytes == 0 {
			t.Errorf("the CPU answered %d queries of %d, of which %d are under filters; %+v", w.cpu.n, len(queries), onCPU, s)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		w.close()
	}
}

// A field that is not on the device as it was copied, or does not fit there, is left to the CPU; without one, the query
// fails.
func TestImpactsRefused(t *testing.T) {
	w := newImpactsWorld(t, 4, false, 3000)
	defer w.close()
	q := []search.Query{{Node: query.Dot{Field: "v", Terms: []query.WeightedTerm{{Term: "t1", Weight: 2}, {Term: "t5", Weight: 3}}}, K: 5}}
	want, err := w.cpu.Searcher.Execute(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"damaged": {Memory: 1 << 20}, "too large": {Memory: 4 << 10}} {
		t.Run(name, func(t *testing.T) {
			dev := testDevice(t, 0)
			if name == "damaged" {
				dev = &damaging{Device: dev}
			}
			own := newDevice(dev)
			for _, o.CPU = range []search.Executor{nil, w.cpu} {
				x, err := New(own, w.s, o)
				if err != nil {
					t.Fatal(err)
				}
				err = x.LoadAll(t.Context())
				if s := x.Stats(); err != nil || s.Tiled > 0 || s.TiledBytes > 0 || s.Refused < 2 {
					t.Errorf("%v, %+v", err, s)
				}
				got, err := x.Execute(t.Context(), q)
				if o.CPU == nil && !errors.Is(err, ErrUnsupported) || o.CPU != nil && (err != nil || !slices.Equal(got[0].Hits, want[0].Hits)) {
					t.Errorf("%v, %v", got, err)
				}
				if err := errors.Join(x.Err(), x.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// damaging is a device that loses what is copied before impacts are checked.
type damaging struct {
	cuda.Device
	arena kernels.Ptr
}

func (d *damaging) Alloc(n int64) (kernels.Ptr, error) {
	p, err := d.Device.Alloc(n)
	if n == 1<<20+256 { // for lists
		d.arena = p
	}
	return p, err
}

func (d *damaging) Submit(b *cuda.Batch) error {
	checks := false
	err := (&cuda.Watched{Device: discard{}, Note: func(k kernels.Kernel) { checks = checks || k == kernels.CheckImpacts }}).Submit(b)
	if checks && err == nil {
		var fill cuda.Batch
		fill.Stream = b.Stream
		fill.FillWords(d.arena+64, 1, 4)
		err = d.Device.Submit(&fill)
	}
	if err != nil {
		return err
	}
	return d.Device.Submit(b)
}

// discard is a device that does nothing.
type discard struct{ cuda.Device }

func (discard) Submit(*cuda.Batch) error { return nil }

// Without a CPU the first Dot loads its field. With one, the CPU answers until the field is there. When its memory
// is taken for others, it is loaded anew.
func TestImpactsOnDemand(t *testing.T) {
	w := newImpactsWorld(t, 5, true, 3000, 200)
	defer w.close()
	var queries []search.Query
	for i := range 4 {
		queries = append(queries, search.Query{Node: query.Dot{Field: []string{"v", "w"}[i%2], Terms: []query.WeightedTerm{{Term: "t1", Weight: 2}, {Term: "x", Weight: 1}}}, K: 12})
	}
	want, err := w.cpu.Searcher.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	dev := newDevice(testDevice(t, 1))
	for _, cpu := range []search.Executor{nil, w.cpu} {
		x, err := New(dev, w.s, Options{Memory: 1 << 20, CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			if round == 2 {
				x.lists.Forget()
			}
			for done := false; !done; {
				before := w.cpu.n
				got, err := x.Execute(t.Context(), queries)
				if err != nil {
					t.Fatal(err)
				}
				for i := range queries {
					if !slices.Equal(got[i].Hits, want[i].Hits) {
						t.Fatalf("query %d: got %v, want %v", i, got[i].Hits, want[i].Hits)
					}
				}
				if done = w.cpu.n == before; cpu == nil && !done {
					t.Fatal("a query went to the CPU")
				}
				runtime.Gosched()
			}
		}
		if s := x.Stats(); s.Tiled != 2 || s.Evicted != int64(2*len(x.docs.Segments)) || s.Refused > 0 {
			t.Errorf("%+v", s)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Several devices share Dots, and a Stepper asks the device for a long one.
func TestImpactsOnSeveral(t *testing.T) {
	w := newImpactsWorld(t, 6, true, 6000)
	defer w.close()
	r := rand.New(rand.NewPCG(6, 6))
	var queries []search.Query
	for range 24 {
		q := drawDot(r, 6000)
		q.Filter = nil
		queries = append(queries, q)
	}
	g, err := NewGroup([]*Device{newDevice(testDevice(t, 0)), newDevice(testDevice(t, 1))}, w.s, Options{Memory: 1 << 20, CPU: w.cpu})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Preload(t.Context(), queries); err != nil {
		t.Fatal(err)
	}
	compareFields(t, g, w.cpu.Searcher, queries)
	if s := g.Stats(); s.Tiled < 3 || w.cpu.n > len(queries)/2 {
		t.Errorf("%+v, %d queries on the CPU", s, w.cpu.n)
	}
	x := g.members[0].x
	for _, choose := range []StepChoice{StepRest, StepCPU} {
		s, err := NewStepper(x, w.cpu.Searcher, StepOptions{Choose: func(StepState) StepChoice { return choose }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		before := x.Stats().Hits
		for i := range queries {
			want, err := w.cpu.Search(t.Context(), queries[i])
			if err != nil {
				t.Fatal(err)
			}
			var trace StepTrace
			if got, err := s.Search(t.Context(), queries[i], &trace); err != nil || !slices.Equal(got.Hits, want.Hits) {
				t.Fatalf("query %d: got %v, %v, want %v", i, got.Hits, err, want.Hits)
			}
		}
		if asked := x.Stats().Hits > before; asked != (choose == StepRest) {
			t.Errorf("%v: the device was asked: %v", choose, asked)
		}
	}
}
