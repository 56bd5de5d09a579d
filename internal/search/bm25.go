package search

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Stats are the statistics of the whole snapshot on which scores depend. Deleted documents do not
// count.
type Stats struct {
	Docs   uint64 // documents
	Tokens uint64 // sum of their exact lengths in tokens
	MaxLen uint32 // no document is longer, in tokens; scores do not depend on it
}

// StatsOf returns the statistics of a snapshot on which scores depend in the implicit schema. Those of a field are
// reader.Snapshot.FieldStats.
func StatsOf(s *reader.Snapshot) Stats {
	st := s.Stats()
	return Stats{Docs: st.Live, Tokens: st.LiveTokens, MaxLen: st.MaxLen}
}

// Scorer computes the scores of a field under fixed parameters and statistics. It
// is immutable and safe for concurrent use. Most programs do not need one: a Searcher has its own.
type Scorer struct{ bm25 *bm25.Scorer }

// NewScorer returns a Scorer, or an error that matches ErrParams.
func NewScorer(p query.Params, st Stats) (*Scorer, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	k1, b := p.Values()
	return &Scorer{bm25.NewField(p.Scorer, k1, b, bm25.Stats(st), bm25.Exact, 1)}, nil
}

// Docs returns how many documents the statistics are of.
func (s *Scorer) Docs() uint64 { return s.bm25.Stats().Docs }

// Name returns the name of the formula, as query.Params have it.
func (s *Scorer) Name() string { return s.bm25.Name() }

// Norm returns the norm of a document of dl tokens, for Scorer.Score.
func (s *Scorer) Norm(dl uint32) float32 { return s.bm25.Norm(dl) }

// IDF returns ln(1 + (N - df + 0.5) / (df + 0.5)), which is positive for every df up to N.
func (s *Scorer) IDF(df uint64) float64 { return s.bm25.IDF(df) }

// Weight returns idf * (k1 + 1) * qtf * weight, the weight of a term for Score, where weight is that of the
// field, or 1. df is the term's document frequency over the snapshot without deleted documents, qtf how
// often the query holds the term. No posting of the term scores more.
func (s *Scorer) Weight(df uint64, qtf int) float32 { return s.bm25.Weight(df, float64(qtf)) }

// Boosted is Weight of a term with boosts: boost is the sum of those of its occurrences in the query.
func (s *Scorer) Boosted(df uint64, boost float64) float32 { return s.bm25.Weight(df, boost) }

// Score returns the score of a posting: w is the term's Weight, tf its frequency in the document and norm the
// document's Norm. It is the function Score, unless the field has lengths of a byte: their scores have a form of
// their own (format/FORMAT.md, section 8).
func (s *Scorer) Score(w, tf, norm float32) float32 { return s.bm25.Score(w, tf, norm) }

// Bound returns the greatest score of the four postings of q under weight w. No posting that q
// bounds scores more.
func (s *Scorer) Bound(w float32, q format.Quad) float32 { return s.bm25.Bound(w, q) }

// Score returns the score of a posting, w - w/(1 + tf*norm), where w is the term's Scorer.Weight,
// tf its frequency in the document and norm the document's Scorer.Norm. Mathematically that is w *
// tf / (tf + 1/norm). In this form rounding keeps it monotone in tf and norm, so that the score of
// a dominating posting is a bound.
func Score(w, tf, norm float32) float32 { return bm25.Score(w, tf, norm) }
