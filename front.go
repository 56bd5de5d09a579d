package pinion

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// front answers the searches of an Index or a Reader.
type front struct {
	r        *reader.Index
	cache    *cache
	params   query.Params
	executor Executor      // or nil
	slow     time.Duration // of a search that observe is told of
	observe  func(Event)   // or nil
	embeds   []*embedder

	observing sync.Mutex // held while observe runs
	seeing    sync.Mutex
	cur       *state // what searches see; nil once closed
	left      bool   // closed: cur stays nil
}

// view calls f with the newest state.
func (x *front) view(f func(*View) error) error {
	if f == nil {
		return ErrInvalid
	}
	s := x.hold()
	if s == nil {
		return errClosed
	}
	defer s.release()
	return f(&View{f: x, s: s})
}

// state is what searches see. It is closed when nothing uses it any more.
type state struct {
	number   uint64 // of its kind, from 1
	snapshot *reader.Snapshot
	users    atomic.Int64

	mu    sync.Mutex
	pages *pager // made by the first search
}

// hold returns the newest state, which the caller releases, or nil if x is closed.
func (x *front) hold() *state {
	x.seeing.Lock()
	defer x.seeing.Unlock()
	if x.cur == nil {
		return nil
	}
	x.cur.users.Add(1)
	return x.cur
}

func (s *state) release() {
	if s.users.Add(-1) > 0 {
		return
	}
	if s.pages != nil {
		s.pages.close()
	}
	s.snapshot.Close()
}

// open returns what makes the pages of s.
func (s *state) open(x *front) (*pager, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages != nil {
		return s.pages, nil
	}
	pages, err := newPager(s.snapshot, x.executor)
	if err != nil {
		return nil, err
	}
	pages.params, pages.failed = x.params, func(err error) { x.report(EventExecutor, 0, err) }
	if _, err := pages.searcher(); err != nil {
		return nil, errors.Join(err, pages.close())
	}
	s.pages = pages
	return pages, nil
}

// advance goes on to what refresh, which is reader.Index.Refresh or RefreshUncommitted, finds. It reports whether there was
// something new. One call runs at a time, beside leave.
func (x *front) advance(ctx context.Context, refresh func(context.Context) (bool, error)) (changed bool, err error) {
	changed, err = refresh(ctx)
	if err != nil || !changed && !x.sees(nil) {
		return false, err
	}
	snapshot, err := x.r.Snapshot()
	if err != nil {
		return false, err
	}
	next := &state{number: 1, snapshot: snapshot}
	next.users.Store(1)
	x.seeing.Lock()
	if x.left {
		x.seeing.Unlock()
		next.release()
		return false, errClosed
	}
	old := x.cur
	if old != nil {
		next.number = old.number + 1
	}
	x.cur = next
	x.seeing.Unlock()
	x.cache.forget(next.number)
	if old != nil {
		old.release()
	}
	return true, nil
}

// leave lets no more searches begin.
func (x *front) leave() {
	x.seeing.Lock()
	cur := x.cur
	x.cur, x.left = nil, true
	x.seeing.Unlock()
	if cur != nil {
		cur.release()
	}
}
