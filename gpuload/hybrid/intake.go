package hybrid

import "sync/atomic"

// intake holds jobs that have arrived and that the policy does not know. Any goroutine
// may push; one at a time may take.
type intake struct {
	last  atomic.Pointer[job]
	count atomic.Int64
}

// push adds a job and returns how many there are.
func (n *intake) push(j *job) int64 {
	for {
		old := n.last.Load()
		j.next = old
		if n.last.CompareAndSwap(old, j) {
			return n.count.Add(1)
		}
	}
}

// take removes all jobs and returns the first that arrived; next leads to the others.
func (n *intake) take() (first *job) {
	last := n.last.Swap(nil)
	for last != nil {
		n.count.Add(-1)
		last, last.next, first = last.next, first, last
	}
	return first
}
