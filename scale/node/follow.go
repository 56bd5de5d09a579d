package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/httpapi"
)

// mapPause is how often a Router asks for the map, beside being told of its changes: of one that was made anew after its servers
// were lost, nobody tells.
const mapPause = time.Second

// watched is the map of a Router.
type watched struct {
	jetstream.KeyValue
	watcher jetstream.KeyWatcher
}

// open begins to watch the map. The error matches ErrNoMap if there is none.
func (r *Router) open(ctx context.Context) (*watched, error) {
	kv, err := bucketOf(ctx, r.nc, r.o.Collection, 0)
	if err != nil {
		return nil, err
	}
	w, err := kv.Watch(context.Background(), keyOfMap)
	if err != nil {
		return nil, fmt.Errorf("shard map of %q: %w", r.o.Collection, err)
	}
	return &watched{kv, w}, nil
}

// watch follows the map until ctx is done. w is nil if there is none yet.
func (r *Router) watch(ctx context.Context, w *watched) {
	defer r.done.Done()
	told := sync.OnceFunc(func() { close(r.told) })
	if w == nil {
		told = func() {}
	}
	end := func() {
		if w != nil {
			w.watcher.Stop() // an error says that no server forgets the watcher right now; it does by itself
		}
		w = nil
	}
	defer func() { end() }()
	t := time.NewTicker(mapPause)
	defer t.Stop()
	for {
		var updates <-chan jetstream.KeyValueEntry
		if w != nil {
			updates = w.watcher.Updates()
		}
		select {
		case <-ctx.Done():
			return
		case e, ok := <-updates:
			switch {
			case !ok:
				end()
			case e == nil: // what follows are changes
				told()
			default:
				r.see(e)
			}
		case <-t.C:
			if w != nil {
				e, err := w.Get(ctx, keyOfMap)
				if err == nil && !r.see(e) || errors.Is(err, jetstream.ErrKeyNotFound) {
					continue
				}
				end() // the map is another one, or cannot be read
			}
			w, _ = r.open(ctx) // after an error the next tick tries again
		}
	}
}

// see goes on with an entry of the bucket, unless it has been seen. It reports whether the map is another one than before, made
// anew.
func (r *Router) see(e jetstream.KeyValueEntry) (anew bool) {
	if e.Operation() != jetstream.KeyValuePut {
		return false
	}
	var m Map
	if err := json.Unmarshal(e.Value(), &m); err != nil {
		err = fmt.Errorf("shard map: %w", err)
		r.failure.Store(&err)
		return false
	}
	if m.ID == r.seen.id && e.Revision() <= r.seen.revision { // what keeps a copy may be late
		return false
	}
	anew = m.ID != r.seen.id && r.seen.revision > 0
	r.seen.id, r.seen.revision = m.ID, e.Revision()
	v, err := newView(m, e.Revision())
	r.failure.Store(&err)
	if err != nil {
		return anew // the view before goes on, as long as nodes have it
	}
	if old := r.view.Load(); old != nil {
		v.number = old.number
	}
	v.number++
	r.view.Store(v)
	r.mu.Lock()
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
	return anew
}

// probed is what Probe found.
type probed struct {
	mu   sync.Mutex
	done time.Time
	err  error
}

// Probe returns an error unless the map has a commit of each shard, and a node answers for it. It implements httpapi.Prober; what it
// found holds for a second.
func (r *Router) Probe(ctx context.Context) error {
	p := &r.probed
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.done.IsZero() && time.Since(p.done) < mapPause {
		return p.err
	}
	err := r.probe(ctx)
	if err == nil || ctx.Err() == nil { // otherwise it says nothing to others
		p.err, p.done = err, time.Now()
	}
	return err
}

func (r *Router) probe(ctx context.Context) error {
	if err := r.failure.Load(); err != nil && *err != nil {
		return unavailable(*err)
	}
	ctx, cancel, timeout := r.within(ctx)
	defer cancel()
	for {
		v, err := r.newest()
		if err != nil {
			return err
		}
		q, err := r.question(ctx, state{v, timeout, new(Observation)}, httpapi.Request{Query: "*"}, false)
		if err == nil {
			err = q.ask(askCount, nil, func(int, []byte) error { return nil })
		}
		if err == nil || ctx.Err() != nil || r.view.Load() == v {
			return err
		}
	}
}
