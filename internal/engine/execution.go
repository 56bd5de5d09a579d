package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/reader"
)

// execution is the state of one query's execution. They are pooled, so that a query hardly allocates.
type execution struct {
	algorithm.Run
	s     *Searcher
	lead  *execution     // of a task: what has resolved the query
	bound []posting.Part // the Searcher's parts, read with a context; nil if they are in memory
	scanning
	q      Query
	words  Words           // of q
	byWord []*posting.List // of the current segment, by the words of a tree; scratch
	steps  []step          // how q is executed
	total  uint64          // of the matches, if q.Total
	extra  *Extra          // if q.Columns

	sets     []*docset.Set // what Sets was last of a query that filters by columns; memory
	columnar *columnar     // memory; nil before the first query that wants columns
	ties     *ties         // memory; nil before the first query that needs it
	place    *Place        // unless nil, hits must be behind it

	terms  []term // in canonical order
	lookup terms.Resolver[known]
	tree   algorithm.Tree // what Tree points to in the execution that has resolved the terms
}

// parts returns the parts of the Searcher as the query reads them.
func (r *execution) parts() []posting.Part {
	if r.bound != nil {
		return r.bound
	}
	return r.s.parts
}

// Word is a term of a query in its field.
type Word = terms.Word

// Words are the terms of a query, as it has them, and what of them must match.
type Words struct {
	Words  []terms.Word
	Mode   Mode
	Tree   *algorithm.Expr // over Words, by their numbers, instead of Mode; nil if Mode says it
	Filter *docset.Global  // what matches must be in too; nil if all documents are
	// Columns, unless nil, is what matches must pass too.
	Columns *filter.Compiled
	// Snapshot is what is searched, for words that stand for terms of it. Reading it ends with Context. Both are nil
	// where nothing is searched.
	Snapshot *reader.Snapshot
	Context  context.Context
	// Others are words that the query has not, but has in other parts of the collection that document frequencies are
	// asked of.
	Others []terms.Word
	// Terms and Bytes are memory of Options.Parse.
	Terms [][]byte
	Bytes []byte
}

// Add adds terms of a field.
func (w *Words) Add(field int, boost float64, words ...[]byte) {
	n := len(w.Words)
	w.Words = slices.Grow(w.Words, len(words))[:n+len(words)]
	for i, b := range words {
		w.Words[n+i] = terms.Word{Bytes: b, Field: field, Boost: boost}
	}
}

// reset drops the terms.
func (w *Words) reset(m Mode) {
	w.Filter, w.Columns, w.Others = nil, nil, nil
	w.Words, w.Mode, w.Tree, w.Terms, w.Bytes = w.Words[:0], m, nil, w.Terms[:0], w.Bytes[:0]
}

// parse sets r.words to those of r.q.
func (r resolving) parse() error {
	w := &r.words
	w.reset(r.q.Mode)
	if r.s.parse == nil {
		w.Add(0, 1, r.q.Terms...)
		return nil
	}
	if err := r.s.parse(&r.q, w); err != nil {
		return err
	}
	r.q.Mode = w.Mode
	if w.Filter != nil {
		if r.q.Filter != nil {
			w.Filter = docset.AndGlobal(r.q.Filter, w.Filter)
		}
		r.q.Filter = w.Filter
	}
	return nil
}

// executions are not in use. They are those of all Searchers: one over the next snapshot goes on with the memory of the one before.
var executions sync.Pool

// execution returns an execution for s, for giveBack.
func (s *Searcher) execution() *execution {
	r, ok := executions.Get().(*execution)
	if !ok {
		r = new(execution)
	}
	r.use(s)
	return r
}

// use makes r ready to look up terms of s.
func (r *execution) use(s *Searcher) {
	r.s = s
	l := &r.lookup
	if l.Parts, l.DocFreq, l.Weigh = s.dictionaries, s.docFreq, s.weigh; l.Keep == nil {
		l.Keep, l.Copy, l.Reuse = keep, copyKnown, true
	}
}

// unknown reports whether some term occurs nowhere.
func (r resolving) unknown() bool {
	if r.s.OwnStatistics() {
		return len(r.terms) > 0 && r.terms[0].DF == 0
	}
	return slices.ContainsFunc(r.terms, func(t term) bool { return r.postings(&t) == 0 })
}

// many is after how many terms the context is looked at.
const many = 256

// enter makes segment p the current one. It returns false if no document of it can match.
func (r *execution) enter(p int, conjunctive bool) bool {
	if !r.Run.Enter(p, &r.parts()[p]) {
		return false
	}
	if r.place != nil && r.tied() {
		r.belowIn(p)
	}
	for i := range r.terms {
		if i%many == many-1 && r.Stopped() {
			return false
		}
		t := &r.terms[i]
		if e := &t.Kept.entries[p]; e.DF > 0 {
			r.Add(e.Entry, e.Reach, t.Field, i, t.Weight)
		} else if conjunctive {
			return false
		}
	}
	if r.Tree != nil {
		return r.EnterTree()
	}
	return len(r.Lists) > 0
}

// begin makes r ready for q.
func (r *execution) begin(ctx context.Context, s *Searcher, q *Query) {
	s = s.ranked(q.Params)
	r.use(s)
	r.q, r.lead, r.bound, r.scanning = *q, nil, nil, scanning{threads: s.threads}
	if r.lookup.Given = nil; s.given && q.Frequencies != nil {
		r.lookup.Given = resolving{r}.givenDF
	}
	r.words.Snapshot, r.words.Context = s.snapshot, ctx
	if s.remote {
		if s.snapshot != nil {
			r.words.Snapshot = s.snapshot.WithContext(ctx)
		}
		r.bound = s.partsWith(ctx)
		r.lookup.Parts = s.dictionariesOf(r.bound)
	}
	r.Run.Begin(ctx, s.seek, q.Algorithm, algorithm.NoHit)
	r.untie()
	r.below(q.After)
	r.Tree = nil
}

// giveBack makes r one that is not in use.
func (r *execution) giveBack() {
	r.forget()
	r.s, r.lookup.DocFreq, r.lookup.Weigh = nil, nil, nil
	executions.Put(r)
}

// forget drops references that an execution which is not in use must not keep alive.
func (r *execution) forget() {
	if len(r.q.Terms) > 0 || r.q.Node != nil { // otherwise all words are in r.words.Bytes
		clear(r.words.Words)
	}
	r.q, r.lead, r.bound, r.lookup.Parts, r.extra = Query{}, nil, nil, nil, nil
	r.lookup.Given, r.place = nil, nil
	r.untie()
	r.Run.Forget()
	clear(r.terms)
	clear(r.Names)
	clear(r.sets)
	r.words.Tree, r.words.Filter, r.words.Columns, r.words.Snapshot, r.words.Context = nil, nil, nil, nil, nil
	r.tree.Expr = nil
}

// large reports whether r has had an unusual query and holds much memory since.
func (r *execution) large() bool {
	return r.Run.Large() || max(r.lookup.Size(), cap(r.Names), cap(r.words.Bytes), cap(r.words.Terms), cap(r.words.Words)) > algorithm.UsualElements
}
