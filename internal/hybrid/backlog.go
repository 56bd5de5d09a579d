package hybrid

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// backlog holds queries that wait: the oldest goes first, but one with a deadline of its own once half of its time is gone.
// Goroutines on different cores seldom push to the same shard: at millions of queries a second the cores' common cache lines are the limit.
type backlog struct {
	shards []shard
	next   atomic.Int64 // a shard for another core
	mine   sync.Pool    // of *shard: the one that this core used last
	_      [64]byte
	many   atomic.Int64 // queries in the shards, in multiples of step for each
	_      [64]byte

	mu      sync.Mutex
	waiting []*job // taken from the shards; those before head are taken
	head    int
	due     dueHeap      // those with deadlines of their own
	n       atomic.Int64 // of waiting and due
	most    atomic.Int64 // that have been noted
}

const step = 16

type shard struct {
	mu   sync.Mutex
	jobs []*job
	n    atomic.Int64 // of jobs
	_    [88]byte
}

func newBacklog(shards int) *backlog { return &backlog{shards: make([]shard, shards)} }

// push adds a query and returns how many wait in its shard.
func (b *backlog) push(j *job) int {
	s, ok := b.mine.Get().(*shard)
	if !ok {
		s = &b.shards[uint64(b.next.Add(1))%uint64(len(b.shards))]
	}
	s.mu.Lock()
	s.jobs = append(s.jobs, j)
	k := len(s.jobs)
	s.n.Store(int64(k))
	if k%step == 0 {
		b.many.Add(step)
	}
	s.mu.Unlock()
	b.mine.Put(s)
	return k
}

// len returns how many queries wait.
func (b *backlog) len() (sum int64) {
	sum = b.n.Load()
	for i := range b.shards {
		sum += b.shards[i].n.Load()
	}
	return sum
}

// atLeast returns a number that is not above len, for less.
func (b *backlog) atLeast() int64 { return b.many.Load() + b.n.Load() }

// note keeps how many wait at most.
func (b *backlog) note() {
	if n := b.atLeast(); n > b.most.Load() {
		b.most.Store(n)
	}
}

// drain moves what is in the shards to waiting. b.mu must be held.
func (b *backlog) drain() {
	for i := range b.shards {
		s := &b.shards[i]
		if s.n.Load() == 0 {
			continue
		}
		s.mu.Lock()
		for _, j := range s.jobs {
			if j.due > 0 {
				heap.Push(&b.due, j)
			} else {
				b.waiting = append(b.waiting, j)
			}
		}
		b.many.Add(-int64(len(s.jobs) / step * step))
		clear(s.jobs)
		s.jobs = s.jobs[:0]
		s.n.Store(0)
		s.mu.Unlock()
	}
}

// take moves queries to dst, up to most: those that are due, then the oldest of the others, then the rest.
func (b *backlog) take(dst []*job, most int, now time.Duration) []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drain()
	for n := min(most, len(b.waiting)-b.head+len(b.due)); n > 0; n-- {
		if len(b.due) > 0 && (b.due[0].due < now || b.head == len(b.waiting)) {
			dst = append(dst, heap.Pop(&b.due).(*job))
		} else {
			dst = append(dst, b.waiting[b.head])
			b.waiting[b.head] = nil
			b.head++
		}
	}
	switch left := len(b.waiting) - b.head; {
	case left == 0:
		b.waiting, b.head = b.waiting[:0], 0
	case b.head > left && b.head > 1024:
		copy(b.waiting, b.waiting[b.head:])
		clear(b.waiting[left:])
		b.waiting, b.head = b.waiting[:left], 0
	}
	b.n.Store(int64(len(b.waiting) - b.head + len(b.due)))
	return dst
}

// dueHeap is a container/heap of queries, the most urgent first.
type dueHeap []*job

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, k int) bool { return h[i].due < h[k].due }
func (h dueHeap) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }
func (h *dueHeap) Push(j any)        { *h = append(*h, j.(*job)) }

func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return j
}
