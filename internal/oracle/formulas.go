package oracle

import "math"

// Formulas are the names of formulas other than BM25 that a Field can have.
var Formulas = []string{"bm25+", "inl2"}

// idf returns what the formula of f weighs a term that df of n documents have, by a logarithm.
func (f *Field) idf(log func(float64) float64, n, df int) float64 {
	docs, d := float64(n), float64(df)
	switch f.Formula {
	case "bm25+":
		return log(float64(docs+1) / d)
	case "inl2":
		return float64(log(float64(docs+1)/float64(d+0.5)) / math.Ln2)
	}
	return log(float64(1 + float64(float64(float64(docs-d)+0.5)/float64(d+0.5))))
}

// factor returns what weights have beside the idf.
func (f *Field) factor() float64 {
	if f.Formula != "" {
		return 1
	}
	return f.K1 + 1
}

// weigh returns the weight of an idf, without boosts.
func (f *Field) weigh(idf float64) float32 {
	return float32(float32(idf) * float32(f.factor()))
}

// formulaic returns the score of a posting, in a document of ratio times the average length, by a formula other than BM25.
func (f *Field) formulaic(w float32, tf int, ratio float32) float32 {
	if f.Formula == "inl2" {
		if ratio == 0 {
			return posted(w, tf, math.MaxFloat32)
		}
		return posted(w, tf, float32(min(float64(ln(float64(1+float64(1/float64(ratio))))/math.Ln2), math.MaxFloat32)))
	}
	length := float32(float32(1-f.B) + float32(float32(f.B)*ratio))
	norm := min(float32(1/float32(float32(f.K1)*length)), math.MaxFloat32)
	return float32(w + posted(float32(w*float32(f.K1+1)), tf, norm))
}

// exactly returns the score of a posting in float64.
func (f *Field) exactly(w float64, tf, ratio float64) float64 {
	switch f.Formula {
	case "bm25+":
		return w * (1 + (f.K1+1)*tf/(tf+f.K1*(1-f.B+f.B*ratio)))
	case "inl2":
		if ratio == 0 {
			return w
		}
		x := tf * math.Log2(1+1/ratio)
		return w * x / (x + 1)
	}
	return w * tf / (tf + f.K1*(1-f.B+f.B*ratio))
}
