package analysis

// Stemmer is an Analyzer that says whether it stems: whether its terms may be no words of the texts, so that they are not to
// be shown. Those of this package and of languages are Stemmers; of others terms are taken for words.
type Stemmer interface {
	Analyzer
	Stems() bool
}

// Stems implements Stemmer.
func (a *builtin) Stems() bool { return a.language != nil && a.language.Stem != nil }

// Stems reports whether terms of a may be no words of texts.
func Stems(a Analyzer) bool {
	s, ok := a.(Stemmer)
	return ok && s.Stems()
}
