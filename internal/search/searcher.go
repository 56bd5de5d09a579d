package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Searcher answers queries over one snapshot, which it keeps open until Close. It is safe for
// concurrent use, Close included. The zero value is a closed Searcher.
type Searcher struct {
	engine  engine.Searcher
	scorers []*Scorer // by field, in the order of their names
	parser  *Parser
}

// NewSearcher returns a Searcher over a snapshot, which it retains: the caller may close s at any
// time, and closes the Searcher. One that nothing refers to any more is closed by the garbage
// collector, but later. NewSearcher reads with the context of s (reader.Snapshot.WithContext), and
// queries with their own.
//
// The error matches ErrInvalid if s is nil or an option is invalid, ErrParams if a parameter is out
// of range, and reader.ErrClosed if s is closed.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", query.ErrInvalid)
	}
	own, err := s.Retain()
	if err != nil {
		return nil, err
	}
	if o.Collection != nil {
		if err := o.checkCollection(s); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}
	if o.Statistics != nil {
		if o.Statistics, err = statisticsFor(s, o.Statistics); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}
	x, err := searcherOf(own.WithContext(s.Context()), o)
	if err != nil {
		if o.Statistics != nil {
			err = errors.Join(err, o.Statistics.Close())
		}
		return nil, errors.Join(err, own.Close())
	}
	x.engine.Own(own)
	return x, nil
}

// statisticsFor returns a Snapshot like o, to be closed separately, if s may be searched with its statistics.
func statisticsFor(s, o *reader.Snapshot) (*reader.Snapshot, error) {
	if err := s.Joins(o); err != nil {
		if errors.Is(err, query.ErrClosed) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: Statistics: %w", query.ErrInvalid, err)
	}
	return o.Retain()
}

// searcherOf returns a Searcher over a snapshot that is open.
func searcherOf(s *reader.Snapshot, o Options) (*Searcher, error) {
	var segments []engine.Segment
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		segments = append(segments, engine.Segment{Segment: seg, Deletes: d})
	}
	p := NewParser(s)
	p.Schema = o.ranking(p.Schema)
	if p.docs = s.Stats().Live; o.Collection != nil {
		p.docs = o.Collection.Docs
	}
	var own []engine.Field
	var stats []Stats
	all := fields.Indexed(p.Schema)
	for _, f := range all {
		own = append(own, engine.Field{Name: f.Name, ID: f.ID})
		stats = append(stats, o.statistics(f.Name, Stats(s.FieldStats(f.Name))))
	}
	x := &Searcher{parser: p}
	return x, x.init(segments, own, s.Stats().Live, o, func(i int, p query.Params) (*Scorer, error) {
		return ScorerOf(reader.FieldStats(stats[i]), all[i], p)
	})
}

// init prepares s for queries over segments, of which docs documents are not deleted. score returns the Scorer of a field with
// parameters in place of the schema's.
func (s *Searcher) init(segments []engine.Segment, fields []engine.Field, docs uint64, o Options, score func(field int, p query.Params) (*Scorer, error)) error {
	for i := range fields {
		sc, err := score(i, o.Params)
		if err != nil {
			return err
		}
		s.scorers, fields[i].Scorer = append(s.scorers, sc), sc.bm25
	}
	rescore := func(p engine.Params) []*bm25.Scorer {
		scorers := make([]*bm25.Scorer, len(fields))
		for i := range scorers {
			sc, err := score(i, query.Params{K1: cmp.Or(p.K1, o.Params.K1), B: cmp.Or(p.B, o.Params.B), Scorer: cmp.Or(p.Scorer, o.Params.Scorer)})
			if err != nil {
				panic(err) // Query.Check and NewSearcher have checked them
			}
			scorers[i] = sc.bm25
		}
		return scorers
	}
	return s.engine.Init(segments, engine.Options{Fields: fields, Docs: docs, Seek: o.Seek, DenseBytes: o.DenseBytes, FilterBytes: o.FilterBytes, Threads: o.Threads, Parse: s.parser.words, Statistics: o.Statistics, Given: o.Collection != nil,
		PlanColumns: s.parser.planColumns, Rescore: rescore})
}

