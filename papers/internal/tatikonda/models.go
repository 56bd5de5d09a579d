package tatikonda

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// model is a way to run queries on several cores.
type model uint8

const (
	inter  model = iota // a query is one core's (3.1)
	docpUI              // every core has a range of the documents, one index (3.2.1)
	docpPI              // every core has an index of its own (3.2.1)
	fgqp                // one producer, which turns consumer; a task for each skip block (3.2.2)
)

var modelNames = [...]string{"INTER", "DOCP-UI", "DOCP-PI", "FGQP"}

func (m model) String() string { return modelNames[m] }

// engine answers queries as the paper's system does, over lists in memory.
type engine struct {
	lists   []*skips
	parts   [][]*skips // by core, for docpPI
	docs    uint32
	queries [][]int
	workers int
	kappa   int           // pool threshold of fgqp
	making  *atomic.Int64 // nanoseconds that tasks were made in
}

// asked is a query in the system.
type asked struct {
	terms   []int
	due     time.Time
	began   time.Time    // when a core took it from the entry queue
	left    atomic.Int64 // tasks, and one until all are made
	found   atomic.Int64
	done    func(a *asked)
	mu      sync.Mutex
	results []scored // the ten best, of the cores' parts
}

// scored is a document with its score.
type scored struct {
	doc   uint32
	score float32
}

// worker is the memory of one core.
type worker struct {
	cursors []cursor
	matches []uint32
}

// intersect runs the algorithm over sublists.
func (w *worker) intersect(subs []sublist, lo, hi uint32) []uint32 {
	for len(w.cursors) < len(subs) {
		w.cursors = append(w.cursors, cursor{})
	}
	c := w.cursors[:len(subs)]
	for i := range subs {
		c[i].open(subs[i])
	}
	w.matches = smallAdaptive(c, lo, hi, w.matches[:0])
	return w.matches
}

// score gives each match a cheap score and keeps the ten best of the query.
func (a *asked) score(matches []uint32) {
	var top []scored
	for _, d := range matches {
		// A linear combination of two values of the document, as in section 2.
		x := d * 2654435761
		s := float32(x>>8)/(1<<24) + 0.3*float32(x&255)/256
		if len(top) < 10 || s > top[len(top)-1].score {
			i, _ := slices.BinarySearchFunc(top, s, func(t scored, s float32) int {
				if t.score > s {
					return -1
				}
				return 1
			})
			top = slices.Insert(top, i, scored{d, s})
			top = top[:min(len(top), 10)]
		}
	}
	a.found.Add(int64(len(matches)))
	a.mu.Lock()
	a.results = append(a.results, top...)
	a.mu.Unlock()
}

// finish counts a task of the query as done.
func (a *asked) finish() {
	if a.left.Add(-1) == 0 {
		a.done(a)
	}
}

// whole returns the sublists that are all of the lists.
func whole(lists []*skips, terms []int) []sublist {
	subs := make([]sublist, len(terms))
	for i, t := range terms {
		subs[i] = sublist{lists[t], 0, len(lists[t].at)}
	}
	return subs
}

// between returns the sublists that can have docIDs of [lo, hi).
func between(lists []*skips, terms []int, lo, hi uint32) []sublist {
	subs := make([]sublist, len(terms))
	for i, t := range terms {
		l := lists[t]
		subs[i] = sublist{l, l.find(lo), min(l.find(hi)+1, len(l.at))}
	}
	return subs
}

// run answers queries from source until it is empty.
func (e *engine) run(m model, source <-chan *asked) {
	switch m {
	case inter:
		e.runInter(source)
	case fgqp:
		e.runFine(source)
	default:
		e.runParts(m, source)
	}
}

func (e *engine) runInter(source <-chan *asked) {
	var wg sync.WaitGroup
	for range e.workers {
		wg.Go(func() {
			var w worker
			for a := range source {
				a.began = time.Now()
				a.left.Store(1)
				a.score(w.intersect(whole(e.lists, a.terms), 0, math.MaxUint32))
				a.finish()
			}
		})
	}
	wg.Wait()
}

