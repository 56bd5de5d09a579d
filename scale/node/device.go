package node

import (
	"context"
	"errors"
	"sync"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Executor answers searches in place of a Searcher, such as a gpuload.Executor or hybrid.Executor on a GPU. Close waits for
// calls under way; later ones fail with query.ErrClosed.
type Executor interface {
	query.Executor
	Close() error
}

// mostExecutors is how many Executors of a Node are open: memory of a device is scarce. Searches of an older state of the
// shards are the Searcher's.
const mostExecutors = 2

// device opens Executors, one for each state of all shards that a commit is searched as a part of.
type device struct {
	make   func(context.Context, *reader.Snapshot, *query.Searcher) (Executor, error)
	failed func(error)
	ctx    context.Context // until end
	cancel context.CancelFunc

	making sync.Mutex   // held while an Executor is made; guards open
	open   []*searching // that have had one, the newest last
	done   sync.WaitGroup
}

func newDevice(o Options) *device {
	d := &device{make: o.Executor, failed: o.Failed}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// end waits until no Executor is being made. Those that are open are closed with the commits.
func (d *device) end() {
	d.cancel()
	d.done.Wait()
}

// begin makes an Executor for s, behind the searches, which its Searcher answers meanwhile. x.mu must be held.
func (d *device) begin(x *commit, s *searching) {
	x.users++
	s.users++
	d.done.Go(func() {
		defer x.release()
		defer x.leave(s)
		d.making.Lock()
		defer d.making.Unlock()
		for len(d.open) >= mostExecutors {
			d.open[0].drop()
			d.open = d.open[1:]
		}
		e, err := d.make(d.ctx, x.snapshot, s.searcher)
		if err != nil {
			if d.failed != nil && d.ctx.Err() == nil {
				d.failed(err)
			}
			return
		}
		s.executor.Store(&e)
		d.open = append(d.open, s)
	})
}

// drop closes the Executor, if there is one.
func (s *searching) drop() {
	if e := s.executor.Swap(nil); e != nil {
		(*e).Close() // a device that fails leaves its queries to the Searcher
	}
}

// search answers a query.
func (s *searching) search(ctx context.Context, q query.Query) (query.Result, error) {
	if e := s.executor.Load(); e != nil {
		r, err := (*e).Execute(ctx, []query.Query{q})
		if err == nil {
			return r[0], nil
		}
		if !errors.Is(err, query.ErrClosed) {
			var n *query.NumberError
			if errors.As(err, &n) {
				err = n.Err
			}
			return query.Result{}, err
		}
	}
	return s.searcher.Search(ctx, q)
}