// Retain returns a second Searcher over the same snapshot, to be closed separately. The two share
// what they cache. If s is closed, the error matches ErrClosed.
func (s *Searcher) Retain() (*Searcher, error) {
	x := &Searcher{scorers: s.scorers, parser: s.parser}
	if err := s.engine.Retain(&x.engine); err != nil {
		return nil, err
	}
	return x, nil
}

// Close closes the Searcher without waiting: later queries fail with ErrClosed, those under way are
// answered, and then the snapshot's files are released. What the Searcher caches is freed, unless
// another shares it. Further calls do nothing.
func (s *Searcher) Close() error { return s.engine.Close() }

// Engine returns what executes the queries of s.
func (s *Searcher) Engine() *engine.Searcher { return &s.engine }

// Over reports whether s answers from the segments, the deletes and the schema of a snapshot: those of one commit,
// also if it was opened twice.
func (s *Searcher) Over(snapshot *reader.Snapshot) bool {
	if !s.engine.Over(snapshot) {
		return false
	}
	own := s.engine.Snapshot()
	if id := own.CommitID(); id == snapshot.CommitID() && id != new(reader.Snapshot).CommitID() { // an uncommitted one has none
		return true
	}
	return own.Schema().Equal(snapshot.Schema())
}

// OwnStatistics reports whether scores are from the statistics of what s searches: there is neither Options.Statistics nor
// Options.Collection.
func (s *Searcher) OwnStatistics() bool { return s.engine.OwnStatistics() }

// OfPart reports whether s searches a part of a collection: with Options.Collection.
func (s *Searcher) OfPart() bool { return s.engine.OfPart() }

// Scorer returns the scoring function of the snapshot, which needs no open Searcher. It is nil of the
// zero value, and if the index has a schema: then each field has its own, that FieldScorer returns.
func (s *Searcher) Scorer() *Scorer {
	sc, _ := s.FieldScorer("")
	return sc
}

// FieldScorer returns the scoring function of a field, which needs no open Searcher. ok is false if there is
// no such field, or it is not indexed.
func (s *Searcher) FieldScorer(field string) (sc *Scorer, ok bool) {
	i, err := s.parser.Number(field)
	if err != nil || i >= len(s.scorers) {
		return nil, false
	}
	return s.scorers[i], true
}

// Parser returns what reads the queries of s. It needs no open Searcher.
func (s *Searcher) Parser() *Parser { return s.parser }

// Search answers one query. A nil ctx means context.Background, as for all methods. The errors are
// those of AppendHits.
func (s *Searcher) Search(ctx context.Context, q Query) (r Result, err error) {
	err = s.answer(ctx, &q, &r)
	return r, err
}

// Execute answers queries one after the other. It makes Searcher an Executor.
func (s *Searcher) Execute(ctx context.Context, queries []Query) ([]Result, error) {
	results := make([]Result, len(queries))
	for i := range queries {
		if err := s.answer(ctx, &queries[i], &results[i]); err != nil {
			return nil, &NumberError{Number: i, Err: err}
		}
	}
	return results, nil
}

// answer sets r, an empty Result, to that of q.
func (s *Searcher) answer(ctx context.Context, q *Query, r *Result) (err error) {
	var t *algorithm.Trace
	if q.Trace {
		t = new(algorithm.Trace)
	}
	if q.wantsColumns() {
		err = s.answerColumns(ctx, q, r, t)
	} else {
		r.Hits, r.Total, err = s.appendHits(ctx, nil, q, true, t)
	}
	if err == nil {
		r.Trace = traceOf(t)
	}
	return err
}

// answerColumns is answer for a query that wants columns.
func (s *Searcher) answerColumns(ctx context.Context, q *Query, r *Result, t *algorithm.Trace) error {
	ctx, err := begin(ctx, q)
	if err != nil {
		return err
	}
	x := q.engine()
	hits, total, extra, err := engine.AppendColumns(ctx, &s.engine, []Hit(nil), &x, t)
	if err != nil {
		return err
	}
	r.Hits, r.Total = hits, total
	return columnar{s.parser.Schema}.add(r, q, extra)
}

