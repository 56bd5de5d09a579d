package idxquery

import (
	"io"
	"sync"

	"github.com/pinion-index/pinion/internal/cli"
)

// sizes bound the shares into which queries are cut. A share is 1/(4*workers) of the
// queries that wait, within these bounds.
type sizes struct{ least, most int }

var (
	onThreads = sizes{1, 64}            // large enough that taking one costs little, small enough that threads end together
	onDevices = sizes{1024, readAtOnce} // enough to keep a device busy
)

// pipeline passes queries to workers while they are read, and writes what the workers
// print in the order of the queries. What is printed and waits for earlier shares has at
// most aheadBytes, or ahead shares for each worker if that is more.
type pipeline struct {
	out      io.Writer
	progress *cli.Progress
	sizes    sizes
	workers  int
	check    func(*share) error // called in order with every share before it is written; may be nil

	mu             sync.Mutex
	changed        sync.Cond
	waiting        [][]question
	read           int   // questions so far
	cut            int   // questions that are in shares
	ended          bool  // no more will be read
	all            int   // about so many will have been read; 0 if that is unknown
	failed         error // the first error
	taken, written int   // shares
	answered       int   // questions
	ready          map[int]*share
	held           int // bytes that are printed in ready
	spare          []*share
	writing        bool      // a goroutine writes shares
	resting        int       // workers that take no shares
	awake          sync.Cond // for these
	peeked, peeks  int       // the next question for peek, and the one after the last
	unpeeked       bool      // nobody waits in peek any more
}

// Workers may be so far ahead of the writing. One that loses its processor for a time
// slice, 10 ms, must not stop the others.
const (
	ahead      = 4
	aheadBytes = 32 << 20
)

// share is a run of questions and what is printed for them.
type share struct {
	number    int // of the share
	first     int // number of its first question
	questions []question
	out       []byte
	err       error // ends the run after out
}

func newPipeline(out io.Writer, p *cli.Progress) *pipeline {
	l := &pipeline{out: out, progress: p, ready: map[int]*share{}}
	l.changed.L, l.awake.L = &l.mu, &l.mu
	return l
}

// add appends questions.
func (l *pipeline) add(qs []question) {
	if len(qs) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, qs)
	l.read += len(qs)
	l.changed.Broadcast()
}

// heldVectors is about how many bytes of vectors wait at most.
const heldVectors = 16 << 20

// room waits until fewer questions wait than vectors of this length are read ahead, or the run has failed.
func (l *pipeline) room(dims int) {
	most := max(heldVectors/(4*max(dims, 1)), 2) // several waits for two
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.read-l.cut >= most && l.failed == nil {
		l.changed.Wait()
	}
}

// end records that there are no more questions, or why they cannot be read.
func (l *pipeline) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.fail(err)
	l.changed.Broadcast()
}

// fail makes err the error of the run. l.mu must be held.
func (l *pipeline) fail(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

// several reports whether there is more than one question, as soon as that is known.
func (l *pipeline) several() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.read < 2 && !l.ended {
		l.changed.Wait()
	}
	return l.read > 1
}

// peekFrom makes peek return questions from number first on, most of them at most.
func (l *pipeline) peekFrom(first, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.peeked, l.peeks = first, first+most
}

// peek appends to dst the next n questions that no share has, without taking them. It waits
// until they have been read. There are fewer at the end, and none after unpeek.
func (l *pipeline) peek(dst []question, n int) []question {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.read < min(max(l.peeked, l.cut)+n, l.peeks) && l.cut < l.peeks && !l.ended && !l.unpeeked {
		l.changed.Wait()
	}
	if l.unpeeked {
		return dst
	}
	from := max(l.peeked, l.cut)
	to := min(from+n, l.peeks, l.read)
	l.peeked = max(from, to)
	first := l.cut
	for _, qs := range l.waiting {
		if lo, hi := max(from-first, 0), min(to-first, len(qs)); lo < hi {
			dst = append(dst, qs[lo:hi]...)
		}
		first += len(qs)
	}
	return dst
}

// unpeek ends all calls of peek.
func (l *pipeline) unpeek() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpeeked = true
	l.changed.Broadcast()
}

