package idxquery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// finder finds the hits of one query: a search.Searcher, a pool.Pool or a stepFinder.
type finder interface {
	AppendHits(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error)
	// Search can record what it does, and count the matches.
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// counter counts the matches of a query: a search.Searcher or a pool.Pool.
type counter interface {
	Count(ctx context.Context, q search.Query) (uint64, error)
}

// reply is the answer to one question.
type reply struct {
	question
	index  int // of the question
	query  search.Query
	hits   []search.Hit
	total  uint64           // documents that match, if they are counted
	before int              // hits left out before these
	sorted [][]schema.Value // what the hits are sorted by, if they are
	facets []search.FacetCounts
	trace  *search.Trace // nil unless traced
	took   time.Duration
	steps  *gpu.StepTrace // nil unless traced on two processors
	reads  *cli.Reads     // nil unless traced in an index behind a URL
}

// skip leaves out the hits of the pages before.
func (r *reply) skip(n int) {
	r.before = min(n, len(r.hits))
	r.hits = slices.Delete(r.hits, 0, r.before)
	r.sorted = r.sorted[min(n, len(r.sorted)):]
}

// printer appends what is printed for a reply.
type printer func(w *worker, b []byte, r *reply) ([]byte, error)

// worker answers questions in one goroutine.
type worker struct {
	s      *session
	print  printer
	timed  bool            // took is kept
	yields bool            // to other goroutines, every turn
	took   []time.Duration // by query

	answered atomic.Int64  // by oneByOne
	busy     time.Duration // of searches since it has yielded
	reply    reply
	queries  []search.Query
	lists    []query.Node // of --fuse: of the question that was cut last
	arena    search.Arena // of their results
	terms    [][]byte
	buf      []byte // bytes of terms
	id       []byte
	docs     []uint32
}

// cut cuts a question into terms, unless that is done by field. They are valid until w.terms and w.buf are reset.
func (w *worker) cut(q question) (search.Query, error) {
	own := search.Query{K: w.s.f.wanted(), Algorithm: w.s.algo, Trace: w.s.f.trace, Total: w.s.f.total,
		Sort: w.s.asked.sort, Facets: w.s.asked.facets, Collapse: w.s.f.collapse, Static: w.s.asked.static, Chosen: w.s.chosen}
	if w.s.like != nil {
		own.Node = w.s.filtered(w.s.like)
		return own, nil
	}
	if w.s.f.dot != "" {
		d, err := w.s.f.vector(q.text)
		own.Node = w.s.filtered(d)
		return own, w.s.refused(q.id, err)
	}
	if w.s.f.nearest != "" {
		var err error
		own.Node, err = w.nearby(q)
		own.Limited, own.Approximate = new([]query.Limited), new(bool)
		return own, err
	}
	if w.s.f.syntax {
		n, err := w.s.parse(q.text)
		if w.s.f.typos {
			n = query.WithTypos(n)
		}
		if err == nil {
			n, err = w.s.expanded(n)
		}
		own.Node, own.Limited = w.s.filtered(n), new([]query.Limited)
		return own, w.s.refused(q.id, err)
	}
	if w.s.fields || w.s.filter != nil || w.s.f.typos || w.s.synonyms != nil {
		n, err := w.s.expanded(query.Match{Field: w.s.f.field, Text: q.text, Mode: w.s.mode, Typos: w.s.f.typos})
		own.Node = w.s.filtered(n)
		return own, w.s.refused(q.id, err)
	}
	from := len(w.terms)
	var err error
	w.terms, w.buf, err = w.s.searcher.AppendTerms(w.terms, w.buf, q.text)
	own.RawTerms, own.Mode = w.terms[from:len(w.terms):len(w.terms)], w.s.mode
	return own, err
}

// wanted returns how many hits are searched for.
func (f *flags) wanted() int { return f.offset + min(f.k, math.MaxInt-f.offset) }

// parse returns what a query with operators says.
func (s *session) parse(text string) (query.Node, error) {
	if s.f.strict {
		return s.searcher.ParseText(text)
	}
	typed := s.searcher.ParseLenient(text)
	if s.notes != nil && typed.Words != nil {
		s.noted.Lock()
		fmt.Fprintln(s.notes, cli.AsWords(typed.Words))
		s.noted.Unlock()
	}
	return typed.Node, nil
}

// cutAll cuts questions into terms, in w.queries.
func (w *worker) cutAll(qs []question) error {
	w.terms, w.buf = w.terms[:0], w.buf[:0]
	w.queries = slices.Grow(w.queries[:0], len(qs))
	for _, q := range qs {
		c, err := w.cut(q)
		if err != nil {
			return err
		}
		w.queries = append(w.queries, c)
	}
	return nil
}

// find answers a question in w.reply.
func (w *worker) find(ctx context.Context, f finder, q question) (err error) {
	r := &w.reply
	r.question = q
	w.terms, w.buf = w.terms[:0], w.buf[:0]
	if r.query, err = w.cut(q); err != nil {
		return err
	}
	if r.query.Trace && w.s.remote && cli.URLs.Meter != nil {
		var count func() cli.Reads
		ctx, count = cli.URLs.Meter(ctx)
		defer func() {
			reads := count()
			r.reads = &reads
		}()
	}
	start := time.Now()
	switch c, ok := f.(counter); {
	case w.s.f.fuse:
		r.hits, err = w.fused(ctx, r.hits[:0], &r.query)
	case ok && w.s.f.count:
		r.total, err = c.Count(ctx, r.query)
	case r.query.Trace || r.query.Total || w.s.f.columns():
		var x search.Result
		x, err = f.Search(ctx, r.query)
		r.hits, r.total, r.trace, r.sorted, r.facets = x.Hits, x.Total, x.Trace, x.Sort, x.Facets
	default:
		r.hits, err = f.AppendHits(ctx, r.hits[:0], &r.query)
	}
	r.took = time.Since(start)
	r.skip(w.s.f.offset)
	if steps, ok := f.(*stepFinder); ok {
		r.steps = &steps.trace
	}
	w.s.note(&r.query, err)
	return w.name(w.s.refused("", err))
}

// note says which parts of a query that was typed stand for more terms than may score each.
func (s *session) note(q *search.Query, err error) {
	if s.notes == nil || q.Limited == nil || err != nil {
		return
	}
	if q.Approximate != nil && *q.Approximate {
		s.noted.Lock()
		why := "--probe leaves vectors out"
		if s.f.probe == 0 {
			why = "the index keeps codes of vectors alone"
		}
		fmt.Fprintln(s.notes, "the answer is approximate:", why)
		s.noted.Unlock()
	}
	for _, l := range *q.Limited {
		s.noted.Lock()
		fmt.Fprintf(s.notes, "%s\n", limited(l))
		s.noted.Unlock()
	}
}

// limited says how a part of a query is limited.
func limited(l query.Limited) string {
	if l.Constant {
		return fmt.Sprintf("%s stands for more than %s: it scores alike for all of them", l.Name, cli.Number(query.MaxScored, "term"))
	}
	return fmt.Sprintf("%s stands for more than %s: only the closest count", l.Name, cli.Number(query.MaxScored, "term"))
}

// refused returns err as one of usage if a query with operators is not in the language, or not one that the index
// can answer, as one of columns that it does not have. Without an id it is named later.
func (s *session) refused(id string, err error) error {
	if !s.f.syntax && s.f.dot == "" && s.f.nearest == "" && s.f.field == "" && !s.f.columns() || !errors.Is(err, query.ErrInvalid) && !errors.Is(err, query.ErrTooManyTerms) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if id == "" {
		return cli.Usage("%w", err)
	}
	return cli.Usage("query %s: %w", cli.Quote(id), err)
}

// name says which query an error is of.
func (w *worker) name(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("query %s: %w", w.reply.id, err)
}

// idOf returns the external id of a document, until the next call. The session holds the
// snapshot, once for all.
func (w *worker) idOf(doc uint32) (id []byte, err error) {
	seg, local, ok := w.s.snapshot.Locate(doc)
	if !ok {
		return nil, fmt.Errorf("no document %d", doc) // an answer has none of these
	}
	w.id, err = seg.Views().Documents().AppendID(w.id[:0], local)
	return w.id, err
}

// turn is how long a worker searches while others wait for its P. Go preempts it after 10 ms only,
// which is long for what opens a GPU.
const turn = 100 * time.Microsecond

// oneByOne answers the questions of a share.
func (w *worker) oneByOne(ctx context.Context, f finder, sh *share) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for i, q := range sh.questions {
		if err := w.find(ctx, f, q); err != nil {
			return err
		}
		w.answered.Add(1)
		if w.busy += w.reply.took; w.yields && w.busy > turn {
			w.busy = 0
			runtime.Gosched()
		}
		if w.timed {
			w.took = append(w.took, w.reply.took)
		}
		w.reply.index = sh.first + i
		if sh.out, err = w.print(w, sh.out, &w.reply); err != nil {
			return err
		}
	}
	return nil
}

// together answers the questions of a share with one call of Execute.
func (w *worker) together(ctx context.Context, x search.Executor, sh *share) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if err := w.cutAll(sh.questions); err != nil {
		return err
	}
	start := time.Now()
	results, err := w.arena.Execute(ctx, x, w.queries)
	if err != nil {
		return w.s.refused("", err)
	}
	took := time.Since(start)
	for i, q := range sh.questions {
		w.reply = reply{question: q, index: sh.first + i, query: w.queries[i], hits: results[i].Hits, total: results[i].Total,
			sorted: results[i].Sort, facets: results[i].Facets, took: took}
		w.reply.skip(w.s.f.offset)
		if sh.out, err = w.print(w, sh.out, &w.reply); err != nil {
			return err
		}
	}
	return nil
}