// AddColumns sets what the result of a query that wants columns has beside its hits.
func (s *Searcher) AddColumns(r *Result, q *Query, x *engine.Extra) error {
	return columnar{s.parser.Schema}.add(r, q, x)
}

// AppendHits appends the hits of q to dst, the best first. It allocates only if dst or the
// Searcher's pooled memory must grow, and ignores Query.Trace, Query.Total and Query.Facets. On an error it returns dst unchanged.
// The error is that of ctx, or matches ErrInvalid, ErrTooManyTerms, analysis.ErrUnknown, ErrClosed or
// format.ErrCorrupt.
func (s *Searcher) AppendHits(ctx context.Context, dst []Hit, q *Query) (hits []Hit, err error) {
	hits, _, err = s.appendHits(ctx, dst, q, false, nil)
	return hits, err
}

// appendHits is AppendHits that returns Result.Total if counted, and records what it does in t, unless that is nil.
func (s *Searcher) appendHits(ctx context.Context, dst []Hit, q *Query, counted bool, t *algorithm.Trace) ([]Hit, uint64, error) {
	ctx, err := begin(ctx, q)
	if err != nil {
		return dst, 0, err
	}
	var x engine.Query
	q.toEngine(&x)
	x.Total = x.Total && counted
	if x.Columns != nil {
		return s.appendSorted(ctx, dst, q, t)
	}
	return engine.AppendHits(ctx, &s.engine, dst, &x, t)
}

// appendSorted is appendHits for a query that wants columns.
func (s *Searcher) appendSorted(ctx context.Context, dst []Hit, q *Query, t *algorithm.Trace) ([]Hit, uint64, error) {
	own := *q
	own.Total, own.Facets = false, nil
	x := own.engine()
	hits, _, _, err := engine.AppendColumns(ctx, &s.engine, dst, &x, t)
	return hits, 0, err
}

// begin returns ctx, or context.Background instead of nil, if it is not done and q is valid.
func begin(ctx context.Context, q *Query) (context.Context, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return ctx, err
	}
	return ctx, q.Check()
}

// Matches returns an iterator over the global docIDs of all documents that match q, in ascending
// order, or over the first K of them if K is not 0. It scores nothing and takes a fraction of the
// memory of a search for all documents. Mode must be ModeOr or ModeAnd; Algorithm and Trace do not matter. An
// error is yielded last, with docID reader.NoDoc; it is one of AppendHits.
func (s *Searcher) Matches(ctx context.Context, q Query) iter.Seq2[uint32, error] {
	return func(yield func(uint32, error) bool) {
		left := q.K
		stopped, err := s.batches(ctx, &q, func(docs []uint32) bool {
			for _, doc := range docs {
				if left--; !yield(doc, nil) || left == 0 {
					return false
				}
			}
			return true
		})
		if err != nil && !stopped {
			yield(reader.NoDoc, err)
		}
	}
}

// Count returns the number of documents that match q, K of which Search returns. Mode must be ModeOr or
// ModeAnd; K, After, Algorithm and Trace do not matter. It scores nothing, and looks at no documents where lengths
// of lists say it all. The error is one of AppendHits.
func (s *Searcher) Count(ctx context.Context, q Query) (uint64, error) {
	q.Total = true
	ctx, err := begin(ctx, &q)
	if err != nil {
		return 0, err
	}
	q.restrict()
	x := q.engine()
	x.K, x.Columns, x.Params = 0, nil, engine.Params{} // nothing is scored
	_, n, err := engine.AppendHits(ctx, &s.engine, []Hit(nil), &x, nil)
	return n, err
}

// batches calls f with the documents that match q, in ascending order, until there are no more or f
// returns false, which stopped reports.
func (s *Searcher) batches(ctx context.Context, q *Query, f func(docs []uint32) bool) (stopped bool, err error) {
	own := *q
	own.Total = true // what has no total has no matches
	if err := own.Check(); err != nil {
		return false, err
	}
	own.restrict()
	x := own.engine()
	x.Columns, x.Params = nil, engine.Params{}
	return s.engine.Matches(ctx, &x, f)
}

