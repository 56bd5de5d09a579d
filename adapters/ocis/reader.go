package ocis

import (
	"errors"
	"sync"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/search"
)

// OpenReader opens the index in a directory only to search it. Another Engine, in any process, may change it meanwhile:
// each search sees what was durable when it began. It takes no lock, and writes nothing. The directory must have an index.
func OpenReader(dir string) (*Engine, error) {
	index, err := reader.Open(dir)
	if err != nil {
		return nil, err
	}
	f := &follower{index: index}
	if err := f.view(func(view) error { return nil }); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return &Engine{shared: f}, nil
}

// follower searches an index that others change.
type follower struct {
	index *reader.Index

	mu  sync.Mutex
	cur *moment // of the newest commit that was seen; nil before the first, and once closed
}

// moment is the index at one commit. It closes when nobody uses it any more.
type moment struct {
	snapshot *reader.Snapshot
	finder   *query.Searcher
	searcher *search.Searcher
	users    int // guarded by follower.mu
}

// view calls f with the newest commit.
func (w *follower) view(f func(view) error) error {
	m, err := w.hold()
	if err != nil {
		return err
	}
	err = f(view{m.snapshot, m.searcher.Search})
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(err, w.release(m))
}

// hold returns the newest commit, which the caller releases.
func (w *follower) hold() (*moment, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed, err := w.index.Refresh()
	if err != nil {
		return nil, err
	}
	if changed || w.cur == nil {
		next, err := w.open()
		if err != nil {
			return nil, err
		}
		old := w.cur
		w.cur = next
		if err := w.release(old); err != nil {
			return nil, err
		}
	}
	w.cur.users++
	return w.cur, nil
}

// open returns the newest commit with one user.
func (w *follower) open() (*moment, error) {
	snapshot, err := w.index.Snapshot()
	if err != nil {
		return nil, err
	}
	m := &moment{snapshot: snapshot, users: 1}
	if m.finder, err = query.NewSearcher(snapshot, query.Options{}); err == nil {
		m.searcher, err = search.New(snapshot, m.finder)
	}
	if err != nil {
		return nil, errors.Join(err, w.release(m))
	}
	return m, nil
}

// release takes a user from m, which may be nil. The caller holds w.mu.
func (w *follower) release(m *moment) error {
	if m == nil {
		return nil
	}
	if m.users--; m.users > 0 {
		return nil
	}
	var errs []error
	if m.searcher != nil {
		errs = append(errs, m.searcher.Close())
	}
	if m.finder != nil {
		errs = append(errs, m.finder.Close())
	}
	return errors.Join(append(errs, m.snapshot.Close())...)
}

// close closes the index. Searches under way go on.
func (w *follower) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.release(w.cur)
	w.cur = nil
	return errors.Join(err, w.index.Close())
}
