package idxquery

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/tools/internal/cli"
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

// A run that fails leaves no file, and does not remove what is not one.
func TestRunFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.run")
	for _, c := range []struct {
		write bool
		err   error
		want  bool
	}{{false, nil, true}, {true, nil, true}, {true, os.ErrInvalid, false}, {false, os.ErrInvalid, false}} {
		_ = os.Remove(name)
		r := &runFile{name: name}
		if c.write {
			if _, err := r.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		err := r.end(c.err)
		_, serr := os.Stat(name)
		if !errors.Is(err, c.err) || (serr == nil) != c.want {
			t.Errorf("%+v: error %v, the file: %v", c, err, serr)
		}
	}
	r := &runFile{name: os.DevNull}
	if err := r.end(errors.Join(r.create(), os.ErrInvalid)); !errors.Is(err, os.ErrInvalid) {
		t.Error(err)
	}
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Error(err)
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
	for _, most := range []int{1, 1000, n} {
		l := fed(&out, n)
		var next, seen atomic.Int64
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for qs := l.peek(int(next.Add(1))-1, most); len(qs) > 0; qs = l.peek(int(next.Add(1))-1, most) {
					seen.Add(int64(len(qs)))
				}
			})
		}
		group.Wait()
		if s := int(seen.Load()); s < most || s > most+300 || s > n {
			t.Errorf("%d of %d questions are seen, %d at most", s, n, most)
		}
		if got, err := l.run(3, onThreads, func(int) func(*share) error { return func(*share) error { return nil } }); got != n || err != nil {
			t.Errorf("%d questions are answered, %v", got, err)
		}
	}
}

// TestUnpeek ends a call that waits for questions.
func TestUnpeek(t *testing.T) {
	l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
	l.add(make([]question, 2))
	if len(l.peek(0, 10)) != 2 {
		t.Error("what has been read is not seen")
	}
	done := make(chan int)
	go func() { done <- len(l.peek(1, 10)) }()
	time.Sleep(time.Millisecond)
	l.unpeek()
	if n := <-done; n != 0 || l.peek(0, 10) != nil {
		t.Errorf("%d questions are seen that are not there", n)
	}
}