// rest makes the first n workers take no more shares, fewer than all, and the others work.
func (l *pipeline) rest(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resting = n
	l.awake.Broadcast()
}

// take returns the next share for a worker, or nil if there is none or the run has failed.
func (l *pipeline) take(worker int) *share {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.failed == nil {
		switch {
		case worker < l.resting && (len(l.waiting) > 0 || !l.ended):
			l.awake.Wait()
			continue
		case len(l.waiting) > 0 && (l.held < aheadBytes || l.taken-l.written < ahead*l.workers):
			return l.next()
		case len(l.waiting) == 0 && l.ended:
			l.awake.Broadcast()
			return nil
		}
		l.changed.Wait()
	}
	l.awake.Broadcast()
	return nil
}

// next makes a share of questions that wait. l.mu must be held.
func (l *pipeline) next() *share {
	qs := l.waiting[0]
	n := min(max((l.read-l.cut)/(4*(l.workers-l.resting)), l.sizes.least), l.sizes.most, len(qs))
	sh := l.empty()
	sh.number, sh.first, sh.questions = l.taken, l.cut, qs[:n]
	l.taken++
	l.cut += n
	if l.waiting[0] = qs[n:]; n == len(qs) {
		l.waiting[0] = nil // so that their memory is free
		l.waiting = l.waiting[1:]
	}
	if qs[0].vector != nil {
		l.changed.Broadcast() // who waits for room
	}
	return sh
}

// empty returns a share to use, with memory for what is printed. l.mu must be held.
func (l *pipeline) empty() *share {
	n := len(l.spare)
	if n == 0 {
		return new(share)
	}
	sh := l.spare[n-1]
	l.spare = l.spare[:n-1]
	*sh = share{out: sh.out[:0]}
	return sh
}

// put hands over a share. If it is the next to be written, put writes it and those after
// it that are ready.
func (l *pipeline) put(sh *share) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready[sh.number] = sh
	l.held += len(sh.out)
	for !l.writing && l.failed == nil && l.ready[l.written] != nil {
		sh := l.ready[l.written]
		delete(l.ready, l.written)
		l.writing = true
		l.mu.Unlock()
		err := l.write(sh)
		l.mu.Lock()
		l.writing = false
		l.held -= len(sh.out)
		l.written++
		l.answered += len(sh.questions)
		l.fail(err)
		l.fail(sh.err)
		l.spare = append(l.spare, sh)
		l.report()
	}
	l.changed.Broadcast()
}

// write writes a share.
func (l *pipeline) write(sh *share) error {
	if l.check != nil {
		if err := l.check(sh); err != nil {
			return err
		}
	}
	_, err := l.out.Write(sh.out)
	return err
}

// estimate records that there will be about all questions.
func (l *pipeline) estimate(all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

// progressed returns how many questions have been read, about how many are still to come, if
// that is known, and whether none are.
func (l *pipeline) progressed() (read, coming int, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		coming = max(l.all-l.read, 0)
	}
	return l.read, coming, l.ended
}

// resize changes the sizes of shares.
func (l *pipeline) resize(s sizes) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes = s
}

// report updates the progress.
func (l *pipeline) report() {
	total := 0
	if l.ended {
		total = l.read
	}
	l.progress.Update(int64(l.answered), int64(total))
}

// run answers all questions on several goroutines: each calls newWorker with its number,
// and the function that it returns with one share after the other. An error ends the run
// after what precedes it has been written. run returns the number of questions answered.
func (l *pipeline) run(workers int, s sizes, newWorker func(i int) func(*share) error) (int, error) {
	l.workers = workers
	l.resize(s)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			work := newWorker(i)
			for sh := l.take(i); sh != nil; sh = l.take(i) {
				sh.err = work(sh)
				l.put(sh)
			}
		})
	}
	group.Wait()
	return l.answered, l.failed
}

// inArray ends the JSON array that the first of the elements begins that run writes.
func inArray(l *pipeline, run func() error) error {
	if err := run(); err != nil {
		return err
	}
	_, err := io.WriteString(l.out, "\n]\n")
	return err
}
