package writer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// merges are the merges in the background. All fields but running, opts and limit belong
// to the absorber.
type merges struct {
	running sync.WaitGroup
	opts    Options // their part of memory and threads
	limit   limiter

	plans  []*plan       // in the order in which they were made
	paused bool          // by an error, until something changes
	err    error         // the last one, until it was returned or merging went on
	told   bool          // err was returned by WaitMerges
	change chan struct{} // closed when a merge ends
}

// mergeShare is the part of the memory budget that one merge in the background uses. Two
// may run at a time.
const mergeShare = 4

func (m *merges) start(o *Options) {
	m.opts = *o
	m.opts.Memory, m.opts.Threads = o.Memory/mergeShare, o.MergeThreads
	m.limit.rate = o.MergeRate
	m.change = make(chan struct{})
}

// resume lets merges that failed be tried again, and forgets an error that was returned.
func (m *merges) resume() {
	m.paused = false
	if m.told {
		m.err, m.told = nil, false
	}
}

// unreported returns the error that no call has returned yet.
func (m *merges) unreported() error {
	if m.told {
		return nil
	}
	return m.err
}

// planMerges asks the policy which segments to merge and begins merges. The caller is the
// absorber and has just committed or published. removed says that segments were dropped.
func (w scheduling) planMerges(removed bool) {
	m := &w.merges
	before := len(m.plans)
	for entries := w.entries(); len(entries) > 0; {
		n := slices.IndexFunc(entries, func(e entry) bool { return e.segments[0].damaged })
		if n == 0 {
			entries = entries[1:]
			continue
		}
		if n < 0 {
			n = len(entries)
		}
		stats := make([]SegmentStats, n)
		for i, e := range entries[:n] {
			stats[i] = e.stats
		}
		runs, err := askPolicy(w.opts.MergePolicy, stats)
		if err != nil {
			w.mergeFailed(err)
			break // merges that are planned begin nevertheless
		}
		for _, r := range runs {
			w.addPlan(entries[r.From : r.From+r.Segments])
		}
		entries = entries[n:]
	}
	if removed || len(m.plans) > before {
		m.resume()
	}
	w.beginMerges()
}

// beginMerges begins merges that can run, the smallest first: one, and beside it one that
// differs much in size.
func (w scheduling) beginMerges() {
	m := &w.merges
	if m.paused || w.pipe.failure() != nil {
		return
	}
	var ready, running []*plan
	seen := map[*liveSegment]bool{} // merged by an earlier plan
	for _, p := range m.plans {
		waits := slices.ContainsFunc(p.segments, func(s *liveSegment) bool { return seen[s] })
		switch {
		case p.cancel != nil:
			running = append(running, p)
		case !waits:
			ready = append(ready, p)
		}
		for _, s := range p.segments {
			seen[s] = true
		}
	}
	slices.SortStableFunc(ready, func(a, b *plan) int {
		if a.size() < b.size() {
			return -1
		}
		return 1
	})
	for _, p := range ready {
		switch {
		case len(running) == 0:
		case len(running) == 1 && (p.size()*4 < running[0].size() || p.size() > running[0].size()*4):
		default:
			continue
		}
		w.begin(p)
		running = append(running, p)
	}
}

// begin merges what p wants in a goroutine of its own.
func (w scheduling) begin(p *plan) {
	ctx, cancel := context.WithCancel(w.pipe.ctx)
	p.cancel = cancel
	inputs := slices.Clone(p.segments)
	sources := make([]*liveSegment, len(inputs))
	p.read = nil
	for i, s := range inputs {
		s.users++
		c := *s
		c.deletes = p.purge[i].docs
		c.seg = c.saved // what is not written is not merged either: another commit may be the one that is kept
		p.read = append(p.read, read{c.seg, c.info.ValuesFile})
		sources[i] = &c
	}
	of := share{&w.merges.opts, w.opts.Schema, w.order, func(n int) error { return w.merges.limit.wait(ctx, n) }}
	w.merges.running.Go(func() {
		defer cancel()
		s, stats, err := merging(w).merge(ctx, sources, of)
		w.pipe.between(func() error {
			defer func() {
				for _, s := range inputs {
					w.release(s)
				}
			}()
			return w.endMerge(p, s, stats, err)
		})
	})
}

// endMerge installs s, the result of p, which took what stats say, or handles the error. An error that it returns
// ends the Writer.
func (w scheduling) endMerge(p *plan, s *liveSegment, stats MergeStats, err error) error {
	m := &w.merges
	defer func() {
		close(m.change)
		m.change = make(chan struct{})
	}()
	p.cancel = nil
	if !slices.Contains(m.plans, p) || w.pipe.failure() != nil {
		if s != nil {
			w.drop(s)
		}
	} else {
		if err == nil {
			if err = w.install(p, s); err != nil {
				w.drop(s)
			}
		}
		switch {
		case errors.Is(err, store.ErrUncertain):
			return err
		case err != nil:
			m.paused = !w.setAside(p, err)
			w.mergeFailed(fmt.Errorf("merging segments, %d of them in the background: %w", len(p.segments), err))
		default:
			m.resume() // files were removed
			if f := w.opts.Merged; f != nil {
				f(stats)
			}
		}
	}
	w.beginMerges()
	return nil
}

