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
	show, keep := begin(x.unshown, x.o.Visible, x.showing), begin(x.unkept, x.o.Durable, x.keeping)
	if x.o.Visible == 0 && x.wanted <= x.tried { // no search waits
		show = time.Time{}
	}
	due := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
	switch {
	case x.closing:
		return last, 0
	case x.err != nil:
		return idle, -1
	case due(keep), due(show) && !keep.IsZero() && keep.Before(now.Add(x.showing)): // a publication would end too late
		return commit, 0
	case due(show):
		return publish, 0
	case x.merged:
		return refresh, 0
	}
	wait = -1
	for _, at := range []time.Time{keep, show} {
		if d := at.Sub(now); !at.IsZero() && (wait < 0 || d < wait) {
			wait = d
		}
	}
	return idle, wait
}

// begin returns when what a write is promised within some time begins, if it took that long the last time: so early that
// it may take twice as long. It is zero if there is no write.
func begin(write time.Time, within, took time.Duration) time.Time {
	if write.IsZero() {
		return write
	}
	return write.Add(max(within-2*took, 0))
}

// do publishes, commits or refreshes.
func (x *Index) do(t task) {
	x.mu.Lock()
	n := x.writes
	x.merged = false
	switch t {
	case refresh:
		n = x.tried
	case publish:
		x.unshown = time.Time{}
	case commit:
		x.unshown, x.unkept = time.Time{}, time.Time{}
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
		changed, err = x.advance(context.Background(), x.r.RefreshUncommitted)
	}
	took := time.Since(began)
	x.mu.Lock()
	switch t {
	case publish:
		x.showing = took
	case commit:
		x.keeping = wrote
	}
	if broken {
		x.err = err
	}
	if !broken && t == commit {
		x.kept = max(x.kept, n)
	}
	x.tried = max(x.tried, n)
	x.broadcast()
	x.mu.Unlock()
	if x.observe == nil {
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
		x.tried, x.kept = n, n
	}
	x.mu.Unlock()
	x.report(EventCommit, time.Since(began), err)
}
