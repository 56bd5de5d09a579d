package node

import (
	"context"
	"sync"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Executor finds what a View would, on a GPU, say: a gpuload.Executor is one. Close waits for calls under way; later ones fail with
// query.ErrClosed.
type Executor interface {
	pinion.PartExecutor
	Close() error
}

// mostExecutors is how many Executors of a Node are open: memory of a device is scarce. Searches of an older state of the
// shards are the CPU's.
const mostExecutors = 2

// device opens Executors, one for each state of all shards that a commit is searched as a part of.
type device struct {
	make   func(context.Context, *reader.Snapshot, query.Collection) (Executor, error)
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

// begin makes an Executor for s, behind the searches, which the CPU answers meanwhile. x.mu must be held.
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
		e, err := d.make(d.ctx, x.snapshot, s.of)
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
		(*e).Close() // a device that fails leaves its queries to the CPU
	}
}

// Execute makes s a pinion.PartExecutor. A node asks it only for parts.
func (s *searching) Execute(_ context.Context, _ *reader.Snapshot, requests []pinion.Request) ([]*pinion.Page, error) {
	return make([]*pinion.Page, len(requests)), nil
}

// ExecutePart is that of the Executor, if there is one.
func (s *searching) ExecutePart(ctx context.Context, of *reader.Snapshot, r pinion.Request, p pinion.Part) (*pinion.Page, error) {
	if e := s.executor.Load(); e != nil {
		return (*e).ExecutePart(ctx, of, r, p)
	}
	return nil, nil
}
