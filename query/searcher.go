package query

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
	// Params are the parameters of BM25.
	Params Params
	// Seek is how postings are found. Results do not depend on it.
	Seek reader.Strategy
	// DenseBytes bounds the memory for caching long lists as bitmaps with frequencies,
	// in bytes for each document of the snapshot. A list takes 3/16 byte a document and
	// a byte a posting. 0 means DefaultDenseBytes; a negative value disables the cache.
	DenseBytes int
}

// ErrClosed is matched by the errors of calls on a closed Searcher. It is reader.ErrClosed.
var ErrClosed = reader.ErrClosed

// Searcher answers queries over one snapshot, which it keeps open until Close. It is safe for
// concurrent use, Close included. The zero value is a closed Searcher.
type Searcher struct {
	snapshot *reader.Snapshot // its own; nil in tests over parts
	seek     reader.Strategy
	parts    []part
	scorer   *Scorer // nil if the Searcher is a zero value
	parser   *Parser
	runs     *sync.Pool
	cache    *termcache.Cache[cachedTerm]
	users    *atomic.Int32 // Searchers that share cache and the parts' dense caches, and are not closed
	closed   atomic.Bool
}

// NewSearcher returns a Searcher over a snapshot, which it retains: the caller may close s at any
// time, and closes the Searcher. One that nothing refers to any more is closed by the garbage
// collector, but later.
//
// The error matches ErrInvalid if s is nil or an option is invalid, ErrParams if a parameter is out
// of range, and reader.ErrClosed if s is closed.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", ErrInvalid)
	}
	own, err := s.Retain()
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	x, err := newSearcher(parts, StatsOf(own), o)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	x.parser = NewParser(own)
	x.keep(own)
	return x, nil
}

// partsOf returns the segments of a snapshot that is open.
func partsOf(s *reader.Snapshot) (parts []part, err error) {
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{seg: seg, deletes: d})
	}
	return parts, nil
}

// keep makes s the owner of a snapshot.
func (s *Searcher) keep(snapshot *reader.Snapshot) {
	s.snapshot = snapshot
	runtime.AddCleanup(s, func(snapshot *reader.Snapshot) { snapshot.Close() }, snapshot)
}

// Retain returns a second Searcher over the same snapshot, to be closed separately. The two share
// what they cache. If s is closed, the error matches ErrClosed.
func (s *Searcher) Retain() (*Searcher, error) {
	if err := s.hold(); err != nil {
		return nil, err
	}
	defer s.release()
	x := &Searcher{
		seek: s.seek, parts: slices.Clone(s.parts), scorer: s.scorer, parser: s.parser,
		runs: s.runs, cache: s.cache, users: s.users,
	}
	x.users.Add(1)
	if s.snapshot == nil {
		return x, nil
	}
	own, err := s.snapshot.Retain()
	if err != nil {
		x.leave()
		return nil, err
	}
	for i, seg := range own.Segments() {
		x.parts[i].seg = seg
	}
	x.keep(own)
	return x, nil
}

// Close closes the Searcher without waiting: later queries fail with ErrClosed, those under way are
// answered, and then the snapshot's files are released. What the Searcher caches is freed, unless
// another shares it. Further calls do nothing.
func (s *Searcher) Close() error {
	if s.snapshot == nil || s.closed.Swap(true) {
		return nil
	}
	s.leave()
	return s.snapshot.Close()
}

// leave ends the use of what Searchers share. The last one frees it; queries under way need no cache.
func (s *Searcher) leave() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.cache.Drop()
	for i := range s.parts {
		s.parts[i].dense.drop()
	}
}

