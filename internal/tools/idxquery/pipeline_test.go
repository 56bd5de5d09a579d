package idxquery

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
)

// fed returns a pipeline with n questions in chunks of random lengths.
func fed(out *bytes.Buffer, n int) *pipeline {
	l := newPipeline(out, cli.NewProgress(out, "query", 0, cli.ItemRate("queries")))
	go func() {
		for i := 0; i < n; {
			var qs []question
			for range min(1+rand.IntN(300), n-i) {
				qs = append(qs, question{id: fmt.Sprint(i)})
				i++
			}
			l.add(qs)
		}
		l.end(nil)
	}()
	return l
}

// Questions with vectors wait for workers in bounded memory.
func TestPipelineRoom(t *testing.T) {
	const n, most = 500, 8
	var out bytes.Buffer
	l := newPipeline(&out, cli.NewProgress(&out, "query", 0, cli.ItemRate("queries")))
	vector := make([]float32, heldVectors/4/most)
	go func() {
		for i := range n {
			l.room(len(vector))
			l.add([]question{{id: fmt.Sprint(i), vector: vector}})
		}
		l.end(nil)
	}()
	var seen atomic.Int64
	got, err := l.run(2, onThreads, func(int) func(*share) error {
		return func(sh *share) error {
			for range 10 {
				runtime.Gosched()
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if seen.Add(int64(len(sh.questions))); l.read-l.cut > most {
				return fmt.Errorf("%d questions wait", l.read-l.cut)
			}
			return nil
		}
	})
	if err != nil || got != n || seen.Load() != n {
		t.Errorf("%d of %d questions, %v", got, n, err)
	}
	l = newPipeline(&out, cli.NewProgress(&out, "query", 0, cli.ItemRate("queries")))
	l.add(make([]question, most))
	l.end(errors.New("the file is cut short"))
	l.room(len(vector)) // of a run that has failed: it returns
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// What is printed comes in the order of the questions, whichever worker is slow.
func TestPipelineOrder(t *testing.T) {
	for _, s := range []sizes{onThreads, {1, 1}, {64, 100}} {
		for _, n := range []int{0, 1, 2, 5000} {
			var out bytes.Buffer
			l := fed(&out, n)
			if several := l.several(); several != (n > 1) {
				t.Errorf("%d questions: several is %v", n, several)
			}
			got, err := l.run(7, s, func(int) func(*share) error {
				return func(sh *share) error {
					for range rand.IntN(3) {
						runtime.Gosched()
					}
					for i, q := range sh.questions {
						if q.id != fmt.Sprint(sh.first+i) {
							t.Errorf("question %s is number %d", q.id, sh.first+i)
						}
						sh.out = append(append(sh.out, q.id...), '\n')
					}
					return nil
				}
			})
			if err != nil || got != n || out.String() != lines(n) {
				t.Errorf("%d questions in shares of %v: answered %d, error %v, in order: %v", n, s, got, err, out.String() == lines(n))
			}
		}
	}
}

// An error ends the output where it happened.
func TestPipelineError(t *testing.T) {
	bad := errors.New("bad")
	for _, at := range []int{0, 1, 77, 2999} {
		var out bytes.Buffer
		_, err := fed(&out, 3000).run(5, onThreads, func(int) func(*share) error {
			return func(sh *share) error {
				for i, q := range sh.questions {
					if sh.first+i >= at { // later shares fail, too
						return fmt.Errorf("%w: %s", bad, q.id)
					}
					sh.out = append(append(sh.out, q.id...), '\n')
				}
				return nil
			}
		})
		if !errors.Is(err, bad) || err.Error() != fmt.Sprintf("bad: %d", at) || out.String() != lines(at) {
			t.Errorf("error at %d: got %v after %d lines", at, err, strings.Count(out.String(), "\n"))
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

// An output that fails ends the run.
func TestPipelineOutput(t *testing.T) {
	l := fed(new(bytes.Buffer), 100000)
	l.out = full{}
	if n, err := l.run(3, onThreads, func(int) func(*share) error { return func(*share) error { return nil } }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%d questions, error %v", n, err)
	}
}

// TestIDSet adds ids that ascend up to some moment, which may be the first, and random ones then.
func TestIDSet(t *testing.T) {
	for _, ascend := range []int{0, 1, 9, 4096, 50000} {
		s, want := newIDSet(), map[string]bool{}
		for i := range 100000 {
			id := fmt.Sprint(rand.IntN(50000))
			if i < ascend {
				id = fmt.Sprint(i)
			}
			if got := s.add(id); got == want[id] {
				t.Fatalf("id %s: new is %v after %d ids", id, got, len(want))
			}
			want[id] = true
			if i < ascend && s.slots != nil {
				t.Fatalf("ids up to %s are hashed, though they ascend", id)
			}
		}
	}
}

func BenchmarkIDSet(b *testing.B) {
	ids := make([]string, 400000)
	for i := range ids {
		ids[i] = fmt.Sprint("q", i)
	}
	for _, order := range []string{"ascending", "random"} {
		b.Run(order, func(b *testing.B) {
			for b.Loop() {
				s := newIDSet()
				for _, id := range ids {
					s.add(id)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/id")
			rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		})
	}
}

// A worker that is slow does not stop the others until aheadBytes are printed.
func TestPipelineAhead(t *testing.T) {
	const workers = 2
	big := make([]byte, 4<<20)
	for _, c := range []struct {
		out  []byte
		want int64 // shares that are answered while the first is not
	}{{nil, 1000}, {big, aheadBytes / int64(len(big))}} {
		l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
		l.add(make([]question, 2000))
		l.end(nil)
		var done atomic.Int64
		reached := make(chan struct{})
		if _, err := l.run(workers, sizes{1, 1}, func(int) func(*share) error {
			return func(sh *share) error {
				if sh.number == 0 {
					<-reached
					time.Sleep(20 * time.Millisecond) // time to go too far
				} else if done.Add(1) == c.want {
					close(reached)
				}
				sh.out = c.out
				l.mu.Lock()
				defer l.mu.Unlock()
				if most := aheadBytes + workers*len(big); l.held > most {
					t.Errorf("%d bytes are held, more than %d", l.held, most)
				}
				return nil
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestPeek looks at what will be taken, from several goroutines, while it is read.
func TestPeek(t *testing.T) {
	const n = 5000
	var out bytes.Buffer
	for _, first := range []int{0, 1, 700, n + 1} {
		for _, most := range []int{1, 1000, n} {
			l := fed(&out, n)
			l.peekFrom(first, most)
			seen := make([]atomic.Int32, n)
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for qs := l.peek(nil, 256); len(qs) > 0; qs = l.peek(qs[:0], 256) {
						for _, q := range qs {
							i, _ := strconv.Atoi(q.id)
							seen[i].Add(1)
						}
					}
				})
			}
			group.Wait()
			for i := range seen {
				want := int32(0)
				if i >= first && i < first+most {
					want = 1
				}
				if seen[i].Load() != want {
					t.Fatalf("from %d, %d at most: question %d is seen %d times", first, most, i, seen[i].Load())
				}
			}
			if got, err := l.run(3, onThreads, func(int) func(*share) error { return func(*share) error { return nil } }); got != n || err != nil {
				t.Errorf("%d questions are answered, %v", got, err)
			}
		}
	}
}

// TestPeekTaken looks at what comes while workers take it: each question is seen once at most, in
// order.
func TestPeekTaken(t *testing.T) {
	const n, first = 20000, 1000 // the three workers take at most 192 questions before they wait for looked
	var out bytes.Buffer
	l := fed(&out, n)
	l.peekFrom(first, n)
	var last int
	var group sync.WaitGroup
	looked := make(chan struct{})
	group.Go(func() {
		for qs := l.peek(nil, 64); len(qs) > 0; qs = l.peek(qs[:0], 64) {
			for _, q := range qs {
				i, _ := strconv.Atoi(q.id)
				if i < first || i < last {
					t.Errorf("question %d after %d", i, last)
				}
				if i < n/4 && i+1 != max(last+1, first+1) {
					t.Errorf("question %d after %d, though nobody takes them", i, last)
				}
				if last = i + 1; last == n/4 {
					close(looked)
				}
			}
		}
	})
	got, err := l.run(3, onThreads, func(int) func(*share) error {
		return func(*share) error {
			<-looked
			return nil
		}
	})
	if group.Wait(); got != n || err != nil {
		t.Errorf("%d questions are answered, %v", got, err)
	}
}

// TestPeekBehind looks at what comes after workers have taken more than was seen: it waits for it.
func TestPeekBehind(t *testing.T) {
	l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
	l.add(make([]question, 1000))
	l.peekFrom(100, 5000)
	if _, err := l.run(1, sizes{1000, 1000}, func(int) func(*share) error {
		return func(sh *share) error {
			if sh.first > 0 {
				return nil
			}
			go func() {
				defer l.end(nil)
				l.add(make([]question, 64))
			}()
			if n := len(l.peek(nil, 64)); n != 64 {
				t.Errorf("%d questions are seen after 1000 have been taken", n)
			}
			return nil
		}
	}); err != nil {
		t.Error(err)
	}
}

// TestUnpeek ends a call that waits for questions.
func TestUnpeek(t *testing.T) {
	l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
	l.add(make([]question, 2))
	l.peekFrom(0, 10)
	if len(l.peek(nil, 2)) != 2 {
		t.Error("what has been read is not seen")
	}
	done := make(chan int)
	go func() { done <- len(l.peek(nil, 1)) }()
	time.Sleep(time.Millisecond)
	l.unpeek()
	if n := <-done; n != 0 || len(l.peek(nil, 1)) != 0 {
		t.Errorf("%d questions are seen that are not there", n)
	}
}

// TestRest lets workers rest: they take nothing until they may, and all end.
func TestRest(t *testing.T) {
	const workers, n = 4, 2000
	var out bytes.Buffer
	for _, resting := range []int{1, workers - 1} {
		l := fed(&out, n)
		l.rest(resting)
		var early, late atomic.Int64
		if got, err := l.run(workers, sizes{1, 1}, func(i int) func(*share) error {
			return func(sh *share) error {
				if i < resting && sh.first < n/2 {
					early.Add(1)
				} else if i < resting {
					late.Add(1)
					return nil
				} else if sh.first == n/2 {
					l.rest(0)
				} else if sh.first > n/2 {
					time.Sleep(10 * time.Microsecond)
				}
				return nil
			}
		}); got != n || err != nil || early.Load() > 0 || late.Load() == 0 {
			t.Errorf("%d rest: %d questions are answered, %v; %d shares are taken early, %d late", resting, got, err, early.Load(), late.Load())
		}
		l = fed(&out, n)
		l.rest(resting)
		if got, err := l.run(workers, onThreads, func(i int) func(*share) error {
			return func(*share) error {
				if i < resting {
					t.Error("a worker that rests works")
				}
				return nil
			}
		}); got != n || err != nil {
			t.Errorf("%d rest to the end: %d questions are answered, %v", resting, got, err)
		}
	}
}
