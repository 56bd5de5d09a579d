package scorer

import "math"

func init() { register("inl2", inl2) }

// inl2 is I(n)L2 of divergence from randomness with c = 1: the inverse document frequency as the model of randomness, Laplace's law of
// succession as the after-effect, and the second normalization of lengths, tf * log2(1 + average/length). It has no parameters.
// Source: Amati and van Rijsbergen, Probabilistic models of information retrieval based on measuring the divergence from
// randomness, TOIS 20(4), 2002, sections 2.2, 4 and 5.
func inl2(k1, b float64) *Model {
	return &Model{
		Weigh: func(docs, df uint64) float64 {
			return float64(Logarithm(float64(float64(docs)+1)/float64(float64(df)+0.5)) / math.Ln2)
		},
		Norm: func(ratio float32) float32 {
			if ratio == 0 {
				return math.MaxFloat32
			}
			return finite(float64(Logarithm(float64(1+float64(1/float64(ratio)))) / math.Ln2))
		},
		Score: Saturate, // tfn / (tfn + 1)
	}
}
