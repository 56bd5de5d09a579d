package ding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/corpus"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const share, stepTime = "share of the time", "time of a step in a query"

var table3 = paper.Experiment{
	Name: "ding-tab3", Number: "Table 3", Title: "Shares of the steps of a query",
	Data: data, Claims: []int{9},
	OwnAdds: "the steps on the GPU, timed by events, and top-k by k",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := timedSet(e)
		if err != nil {
			return nil, err
		}
		qs := s.Queries[:min(len(s.Queries), e.Pick(100, 10))]
		st, err := newSteps(s, qs)
		if err != nil {
			return nil, err
		}
		for _, m := range []struct {
			name string
			run  func(q []int) error
		}{{"AND", st.and}, {"OR", st.or}} {
			st.took = map[string]time.Duration{}
			for _, q := range qs {
				if err := m.run(q); err != nil || ctx.Err() != nil {
					return nil, err
				}
			}
			sum := time.Duration(0)
			for _, t := range st.took {
				sum += t
			}
			for _, step := range []string{"initialization", "decompression", "intersection", "scoring", "top-k"} {
				if t, ok := st.took[step]; ok {
					rows = append(rows, paper.Row{Metric: share, Series: m.name, At: step, Value: 100 * t.Seconds() / sum.Seconds(), Unit: "%"},
						paper.Row{Metric: stepTime, Series: m.name, At: step, Value: 1e6 * t.Seconds() / float64(len(qs)), Unit: "us"})
				}
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		if top, ok := t.Get(share, "AND, GPU", "top-k"); ok {
			score, _ := t.Get(share, "AND, GPU", "scoring")
			or, _ := t.Get(share, "OR, GPU", "scoring")
			v := paper.Judge(9, top+score < 10 && or > 40, top+score < 20 && or > 25, "on the GPU scoring and top-k take %s %% of AND, scoring %s %% of OR", paper.Num(top+score), paper.Num(or))
			if us, ok := t.Get(stepTime, "AND, GPU", "scoring"); ok {
				decode, _ := t.Get(stepTime, "AND, GPU", "decompression")
				find, _ := t.Get(stepTime, "AND, GPU", "intersection")
				v.Why += fmt.Sprintf(": of AND, decompression of the blocks that are needed takes %s us of a query, intersection %s, and scoring, which reads one frequency in a block at a time, %s",
					paper.Num(decode), paper.Num(find), paper.Num(us))
			}
			return []paper.Verdict{v}
		}
		top, ok := t.Get(share, "AND", "top-k")
		score, _ := t.Get(share, "AND", "scoring")
		or, _ := t.Get(share, "OR", "scoring")
		if !ok {
			return nil
		}
		return []paper.Verdict{paper.Judge(9, top+score < 10 && or > 40, top+score < 20 && or > 25, "on one core scoring and top-k take %s %% of AND, scoring %s %% of OR", paper.Num(top+score), paper.Num(or))}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{wholeNote, "the rows without GPU are one core's, term at a time as on the paper's GPU; on the GPU a launch is a step, timed by events, with lists in PForDelta with one level of recursion",
		"steps of one core do not compare with the GPU's: it decodes all blocks of each list, where the GPU decodes those that candidates fall in (at scale 1/32 6.2 times fewer of the later lists), and scores by frequencies that are not compressed, without lengths of documents",
		"top-k on the GPU has as few levels of maxima as leave one group of 512: two for OR, where every document is a candidate, one for AND; the paper has two or three",
	},
}

// steps answers queries term at a time, by the steps of section 8, and times each.
type steps struct {
	s      *corpus.Set
	lists  []*codecbench.Encoded // those of the queries
	buf    []uint32
	scores []float32
	took   map[string]time.Duration
}

// newSteps encodes the lists of queries.
func newSteps(s *corpus.Set, queries [][]int) (*steps, error) {
	st := &steps{s: s, lists: make([]*codecbench.Encoded, len(s.Lists)), scores: make([]float32, s.Docs)}
	needed := make([]bool, len(s.Lists))
	for _, q := range queries {
		for _, i := range q {
			needed[i] = true
		}
	}
	errs := make([]error, len(s.Lists))
	paper.Each(len(s.Lists), func(i int) {
		if needed[i] {
			st.lists[i], errs[i] = codecbench.Encode(level(1), codecbench.Docs, []codecbench.Postings{{Docs: s.Lists[i]}})
		}
	})
	return st, errors.Join(errs...)
}

// timed adds the time of f to a step.
func (st *steps) timed(step string, f func()) {
	start := time.Now()
	f()
	st.took[step] += time.Since(start)
}

// decoded decodes a list of the set.
func (st *steps) decoded(i int) (docs []uint32, err error) {
	x := st.lists[i]
	if need := max(x.Room(), codecbench.Row+1); cap(st.buf) < need {
		st.buf = make([]uint32, need)
	}
	st.timed("decompression", func() { err = x.Decode(st.buf[:max(x.Room(), codecbench.Row+1)]) })
	return st.buf[:len(st.s.Lists[i])], err
}

// weigh returns a posting's share of a BM25 score with documents of equal length.
func weigh(f uint8, df, docs int) float32 {
	idf := float32(math.Log1p(float64(docs) / float64(df)))
	return idf * float32(f) * 1.9 / (float32(f) + 0.9)
}

func (st *steps) and(q []int) error {
	docs, err := st.decoded(q[0])
	if err != nil {
		return err
	}
	have, scores := slices.Clone(docs), make([]float32, len(docs))
	add := func(list int, at []int) {
		st.timed("scoring", func() {
			for i, p := range at {
				scores[i] += weigh(st.s.Freqs[list][p], len(st.s.Lists[list]), st.s.Docs)
			}
		})
	}
	at := make([]int, len(have))
	for i := range at {
		at[i] = i
	}
	add(q[0], at)
	for _, list := range q[1:] {
		docs, err := st.decoded(list)
		if err != nil {
			return err
		}
		n := 0
		st.timed("intersection", func() {
			from := 0
			for i, d := range have {
				j := search(docs[from:], d)
				if from += j; from < len(docs) && docs[from] == d {
					have[n], scores[n], at[n] = d, scores[i], from
					n++
				}
			}
		})
		have, scores, at = have[:n], scores[:n], at[:n]
		add(list, at)
	}
	st.best(scores)
	return nil
}

func (st *steps) or(q []int) error {
	st.timed("initialization", func() { clear(st.scores) })
	for _, list := range q {
		docs, err := st.decoded(list)
		if err != nil {
			return err
		}
		st.timed("scoring", func() {
			for p, d := range docs {
				st.scores[d] += weigh(st.s.Freqs[list][p], len(docs), st.s.Docs)
			}
		})
	}
	st.best(st.scores)
	return nil
}

// best selects ten scores, by maxima of groups of 512 and of these.
func (st *steps) best(scores []float32) {
	st.timed("top-k", func() {
		var top []float32
		floor := float32(0)
		for at := 0; at < len(scores); at += 512 {
			group := scores[at:min(at+512, len(scores))]
			if slices.Max(group) <= floor {
				continue
			}
			for _, s := range group {
				if s > floor {
					top = append(top, s)
				}
			}
			slices.SortFunc(top, func(a, b float32) int { return cmp.Compare(b, a) })
			if top = top[:min(len(top), 10)]; len(top) == 10 {
				floor = top[9]
			}
		}
	})
}
