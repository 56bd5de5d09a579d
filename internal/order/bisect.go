package order

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/errs"
)

// ErrInvalid is matched by the errors for arguments that make no sense: no lists, lists with
// documents that there are not, and permutations that are none.
var ErrInvalid = errs.New("invalid")

var errNoLists = fmt.Errorf("order: %w: there are no lists", ErrInvalid)

// Options configure Bisect. The zero value means the defaults.
type Options struct {
	// Threads is the number of worker goroutines, at most 1024; 0 means
	// runtime.GOMAXPROCS. The result does not depend on it.
	Threads int
	// MinDF is the minimum length of the lists considered, in postings; 0 means
	// DefaultMinDF. Lists of one posting have no gap to shorten.
	MinDF uint32
	// Iterations is the maximum number of rounds of exchanges between two halves; 0
	// means 20, as in the paper. They end before when they gain little.
	Iterations int
	// Leaf is the size, in documents, of parts that are not split further; 0 means
	// DefaultLeaf. Their documents keep their order.
	Leaf int
	// Progress, if not nil, is called from time to time with the number of documents
	// split and their total, counted once for each level.
	Progress func(done, total uint64)
}

// DefaultMinDF and DefaultLeaf are the defaults of Options, the best measured; see
// docs/sizes.md.
const (
	DefaultMinDF      = 2
	DefaultLeaf       = 32
	defaultIterations = 20
)

func (o Options) withDefaults() Options {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.Threads = min(o.Threads, 1024)
	if o.MinDF == 0 {
		o.MinDF = DefaultMinDF
	}
	if o.Iterations <= 0 {
		o.Iterations = defaultIterations
	}
	if o.Leaf <= 0 {
		o.Leaf = DefaultLeaf
	}
	return o
}

// Bisect returns an order of docs documents that makes the gaps of lists short, by
// recursive graph bisection. It needs 4 bytes of memory for every posting of the
// lists considered and 49 for every document, and at most 16 bytes for each term of
// the parts in progress. A nil ctx is context.Background.
func Bisect(ctx context.Context, docs uint32, lists Lists, o Options) (Permutation, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if lists == nil {
		return nil, errNoLists
	}
	o = o.withDefaults()
	total := uint64(docs) * uint64(levels(int(docs), o.Leaf))
	if o.Progress != nil {
		o.Progress(0, total) // reading the lists takes a while
	}
	f, err := newForward(ctx, docs, lists, o.MinDF)
	if err != nil {
		return nil, err
	}
	b := &bisector{f: f, o: o, gaps: newGapTable(docs), total: total}
	if err := b.run(ctx, part{docs: f.docs, width: f.width}); err != nil {
		return nil, err
	}
	b.next = 0
	b.report(int(b.total - b.done))
	p := make(Permutation, docs)
	for to, d := range f.docs {
		p[d.id] = uint32(to)
	}
	return p, nil
}

// levels returns how often n documents are halved.
func levels(n, leaf int) int {
	l := 0
	for ; n > leaf && n > 1; n -= n / 2 {
		l++
	}
	return l
}

// part is a part of the documents. Its terms have numbers below width.
type part struct {
	docs  []document
	width uint32
}

type bisector struct {
	f    *forward
	o    Options
	gaps gapTable

	total uint64
	mu    sync.Mutex // guards the following fields and calls of o.Progress
	done  uint64
	next  uint64 // report from here
}

// run splits root down to the leaves. While there are few parts, it splits a whole
// level at a time, with several goroutines per part if necessary. Below that, parts
// are queued, and one goroutine splits each of them completely.
func (b *bisector) run(ctx context.Context, root part) error {
	const partsPerThread = 4
	threads := b.o.Threads
	workers := make([]splitter, threads)
	level := []part{root}
	for threads > 1 && len(level) < partsPerThread*threads && b.isInner(level[0]) {
		next := make([]part, 2*len(level))
		width := max(1, threads/len(level))
		err := b.each(ctx, workers, len(level), func(w *splitter, i int) {
			next[2*i], next[2*i+1] = w.split(ctx, b, level[i], width)
		})
		if err != nil {
			return err
		}
		level = next
	}
	return b.each(ctx, workers, len(level), func(w *splitter, i int) { b.descend(ctx, w, level[i]) })
}

// each calls do for every i below n on as many goroutines as there are workers.
func (b *bisector) each(ctx context.Context, workers []splitter, n int, do func(w *splitter, i int)) error {
	var group sync.WaitGroup
	var next atomic.Int64
	for k := range min(n, len(workers)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(&workers[k], i)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// isInner reports whether p will be split.
func (b *bisector) isInner(p part) bool { return len(p.docs) > max(b.o.Leaf, 1) }

func (b *bisector) descend(ctx context.Context, w *splitter, p part) {
	if !b.isInner(p) || ctx.Err() != nil {
		return
	}
	left, right := w.split(ctx, b, p, 1)
	b.descend(ctx, w, left)
	b.descend(ctx, w, right)
}

// report adds n to the documents split.
func (b *bisector) report(n int) {
	if b.o.Progress == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done = min(b.done+uint64(n), b.total); b.done >= b.next {
		b.next = b.done + b.total/200 + 1
		b.o.Progress(b.done, b.total)
	}
}
