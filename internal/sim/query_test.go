package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

var queries = flag.Int("queries", 6000, "random queries to answer")

// TestQueries answers random queries over random collections: every algorithm, codec and
// model of a pool, and the device if there is one, which with the build tag emu is the
// emulator.
func TestQueries(t *testing.T) {
	n := *queries
	if testing.Short() {
		n /= 10
	}
	device, err := gpuload.OpenDevice()
	switch {
	case err == nil:
		defer device.Close()
	case !errors.Is(err, gpuload.ErrNoDevice):
		t.Fatal(err)
	}
	var left, next atomic.Int64
	left.Store(int64(n))
	next.Store(int64(*firstSeed) - 1)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for left.Load() > 0 && !t.Failed() {
				seed := uint64(next.Add(1))
				asked, err := collection(seed, device)
				if err != nil {
					t.Errorf("-seed %d: %v", seed, err)
				}
				left.Add(-int64(asked))
			}
		})
	}
	group.Wait()
	t.Logf("%d queries over %d collections", int64(n)-left.Load(), next.Load()+1-int64(*firstSeed))
}

// collection makes a collection and queries it.
func collection(seed uint64, device *gpuload.Device) (asked int, err error) {
	r := rand.New(rand.NewPCG(seed, 5))
	fs, ctx := memfs.New(), context.Background()
	o := drawOptions(r)
	o.Stored = false
	w, err := writer.OpenFS(ctx, fs, o)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	docs, err := fill(r, w)
	if err != nil {
		return 0, err
	}
	x, err := reader.OpenFS(fs)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if docs, err = numbered(s, docs); err != nil {
		return 0, err
	}
	index, p := oracle.New(docs), drawParams(r)
	searcher, err := query.NewSearcher(s, query.Options{Params: &p, Seek: reader.Strategy(r.IntN(3)), DenseBytes: r.IntN(3) - 1})
	if err != nil {
		return 0, err
	}
	test := func(what string, e query.Executor, n int) {
		if e := ask(r, e, index, p, max(len(docs), 1), n); e != nil {
			err = errors.Join(err, fmt.Errorf("%s, %s: %w", what, describe(o), e))
		}
		asked += n
	}
	test("searcher", searcher, 300)
	model := pool.Model(r.IntN(4))
	workers, err := pool.New(searcher, pool.Options{Workers: 1 + r.IntN(4), Model: model, TaskPostings: r.IntN(2) * r.IntN(300), SpinFor: -1})
	if err != nil {
		return asked, err
	}
	defer workers.Close()
	test("pool "+model.String(), workers, 100)
	if device != nil {
		gpu, err := gpuload.New(device, s, gpuload.Options{CPU: searcher, Memory: 64 << 20, Threshold: 1 << 18,
			Accumulate: gpuload.Accumulations()[r.IntN(len(gpuload.Accumulations()))]})
		if err != nil {
			return asked, err
		}
		defer gpu.Close()
		asked = 0
		test("device", gpu, 200)
	}
	return asked, err
}

// fill adds random documents, in several segments, deletes some of them and commits.
func fill(r *rand.Rand, w *writer.Writer) (docs []oracle.Doc, err error) {
	ctx := context.Background()
	n := 1 + r.IntN(1<<(1+r.IntN(9)))
	if r.IntN(40) == 0 {
		n += 8500 // for every part of an extent
	}
	flush := max(2, n>>r.IntN(5))
	for i := range n {
		words := drawWords(r)
		docs = append(docs, oracle.Doc{Terms: words})
		if err := w.Add(ctx, writer.Document{ID: fmt.Appendf(nil, "d%d", i), Contents: []byte(strings.Join(words, " "))}); err != nil {
			return nil, err
		}
		if i%flush == flush-1 {
			if err := w.Flush(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	if r.IntN(2) == 0 {
		for range n >> (1 + r.IntN(4)) {
			d := r.IntN(n)
			docs[d].Deleted = true
			if err := w.Delete(ctx, fmt.Appendf(nil, "d%d", d)); err != nil {
				return nil, err
			}
		}
	}
	return docs, w.Commit(ctx)
}

// numbered returns the documents as s numbers them: those of a segment without live ones
// are gone.
func numbered(s *reader.Snapshot, docs []oracle.Doc) ([]oracle.Doc, error) {
	var kept []oracle.Doc
	live := 0
	for _, d := range docs {
		if !d.Deleted {
			live++
		}
	}
	for doc := range uint32(s.Stats().Docs) {
		id, err := s.ID(doc, nil)
		if err != nil {
			return nil, err
		}
		i, err := strconv.Atoi(string(id[1:]))
		if err != nil {
			return nil, err
		}
		kept = append(kept, docs[i])
		if !docs[i].Deleted {
			live--
		}
	}
	if live != 0 {
		return nil, fmt.Errorf("%d live documents too few", live)
	}
	return kept, nil
}
