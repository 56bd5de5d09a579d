package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

var queries = flag.Int("queries", 6000, "random queries to answer")

// TestQueries answers random queries over random collections: every algorithm, codec and
// model of a pool, and the device if there is one, which with the build tag emu is the
// emulator.
func TestQueries(t *testing.T) {
	device := openDevice(t)
	overSeeds(t, func(seed uint64) (int, error) { return askAll(seed, device) })
}

// openDevice returns a device, which it closes when the test is done, or nil if there is none.
func openDevice(t *testing.T) *gpu.Device {
	device, err := gpu.OpenDevice()
	if errors.Is(err, gpu.ErrNoDevice) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	})
	return device
}

// overSeeds calls f with one seed after another, on all processors, until it has asked as
// many queries as the flag says.
func overSeeds(t *testing.T, f func(seed uint64) (asked int, err error)) {
	n := *queries
	if testing.Short() {
		n /= 10
	}
	var left, next atomic.Int64
	left.Store(int64(n))
	next.Store(int64(*firstSeed) - 1)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for left.Load() > 0 && !t.Failed() {
				seed := uint64(next.Add(1))
				asked, err := f(seed)
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

// askAll makes a collection and queries it.
func askAll(seed uint64, device *gpu.Device) (asked int, err error) {
	r := rand.New(rand.NewPCG(seed, 5))
	c, err := newCollection(r, DrawOptions(r, Past{Fields: r.IntN(3) == 0}))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	test := func(what string, e search.Executor, n int) {
		if e := c.ask(r, e, n); e != nil {
			err = errors.Join(err, fmt.Errorf("%s, %s: %w", what, describe(c.options), e))
		}
		asked += n
	}
	test("searcher", c.searcher, 300)
	model := pool.Model(r.IntN(4))
	workers, err := pool.New(c.searcher, pool.Options{Workers: 1 + r.IntN(4), Model: model, TaskPostings: r.IntN(2) * r.IntN(300), SpinFor: -1})
	if err != nil {
		return asked, err
	}
	defer workers.Close()
	test("pool "+model.String(), workers, 100)
	if device != nil {
		gpu, err := gpu.New(device, c.snapshot, gpu.Options{CPU: c.searcher, Memory: 64 << 20, Threshold: 1 << 18})
		if err != nil {
			return asked, err
		}
		defer gpu.Close()
		asked = 0
		test("device", gpu, 200)
	}
	return asked, err
}

// collection is a random collection, and its model.
type collection struct {
	options  writer.Options
	snapshot *reader.Snapshot
	searcher *search.Searcher
	model    model
	closers  []func() error
}

func newCollection(r *rand.Rand, o writer.Options) (_ *collection, err error) {
	c, fs := &collection{options: o}, memfs.New()
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	w, err := writer.OpenFS(context.Background(), fs, o)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, w.Close)
	docs, err := fill(r, w)
	if err != nil {
		return nil, err
	}
	x, err := reader.Open(context.Background(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, x.Close)
	if c.snapshot, err = x.Snapshot(); err != nil {
		return nil, err
	}
	c.closers = append(c.closers, c.snapshot.Close)
	seen := &observation{schema: schemaOf(w), order: orderOf(c.snapshot)}
	if err = numbered(c.snapshot, docs, seen); err != nil {
		return nil, err
	}
	p := drawParams(r)
	c.model = seen.model(p)
	c.searcher, err = search.NewSearcher(c.snapshot, search.Options{Params: p, Seek: reader.Strategy(r.IntN(3)), DenseBytes: r.IntN(3) - 1})
	if err == nil {
		c.closers = append(c.closers, c.searcher.Close)
	}
	return c, err
}

func (c *collection) close() error {
	var errs []error
	for _, f := range slices.Backward(c.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// ask draws n queries and compares the answers of e with the oracle's.
func (c *collection) ask(r *rand.Rand, e search.Executor, n int) error {
	return ask(r, e, c.model, n)
}

// filled is a document of a collection.
type filled struct {
	*document
	deleted bool
}

// fill adds random documents, in several segments, deletes some of them and commits.
func fill(r *rand.Rand, w *writer.Writer) (docs []filled, err error) {
	ctx, s := context.Background(), schemaOf(w)
	n := 1 + r.IntN(1<<(1+r.IntN(9)))
	if r.IntN(40) == 0 && s == nil {
		n += 8500 // for every part of an extent
	}
	flush := max(2, n>>r.IntN(5))
	for i := range n {
		d, id := filled{}, fmt.Sprintf("d%d", i)
		if s == nil {
			words := drawWords(r)
			d.document = &document{id: id, terms: words}
			err = w.Add(ctx, writer.Text([]byte(id), []byte(strings.Join(words, " "))))
		} else {
			d.document = newDocument(id, s, drawValues(r, s, id))
			err = w.Add(ctx, *d.doc)
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
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
			docs[d].deleted = true
			if err := w.Delete(ctx, fmt.Appendf(nil, "d%d", d)); err != nil {
				return nil, err
			}
		}
	}
	return docs, w.Commit(ctx)
}

// numbered adds the documents to o as s numbers them: those of a segment without live ones
// are gone.
func numbered(s *reader.Snapshot, docs []filled, o *observation) error {
	live := 0
	for _, d := range docs {
		if !d.deleted {
			live++
		}
	}
	for doc := range uint32(s.Stats().Docs) {
		id, err := s.AppendID(nil, doc)
		if err != nil {
			return err
		}
		i, err := strconv.Atoi(string(id[1:]))
		if err != nil {
			return err
		}
		o.add(docs[i].document, docs[i].deleted)
		if !docs[i].deleted {
			live--
		}
	}
	if live != 0 {
		return fmt.Errorf("%d live documents too few", live)
	}
	return nil
}