// setAside excludes a segment of p from merging if err says that it is damaged, and
// reports whether it does.
func (w scheduling) setAside(p *plan, err error) bool {
	var e *format.Error
	if !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) {
		return false
	}
	for _, s := range p.segments {
		if e.File == s.seg.Name() || s.info.ValuesFile > 0 && e.File == indexdir.ValuesName(s.info.ValuesFile) {
			s.damaged = true
			w.cancelPlans([]*liveSegment{s})
			return true
		}
	}
	return false
}

// mergeFailed records an error.
func (w scheduling) mergeFailed(err error) {
	w.merges.err, w.merges.told = err, false
	if f := w.opts.MergeFailed; f != nil {
		f(err)
	}
}

// install puts s, the result of p, in the place of its inputs: in the newest commit, by
// another one, if all of them are there; in what is published; and in what the next commit
// will hold. Documents deleted since p was made are deleted in s, and values that were changed since it began are changed there. A commit that lacks a change
// of the schema keeps the inputs: s may have fields that it does not know, or lack some.
func (w scheduling) install(p *plan, s *liveSegment) error {
	m, published := w.lock.Manifest(), w.lock.Published()
	p.moves, s.moves = s.moves, nil
	committed, shown := false, false
	var made []uint64 // files
	var err error
	if m.Schema.Equal(w.opts.Schema) && m.Order == w.order {
		committed, err = w.substitute(m, p, s, &made)
	}
	if err == nil && published != nil && published.Order == w.order {
		shown, err = w.substitute(published, p, s, &made)
	}
	var values *segment.Segment
	if err == nil { // before anything is replaced
		values, err = w.carryValues(p, s.seg, func(i int) (*segment.Segment, *docset.Bits) { return p.segments[i].seg, p.segments[i].deletes })
	}
	switch {
	case err != nil:
	case committed:
		err = w.lock.CommitAndPublish(m, published)
	case shown:
		err = w.lock.Publish(published)
	}
	if err != nil {
		for _, num := range made {
			w.lock.Discard(num)
		}
		return err
	}
	if committed {
		s.ours = false
	} else {
		w.changed = true
	}
	now := make([]*docset.Bits, len(p.segments))
	for i, old := range p.segments {
		now[i] = old.deletes
	}
	written := s.deleted()
	s.deletes = p.remap(now)
	s.dirty = s.deleted() != written
	s.seg = values
	if same, err := sameChanges(s.seg, s.saved); err == nil && same {
		s.seg = s.saved
	}
	for _, old := range w.donePlan(p, s) {
		w.drop(old)
	}
	return nil
}

// substitute puts s, the result of p, in the place of its inputs in m, with the documents
// deleted that m says are. It changes nothing and returns false unless all inputs are in m,
// one after the other, what p left out is deleted there too, and the values that p has read are there.
// made gets the numbers of files that are written.
func (w scheduling) substitute(m *indexdir.Manifest, p *plan, s *liveSegment, made *[]uint64) (bool, error) {
	at := slices.IndexFunc(m.Segments, func(i indexdir.SegmentInfo) bool { return i.File == p.segments[0].info.File })
	if at < 0 || len(m.Segments)-at < len(p.segments) {
		return false, nil
	}
	for i, old := range p.segments {
		if m.Segments[at+i].File != old.info.File {
			return false, nil
		}
	}
	deletes := make([]*docset.Bits, len(p.segments))
	values := make([]*segment.Segment, len(p.segments))
	for i, old := range p.segments {
		info := &m.Segments[at+i]
		deletes[i] = old.deletes
		if old.dirty || info.DeletesFile != old.info.DeletesFile {
			var err error
			if deletes[i], err = readDeletes(w.dir, info); err != nil {
				return false, err
			}
		}
		if !deletes[i].HasAll(p.purge[i].docs) || info.ValuesFile < p.read[i].values {
			return false, nil
		}
		values[i] = old.saved
		if info.ValuesFile != old.info.ValuesFile {
			var err error
			if values[i], err = w.lock.WithValues(info, old.seg); err != nil {
				return false, err
			}
		}
	}
	s.info.ForgetDeletes()
	if s.deletes = p.remap(deletes); s.deletes.Len() > 0 {
		if err := s.writeDeletes(w.lock); err != nil {
			return false, err
		}
		*made = append(*made, s.info.DeletesFile)
	}
	carried, err := w.carryValues(p, s.seg, func(i int) (*segment.Segment, *docset.Bits) { return values[i], deletes[i] })
	if err != nil {
		return false, err
	}
	s.seg, s.saved = carried, nil
	if err := s.writeValues(w.lock); err != nil {
		return false, err
	}
	if s.info.ValuesFile != 0 {
		*made = append(*made, s.info.ValuesFile)
	}
	m.Segments = slices.Replace(m.Segments, at, at+len(p.segments), s.info)
	return true, nil
}

// WaitMerges waits until all merges that were planned are done and committed. It returns
// the error of a merge that failed; those that depend on it are tried again after a commit
// that plans further merges or drops segments, or when other merges have removed files.
func (w *Writer) WaitMerges(ctx context.Context) error {
	ctx = orBackground(ctx)
	for {
		if err := w.pipe.enter(ctx, 0); err != nil {
			return err
		}
		m := &w.merges
		err, change := m.err, m.change
		done := m.paused
		for _, p := range m.plans {
			done = done && p.cancel == nil
		}
		done = done || len(m.plans) == 0
		if done && err != nil {
			if m.told = true; !m.paused {
				m.err = nil
			}
		}
		w.pipe.release()
		if done {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		case <-w.pipe.ctx.Done():
			return w.pipe.failure()
		}
	}
}
