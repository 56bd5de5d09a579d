package model

import (
	"container/heap"
	"slices"
	"time"
)

// clock runs what is due, in the order of time and, at equal times, of the calls of at.
type clock struct {
	now time.Duration
	due events
	n   int // calls of at
}

type event struct {
	at time.Duration
	n  int
	do func()
}

// at has do called at a time, or now if that is past.
func (c *clock) at(t time.Duration, do func()) {
	c.n++
	heap.Push(&c.due, event{max(t, c.now), c.n, do})
}

// after has do called d from now.
func (c *clock) after(d time.Duration, do func()) { c.at(c.now+d, do) }

// run goes on until nothing is due.
func (c *clock) run() {
	for len(c.due) > 0 {
		e := heap.Pop(&c.due).(event)
		c.now = e.at
		e.do()
	}
}

// events is a heap.
type events []event

func (e events) Len() int { return len(e) }

func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e *events) Push(x any) { *e = append(*e, x.(event)) }

func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	old[len(old)-1] = event{}
	*e = old[:len(old)-1]
	return x
}

// Quantile returns the least of times that a share q of them do not exceed, or 0 if there are none. It sorts times.
func Quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(int(q*float64(len(times))), len(times)-1)]
}

// window is a ring of the latest times, of which it knows a quantile.
type window struct {
	q     float64
	size  int
	times []time.Duration
	at    int
	fresh int // times since known was found
	known time.Duration
}

// add adds a time.
func (w *window) add(d time.Duration) {
	if len(w.times) < w.size {
		w.times = append(w.times, d)
	} else {
		w.times[w.at] = d
		w.at = (w.at + 1) % w.size
	}
	w.fresh++
}

// quantile returns the quantile of the latest times, which may be that of 15 times before.
func (w *window) quantile() time.Duration {
	if w.known == 0 || w.fresh >= 16 {
		w.known, w.fresh = Quantile(slices.Clone(w.times), w.q), 0
	}
	return w.known
}
