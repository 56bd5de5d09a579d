package ding

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// steps answers queries term at a time, by the steps of section 8, and times each.
type steps struct {
	s           *corpus.Set
	docs, freqs []*codecbench.Encoded // those of the queries
	norms       []float32
	buf, tf     []uint32 // decoded
	needed      []int    // blocks of a list
	scores      []float32
	took        map[string]time.Duration
}

// blockOf is the number of postings of a block.
const blockOf = 128

// newSteps encodes the lists of queries.
func newSteps(s *corpus.Set, queries [][]int) (*steps, error) {
	st := &steps{s: s, docs: make([]*codecbench.Encoded, len(s.Lists)), freqs: make([]*codecbench.Encoded, len(s.Lists)),
		norms: paper.Norms(s.Docs), scores: make([]float32, s.Docs)}
	needed := make([]bool, len(s.Lists))
	for _, q := range queries {
		for _, i := range q {
			needed[i] = true
		}
	}
	errs := make([]error, len(s.Lists))
	paper.Each(len(s.Lists), func(i int) {
		if !needed[i] {
			return
		}
		p := format.Postings{Docs: s.Lists[i], Freqs: make([]uint32, len(s.Lists[i]))}
		for j := range p.Freqs {
			p.Freqs[j] = max(uint32(s.Freqs[i][j]), 1)
		}
		for side, to := range map[codecbench.Side][]*codecbench.Encoded{codecbench.Docs: st.docs, codecbench.Freqs: st.freqs} {
			var err error
			to[i], err = codecbench.Encode(level(1), side, []format.Postings{p})
			errs[i] = errors.Join(errs[i], err)
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

// decoded decodes all of a list to a buffer.
func (st *steps) decoded(x *codecbench.Encoded, buf *[]uint32) (values []uint32, err error) {
	n := max(x.Room(), codecbench.Row+1)
	*buf = slices.Grow((*buf)[:0], n)[:n]
	st.timed("decompression", func() { err = x.Decode(*buf) })
	return (*buf)[:x.Seqs[0].N], err
}

// weight is a list's in a BM25 score.
func (st *steps) weight(list int) float32 {
	return float32(1.9 * math.Log1p(float64(st.s.Docs)/float64(len(st.s.Lists[list]))))
}

// and returns the best scores of the documents that all lists have.
func (st *steps) and(q []int) ([]float32, error) {
	docs, err := st.decoded(st.docs[q[0]], &st.buf)
	if err != nil {
		return nil, err
	}
	have, at, scores := slices.Clone(docs), make([]int, len(docs)), make([]float32, len(docs))
	for i := range at {
		at[i] = i
	}
	if err := st.add(q[0], have, at, scores); err != nil {
		return nil, err
	}
	for _, list := range q[1:] {
		n, err := st.keep(list, have, at, scores)
		if err != nil {
			return nil, err
		}
		have, at, scores = have[:n], at[:n], scores[:n]
		if err := st.add(list, have, at, scores); err != nil {
			return nil, err
		}
	}
	return st.best(scores), nil
}

// keep moves the candidates that a list has to the front, with their positions in it, and returns
// their number. It decodes the blocks that candidates fall in.
func (st *steps) keep(list int, have []uint32, at []int, scores []float32) (n int, err error) {
	x := st.docs[list]
	s := &x.Seqs[0]
	st.timed("intersection", func() {
		st.needed = st.needed[:0]
		from := 0
		for i, d := range have {
			if from += firstFrom(s.Last[from:], d); from == len(s.Last) {
				have = have[:i]
				break
			}
			if k := len(st.needed); k == 0 || st.needed[k-1] != from {
				st.needed = append(st.needed, from)
			}
			at[i] = len(st.needed) - 1
		}
	})
	st.buf = slices.Grow(st.buf[:0], blockOf*len(st.needed))[:blockOf*len(st.needed)]
	st.timed("decompression", func() {
		for k, b := range st.needed {
			if _, err = x.Codec.DecodeDocs(st.buf[blockOf*k:][:blockOf], s, b, 1); err != nil {
				return
			}
		}
	})
	if err != nil {
		return 0, err
	}
	st.timed("intersection", func() {
		for i, d := range have {
			first := blockOf * st.needed[at[i]]
			block := st.buf[blockOf*at[i]:][:min(blockOf, s.N-first)]
			if j := firstFrom(block, d); j < len(block) && block[j] == d {
				have[n], scores[n], at[n] = d, scores[i], first+j
				n++
			}
		}
	})
	return n, nil
}

// add adds a list's share to the scores of candidates, of which it has the positions.
func (st *steps) add(list int, have []uint32, at []int, scores []float32) (err error) {
	x, w := st.freqs[list], st.weight(list)
	st.timed("scoring", func() {
		var tf [blockOf]uint32
		block := -1
		for i, p := range at {
			if b := p / blockOf; b != block {
				if _, err = x.Codec.DecodeFreqs(tf[:], &x.Seqs[0], b, 1); err != nil {
					return
				}
				block = b
			}
			scores[i] += search.Score(w, float32(tf[p%blockOf]), st.norms[have[i]])
		}
	})
	return err
}

// or returns the best scores of all documents.
func (st *steps) or(q []int) ([]float32, error) {
	st.timed("initialization", func() { clear(st.scores) })
	for _, list := range q {
		docs, err := st.decoded(st.docs[list], &st.buf)
		if err != nil {
			return nil, err
		}
		tf, err := st.decoded(st.freqs[list], &st.tf)
		if err != nil {
			return nil, err
		}
		w := st.weight(list)
		st.timed("scoring", func() {
			for p, d := range docs {
				st.scores[d] += search.Score(w, float32(tf[p]), st.norms[d])
			}
		})
	}
	return st.best(st.scores), nil
}

// best selects ten scores, by maxima of groups of 512 and of these.
func (st *steps) best(scores []float32) (top []float32) {
	st.timed("top-k", func() {
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
	return top
}
