package hybrid

import (
	"container/heap"
	"math"
	"math/bits"
	"time"
)

// entry is a query as the policy sees it. Times are since the start of the policy's clock.
type entry struct {
	cost    Cost
	arrived time.Duration
	due     time.Duration // deadline; never is none
	urgent  time.Duration // from then on it goes first
	pinned  bool          // the GPU cannot answer it

	group      group
	class      uint8
	waiting    bool
	next, prev *entry // in its class
	later, old *entry // in the order of urgency
	at         int    // in the heap of urgency; 0 is none

	job *job // of an Executor
	sim int  // of a simulation
}

const never = time.Duration(math.MaxInt64)

// group is one of the queues.
type group uint8

const (
	pinnedGroup group = iota // only the CPU can answer
	cpuGroup                 // suits the CPU
	eitherGroup              // suits both
	gpuGroup                 // suits the GPU
	groups
)

// classes is the number of lists of a queue: one for each power of two of the predicted
// time on the CPU, from below 1 us on.
const classes = 24

func classOf(c Cost) uint8 {
	return uint8(min(bits.Len64(uint64(max(c.CPU, 0)>>10)), classes-1))
}

// queue holds waiting queries in first-in, first-out lists by class.
type queue struct {
	lists [classes]struct{ first, last *entry }
	some  uint32 // bit i: list i is not empty
	n     int
	cost  Cost // sum
}

func (q *queue) push(e *entry) {
	l := &q.lists[e.class]
	e.prev, e.next = l.last, nil
	if l.last != nil {
		l.last.next = e
	} else {
		l.first = e
	}
	l.last = e
	q.some |= 1 << e.class
	q.n++
	q.cost = q.cost.plus(e.cost)
}

func (q *queue) remove(e *entry) {
	l := &q.lists[e.class]
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		l.first = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		l.last = e.prev
	}
	e.prev, e.next = nil, nil
	if l.first == nil {
		q.some &^= 1 << e.class
	}
	if q.n--; q.n == 0 {
		q.cost = Cost{}
		return
	}
	q.cost = q.cost.minus(e.cost)
}

// cheapest and dearest return the oldest query of the lowest and of the highest class,
// nil for none.
func (q *queue) cheapest() *entry {
	if q.some == 0 {
		return nil
	}
	return q.lists[bits.TrailingZeros32(q.some)].first
}

func (q *queue) dearest() *entry {
	if q.some == 0 {
		return nil
	}
	return q.lists[31-bits.LeadingZeros32(q.some)].first
}

// oldest returns the query that arrived first.
func (q *queue) oldest() (best *entry) {
	for left := q.some; left != 0; left &= left - 1 {
		if e := q.lists[bits.TrailingZeros32(left)].first; best == nil || e.arrived < best.arrived {
			best = e
		}
	}
	return best
}

// next returns the query with the highest response ratio, (wait + cost) / cost: cheap
// queries first, which keeps the mean delay low, and none waits for ever.
func (q *queue) next(now time.Duration) (best *entry, ratio float64) {
	if q.some&(q.some-1) == 0 {
		if best = q.cheapest(); best != nil {
			ratio = best.response(now)
		}
		return best, ratio
	}
	for left := q.some; left != 0; left &= left - 1 {
		e := q.lists[bits.TrailingZeros32(left)].first
		if r := e.response(now); best == nil || r > ratio {
			best, ratio = e, r
		}
	}
	return best, ratio
}

func (e *entry) response(now time.Duration) float64 {
	return float64(now-e.arrived) / float64(max(e.cost.CPU, 1))
}

// urgency orders the waiting queries that have deadlines by when they become urgent.
// With one deadline for all that is the order of arrival, which a list keeps; the others
// go into a heap.
type urgency struct {
	first, last *entry
	heap        urgencyHeap
}

func (u *urgency) push(e *entry) {
	if e.due == never {
		return
	}
	if u.last != nil && e.urgent < u.last.urgent {
		heap.Push(&u.heap, e)
		return
	}
	if e.old = u.last; u.last != nil {
		u.last.later = e
	} else {
		u.first = e
	}
	u.last = e
}

func (u *urgency) remove(e *entry) {
	if e.due == never {
		return
	}
	if e.at > 0 {
		heap.Remove(&u.heap, e.at-1)
		return
	}
	if e.old != nil {
		e.old.later = e.later
	} else {
		u.first = e.later
	}
	if e.later != nil {
		e.later.old = e.old
	} else {
		u.last = e.old
	}
	e.old, e.later = nil, nil
}

// urgencyHeap implements heap.Interface. entry.at is the index plus 1.
type urgencyHeap []*entry

func (h urgencyHeap) Len() int           { return len(h) }
func (h urgencyHeap) Less(i, j int) bool { return h[i].urgent < h[j].urgent }
func (h urgencyHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i+1, j+1
}

// Push adds an entry.
func (h *urgencyHeap) Push(x any) {
	e := x.(*entry)
	*h = append(*h, e)
	e.at = len(*h)
}

// Pop removes the last entry.
func (h *urgencyHeap) Pop() any {
	n := len(*h) - 1
	e := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	e.at = 0
	return e
}
