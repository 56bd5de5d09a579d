package scorer

func init() { register("bm25+", plus) }

// plus is BM25+ with a delta of 1: a document that has a term scores at least the term's weight, however long it is. Source: Lv and
// Zhai, Lower-bounding term frequency normalization, CIKM 2011, section 4.2.
func plus(k1, b float64) *Model {
	s, up := float32(k1), float32(k1+1)
	return &Model{
		Weigh: func(docs, df uint64) float64 { return Logarithm(float64(float64(docs)+1) / float64(df)) },
		Norm: func(ratio float32) float32 {
			return finite(float64(float32(1 / float32(s*float32(float32(1-b)+float32(float32(b)*ratio))))))
		},
		Score: func(weight, tf, norm float32) float32 {
			return float32(weight + Saturate(float32(weight*up), tf, norm))
		},
	}
}
