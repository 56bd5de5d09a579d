package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// MaxTerms is the most distinct terms of a query.
const MaxTerms = 1 << 16

// ErrTooManyTerms says that a query has more than MaxTerms distinct terms.
var ErrTooManyTerms = errors.New("query: too many terms")

// Options choose how a Searcher scores and searches. The zero value means BM25 with
// DefaultParams and the fastest strategies.
type Options struct {
	// Params are the parameters of BM25; nil means DefaultParams. Params{} is k1 = 0, b = 0.
	Params *Params
	// Seek says how postings are found. Results do not depend on it.
	Seek reader.Strategy
	// DenseBytes bounds the memory for bitmaps of long lists with their frequencies, in
	// bytes for each document of the snapshot: a list takes 3/16 byte a document and a
	// byte a posting. 0 means DefaultDenseBytes, less than 0 none.
	DenseBytes int
}

// params returns the parameters that o means.
func (o *Options) params() Params {
	if o.Params == nil {
		return DefaultParams
	}
	return *o.Params
}

// Searcher answers queries over one snapshot, which must stay open meanwhile. It
// is safe for concurrent use.
type Searcher struct {
	seek   reader.Strategy
	parts  []part
	scorer *Scorer
	parser parser
	cache  termCache
	runs   sync.Pool
}

// newSearcher returns a Searcher over parts, which have the statistics st.
func newSearcher(parts []part, st Stats, o Options) (*Searcher, error) {
	if o.Seek > reader.Buckets {
		return nil, fmt.Errorf("%w: seek strategy %d", ErrInvalid, o.Seek)
	}
	for i := range parts {
		lens, err := parts[i].seg.DocLens()
		if err != nil {
			return nil, err
		}
		parts[i].lens = newLengths(lens)
		parts[i].dense = newDenseCache(o.DenseBytes, parts[i].seg.Docs())
	}
	sc, err := NewScorer(o.params(), st)
	if err != nil {
		return nil, err
	}
	s := &Searcher{seek: o.Seek, parts: parts, scorer: sc}
	s.cache.init(len(parts))
	s.runs.New = func() any { return new(run) }
	return s, nil
}

// Scorer returns the scoring function of the snapshot.
func (s *Searcher) Scorer() *Scorer { return s.scorer }

// Search answers one query.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	hits, err := s.AppendHits(ctx, nil, &q)
	return Result{Hits: hits}, err
}

// Execute answers queries one after the other. It makes Searcher an Executor.
func (s *Searcher) Execute(ctx context.Context, queries []Query) ([]Result, error) {
	results := make([]Result, len(queries))
	for i := range queries {
		hits, err := s.AppendHits(ctx, nil, &queries[i])
		if err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		results[i].Hits = hits
	}
	return results, nil
}

// AppendHits appends the hits of q to dst, the best first. It allocates only
// where dst or the Searcher's pooled memory must grow. On an error it returns dst
// as it was.
func (s *Searcher) AppendHits(ctx context.Context, dst []Hit, q *Query) (hits []Hit, err error) {
	hits = dst
	if err = ctx.Err(); err != nil {
		return dst, err
	}
	if err = q.Check(); err != nil {
		return dst, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	if q.K <= 0 || len(q.Terms) == 0 {
		q.Trace.reset()
		return dst, nil
	}
	r := s.runs.Get().(*run)
	r.begin(ctx, s, q)
	found, err := r.search(dst)
	r.forget()
	s.runs.Put(r)
	if err != nil {
		return dst, err
	}
	return found, nil
}

func (r *run) search(dst []Hit) ([]Hit, error) {
	t := r.q.Trace
	t.reset()
	var start time.Time
	if t != nil {
		start = time.Now()
	}
	if err := r.resolve(); err != nil {
		return dst, err
	}
	if t != nil {
		t.Resolve = time.Since(start)
		defer func() { t.Search = time.Since(start) - t.Resolve }()
	}
	if err := r.compute(); err != nil {
		return dst, err
	}
	return r.top.appendHits(dst), nil
}

// compute leaves the hits of a query whose terms are resolved in r.top.
func (r *run) compute() error {
	err := r.passes()
	r.top.trim()
	return err
}

func (r *run) passes() error {
	if r.q.Mode != Or {
		r.pass(true)
		if r.err != nil || r.q.Mode == And || len(r.top.heap) >= r.top.k {
			return r.err
		}
	}
	r.pass(false)
	return r.err
}

// pass computes And or Or over all segments into r.top; failures are in r.err.
func (r *run) pass(conjunctive bool) {
	r.top.reset(r.maxHits(), len(r.terms))
	r.top.delay()
	r.partial.reset(r.top.k)
	if conjunctive && r.unknown() {
		return
	}
	for p := range r.s.parts {
		if r.enter(p, conjunctive) {
			r.dispatch(conjunctive)
		}
		if r.err != nil {
			return
		}
	}
}

// maxHits returns k, or the number of documents if that is less, so that memory
// for hits does not depend on k.
func (r *run) maxHits() int {
	return int(min(uint64(r.q.K), max(r.s.scorer.stats.Docs, 1)))
}

// dispatch runs the algorithm that was asked for over the segment at hand.
func (r *run) dispatch(conjunctive bool) {
	a := r.choose(conjunctive)
	if a != BlockMaxAnd && !r.open(len(r.lists)) {
		return
	}
	switch a {
	case Exhaustive:
		r.exhaustive()
	case Scan:
		r.scan()
	case MaxScore:
		r.maxScore(false)
	case BlockMaxMaxScore:
		r.maxScore(true)
	case WAND:
		r.wand(false)
	case BlockMaxWAND:
		r.wand(true)
	case RangeMaxScore:
		r.rangeMaxScore()
	case FilterFirst:
		r.filterFirst(conjunctive)
	case SmallAdaptive:
		r.smallAdaptive()
	case BlockMaxAnd:
		r.blockMaxAnd()
	default:
		r.leapfrog()
	}
	r.settle()
	if r.q.Trace != nil {
		r.q.Trace.add(r, a)
	}
}

// choose returns the algorithm for the segment at hand. On the logs measured
// (docs/benchmarks.md) one algorithm is the fastest for Or, by a factor of two or
// more for every k, and one for And, so Auto takes those; but a filter that is
// small beside the lists goes first.
func (r *run) choose(conjunctive bool) Algorithm {
	a := r.q.Algorithm
	switch {
	case a == FilterFirst && r.q.Filter != nil, a == Auto && r.smallFilter(conjunctive):
		return FilterFirst
	case a != Auto && a != FilterFirst && a.Conjunctive() == conjunctive:
		return a
	case conjunctive:
		return BlockMaxAnd
	}
	return RangeMaxScore
}
