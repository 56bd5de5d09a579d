package query

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/internal/termcache"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// MaxTerms is the maximum number of distinct terms of a query.
const MaxTerms = 1 << 16

// ErrTooManyTerms is matched by the error for a query with more than MaxTerms distinct terms.
var ErrTooManyTerms = errors.New("query: too many terms")

// Options configure how a Searcher scores and searches. The zero value means BM25 with
// DefaultParams and the fastest strategies.
type Options struct {
	// Params are the parameters of BM25; nil means DefaultParams. Params{} means k1 = 0, b = 0.
	Params *Params
	// Seek is how postings are found. Results do not depend on it.
	Seek reader.Strategy
	// DenseBytes bounds the memory for caching long lists as bitmaps with frequencies,
	// in bytes for each document of the snapshot. A list takes 3/16 byte a document and
	// a byte a posting. 0 means DefaultDenseBytes; a negative value disables the cache.
	DenseBytes int
}

// params returns the effective parameters.
func (o *Options) params() Params {
	if o.Params == nil {
		return DefaultParams()
	}
	return *o.Params
}

// Searcher answers queries over one snapshot. After the snapshot is closed, queries fail with
// reader.ErrClosed; those under way are answered. It is safe for concurrent use. It needs no closing.
type Searcher struct {
	snapshot *reader.Snapshot // nil in tests over parts
	seek     reader.Strategy
	parts    []part
	scorer   *Scorer
	parser   parser
	cache    termcache.Cache[cachedTerm]
	runs     sync.Pool
}

// NewSearcher returns a Searcher over a snapshot, which it does not keep open.
// The error matches ErrInvalid if s is nil or an option is invalid, ErrParams if a parameter is out
// of range, and reader.ErrClosed if s is closed.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", ErrInvalid)
	}
	release, err := s.Acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var parts []part
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{seg: seg, deletes: d})
	}
	x, err := newSearcher(parts, StatsOf(s), o)
	if err != nil {
		return nil, err
	}
	x.snapshot = s
	x.parser.init(s.Analyzer())
	return x, nil
}

// StatsOf returns the statistics of a snapshot on which scores depend.
func StatsOf(s *reader.Snapshot) Stats {
	st := s.Stats()
	return Stats{Docs: st.Live, Tokens: st.LiveTokens, MaxLen: st.MaxLen}
}

// newSearcher returns a Searcher over parts, which have the statistics st.
func newSearcher(parts []part, st Stats, o Options) (*Searcher, error) {
	if o.Seek > reader.Buckets {
		return nil, fmt.Errorf("%w: seek strategy %d", ErrInvalid, o.Seek)
	}
	for i := range parts {
		parts[i].views().ExpectQueries()
	}
	for i := range parts {
		err := store.Guard(func() error {
			lens, err := parts[i].views().DocLens()
			parts[i].lens = newLengths(lens)
			return err
		})
		if err != nil {
			return nil, err
		}
		parts[i].dense = newDenseCache(o.DenseBytes, parts[i].seg.Docs())
	}
	sc, err := NewScorer(o.params(), st)
	if err != nil {
		return nil, err
	}
	s := &Searcher{seek: o.Seek, parts: parts, scorer: sc}
	s.cache.Init(cacheSets(len(parts)))
	s.runs.New = func() any { return new(run) }
	return s, nil
}

// hold keeps the snapshot's files in memory until release, or fails if the snapshot is closed. Each
// query holds it once.
func (s *Searcher) hold() error {
	if s.snapshot == nil {
		return nil
	}
	return s.snapshot.Hold(trusted.Caller{})
}

func (s *Searcher) release() {
	if s.snapshot != nil {
		s.snapshot.Unhold(trusted.Caller{})
	}
}

// Scorer returns the scoring function of the snapshot.
func (s *Searcher) Scorer() *Scorer { return s.scorer }

// Search answers one query. Its errors are those of AppendHits.
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
			return nil, &NumberError{Number: i, Err: err}
		}
		results[i].Hits = hits
	}
	return results, nil
}

// AppendHits appends the hits of q to dst, the best first. It allocates only if dst or the
// Searcher's pooled memory must grow. On an error it returns dst unchanged. The error is that of
// ctx, or matches ErrInvalid, ErrTooManyTerms, reader.ErrClosed or format.ErrCorrupt.
func (s *Searcher) AppendHits(ctx context.Context, dst []Hit, q *Query) (hits []Hit, err error) {
	hits, _, err = s.AppendHitsIf(ctx, dst, q, nil)
	return hits, err
}

// AppendHitsIf is AppendHits for a query that another processor may answer instead. Once it has looked the
// terms up it calls accept, unless that is nil, and goes on only if accept returns true; ok reports whether the
// query was answered. Queries without terms, or that want no hits, are answered without a call. accept may use
// the Searcher.
func (s *Searcher) AppendHitsIf(ctx context.Context, dst []Hit, q *Query, accept func(Lengths) bool) (hits []Hit, ok bool, err error) {
	hits = dst
	if err = ctx.Err(); err != nil {
		return dst, false, err
	}
	if err = q.Check(); err != nil {
		return dst, false, err
	}
	if err = s.hold(); err != nil {
		return dst, false, err
	}
	defer s.release()
	var r *run
	defer func() { r.blame(&err) }()
	defer store.CatchFault(store.ArmFault(), &err)
	if q.K <= 0 || len(q.RawTerms) == 0 {
		q.Trace.reset()
		return dst, true, nil
	}
	r = s.runs.Get().(*run)
	r.begin(ctx, s, q)
	found, ok, err := r.search(dst, accept)
	r.forget()
	s.runs.Put(r)
	r = nil // it is another query's
	if err != nil {
		return dst, false, err
	}
	return found, ok, nil
}
