// Package bm25 computes scores: weights of terms, norms of documents, and bounds.
package bm25

import (
	"cmp"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/scorer"
)

// Stats are the statistics of the whole snapshot on which scores depend. Deleted documents do not
// count.
type Stats struct {
	Docs   uint64 // documents
	Tokens uint64 // sum of their exact lengths in tokens
	MaxLen uint32 // no document is longer, in tokens; scores do not depend on it
}

// maxNormTable bounds the table of norms by length. The norms of longer documents are computed when
// they are needed.
const maxNormTable = 1 << 16

// Lens says what is known of the lengths of a field's documents.
type Lens uint8

// What is known of lengths.
const (
	Exact Lens = iota // numbers of tokens
	Coded             // length codes of FORMAT.md, section 4.5
	Even              // nothing: every document counts as one of average length
)

// Scorer computes BM25 of a field under fixed parameters and statistics, or another Model. It is immutable and safe for
// concurrent use. Most programs do not need one: a Searcher has its own.
type Scorer struct {
	name   string
	model  *scorer.Model // nil for BM25
	stats  Stats
	lenses Lens
	weight float64 // of the field

	b, oneMinusB, k1, k1Plus1, avg float32

	// norms are by length: 256 or maxNormTable of them, so that any uint8 or uint16 is an index. Of coded
	// lengths they are by code.
	norms     []float32
	lens      int          // how many of them are lengths that documents can have; 0 if they are by code
	codeNorms [256]float32 // by length code of a format.Quad
	codeTFs   [256]float32 // by frequency code of a format.Quad; 255 is +Inf; 1/tf if inverse
	inverse   bool         // lengths are coded: norms are divisors, and scores are ScoreCoded
}

// New returns a Scorer of exact lengths for parameters in range.
func New(k1, b float64, st Stats) *Scorer { return NewField("", k1, b, st, Exact, 1) }

// NewField returns a Scorer of a field with a weight, by a formula that is Known, for parameters in range. Of Coded lengths, st.Tokens
// is the sum of the decoded ones.
func NewField(model string, k1, b float64, st Stats, lens Lens, weight float64) *Scorer {
	s := &Scorer{name: cmp.Or(model, scorer.Default), model: scorer.ModelOf(model, k1, b), stats: st, lenses: lens, weight: weight, b: float32(b), oneMinusB: float32(1 - b),
		k1: float32(k1), k1Plus1: float32(k1 + 1), avg: 1}
	s.inverse = lens == Coded && s.model == nil
	if st.Docs > 0 && st.Tokens > 0 {
		s.avg = float32(float64(st.Tokens) / float64(st.Docs))
	}
	for c := range s.codeNorms {
		s.codeNorms[c] = s.norm(format.DecodeLen(uint8(c)))
		s.codeTFs[c] = float32(format.DecodeTF(uint8(c)))
	}
	s.codeTFs[255] = float32(math.Inf(1)) // format.InfiniteTF
	if s.inverse {
		for c, tf := range s.codeTFs {
			s.codeTFs[c] = float32(1 / tf)
		}
	}
	s.tabulate(st)
	return s
}

// tabulate makes the table of norms.
func (s *Scorer) tabulate(st Stats) {
	if s.lenses == Coded {
		s.norms = s.codeNorms[:]
		return
	}
	size := 1 << 8
	if st.MaxLen > math.MaxUint8 {
		size = maxNormTable
	}
	s.norms = make([]float32, size)
	s.lens = int(min(uint64(st.MaxLen)+1, uint64(size)))
	for dl := range s.norms {
		if dl < s.lens || size < maxNormTable {
			s.norms[dl] = s.norm(uint32(dl))
		}
	}
}

// Stats returns the statistics of the field.
func (s *Scorer) Stats() Stats { return s.stats }

// Name returns the name of the formula.
func (s *Scorer) Name() string { return s.name }

// Lens returns what is known of the lengths.
func (s *Scorer) Lens() Lens { return s.lenses }

// leastNorm is the least positive normal float32.
const leastNorm = 0x1p-126

// norm returns 1 / (k1 * ((1-b) + b*dl/avg)), each step rounded. It does not increase with dl and
// is neither 0 nor NaN. Where it would be +Inf, as for k1 = 0, it is MaxFloat32, which gives the
// same scores, and 0 for frequency 0. For coded lengths it is the divisor, which does not decrease with
// dl; where that would be 0, it is leastNorm.
func (s *Scorer) norm(dl uint32) float32 {
	ratio := float32(float32(dl) / s.avg)
	if s.lenses == Even {
		ratio = 1
	}
	if s.model != nil {
		return s.model.Norm(ratio)
	}
	k := float32(s.k1 * float32(s.oneMinusB+float32(s.b*ratio)))
	if s.inverse {
		return max(k, leastNorm)
	}
	return min(float32(1/k), math.MaxFloat32)
}

// Norms returns the norms of documents by length, as many as there are uint8 or uint16, or by code of coded lengths. Longer ones than any
// document are 0. They must not be changed.
func (s *Scorer) Norms() []float32 { return s.norms }

