package idxquery

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/hybrid"
)

// both answers queries with --device hybrid: on all cores or those of --threads, as onThreads
// does, and on a GPU beside them once one has been worth opening and answers.
type both struct {
	*session
	stderr  io.Writer
	cores   int
	workers []worker                        // one for each core, and extra
	x       atomic.Pointer[hybrid.Executor] // nil until its GPU answers

	opening sync.WaitGroup   // guards the fields below
	asked   bool             // for a GPU
	failed  bool             // to open one
	opened  *hybrid.Executor // to be closed
}

// sharesAtOnce is how many shares there are for each core with a GPU, which works on some of them
// while others wait for their last answers, or are printed.
const sharesAtOnce = 2

func newBoth(s *session, stderr io.Writer) *both {
	cores := max(runtime.GOMAXPROCS(0), 2)
	if s.f.bounded {
		cores = s.f.threads
	}
	return &both{session: s, stderr: stderr, cores: cores, workers: make([]worker, sharesAtOnce*cores)}
}

// extra returns how many of the workers rest until a GPU answers.
func (b *both) extra() int { return len(b.workers) - b.cores }

func (s *session) onBoth(cmd *cobra.Command, l *pipeline, print printer) error {
	if s.f.bounded {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.f.threads))
	}
	return newBoth(s, cmd.ErrOrStderr()).answer(cmd, l, print)
}

// answer answers the questions of l.
func (b *both) answer(cmd *cobra.Command, l *pipeline, print printer) error {
	l.rest(b.extra())
	defer b.close()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	b.opening.Go(func() { b.openWhenItPays(ctx, l) })
	start := time.Now()
	n, err := l.run(len(b.workers), onThreads, func(i int) func(*share) error {
		w := &b.workers[i]
		w.s, w.print, w.yields = b.session, print, true
		return func(sh *share) error {
			if x := b.x.Load(); x != nil {
				return w.together(cmd.Context(), x, sh)
			}
			return w.oneByOne(cmd.Context(), b.searcher, sh)
		}
	})
	took := time.Since(start)
	l.progress.Stop()
	cancel()
	b.opening.Wait()
	if err == nil && n > 0 {
		fmt.Fprintf(b.stderr, "%s in %s on %s: %s queries/s\n", cli.Number(n, "query"), cli.Seconds(took), b.processors(), cli.Rate(float64(n), took))
	}
	b.report()
	return err
}

// looks is how often it is looked whether a GPU pays.
const looks = 5 * time.Millisecond

// openWhenItPays opens a GPU once that pays for the queries of l, and lets it answer, unless
// ctx ends before.
func (b *both) openWhenItPays(ctx context.Context, l *pipeline) {
	var rule demand
	start, tick := time.Now(), time.Tick(looks)
	answered := 0
	for pays := false; !pays; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		answered = b.answered()
		read, coming, ended := l.progressed()
		pays = rule.pays(time.Since(start), answered, read-answered-b.cores, coming, ended)
	}
	b.asked = true
	x, err := b.open(ctx, l, answered+int(rule.rate*untilOpen.Seconds()))
	if err == nil {
		l.resize(onDevices)
		b.x.Store(x)
		l.rest(0)
		return
	}
	l.rest(b.extra())
	if ctx.Err() == nil {
		b.failed = true
		b.lost(err)
	}
}

// open opens a GPU. Until that answers, an eighth of several cores is left to the driver, and
// others prepare for the queries of l from number first on.
func (b *both) open(ctx context.Context, l *pipeline, first int) (*hybrid.Executor, error) {
	free, looking := min(max(b.cores/8, 1), b.cores-1), make([]worker, max(b.cores/4, 1))
	for i := range looking {
		looking[i].s = b.session
	}
	if read, _, _ := l.progressed(); first >= read { // they would wait for what is read
		looking = looking[:1]
	}
	l.rest(b.extra() + min(free+len(looking), b.cores-1))
	x, err := hybrid.Open(b.snapshot, b.searcher, hybrid.OpenOptions{GPUs: b.f.gpus})
	if err != nil {
		return nil, err
	}
	b.opened = x
	l.peekFrom(first, expects)
	expecting, rested := expect(x, l, looking), make(chan struct{})
	go func() {
		defer close(rested)
		expecting.Wait()
		l.rest(b.extra() + free)
	}()
	err = x.Ready(ctx)
	l.unpeek()
	<-rested
	return x, err
}

// answered returns how many queries the CPU has answered without x.
func (b *both) answered() (n int) {
	for i := range b.workers {
		n += int(b.workers[i].answered.Load())
	}
	return n
}

func (b *both) lost(err error) { fmt.Fprintf(b.stderr, "answering on the CPU: %v\n", err) }

// processors names what has answered.
func (b *both) processors() string {
	switch x := b.x.Load(); {
	case x != nil:
		return x.Device()
	case b.failed:
		return "the CPU"
	case b.asked:
		return "the CPU, before a GPU was open"
	}
	return "the CPU, too few to open a GPU"
}

// report says how the processors shared the queries, and why a GPU is not used any more.
func (b *both) report() {
	x := b.x.Load()
	if x == nil {
		return
	}
	s := x.Stats()
	if s.Retired != nil {
		b.lost(s.Retired)
	}
	fmt.Fprintln(b.stderr, taken(&s, int64(b.answered())))
}

// taken says how the processors shared the queries, the CPU some before there was a GPU. What the GPU
// took and the CPU answered counts for both.
func taken(s *hybrid.Stats, before int64) string {
	gave := ""
	if s.Again > 0 {
		gave = fmt.Sprintf(", and left %s of them to the CPU after all", cli.Count(s.Again))
	}
	return fmt.Sprintf("the CPU took %s; the GPU took %s in %s%s; at most %s waited",
		cli.Count(before+s.CPU.Queries), cli.Count(s.GPU.Queries), cli.Number(s.Batches, "batch"), gave, cli.Count(s.Waiting.Most))
}

// close closes what has been opened. All answers have arrived.
func (b *both) close() {
	b.opening.Wait()
	if b.opened != nil {
		_ = b.opened.Close()
	}
}
