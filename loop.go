package pinion

import (
	"context"
	"time"
)

// nudge wakes the loop. merged says that files have changed.
func (x *Index) nudge(merged bool) {
	if merged {
		x.mu.Lock()
		x.merged = true
		x.mu.Unlock()
	}
	select {
	case x.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// task is what the loop does next.
type task uint8

const (
	idle    task = iota
	refresh      // go on to what a merge made
	publish      // and publish before
	commit       // or commit
	last         // commit what is left, and end
)

// run publishes and commits in time until the index closes.
func (x *Index) run() {
	defer close(x.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		t, wait := x.next(time.Now())
		switch t {
		case idle:
			if wait >= 0 {
				timer.Reset(wait)
			}
			select {
			case <-x.wake:
			case <-timer.C:
			}
			timer.Stop()
		case last:
			x.end()
			return
		default:
			x.do(t)
		}
	}
}

// next returns what is to be done now, or for how long nothing is: for ever if wait is
// negative.
func (x *Index) next(now time.Time) (t task, wait time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	due := func(by time.Time) bool { return !by.IsZero() && !by.After(now) }
	switch {
	case x.closing:
		return last, 0
	case x.err != nil:
		return idle, -1
	case due(x.keepBy):
		return commit, 0
	case due(x.showBy):
		return publish, 0
	case x.merged:
		return refresh, 0
	}
	wait = -1
	for _, by := range []time.Time{x.keepBy, x.showBy} {
		if d := by.Sub(now); !by.IsZero() && (wait < 0 || d < wait) {
			wait = d
		}
	}
	return idle, wait
}

// do publishes, commits or refreshes.
func (x *Index) do(t task) {
	x.mu.Lock()
	n := x.writes
	x.showBy, x.merged = time.Time{}, false
	if t == commit {
		x.keepBy = time.Time{}
	}
	if t == refresh {
		n = x.shown
	}
	x.mu.Unlock()
	began := time.Now()
	var err error
	switch t {
	case publish:
		err = x.w.Publish(context.Background())
	case commit:
		err = x.w.Commit(context.Background())
	}
	wrote := time.Since(began)
	broken := err != nil // the writer is
	changed := false
	if err == nil {
		changed, err = x.advance()
	}
	took := time.Since(began)
	x.mu.Lock()
	if t != refresh {
		x.took = took
	}
	switch {
	case broken:
		x.err = err
	case err == nil:
		x.shown = max(x.shown, n)
	}
	if !broken && t == commit {
		x.kept = max(x.kept, n)
	}
	x.broadcast()
	x.mu.Unlock()
	if x.o.Observe == nil {
		return
	}
	if broken {
		x.report(kinds[t], wrote, err)
		return
	}
	if t != refresh && (changed || t == commit) {
		x.report(kinds[t], wrote, nil)
	}
	if changed || err != nil {
		x.report(EventRefresh, took-wrote, err)
	}
}

var kinds = [...]EventKind{publish: EventPublish, commit: EventCommit}

// report tells of an event.
func (x *Index) report(k EventKind, took time.Duration, err error) {
	e := Event{Kind: k, Took: took, Err: err}
	if s := x.hold(); s != nil {
		e.Commit, e.Docs = s.snapshot.Generation(), s.snapshot.Stats().Live
		s.release()
	}
	x.tell(e)
	x.damaged(err)
}

// end commits what is left.
func (x *Index) end() {
	x.mu.Lock()
	left := x.err == nil && x.kept < x.writes
	n := x.writes
	x.mu.Unlock()
	if !left {
		return
	}
	began := time.Now()
	err := x.w.Commit(context.Background())
	x.mu.Lock()
	if x.err = err; err == nil {
		x.shown, x.kept = n, n
	}
	x.mu.Unlock()
	x.report(EventCommit, time.Since(began), err)
}
