package engine

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// execution is the state of one query's execution. Searchers pool executions, so that a query hardly allocates.
type execution struct {
	algorithm.Run
	s     *Searcher
	bound []posting.Part // the Searcher's parts, read with a context; nil if they are in memory
	q     Query
	words Words // of q

	terms  []term // in canonical order
	lookup terms.Resolver[known]
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
	Words []terms.Word
	Mode  Mode
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
	w.Words, w.Mode, w.Terms, w.Bytes = w.Words[:0], m, w.Terms[:0], w.Bytes[:0]
}

// parse sets r.words to those of r.q.
func (r *execution) parse() error {
	w := &r.words
	w.reset(r.q.Mode)
	if r.s.parse == nil {
		w.Add(0, 1, r.q.Terms...)
		return nil
	}
	err := r.s.parse(&r.q, w)
	r.q.Mode = w.Mode
	return err
}

// execution returns an execution for s, which goes back to s.runs.
func (s *Searcher) execution() *execution {
	r, ok := s.runs.Get().(*execution)
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
	if l.Parts = s.dictionaries; l.Keep == nil {
		l.Keep, l.Copy, l.Reuse = keep, copyKnown, true
	}
}

// unknown reports whether some term occurs nowhere.
func (r *execution) unknown() bool { return len(r.terms) > 0 && r.terms[0].DF == 0 }

// enter makes segment p the current one. It returns false if no document of it can match.
func (r *execution) enter(p int, conjunctive bool) bool {
	if !r.Run.Enter(p, &r.parts()[p]) {
		return false
	}
	for i := range r.terms {
		t := &r.terms[i]
		if e := &t.Kept.entries[p]; e.DF > 0 {
			r.Add(e.Entry, e.Reach, t.Field, i, t.Weight)
		} else if conjunctive {
			return false
		}
	}
	return len(r.Lists) > 0
}

// begin makes r ready for q.
func (r *execution) begin(ctx context.Context, s *Searcher, q *Query) {
	r.use(s)
	r.q, r.bound = *q, nil
	if s.remote {
		r.bound = s.partsWith(ctx)
		r.lookup.Parts = s.dictionariesOf(r.bound)
	}
	r.Run.Begin(ctx, s.seek, q.Filter, q.Algorithm, q.after())
	r.Tree = q.Tree
}

// forget drops references that a pooled execution must not keep alive.
func (r *execution) forget() {
	r.q, r.bound, r.lookup.Parts = Query{}, nil, nil
	r.Run.Forget()
	clear(r.terms)
	clear(r.Names)
	clear(r.words.Words)
}

// large reports whether r has had an unusual query and holds much memory since.
func (r *execution) large() bool {
	return r.Run.Large() || max(r.lookup.Size(), cap(r.Names), cap(r.words.Bytes), cap(r.words.Terms), cap(r.words.Words)) > algorithm.UsualElements
}