// SearchAmong is Search for a conjunction whose matches are known to be among docs, as if docs
// were its filter: it continues from the intermediate result of the first held terms in canonical
// order, which it looks up last. docs are global docIDs in ascending order. If they hold all documents
// with the first held terms, the hits are those of And.
//
// The error matches ErrInvalid if q's mode is not And, it has a filter, held is negative or docs do
// not ascend, and is otherwise as for AppendHits.
func (s *Searcher) SearchAmong(ctx context.Context, q Query, docs []uint32, held int) (r Result, err error) {
	if ctx, err = begin(ctx, &q); err != nil {
		return r, err
	}
	var t *algorithm.Trace
	if q.Trace {
		t = new(algorithm.Trace)
	}
	x := q.Engine()
	if r.Hits, err = engine.AppendAmong(ctx, &s.engine, []Hit(nil), &x, docs, held, t); err == nil {
		r.Trace = traceOf(t)
	}
	return r, err
}

// AppendLengths appends the document frequency of each term in the snapshot, in the order
// of terms. It uses and fills the cache of the queries. The error matches reader.ErrClosed,
// format.ErrCorrupt, or ErrInvalid if the index has a schema: AppendFieldLengths names the field.
func (s *Searcher) AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error) {
	return s.engine.AppendLengths(dst, "", terms)
}

// AppendFieldLengths is AppendLengths for terms of a field, which must be indexed.
func (s *Searcher) AppendFieldLengths(dst []uint64, field string, terms [][]byte) ([]uint64, error) {
	return s.engine.AppendLengths(dst, field, terms)
}

// Parse returns the terms of a query's text, for Query.RawTerms. The analyzer of the index cuts it as
// it cut the documents. There is no syntax; a repeated word gives a repeated term. Text without a
// term, such as one of stop words only, gives none: a query for it has no hits. The error
// matches analysis.ErrUnknown if the analyzer of the index is not registered, which is common for
// imported postings; such an index can still be searched by RawTerms.
func (s *Searcher) Parse(text string) ([][]byte, error) {
	terms, _, err := s.AppendTerms([][]byte{}, nil, text)
	if err != nil {
		return nil, err
	}
	return terms, nil
}

// AppendTerms is Parse without allocations: it appends the terms to terms and their bytes to buf,
// and returns both. The terms are valid until the bytes of buf are overwritten.
func (s *Searcher) AppendTerms(terms [][]byte, buf []byte, text string) ([][]byte, []byte, error) {
	return s.parser.AppendTerms(terms, buf, text)
}

// Terms is Parser.Terms, also for a Prefix, Wildcard, Regexp or Fuzzy: if they score each term, these are among the
// terms.
func (s *Searcher) Terms(q *Query) ([]query.Term, query.Mode, error) {
	return s.parser.terms(q, s.engine.Snapshot())
}

// Complete is Parser.Complete.
func (s *Searcher) Complete(queries []Query) ([]Query, error) { return s.parser.Complete(queries) }

// Frequencies returns the document frequencies of the terms of q in what s searches, whatever its own Frequencies and
// Options.Collection are. The errors are those of AppendHits, and ErrInvalid for a Searcher with Options.Statistics.
func (s *Searcher) Frequencies(ctx context.Context, q Query) (f query.Frequencies, err error) {
	q.Frequencies = nil
	if ctx, err = begin(ctx, &q); err != nil {
		return f, err
	}
	x := q.engine()
	x.Frequencies = &finding{&f}
	err = s.engine.Frequencies(ctx, &x, func(field int, term []byte, df uint64) {
		f.Terms = append(f.Terms, query.TermFrequency{Field: s.parser.Fields[field].Name, Term: string(term), DF: df})
	})
	if err != nil {
		return query.Frequencies{}, err
	}
	slices.SortFunc(f.Terms, func(a, b query.TermFrequency) int { return compareFrequencies(&a, &b) })
	return f, nil
}