// Norm returns the norm of a document of dl tokens, for Score. Coded lengths are decoded.
func (s *Scorer) Norm(dl uint32) float32 {
	if uint64(dl) < uint64(s.lens) {
		return s.norms[dl]
	}
	return s.norm(dl)
}

// IDF returns what the function IDF does by the statistics of s, or what the Model weighs.
func (s *Scorer) IDF(df uint64) float64 {
	if s.model != nil {
		return s.model.Weigh(s.stats.Docs, df)
	}
	return IDF(s.stats.Docs, df)
}

// IDF returns ln(1 + (docs - df + 0.5) / (df + 0.5)), which is positive for every df up to docs.
func IDF(docs, df uint64) float64 {
	n, d := float64(docs), float64(df)
	return scorer.Logarithm(float64(1 + float64(float64(float64(n-d)+0.5)/float64(d+0.5))))
}

// Weight returns idf * (k1 + 1) * (field weight * boost), the weight of a term for Score. df is the term's
// document frequency over the snapshot without deleted documents, boost the sum of the boosts of its occurrences
// in the query. No posting of the term scores more than Most of it. Of a Model it is idf * (field weight * boost).
func (s *Scorer) Weight(df uint64, boost float64) float32 { return s.WeightOf(s.IDF(df), boost) }

// WeightOf is Weight for an idf, which may be the sum of several.
func (s *Scorer) WeightOf(idf, boost float64) float32 {
	w := float32(idf)
	if s.model == nil {
		w = float32(w * s.k1Plus1)
	}
	return float32(w * float32(float64(s.weight*boost)))
}

// Most returns what no posting of a term of weight w scores more than.
func (s *Scorer) Most(w float32) float32 {
	if s.model == nil {
		return w
	}
	return s.model.Score(w, float32(math.Inf(1)), s.codeNorms[0])
}

// Least returns what every posting of a term of weight w scores at least. It can be 0, by rounding.
func (s *Scorer) Least(w float32) float32 { return s.Score(w, 1, s.Norm(s.stats.MaxLen)) }

// Score returns the score of a posting: Score, or ScoreCoded if lengths are coded, or that of the Model.
func (s *Scorer) Score(w, tf, norm float32) float32 {
	switch {
	case s.model != nil:
		return s.model.Score(w, tf, norm)
	case s.inverse:
		return ScoreCoded(w, tf, norm)
	}
	return Score(w, tf, norm)
}

// ScoreCoded returns the score of a posting in a field with coded lengths, w / (1 + norm/tf). Unlike
// w - w/(1 + tf*norm), it loses no digits where the score is small compared with w. It is monotone too, since
// 1/tf is rounded before norm is multiplied by it. Of frequency 0 it is 0.
func ScoreCoded(w, tf, norm float32) float32 {
	return float32(w / float32(1+float32(norm*float32(1/tf))))
}

// Score returns the score of a posting, w - w/(1 + tf*norm), where w is the term's Scorer.Weight,
// tf its frequency in the document and norm the document's Scorer.Norm. Mathematically that is w *
// tf / (tf + 1/norm). In this form rounding keeps it monotone in tf and norm, so that the score of
// a dominating posting is a bound.
func Score(w, tf, norm float32) float32 {
	return scorer.Saturate(w, tf, norm)
}

// Bound returns the greatest score of the four postings of q under weight w. No posting that q
// bounds scores more. Since scores are monotone in what the weight is divided by, it divides once.
func (s *Scorer) Bound(w float32, q format.Quad) float32 {
	if s.model != nil {
		most := float32(0)
		for range 4 {
			most = max(most, s.model.Score(w, s.codeTFs[uint8(q)], s.codeNorms[uint8(q>>8)]))
			q >>= 16
		}
		return most
	}
	if s.inverse {
		least := float32(math.Inf(1))
		for range 4 {
			least = min(least, float32(1+float32(s.codeNorms[uint8(q>>8)]*s.codeTFs[uint8(q)])))
			q >>= 16
		}
		return float32(w / least)
	}
	most := float32(1)
	for range 4 {
		most = max(most, float32(1+float32(s.codeTFs[uint8(q)]*s.codeNorms[uint8(q>>8)])))
		q >>= 16
	}
	return float32(w - float32(w/most))
}

// PruneBelow returns a value t for a threshold theta: if a float32 sum of non-negative bounds or
// scores of at most terms postings of a document, in any order, is at most t, then the score of the
// document is below theta. The sum differs from the exact one, and that from the score, by a
// relative error of less than terms/2^24 each; t allows for twice that. t is negative if nothing
// may be pruned.
func PruneBelow(theta float32, terms int) float32 {
	if theta <= 0 {
		return -1
	}
	slack := float64(4*terms+8) / (1 << 24)
	t := float64(theta) * (1 - slack)
	f := float32(t)
	if float64(f) > t {
		f = math.Nextafter32(f, 0)
	}
	return f
}
