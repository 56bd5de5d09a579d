package engine

import (
	"cmp"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// Worker executes queries, tasks and batches, one at a time. The hits of a query's tasks stay with it until
// Collect.
type Worker struct {
	engine *Tasks
	run    execution
	last   attached
	holds  bool // run.Top has hits that are not collected yet

	sink Sink   // of the current task; nil: matches are scored at once
	next *Batch // being filled
}

// attached identifies the lists that a Worker has open: those of a pass over a segment. They
// are at document hi or before it.
type attached struct {
	query   *Shared
	use     uint64
	pass    int
	segment int
	hi      uint32
}

// Forget drops all references to the last query.
func (w *Worker) Forget() {
	w.last = attached{}
	w.run.terms, w.run.Names = nil, nil // the lead's, which others may still read
	w.run.forget()
	if !w.holds && w.run.large() {
		w.run = execution{}
	}
}

// guard runs work, which uses w's run, and turns a fault into an error. A fault leaves the run in
// an unknown state, so that w gets a new one.
func (w *Worker) guard(work func() error) (err error) {
	done := false
	defer func() {
		w.run.blame(&err)
		if !done {
			w.run, w.last, w.holds, w.next = execution{}, attached{}, false, nil
		}
	}()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	err = work()
	done = true
	return err
}

// Answer executes a whole query, unless it has failed. Resolve must not have been called.
func (w *Worker) Answer(x *Shared) error {
	if x.Failed() {
		return nil
	}
	return w.guard(func() error {
		w.run.begin(x.ctx, x.s, &x.lead.q)
		w.run.scanning = x.scanning
		if err := (resolving{&w.run}).resolve(); err != nil {
			return err
		}
		err := w.run.compute()
		x.top.Take(&w.run.Top)
		x.total, x.extra = w.run.total, w.run.extra
		w.run.forget()
		return err
	})
}

// Do executes a task. It offers the matches of a conjunction to s, unless s is nil.
func (w *Worker) Do(x *Shared, t Task, s Sink) error {
	return w.guard(func() error {
		if !x.Scored() {
			return w.doColumns(x, t)
		}
		return w.do(x, t, s)
	})
}

func (w *Worker) do(x *Shared, t Task, s Sink) error {
	r := &w.run
	w.next, r.Later = nil, nil
	if !w.attach(x, t.Segment, t.Lo) {
		return r.Err
	}
	r.Within(t.Lo, t.Hi)
	if s != nil && x.conjunctive && (t.Lo > 0 || t.Hi < posting.End) {
		w.sink, r.Later = s, w
	}
	r.Execute(r.Run.Plan(x.conjunctive))
	r.Err = cmp.Or(r.Err, r.tieError())
	if b := w.next; b != nil { // too few for a batch
		w.next = nil
		if r.Err == nil {
			r.ScoreMatches(&b.matches)
		}
		w.engine.batches.Put(b)
	}
	w.last.hi = t.Hi
	if r.Err != nil {
		w.last = attached{}
	}
	return r.Err
}

// attach makes w's run ready for a task of x that begins at document lo of a segment. Lists that an
// earlier task of the pass left before lo stay open.
func (w *Worker) attach(x *Shared, segment int, lo uint32) bool {
	r := &w.run
	ok := true
	if !w.holds {
		w.holds = true
		r.Top.Reset(x.top.K, x.lead.addends())
		r.Partial.Reset(x.top.K)
		r.Top.Shared = &x.theta
		if x.lead.Static != nil { // Top knows what they add from entering a segment on
			w.last = attached{}
		}
	}
	if a := w.last; a.query != x || a.use != x.use || a.pass != x.pass || a.segment != segment || a.hi > lo {
		w.last = attached{x, x.use, x.pass, segment, 0}
		w.join(x)
		ok = r.enter(segment, x.conjunctive)
	}
	r.Top.Sync()
	return ok
}

// join makes w's run one of x, whose terms are resolved.
func (w *Worker) join(x *Shared) {
	r, l := &w.run, &x.lead
	r.begin(x.ctx, x.s, &l.q)
	r.lead, r.bound = l, l.bound
	r.Halt, r.terms, r.Names, r.Postings, r.Tree = &x.halt, l.terms, l.Names, l.Postings, l.Tree
	r.Sets, r.Static = l.Sets, l.Static
	if l.tied() {
		r.tie()
	}
	if c := l.columnar; l.q.Columns != nil && c.plan.Collapse != nil && x.kind == scored {
		r.below(c.groups.next)
	}
}

// Collect adds the hits of the tasks done since the last Collect to their query, which must be the same for all of
// them.
func (w *Worker) Collect(x *Shared) {
	if w.holds {
		w.holds = false
		x.collect(&w.run.Top)
	}
}

// batchSize is how many documents make a batch. Fewer are scored where they were found.
const batchSize = 256

// Postpone adds matches to a batch and reports true, unless scoring them at once is better: while
// there is no threshold to skip blocks with, and while the sink does not want them.
func (w *Worker) Postpone(m *algorithm.Matches, lists int) bool {
	if w.run.Top.Prune < 0 || !w.sink.Wanted() {
		return false
	}
	if w.next == nil {
		w.next = w.engine.batch(w.last.segment, lists)
	}
	b := w.next
	all := &b.matches
	all.Append(m, lists)
	if len(all.Docs) < batchSize {
		return true
	}
	w.next = nil
	if !w.sink.Take(b) {
		w.run.ScoreMatches(all)
		w.engine.batches.Put(b)
	}
	return true
}

// Score scores a batch and adds its hits to the query.
func (w *Worker) Score(x *Shared, b *Batch) error {
	return w.guard(func() error { return w.score(x, b) })
}

func (w *Worker) score(x *Shared, b *Batch) error {
	r := &w.run
	defer func() { w.holds = false }()
	if !w.attach(x, b.segment, posting.End) || !r.Open(len(r.Lists)) {
		w.last = attached{}
		return r.Err
	}
	r.ScoreMatches(&b.matches)
	r.Err = cmp.Or(r.Err, r.tieError())
	if r.Err != nil {
		w.last = attached{}
		return r.Err
	}
	x.collect(&r.Top)
	w.engine.batches.Put(b)
	return nil
}
