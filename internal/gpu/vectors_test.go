//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectorsWorld is an index with fields of vectors "cosine", "dot" (several of a document, or one), "l2" (of float16), a column, "n", and words.
type vectorsWorld struct {
	impactsWorld
	dims int
	near [][]float32 // vectors of some documents
}

// drawVector draws a vector: of a few values, so that many are as near, near another one, far from all, or any.
func drawVector(r *rand.Rand, dims int, others [][]float32) []float32 {
	v := make([]float32, dims)
	kind := r.IntN(5)
	scale := []float32{1, 1, 1e-3, 1e6}[r.IntN(4)]
	for i := range v {
		switch {
		case kind == 0:
			v[i] = float32(r.IntN(3) - 1)
		case kind == 1 && len(others) > 0:
			v[i] = others[len(others)-1][i]
		case kind == 2 && len(others) > 0:
			v[i] = others[0][i] + 0.01*float32(r.NormFloat64())
		default:
			v[i] = scale * float32(r.NormFloat64())
		}
	}
	if v[0] == 0 {
		v[0] = 0.5 // it is not one of zeros
	}
	return v
}

// vectorsShape says what an index of a vectorsWorld is like.
type vectorsShape struct {
	dims     int
	deletes  bool
	several  bool // vectors of a document
	ordered  bool // by "n"
	segments []int
}

