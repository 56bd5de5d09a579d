package hybrid

import (
	"sync"
	"sync/atomic"
	"time"
)

// backlog holds queries that wait, the oldest first but for those near their deadlines. Goroutines on different cores
// seldom push to the same shard: at millions of queries a second the cores' common cache lines are the limit.
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
	n       atomic.Int64 // of waiting
	hasDue  bool         // some may have deadlines
	others  []*job       // memory of hurry
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

// drain moves what is in the shards to waiting. b.mu must be held.
func (b *backlog) drain() {
	from := len(b.waiting)
	for i := range b.shards {
		s := &b.shards[i]
		if s.n.Load() == 0 {
			continue
		}
		s.mu.Lock()
		b.waiting = append(b.waiting, s.jobs...)
		b.many.Add(-int64(len(s.jobs) / step * step))
		clear(s.jobs)
		s.jobs = s.jobs[:0]
		s.n.Store(0)
		s.mu.Unlock()
	}
	for _, j := range b.waiting[from:] {
		b.hasDue = b.hasDue || j.after > 0
	}
	b.n.Store(int64(len(b.waiting) - b.head))
}

// take moves queries to dst, up to most: those with half of their time gone, then the oldest.
func (b *backlog) take(dst []*job, most int, now time.Duration) []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drain(); b.hasDue {
		b.hurry(now)
	}
	n := min(most, len(b.waiting)-b.head)
	dst = append(dst, b.waiting[b.head:b.head+n]...)
	clear(b.waiting[b.head : b.head+n])
	b.head += n
	switch left := len(b.waiting) - b.head; {
	case left == 0:
		b.waiting, b.head, b.hasDue = b.waiting[:0], 0, false
	case b.head > left && b.head > 1024:
		copy(b.waiting, b.waiting[b.head:])
		clear(b.waiting[left:])
		b.waiting, b.head = b.waiting[:left], 0
	}
	b.n.Store(int64(len(b.waiting) - b.head))
	return dst
}

// hurry moves queries with half of their time gone to the front, in order. b.mu must be held.
func (b *backlog) hurry(now time.Duration) {
	w, others := b.waiting[b.head:], b.others[:0]
	front := 0
	for _, j := range w {
		if j.after > 0 && now > j.at+j.after/2 {
			w[front] = j
			front++
		} else {
			others = append(others, j)
		}
	}
	copy(w[front:], others)
	clear(others)
	b.others = others
}
