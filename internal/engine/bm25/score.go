package bm25

// Slack is how many elements after the last posting vector code may read and write, since it
// computes whole vectors.
const Slack = 16

// Grow returns a slice of n elements, in the memory of v if it is large enough, with Slack
// more elements of capacity.
func Grow(v []float32, n int) []float32 {
	if cap(v) < n+Slack {
		v = make([]float32, max(n, 128)+Slack)
	}
	return v[:n]
}

// ScoreNorms replaces the norms in v by the scores of postings with frequencies freqs, which are as many.
// huge says that some may be 2^31 or more.
func (s *Scorer) ScoreNorms(v []float32, freqs []uint32, w float32, huge bool) {
	switch {
	case s.model != nil:
		freqs = freqs[:len(v)]
		for i, norm := range v {
			v[i] = s.model.Score(w, float32(freqs[i]), norm)
		}
	case s.inverse:
		scoreCodedNorms(v, freqs, w, huge)
	default:
		scoreNorms(v, freqs, w, huge)
	}
}

// scoreCodedPortable replaces the norms in v by scores.
func scoreCodedPortable(v []float32, freqs []uint32, w float32) {
	freqs = freqs[:len(v)]
	for i, norm := range v {
		v[i] = ScoreCoded(w, float32(freqs[i]), norm)
	}
}

// scorePortable replaces the norms in v by scores.
func scorePortable(v []float32, freqs []uint32, w float32) {
	freqs = freqs[:len(v)]
	for i, norm := range v {
		v[i] = Score(w, float32(freqs[i]), norm)
	}
}
