package pool

import (
	"math/bits"
	"sync/atomic"
)

// workerSet is a set of a Pool's workers, by index. It is safe for concurrent use.
type workerSet []atomic.Uint64

func newWorkerSet(n int) workerSet { return make(workerSet, (n+63)/64) }

func (s workerSet) add(i int) { s[i/64].Or(1 << (i % 64)) }

func (s workerSet) has(i int) bool { return s[i/64].Load()>>(i%64)&1 != 0 }

// remove removes i and reports whether it was in the set.
func (s workerSet) remove(i int) bool {
	return s[i/64].And(^(uint64(1)<<(i%64)))>>(i%64)&1 != 0
}

// first removes and returns the lowest member, or -1 if there is none.
func (s workerSet) first() int { return s.firstBut(nil) }

// firstBut removes and returns the lowest member that is not in o, which is as long as s or nil, or -1 if there is
// none.
func (s workerSet) firstBut(o workerSet) int {
	others := func(at int) uint64 {
		v := s[at].Load()
		if o != nil {
			v &^= o[at].Load()
		}
		return v
	}
	for at := range s {
		for v := others(at); v != 0; v = others(at) {
			if i := 64*at + bits.TrailingZeros64(v); s.remove(i) {
				return i
			}
		}
	}
	return -1
}

// last removes and returns the highest member, or -1 if there is none.
func (s workerSet) last() int {
	for at := len(s) - 1; at >= 0; at-- {
		for v := s[at].Load(); v != 0; v = s[at].Load() {
			if i := 64*at + 63 - bits.LeadingZeros64(v); s.remove(i) {
				return i
			}
		}
	}
	return -1
}

func (s workerSet) len() int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i].Load())
	}
	return n
}

func (s workerSet) empty() bool {
	for i := range s {
		if s[i].Load() != 0 {
			return false
		}
	}
	return true
}