// runParts is the master-slave model with a barrier after each query.
func (e *engine) runParts(m model, source <-chan *asked) {
	orders := make([]chan *asked, e.workers)
	var wg sync.WaitGroup
	part := func(w *worker, i int, a *asked) {
		if m == docpPI {
			a.score(w.intersect(whole(e.parts[i], a.terms), 0, math.MaxUint32))
		} else {
			lo, hi := uint32(uint64(e.docs)*uint64(i)/uint64(e.workers)), uint32(uint64(e.docs)*uint64(i+1)/uint64(e.workers))
			a.score(w.intersect(between(e.lists, a.terms, lo, hi), lo, hi))
		}
		a.left.Add(-1)
	}
	for i := 1; i < e.workers; i++ {
		orders[i] = make(chan *asked, 1)
		wg.Go(func() {
			var w worker
			for a := range orders[i] {
				part(&w, i, a)
			}
		})
	}
	var w worker
	for a := range source {
		a.began = time.Now()
		a.left.Store(int64(e.workers) + 1)
		for i := 1; i < e.workers; i++ {
			orders[i] <- a
		}
		part(&w, 0, a)
		for a.left.Load() > 1 { // the barrier
			runtime.Gosched()
		}
		a.finish()
	}
	for i := 1; i < e.workers; i++ {
		close(orders[i])
	}
	wg.Wait()
}

// task is a piece of a query: a skip block of the first list and the skips of the others
// that it needs.
type task struct {
	a      *asked
	subs   []sublist
	lo, hi uint32
}

// tasks makes the tasks of a query: algorithm 4.
func (e *engine) tasks(a *asked, out []task) []task {
	first := e.lists[a.terms[0]]
	for i := range first.at {
		lo, hi := first.at[i], first.end(i)
		if i+1 == len(first.at) {
			hi++
		}
		t := task{a: a, lo: lo, hi: hi, subs: make([]sublist, len(a.terms))}
		t.subs[0] = sublist{first, i, i + 1}
		for r, term := range a.terms[1:] {
			l := e.lists[term]
			t.subs[r+1] = sublist{l, l.find(lo), l.find(hi-1) + 1}
		}
		out = append(out, t)
	}
	return out
}

// pool is a task pool.
type pool[T any] struct {
	mu    sync.Mutex
	items []T
	size  atomic.Int64
}

func (p *pool[T]) put(items ...T) {
	p.mu.Lock()
	p.items = append(p.items, items...)
	p.size.Store(int64(len(p.items)))
	p.mu.Unlock()
}

func (p *pool[T]) take() (x T, ok bool) {
	if p.size.Load() == 0 {
		return x, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.items) == 0 {
		return x, false
	}
	x, p.items = p.items[0], p.items[1:]
	p.size.Store(int64(len(p.items)))
	return x, true
}

// scoring is a task of the scoring pool: the documents that a task has found.
type scoring struct {
	a    *asked
	docs []uint32
}

// runFine is the producer-consumer model. The producer makes tasks of queries while the
// pool has at most kappa of them, and otherwise does what consumers do.
func (e *engine) runFine(source <-chan *asked) {
	var itp pool[task]
	var stp pool[scoring]
	var open atomic.Int64 // queries that are not answered
	var over atomic.Bool
	consume := func(w *worker) bool {
		if s, ok := stp.take(); ok {
			s.a.score(s.docs)
			s.a.finish()
			return true
		}
		t, ok := itp.take()
		if !ok {
			return false
		}
		stp.put(scoring{t.a, slices.Clone(w.intersect(t.subs, t.lo, t.hi))})
		return true
	}
	var wg sync.WaitGroup
	for range e.workers - 1 {
		wg.Go(func() {
			var w worker
			for !over.Load() {
				if !consume(&w) {
					runtime.Gosched()
				}
			}
		})
	}
	var w worker
	var made []task
	for more := true; more || open.Load() > 0; {
		for more && itp.size.Load() <= int64(e.kappa) {
			var a *asked
			if open.Load() == 0 {
				a, more = <-source
			} else {
				select {
				case a, more = <-source:
				default:
				}
				if a == nil && more {
					break // no query waits
				}
			}
			if !more {
				break
			}
			a.began = time.Now()
			made = e.tasks(a, made[:0])
			e.making.Add(int64(time.Since(a.began)))
			a.left.Store(int64(len(made)))
			open.Add(1)
			done := a.done
			a.done = func(a *asked) { done(a); open.Add(-1) }
			itp.put(made...)
		}
		if !consume(&w) {
			runtime.Gosched()
		}
	}
	over.Store(true)
	wg.Wait()
}