// newVectorsWorld makes an index.
func newVectorsWorld(t *testing.T, seed uint64, shape vectorsShape) *vectorsWorld {
	t.Helper()
	dims := shape.dims
	ctx, fs, r := t.Context(), memfs.New(), rand.New(rand.NewPCG(seed, 41))
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "cosine", Kind: schema.Vector, Dims: dims}, {Name: "dot", Kind: schema.Vector, Dims: dims, Similarity: schema.SimilarityDot},
		{Name: "l2", Kind: schema.Vector, Dims: dims, Similarity: schema.SimilarityL2, Values: schema.Float16},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "body", Kind: schema.Text}}}}
	if shape.ordered {
		o.Order = writer.OrderField("n", true)
	}
	w, err := writer.OpenFS(ctx, fs, o)
	try(err)
	world := &vectorsWorld{dims: dims}
	id := 0
	var gone []int
	for _, docs := range shape.segments {
		for range docs {
			values := []schema.Value{schema.IntegerValue(3, int64(id%10)), schema.TextValue(4, fmt.Appendf(nil, "w%d", r.IntN(4)))}
			for f := range 3 {
				if r.IntN(8) == 0 {
					continue // a document without
				}
				v := drawVector(r, dims, world.near)
				if f == 2 {
					for i := range v {
						v[i] = max(min(v[i], 6e4), -6e4)
					}
				}
				if len(world.near) < 9 || r.IntN(50) == 0 {
					world.near = append(world.near, v)
				}
				for more := f == 1 && shape.several; more; more = r.IntN(3) > 0 { // several vectors, some of them of other documents too
					values = append(values, schema.VectorValue(f, drawVector(r, dims, world.near)))
				}
				values = append(values, schema.VectorValue(f, v))
			}
			try(w.Add(ctx, writer.Doc{ID: fmt.Append(nil, id), Values: values}))
			if id++; shape.deletes && r.IntN(9) == 0 {
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
	index, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	try(err)
	defer index.Close()
	s, err := index.Snapshot()
	try(err)
	cpu, err := search.NewSearcher(s, search.Options{})
	try(err)
	world.impactsWorld = impactsWorld{s, &asked{Searcher: cpu}}
	return world
}

// draw draws a query of one Nearest, under a filter or not.
func (w *vectorsWorld) draw(r *rand.Rand, docs uint32) (q search.Query, filtered bool) {
	v := drawVector(r, w.dims, w.near[r.IntN(len(w.near)):])
	n := query.Nearest{Field: []string{"cosine", "dot", "l2"}[r.IntN(3)], Vector: v, K: []int{1, 2, 10, 100, 1000}[r.IntN(5)], Boost: []float64{0, 0, 2, 0.7}[r.IntN(4)]}
	q = search.Query{Node: n, K: []int{1, 10, 100, 2000}[r.IntN(4)]}
	switch r.IntN(6) {
	case 0:
		bits := &docset.Bits{}
		for range docs / uint32(1+r.IntN(40)) {
			bits.Add(r.Uint32N(docs))
		}
		q.Filter, filtered = docset.NewGlobal(bits.Set()), true
	case 1:
		q.Node = query.Bool{Must: []query.Node{n}, Filter: []query.Node{query.Range{Field: "n", Min: schema.IntegerValue(0, 2), Max: schema.IntegerValue(0, int64(2+r.IntN(6)))}}}
		filtered = true
	}
	return q, filtered
}

// The device finds the nearest that the CPU does, to the bit: by each similarity, in several segments and one, with deleted documents, filters, equal scores,
// more candidates than there is room for, floats on the device and not, one vector of a document and several, few dimensions and many, and in an
// index that keeps an order.
func TestVectorsEqualCPU(t *testing.T) {
	for round := range few(4, 12) {
		r := rand.New(rand.NewPCG(uint64(round), 42))
		segments := [][]int{{1, 700, 500}, {900}, {31, 64}, {30}, {200, 200, 1, 300}}[round%5]
		dims := []int{7, 64, 130, 1, 300}[r.IntN(5)]
		if round == 3 {
			dims = 3500 // more than shared memory has room for of 64 queries
		}
		w := newVectorsWorld(t, r.Uint64(), vectorsShape{dims, round%2 == 0, round%4 < 2, round%3 == 1, segments})
		docs := uint32(0)
		for _, n := range segments {
			docs += uint32(n)
		}
		x, err := New(newDevice(testDevice(t, uint64(round%3))), w.s, Options{Memory: 16 << 20, CPU: w.cpu, AsStored: round%4 == 1,
			nearFirst: []int64{0, 40}[round%2], nearFound: []int64{0, 3}[round/2%2], nearCoded: round%5 < 3 && round > 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.LoadAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		onCPU := 0 // at most: filters that are not worth a bitmap
		for range []int{3, 20, 75}[round%3] {
			q, filtered := w.draw(r, docs)
			if filtered {
				onCPU++
			}
			queries = append(queries, q)
		}
		compareFields(t, x, w.cpu.Searcher, queries)
		s := x.Stats()
		if w.cpu.n > onCPU+int(s.OnCPU[reasonKeys]) || s.Refused > 0 {
			t.Errorf("round %d: the CPU answered %d queries of %d, of which %d are under filters; %+v", round, w.cpu.n, len(queries), onCPU, s)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		w.close()
	}
}

// A field of vectors is loaded when the first Nearest asks for it, and again when its memory has been taken. Where there is no room for
// floats, they stay on the host; a field that does not fit is left to the CPU.
func TestVectorsOnDemand(t *testing.T) {
	w := newVectorsWorld(t, 3, vectorsShape{dims: 40, deletes: true, several: true, segments: []int{300, 100}})
	defer w.close()
	q := []search.Query{{Node: query.Nearest{Field: "dot", Vector: w.near[0], K: 5}, K: 5}}
	want, err := w.cpu.Searcher.Execute(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{1 << 20, 200 << 10, 4 << 10} {
		for _, cpu := range []search.Executor{nil, w.cpu} {
			x, err := New(newDevice(testDevice(t, 1)), w.s, Options{Memory: memory, CPU: cpu})
			if err != nil {
				t.Fatal(err)
			}
			fits := memory > 4<<10
			for round := range 3 {
				if round == 2 {
					x.lists.Forget()
				}
				for end := time.Now().Add(20 * time.Second); ; {
					before := w.cpu.n
					got, err := x.Execute(t.Context(), q)
					if !fits && cpu == nil {
						if !errors.Is(err, ErrUnsupported) {
							t.Fatalf("%v, %v", got, err)
						}
						break
					}
					if err != nil || !slices.Equal(got[0].Hits, want[0].Hits) {
						t.Fatalf("got %v, %v, want %v", got, err, want)
					}
					if w.cpu.n == before || !fits && x.Stats().Refused > 0 {
						break
					}
					if time.Now().After(end) {
						t.Fatalf("the CPU still answers: %+v", x.Stats())
					}
				}
			}
			x.vectors.all.Range(func(_, f any) bool {
				if v := f.(*vectorField).there(); (v != nil) != fits || fits && v.coded != (memory == 200<<10) {
					t.Errorf("with %d bytes: %+v", memory, v)
				}
				return true
			})
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// When an index grows beyond the memory for floats, those of segments that were there go, and the device goes on without.
func TestVectorsGrow(t *testing.T) {
	c := newChanging(t, 7, &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts}, {Name: "w", Kind: schema.Impacts}, {Name: "n", Kind: schema.Integer, Column: true},
		{Name: "body", Kind: schema.Text}, {Name: "vec", Kind: schema.Vector, Dims: 24}}})
	s := c.snapshot()
	cpu, err := search.NewSearcher(s, search.Options{})
	c.try(err)
	x, err := New(newDevice(testDevice(t, 0)), s, Options{Memory: 1 << 20}) // 3,000 vectors take 0.85 MB, and without floats 0.5
	c.try(err)
	defer x.Close()
	for round := range 2 {
		var queries []search.Query
		for range 5 {
			queries = append(queries, search.Query{Node: query.Nearest{Field: "vec", Vector: drawVector(c.r, 24, nil), K: 20}, K: 20})
		}
		compareFields(t, x, cpu, queries)
		x.vectors.all.Range(func(_, f any) bool {
			if v := f.(*vectorField).there(); v == nil || v.coded != (round == 1) || slices.ContainsFunc(v.parts, func(v *residency.Vectors) bool { return v.Coded != (round == 1) }) {
				t.Errorf("round %d: %+v", round, v)
			}
			return true
		})
		_, _ = cpu.Close(), s.Close()
		if round == 1 {
			break
		}
		c.add(1500)
		c.try(c.w.Commit(t.Context()))
		s = c.snapshot()
		cpu, err = search.NewSearcher(s, search.Options{})
		c.try(err)
		c.try(x.Follow(s, nil, nil))
	}
}
