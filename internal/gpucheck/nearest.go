package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// nearestFlags are those of gpucheck nearest.
type nearestFlags struct {
	vectors, queries, dir string
	of, dims, docs        int
	compared, k           int
	batches               []int
	seed                  uint64
	scan                  bool
}

func nearestCommand() *cobra.Command {
	var f nearestFlags
	c := &cobra.Command{Use: "nearest --vectors FILE --queries FILE", Short: "Measure searches for the nearest vectors", Args: cobra.NoArgs,
		Long: `gpucheck nearest mixes vectors of real ones, indexes them, and measures how many queries for the
nearest a second the GPU answers: in batches, under filters of 10 % of the documents, and one after the
other. The first answers are compared with those of the CPU, to the bit. Files are of float32.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) }}
	fl := c.Flags()
	fl.StringVar(&f.vectors, "vectors", "", "FILE of vectors")
	fl.StringVar(&f.queries, "queries", "", "FILE of vectors to search for")
	fl.StringVar(&f.dir, "dir", os.TempDir(), "directory for the index")
	fl.IntVar(&f.of, "of", 512, "dimensions of the vectors in the files")
	fl.IntVar(&f.dims, "dims", 768, "dimensions of those in the index: two beside each other")
	fl.IntVar(&f.docs, "docs", 1_000_000, "documents")
	fl.IntVar(&f.compared, "compare", 64, "queries whose answers are compared with the CPU's")
	fl.IntVar(&f.k, "k", 10, "hits")
	fl.IntSliceVar(&f.batches, "batch", []int{1, 8, 64, 512, 4096}, "queries at a time")
	fl.BoolVar(&f.scan, "scan", false, "also measure the kernels that compare codes, alone")
	fl.Uint64Var(&f.seed, "seed", 1, "seed")
	return c
}

// mixer makes vectors of real ones: each is the mean and parts of three, with 0.7, 0.2 and 0.1 of the variance. Those with other dimensions
// are the first half of one and the last of another one with the same first part.
type mixer struct {
	of, dims int
	real     [][]float32
	mean     []float32
}

func readVectors(path string, dims int) ([][]float32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := make([]float32, len(b)/4)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(b)), b)
	return slices.Collect(slices.Chunk(all, dims)), nil
}

func newMixer(real [][]float32, of, dims int) *mixer {
	m := &mixer{of: of, dims: dims, real: real, mean: make([]float32, of)}
	for _, v := range real {
		for i, x := range v {
			m.mean[i] += x / float32(len(real))
		}
	}
	return m
}

var shares = [3]float32{float32(math.Sqrt(0.7)), float32(math.Sqrt(0.2)), float32(math.Sqrt(0.1))}

// mix sets part, which is that from dimension from on, to a mix with a first part.
func (m *mixer) mix(part []float32, from int, r *rand.Rand, first int) {
	a, b, c := m.real[first][from:], m.real[r.IntN(len(m.real))][from:], m.real[r.IntN(len(m.real))][from:]
	mean := m.mean[from:]
	for i := range part {
		part[i] = mean[i] + shares[0]*(a[i]-mean[i]) + shares[1]*(b[i]-mean[i]) + shares[2]*(c[i]-mean[i])
	}
}

// draw sets v to a vector.
func (m *mixer) draw(v []float32, r *rand.Rand) {
	first, half := r.IntN(len(m.real)), m.dims/2
	if m.dims == m.of {
		m.mix(v, 0, r, first)
		return
	}
	m.mix(v[:half], 0, r, first)
	m.mix(v[half:], m.of-(m.dims-half), r, first)
}

// spread returns a query as vectors are.
func (m *mixer) spread(q []float32) []float32 {
	if m.dims == m.of {
		return q
	}
	half := m.dims / 2
	return append(slices.Clone(q[:half]), q[m.of-(m.dims-half):]...)
}

// build writes the index.
func (f *nearestFlags) build(ctx context.Context, m *mixer, dir string) error {
	w, err := writer.Open(ctx, dir, writer.Options{MergePolicy: writer.NoMerges, Memory: 4 << 30, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "v", Kind: schema.Vector, Dims: f.dims}, {Name: "n", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		return err
	}
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	const some = 4096
	for i := range errs {
		all.Go(func() {
			v := make([]float32, f.dims)
			for errs[i] == nil {
				lo := int(next.Add(some)) - some
				if lo >= f.docs {
					return
				}
				r := rand.New(rand.NewPCG(f.seed, uint64(lo)))
				for d := lo; d < min(lo+some, f.docs) && errs[i] == nil; d++ {
					m.draw(v, r)
					errs[i] = w.Add(ctx, writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, v), schema.IntegerValue(1, int64(d%10))}})
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errors.Join(errs...), w.Commit(ctx), w.Close())
}

func (f *nearestFlags) run(ctx context.Context) error {
	real, err := readVectors(f.vectors, f.of)
	if err != nil {
		return err
	}
	asked, err := readVectors(f.queries, f.of)
	if err != nil {
		return err
	}
	m := newMixer(real, f.of, f.dims)
	for i := range asked {
		asked[i] = m.spread(asked[i])
	}
	dir, begun := filepath.Join(f.dir, fmt.Sprintf("nearest-%d-%d", f.docs, f.dims)), time.Now()
	if _, err := os.Stat(dir); err != nil {
		if err := f.build(ctx, m, dir); err != nil {
			return err
		}
	}
	b := &nearestBench{nearestFlags: f, ctx: ctx, asked: asked, log: os.Stdout}
	b.say("built %d x %d in %.1f s", f.docs, f.dims, time.Since(begun).Seconds())
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	s, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	b.say("%d segments", len(s.Segments()))
	if b.cpu, err = search.NewSearcher(s, search.Options{Threads: runtime.GOMAXPROCS(0)}); err != nil {
		return err
	}
	defer b.cpu.Close()
	device, err := gpu.OpenDevice()
	if err != nil {
		return err
	}
	defer device.Close()
	if f.scan {
		if err := b.scanAlone(device.Driver()); err != nil {
			return err
		}
	}
	begun = time.Now()
	if b.x, err = gpu.New(device, s, gpu.Options{CPU: b.cpu}); err != nil {
		return err
	}
	defer b.x.Close()
	if err := b.x.Ready(ctx); err != nil {
		return err
	}
	opened := time.Now()
	if err := b.x.LoadAll(ctx); err != nil {
		return err
	}
	b.say("device opened in %.2f s, vectors loaded in %.2f s: %.1f GB", opened.Sub(begun).Seconds(), time.Since(opened).Seconds(), float64(b.x.Stats().Bytes)/1e9)
	return b.measure()
}

// nearestBench measures searches for the nearest.
type nearestBench struct {
	*nearestFlags
	ctx   context.Context
	asked [][]float32
	cpu   *search.Searcher
	x     *gpu.Executor
	log   io.Writer
}

func (b *nearestBench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

// queries returns n queries; filter, unless nil, gives those of a number a filter.
func (b *nearestBench) queries(n, k int, filter func(i int, q *search.Query)) []search.Query {
	all := make([]search.Query, n)
	for i := range all {
		all[i] = search.Query{Node: query.Nearest{Field: "v", Vector: b.asked[i%len(b.asked)], K: k}, K: k}
		if filter != nil {
			filter(i, &all[i])
		}
	}
	return all
}

func (b *nearestBench) measure() error {
	r := rand.New(rand.NewPCG(b.seed, 3))
	own := func(share int) func(int, *search.Query) {
		return func(_ int, q *search.Query) {
			words := make([]uint64, (b.docs+63)/64)
			for range b.docs / share {
				d := r.IntN(b.docs)
				words[d/64] |= 1 << (d % 64)
			}
			bits := &docset.Bits{}
			for d := range b.docs {
				if words[d/64]>>(d%64)&1 != 0 {
					bits.Add(uint32(d))
				}
			}
			q.Filter = docset.NewGlobal(bits.Set())
		}
	}
	one := func(_ int, q *search.Query) {
		q.Node = query.Bool{Must: []query.Node{q.Node}, Filter: []query.Node{query.Equal("n", int64(3))}}
	}
	for _, c := range []struct {
		name string
		all  []search.Query
	}{{"all documents", b.queries(b.compared, b.k, nil)}, {"a filter of 10 %", b.queries(b.compared, b.k, one)}, {"top 1000", b.queries(b.compared/4, 1000, nil)},
		{"filters of their own, of 10 %", b.queries(b.compared/4, b.k, own(10))}, {"filters of their own, of 0.1 %", b.queries(b.compared/8, b.k, own(1000))}} {
		if err := b.compare(c.name, c.all); err != nil {
			return err
		}
	}
	if err := b.together(b.queries(64, b.k, nil)); err != nil {
		return err
	}
	for _, n := range b.batches {
		if err := b.rate(fmt.Sprintf("%d at a time", n), b.queries(n, b.k, nil)); err != nil {
			return err
		}
		if n > 1 {
			if err := b.rate(fmt.Sprintf("%d at a time, one filter of 10 %%", n), b.queries(n, b.k, one)); err != nil {
				return err
			}
		}
	}
	if err := b.rate("512 at a time, top 1000", b.queries(512, 1000, nil)); err != nil {
		return err
	}
	return b.rate("64 at a time, filters of their own, of 10 %", b.queries(64, b.k, own(10)))
}

// together measures the CPU, whose searches at the same time read vectors together.
func (b *nearestBench) together(all []search.Query) error {
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	begun := time.Now()
	for i := range all {
		wg.Go(func() { _, errs[i] = b.cpu.Search(b.ctx, all[i]) })
	}
	wg.Wait()
	b.say("the CPU, %d at a time: %.2f ms each", len(all), time.Since(begun).Seconds()*1e3/float64(len(all)))
	return errors.Join(errs...)
}

// compare compares answers with those of the CPU.
func (b *nearestBench) compare(name string, all []search.Query) error {
	for range 3 { // bitmaps of filters come later
		if _, err := b.x.Execute(b.ctx, all); err != nil {
			return err
		}
	}
	before := b.x.Stats()
	got, err := b.x.Execute(b.ctx, all)
	if err != nil {
		return err
	}
	onCPU := ""
	after := b.x.Stats()
	for why, n := range after.OnCPU.All() {
		if n -= before.OnCPU[why]; n > 0 {
			onCPU += fmt.Sprintf(", %d by the CPU, %v", n, why)
		}
	}
	begun := time.Now()
	want, err := b.cpu.Execute(b.ctx, all)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	for i := range want {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			return &failure{fmt.Errorf("%s, query %d: the device answers %v, the CPU %v", name, i, got[i].Hits, want[i].Hits)}
		}
	}
	b.say("%s: %d answers equal to the bit%s; the CPU takes %.2f ms each", name, len(all), onCPU, took.Seconds()*1e3/float64(len(all)))
	return nil
}

// rate measures how many queries a second are answered, all at a time.
func (b *nearestBench) rate(name string, all []search.Query) error {
	var took []time.Duration
	before := b.x.Stats()
	for end := time.Now().Add(time.Second); len(took) < 5 || time.Now().Before(end); {
		begun := time.Now()
		if _, err := b.x.Execute(b.ctx, all); err != nil {
			return err
		}
		took = append(took, time.Since(begun))
	}
	after := b.x.Stats()
	left := int64(0)
	for why, n := range after.OnCPU.All() {
		left += n - before.OnCPU[why]
	}
	busy := (after.Busy - before.Busy) / time.Duration(len(took))
	slices.Sort(took)
	median := took[len(took)/2]
	b.say("%s: %.3f ms (least %.3f, kernels %.3f), %.0f queries/s, %d left to the CPU", name, median.Seconds()*1e3, took[0].Seconds()*1e3, busy.Seconds()*1e3,
		float64(len(all))/median.Seconds(), left)
	return nil
}
