package pinion

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/search"
)

// View is the index as it is at one moment. It does not change while it is in use.
type View struct {
	x *Index
	s *state
}

// Snapshot returns the snapshot, which the caller does not close.
func (v *View) Snapshot() *reader.Snapshot { return v.s.snapshot }

// Searcher returns a searcher over the snapshot, which the caller does not close.
func (v *View) Searcher() (*query.Searcher, error) {
	if _, err := v.s.open(v.x); err != nil {
		v.x.damaged(err)
		return nil, err
	}
	return v.s.finder, nil
}

// View calls f with the newest state, which stays open and as it is until f returns: pages
// and counts that belong together see the same documents.
func (x *Index) View(f func(*View) error) error {
	if f == nil {
		return ErrInvalid
	}
	s := x.hold()
	if s == nil {
		return ErrClosed
	}
	defer s.release()
	return f(&View{x, s})
}

// Search returns the page that r asks for, of the newest state. Pages may come from a cache, so
// they must not be modified.
func (x *Index) Search(ctx context.Context, r Request) (page Page, err error) {
	err = x.View(func(v *View) error {
		page, err = v.Search(ctx, r)
		return err
	})
	return page, err
}

// Search returns the page that r asks for, as Index.Search does.
func (v *View) Search(ctx context.Context, r Request) (Page, error) {
	k := key(&r)
	if p, ok := v.x.cache.get(v.s.number, k); ok {
		return p, nil
	}
	began := time.Now()
	s, err := v.s.open(v.x)
	if err != nil {
		v.x.damaged(err)
		return Page{}, err
	}
	p, err := s.Search(orBackground(ctx), r)
	if took := time.Since(began); v.x.o.Slow > 0 && took >= v.x.o.Slow {
		v.x.tell(Event{Kind: EventSlow, Took: took, Commit: v.s.snapshot.Generation(), Docs: v.s.snapshot.Stats().Live, Request: &r, Err: err})
	}
	if err != nil {
		v.x.damaged(err)
		return Page{}, err
	}
	v.x.cache.put(v.s.number, k, p)
	return p, nil
}

// state is what searches see. It is closed when nothing uses it any more.
type state struct {
	number   uint64 // of its kind, from 1
	snapshot *reader.Snapshot
	users    atomic.Int64

	mu       sync.Mutex
	finder   *query.Searcher // made by the first search
	searcher *search.Searcher
}

// hold returns the newest state, which the caller releases, or nil if x is closed.
func (x *Index) hold() *state {
	x.mu.Lock()
	defer x.mu.Unlock()
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
	if s.searcher != nil {
		s.searcher.Close()
		s.finder.Close()
	}
	s.snapshot.Close()
}

// open returns the searcher of s.
func (s *state) open(x *Index) (*search.Searcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.searcher != nil {
		return s.searcher, nil
	}
	finder, err := query.NewSearcher(s.snapshot, query.Options{Params: x.o.Params})
	if err != nil {
		return nil, err
	}
	searcher, err := search.New(s.snapshot, finder)
	if err != nil {
		return nil, errors.Join(err, finder.Close())
	}
	s.finder, s.searcher = finder, searcher
	return searcher, nil
}

// advance goes on to what was published or committed last. It reports whether there was
// something new.
func (x *Index) advance() (changed bool, err error) {
	changed, err = x.r.RefreshUncommitted()
	if err != nil || !changed && x.cur != nil {
		return false, err
	}
	snapshot, err := x.r.Snapshot()
	if err != nil {
		return false, err
	}
	next := &state{number: 1, snapshot: snapshot}
	next.users.Store(1)
	x.mu.Lock()
	old := x.cur
	if old != nil {
		next.number = old.number + 1
	}
	x.cur = next
	x.mu.Unlock()
	x.cache.forget(next.number)
	if old != nil {
		old.release()
	}
	return true, nil
}
