package build

import "github.com/pinion-index/pinion/format"

// impactModel ranks (tf, length) pairs for the impact metadata: BM25 with k1 0.9 and b 0.4
// at the average length. It only affects how tight the metadata is, not its correctness.
type impactModel struct {
	norm [256]float32 // k1 * (1 - b + b*len/avg) for every length code
}

// newImpactModel returns the model for documents of avgLen tokens on average.
func newImpactModel(avgLen float64) *impactModel {
	if !(avgLen >= 1) {
		avgLen = 1
	}
	m := new(impactModel)
	for c := range m.norm {
		rel := float32(format.DecodeLen(uint8(c))) / float32(avgLen)
		m.norm[c] = float32(0.9 * float32(0.6+float32(0.4*rel)))
	}
	return m
}

// score returns tf/(tf+norm), between 0 and 1, for a pair of codes.
func (m *impactModel) score(tf, dl uint8) float32 {
	t := float32(format.DecodeTF(tf))
	return t / (t + m.norm[dl])
}

// better returns the one of a and b with the higher score.
func (m *impactModel) better(a, b format.KthImpact) format.KthImpact {
	if b.TF != 0 && (a.TF == 0 || m.score(b.TF, b.Len) > m.score(a.TF, a.Len)) {
		return b
	}
	return a
}