// Over reports whether s answers from the segments and deletes of a snapshot: those of one commit,
// also if it was opened twice.
func (s *Searcher) Over(snapshot *reader.Snapshot) bool {
	return s.snapshot != nil && snapshot != nil && slices.EqualFunc(s.snapshot.Segments(), snapshot.Segments(),
		func(a, b *reader.Segment) bool { return a.Base() == b.Base() && a.Info() == b.Info() })
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
	sc, err := NewScorer(o.Params, st)
	if err != nil {
		return nil, err
	}
	s := &Searcher{seek: o.Seek, parts: parts, scorer: sc, cache: new(termcache.Cache[cachedTerm]), users: new(atomic.Int32)}
	s.cache.Init(cacheSets(len(parts)))
	s.users.Store(1)
	s.runs = &sync.Pool{New: func() any { return new(run) }}
	return s, nil
}

// hold keeps the snapshot's files in memory until release, or fails if the Searcher is closed. Each
// query holds it once.
func (s *Searcher) hold() error {
	if s.snapshot == nil {
		if s.scorer == nil {
			return fmt.Errorf("searcher: %w", ErrClosed)
		}
		return nil
	}
	return s.snapshot.Hold(trusted.Caller{})
}

func (s *Searcher) release() {
	if s.snapshot != nil {
		s.snapshot.Unhold(trusted.Caller{})
	}
}

// Scorer returns the scoring function of the snapshot, which needs no open Searcher. That of the
// zero value is nil.
func (s *Searcher) Scorer() *Scorer { return s.scorer }

// Search answers one query. A nil ctx means context.Background, as for all methods. The errors are
// those of AppendHits.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	var r Result
	if q.Trace {
		r.Trace = new(Trace)
	}
	var err error
	if r.Hits, _, err = s.answer(ctx, nil, &q, nil, r.Trace); err != nil {
		return Result{}, err
	}
	return r, nil
}

// Execute answers queries one after the other. It makes Searcher an Executor.
func (s *Searcher) Execute(ctx context.Context, queries []Query) ([]Result, error) {
	results := make([]Result, len(queries))
	for i := range queries {
		r, q := &results[i], &queries[i]
		if q.Trace {
			r.Trace = new(Trace)
		}
		var err error
		if r.Hits, _, err = s.answer(ctx, nil, q, nil, r.Trace); err != nil {
			return nil, &NumberError{Number: i, Err: err}
		}
	}
	return results, nil
}

// AppendHits appends the hits of q to dst, the best first. It allocates only if dst or the
// Searcher's pooled memory must grow, and ignores Query.Trace. On an error it returns dst unchanged.
// The error is that of ctx, or matches ErrInvalid, ErrTooManyTerms, analysis.ErrUnknown, ErrClosed or
// format.ErrCorrupt.
func (s *Searcher) AppendHits(ctx context.Context, dst []Hit, q *Query) (hits []Hit, err error) {
	hits, _, err = s.answer(ctx, dst, q, nil, nil)
	return hits, err
}

// AppendHitsIf is AppendHits for a query that another processor may answer instead. Once it has looked the
// terms up it calls accept, unless that is nil, and goes on only if accept returns true; ok reports whether the
// query was answered. Queries without terms are answered without a call. accept may use the Searcher.
func (s *Searcher) AppendHitsIf(ctx context.Context, dst []Hit, q *Query, accept func(Lengths) bool) (hits []Hit, ok bool, err error) {
	return s.answer(ctx, dst, q, accept, nil)
}

// answer is AppendHitsIf that records what it does in t, unless that is nil.
func (s *Searcher) answer(ctx context.Context, dst []Hit, q *Query, accept func(Lengths) bool, t *Trace) (hits []Hit, ok bool, err error) {
	hits, ctx = dst, orBackground(ctx)
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
	if q.empty() {
		return dst, true, nil
	}
	r = s.runs.Get().(*run)
	r.begin(ctx, s, q)
	r.trace = t
	found, ok, err := r.search(dst, accept)
	r.forget()
	s.runs.Put(r)
	r = nil // it is another query's
	if err != nil {
		return dst, false, err
	}
	return found, ok, nil
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
