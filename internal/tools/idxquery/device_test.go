package idxquery

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// newSession opens a session with the defaults over a small index.
func newSession(t *testing.T, use func(s *session)) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f := newFlags()
	f.index, f.queries = t.TempDir(), "-"
	check(f.device.Set("hybrid"))
	w, err := writer.Open(t.Context(), f.index, writer.Options{Schema: schema.Implicit("simple", "", false)})
	check(err)
	for i := range 100 {
		check(w.Add(t.Context(), writer.Text(fmt.Append(nil, i), []byte("a word"))))
	}
	check(w.Commit(t.Context()))
	check(w.Close())
	check(f.with(func(s *session) error { use(s); return nil }))
}

// TestHybridOpens opens the GPU of hybrid while more queries wait than the CPU can answer soon,
// and only then.
func TestHybridOpens(t *testing.T) {
	for _, waiting := range []int{0, 1e6} {
		newSession(t, func(s *session) {
			var stderr bytes.Buffer
			b := newBoth(s, &stderr)
			defer b.close()
			l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
			l.add(make([]question, waiting))
			l.end(nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if waiting == 0 {
				time.AfterFunc(10*looks, cancel)
			}
			l.rest(b.extra())
			b.openWhenItPays(ctx, l)
			gpus, _ := gpu.Devices()
			opens := waiting > 0 && gpus > 0
			if opens != (b.x.Load() != nil) || opens != (l.sizes == onDevices) || opens != (l.resting == 0) {
				t.Errorf("%d wait, there are %d GPUs: opened %v, shares of %v", waiting, gpus, b.x.Load() != nil, l.sizes)
			}
			switch on := b.processors(); {
			case waiting == 0:
				if on != "the CPU, too few to open a GPU" || stderr.Len() > 0 {
					t.Errorf("nothing waits: %s, %q", on, &stderr)
				}
			case gpus > 0:
				if !strings.HasSuffix(on, " and the CPU") || stderr.Len() > 0 {
					t.Errorf("much waits: %s, %q", on, &stderr)
				}
			default:
				if on != "the CPU" || !strings.Contains(stderr.String(), "answering on the CPU: ") {
					t.Errorf("much waits, there is no GPU: %s, %q", on, &stderr)
				}
			}
		})
	}
}

// TestHybridThreads bounds the cores of hybrid: no more workers take queries than there are
// threads, before a GPU is opened, while it is and afterwards, and one always does.
func TestHybridThreads(t *testing.T) {
	for _, threads := range []int{1, 2, 3} {
		newSession(t, func(s *session) {
			s.f.threads, s.f.bounded = threads, true
			b := newBoth(s, io.Discard)
			defer b.close()
			if len(b.workers) != sharesAtOnce*threads || b.extra() != len(b.workers)-threads {
				t.Errorf("%d threads: %d workers, of which %d rest", threads, len(b.workers), b.extra())
			}
			l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
			l.end(nil)
			l.rest(b.extra())
			_, _ = b.open(t.Context(), l, 0) // there may be no GPU
			if l.resting < b.extra() || l.resting >= len(b.workers) {
				t.Errorf("%d threads: %d of %d workers rest while a GPU is opened", threads, l.resting, len(b.workers))
			}
			cmd := Command()
			cmd.SetErr(io.Discard)
			cmd.SetContext(t.Context())
			cores, used := runtime.GOMAXPROCS(0), 0
			l = newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
			l.add([]question{{id: "1", text: "word"}})
			l.end(nil)
			err := s.onBoth(cmd, l, func(_ *worker, b []byte, _ *reply) ([]byte, error) {
				used = runtime.GOMAXPROCS(0)
				return b, nil
			})
			if err != nil || used != threads || runtime.GOMAXPROCS(0) != cores {
				t.Errorf("%d threads: %d cores, and %d afterwards: %v", threads, used, runtime.GOMAXPROCS(0), err)
			}
		})
	}
}

// TestHybridAnswers answers a log for which the CPU would take seconds, since printing is slow
// until a GPU is open, and which goes on until that has taken a part: all is answered, in order.
func TestHybridAnswers(t *testing.T) {
	gpus, _ := gpu.Devices()
	newSession(t, func(s *session) {
		s.f.k = 10
		var out, stderr bytes.Buffer
		l := newPipeline(&out, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
		both := newBoth(s, &stderr)
		var want strings.Builder
		go func() {
			enough := func(n int) bool {
				if gpus == 0 {
					return n >= 6000
				}
				x := both.x.Load()
				return n >= 30000 && x != nil && x.Stats().GPU.Queries > 0
			}
			for n := 0; !enough(n) && t.Context().Err() == nil; n += 1000 {
				some := make([]question, 1000)
				for i := range some {
					some[i] = question{id: fmt.Sprint(n + i), text: "word"}
					fmt.Fprintln(&want, n+i, 10)
				}
				l.add(some)
			}
			l.end(nil)
		}()
		cmd := Command()
		cmd.SetErr(&stderr)
		cmd.SetContext(t.Context())
		err := both.answer(cmd, l, func(_ *worker, b []byte, r *reply) ([]byte, error) {
			if both.x.Load() == nil {
				time.Sleep(time.Duration(both.cores) * 100 * time.Microsecond)
			}
			return fmt.Appendln(b, r.index, len(r.hits)), nil
		})
		if err != nil || out.String() != want.String() {
			t.Errorf("%v: %d of %d bytes", err, out.Len(), want.Len())
		}
		if opened := strings.Contains(stderr.String(), " and the CPU: "); opened != (gpus > 0) || opened && strings.Contains(stderr.String(), "the GPU took 0 ") {
			t.Errorf("%d GPUs: %s", gpus, &stderr)
		}
	})
}

// TestTaken says how processors shared queries, and which ones both count.
func TestTaken(t *testing.T) {
	s := &hybrid.Stats{CPU: hybrid.Share{Queries: 700}, GPU: hybrid.Share{Queries: 500}, Batches: 4, Waiting: hybrid.Waiting{Most: 90}}
	for again, want := range map[int64]string{
		0:   "the CPU took 800; the GPU took 500 in 4 batches; at most 90 waited",
		256: "the CPU took 800; the GPU took 500 in 4 batches, and left 256 of them to the CPU after all; at most 90 waited",
	} {
		s.Again = again
		if got := taken(s, 100); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
