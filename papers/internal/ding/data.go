package ding

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
)

// part is the share of GOV2's 25.2 million documents beside that of the environment.
const part = 1. / 8

// eighthNote says what part does.
const eighthNote = "an eighth of GOV2's 25.2 million documents at scale 1: all of them would take lists eight times as long, of 2.8 times the queries: 1.7 to 4.7 billion postings, 8 to 23 GB before an index is written"

const data = "a generated collection in the place of GOV2, and queries on it"

func collection(e *paper.Env) (*corpus.Set, error) { return e.SetOf("Terabyte", e.Scale*part) }

// wholeNote says what timedSet does.
const wholeNote = "all 25.2 million documents of GOV2 at scale 1, and 64 queries; at smaller scales, which two cores draw in minutes, an eighth of the share, and up to 200 queries"

// wholeQueries is how many queries are asked of all documents.
const wholeQueries = 64

// timedSet returns the collection of tables 2 and 3, all of it at scale 1: launches take as long
// on an eighth of it, where queries do not.
func timedSet(e *paper.Env) (*corpus.Set, error) {
	if e.Scale >= 1 {
		return e.AskedOf("Terabyte", 1, wholeQueries)
	}
	return collection(e)
}

// asked returns the lists of queries, each once, with at most that many docIDs.
func asked(s *corpus.Set, most int) (out []format.Postings) {
	seen, n := map[int]bool{}, 0
	for _, q := range s.Queries {
		for _, i := range q {
			if l := s.Lists[i]; !seen[i] && n+len(l) <= most {
				seen[i], n = true, n+len(l)
				out = append(out, format.Postings{Docs: l})
			}
		}
	}
	return out
}

// gaps returns the differences between docIDs, at least 1.
func gaps(docs []uint32) []uint32 {
	out, prev := make([]uint32, len(docs)), ^uint32(0)
	for i, d := range docs {
		out[i], prev = d-prev, d
	}
	return out
}

// modes are the kinds of queries of table 2.
var modes = []query.Mode{query.ModeAnd, query.ModeOr, query.ModeAndOr}

var modeNames = []string{"AND", "OR", "AND+OR"}

// queries returns queries for the 10 best documents.
func queries(s *corpus.Set, m query.Mode, most int) []search.Query {
	some := s.Queries[:min(most, len(s.Queries))]
	out := make([]search.Query, len(some))
	for i, terms := range s.Texts(some) {
		out[i] = search.Query{K: 10, Mode: m}
		for _, t := range terms {
			out[i].RawTerms = append(out[i].RawTerms, []byte(t))
		}
	}
	return out
}

// oneByOne returns the time of each query in seconds, asked one after the other: the
// faster of two.
func oneByOne(ctx context.Context, x search.Executor, qs []search.Query) ([]float64, error) {
	out := make([]float64, len(qs))
	for i := range qs {
		t, err := codecbench.Fastest(1, func() error { _, err := x.Execute(ctx, qs[i:i+1]); return err })
		if err != nil {
			return nil, err
		}
		again, err := codecbench.Fastest(1, func() error { _, err := x.Execute(ctx, qs[i:i+1]); return err })
		if err != nil {
			return nil, err
		}
		out[i] = min(t, again).Seconds()
	}
	return out, nil
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}

// one returns the single list of a slice of postings.
func one(docs []uint32) []format.Postings {
	return []format.Postings{{Docs: slices.Clip(docs)}}
}

// level returns PForDelta with that many levels of recursion.
func level(n int) codec.Codec {
	c, err := pfordelta.Level(n)
	if err != nil {
		panic(err) // a constant of an experiment
	}
	return c
}
