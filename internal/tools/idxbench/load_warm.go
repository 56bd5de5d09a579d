package idxbench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// warmFor is how long queries are asked of a processor before the first run, at most: a log of long queries takes minutes as a whole.
const warmFor = 2500 * time.Millisecond

// How many queries are asked at a time meanwhile.
const leastWarm, mostWarm = 64, 4096

// warm asks both indexes and the GPU the queries of the log once, as far as there is time for it, and compares the answers.
func (l *loader) warm(ctx context.Context) error {
	l.say("asking the CPU queries of the log for up to %v", warmFor)
	want, err := l.ask(ctx, l.whole, l.queries)
	if err == nil && l.gpu != nil {
		err = l.warmGPU(ctx, want)
	}
	if err != nil || l.cut == l.whole {
		return err
	}
	l.say("comparing the answers of %s for up to %v", l.f.partitions, warmFor)
	got, err := l.ask(ctx, l.cut, l.queries[:len(want)])
	if err != nil {
		return err
	}
	for i := range got {
		if !slices.Equal(want[i].Hits, got[i].Hits) {
			return fmt.Errorf("%s and %s do not hold the same documents: a query has different answers", l.f.index, l.f.partitions)
		}
	}
	return nil
}

// say says what is done before the first run.
func (l *loader) say(format string, args ...any) {
	fmt.Fprintf(l.stderr, "load: "+format+"\n", args...)
}

// ask asks an index queries for warmFor. It returns the answers of those that it has come to.
func (l *loader) ask(ctx context.Context, s *search.Searcher, queries []search.Query) ([]search.Result, error) {
	p, err := pool.New(s, pool.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return askFor(ctx, p, queries, warmFor)
}

func askFor(ctx context.Context, x search.Executor, queries []search.Query, d time.Duration) (results []search.Result, err error) {
	begun := time.Now()
	for n := leastWarm; len(results) < len(queries) && time.Since(begun) < d; n = min(2*n, mostWarm) {
		some, err := x.Execute(ctx, queries[len(results):min(len(results)+n, len(queries))])
		if err != nil {
			return nil, err
		}
		results = append(results, some...)
	}
	return results, nil
}

// warmGPU waits until the GPU answers, brings lists there and compares its answers with those of the first queries.
func (l *loader) warmGPU(ctx context.Context, want []search.Result) error {
	g := l.gpu.x
	if g.Compiling() {
		l.say(compiling)
	}
	if err := g.Ready(ctx); err != nil {
		return err
	}
	if l.f.dot != "" {
		l.say("loading field %q", l.f.dot)
		for _, x := range g.Executors() { // otherwise behind queries, which the CPU answers meanwhile
			if err := x.Preload(ctx, l.queries[:1]); err != nil {
				return err
			}
		}
		if g.Stats().Tiled == 0 {
			l.say("field %q does not fit on the GPU: the CPU answers", l.f.dot)
		}
	}
	l.say("comparing the answers of the GPU for up to %v", warmFor)
	before := g.Stats().OnCPU
	got, err := askFor(ctx, g, l.queries[:len(want)], warmFor)
	if err != nil {
		return err
	}
	for i := range got {
		if !slices.Equal(want[i].Hits, got[i].Hits) {
			return fmt.Errorf("the GPU answers query %q otherwise than the CPU", name(&l.queries[i]))
		}
	}
	l.sayCompared(len(got), before, g.Stats().OnCPU)
	_, err = askFor(ctx, g, l.queries[len(got):], warmFor) // their lists
	return err
}

// sayCompared says how many answers were compared, and how many of them the CPU has given for the GPU, and why.
func (l *loader) sayCompared(n int, before, after gpu.Reasoned) {
	text := fmt.Sprintf("the answers of the GPU to %s of %s are those of the CPU", cli.Count(n), cli.Number(len(l.queries), "query"))
	for why, all := range after.All() {
		if of := all - before[why]; of > 0 {
			text += fmt.Sprintf("; the CPU gave %s of them for it (%v)", cli.Count(of), why)
		}
	}
	l.say("%s", text)
}
