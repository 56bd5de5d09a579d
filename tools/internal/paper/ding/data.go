package ding

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/pfordelta"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
	"github.com/pinion-index/pinion/tools/internal/paper/corpus"
)

// part is the share of GOV2's 25.2 million documents beside that of the environment.
const part = 1. / 8

const data = "a generated collection in the place of GOV2, and queries on it"

func collection(e *paper.Env) (*corpus.Set, error) { return e.SetOf("Terabyte", e.Scale*part) }

// asked returns the lists of queries, each once, with at most that many docIDs.
func asked(s *corpus.Set, most int) (out []codecbench.Postings) {
	seen, n := map[int]bool{}, 0
	for _, q := range s.Queries {
		for _, i := range q {
			if l := s.Lists[i]; !seen[i] && n+len(l) <= most {
				seen[i], n = true, n+len(l)
				out = append(out, codecbench.Postings{Docs: l})
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
var modes = []query.Mode{query.And, query.Or, query.AndOr}

var modeNames = []string{"AND", "OR", "AND+OR"}

// queries returns queries for the 10 best documents.
func queries(s *corpus.Set, m query.Mode, most int) []query.Query {
	some := s.Queries[:min(most, len(s.Queries))]
	out := make([]query.Query, len(some))
	for i, terms := range s.Texts(some) {
		out[i] = query.Query{K: 10, Mode: m}
		for _, t := range terms {
			out[i].Terms = append(out[i].Terms, []byte(t))
		}
	}
	return out
}

// oneByOne returns the time of each query in seconds, asked one after the other: the
// faster of two.
func oneByOne(ctx context.Context, x query.Executor, qs []query.Query) ([]float64, error) {
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
func one(docs []uint32) []codecbench.Postings {
	return []codecbench.Postings{{Docs: slices.Clip(docs)}}
}

// level returns PForDelta with that many levels of recursion.
func level(n int) codec.Codec {
	c, err := pfordelta.Level(n)
	if err != nil {
		panic(err) // a constant of an experiment
	}
	return c
}
