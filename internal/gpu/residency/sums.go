package residency

import (
	"runtime"
	"sync"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// sums verifies checksums of lists in goroutines, which the first one starts. Others can
// help.
type sums struct {
	work  chan []sum
	next  []sum // not sent yet: waking a goroutine costs as much as verifying a short list
	bytes int64
	wg    sync.WaitGroup
	wakes bool // goroutines have been started
}

// sum is a list to verify and, afterwards, the error.
type sum struct {
	seg   *segment.Segment
	entry segment.Entry
	err   *error
}

const sumBytes = 1 << 20 // lists are verified together until they have this size

// verify begins to verify a list of size bytes and returns where the error will be after
// wait.
func (s *sums) verify(seg *segment.Segment, e segment.Entry, size int64) *error {
	if !s.wakes {
		s.wakes = true
		for range max(runtime.GOMAXPROCS(0)-openers-1, 1) {
			s.wg.Go(s.help)
		}
	}
	err := new(error)
	s.next = append(s.next, sum{seg, e, err})
	if s.bytes += size; s.bytes >= sumBytes {
		s.send()
	}
	return err
}

func (s *sums) send() {
	s.work <- s.next // has room for all
	s.next, s.bytes = nil, 0
}

// help verifies lists until wait has been called and none is left.
func (s *sums) help() {
	var v segment.List
	for batch := range s.work {
		for _, w := range batch {
			w.verify(&v)
		}
	}
}

// verify verifies a list. v is scratch.
func (w *sum) verify(v *segment.List) {
	defer indexdir.CatchFault(indexdir.ArmFault(), w.err)
	if *w.err = w.seg.Lists().Init(v, w.entry); *w.err == nil {
		*w.err = v.VerifyBytes()
	}
}

// wait verifies what is left and waits for the other goroutines.
func (s *sums) wait() {
	s.send()
	close(s.work)
	s.help()
	s.wg.Wait()
}
