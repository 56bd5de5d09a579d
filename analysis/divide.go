package analysis

// Divides reports whether a text of a may be divided into parts that are analyzed one after the other, each before an
// ASCII character above U+0020 that stands behind a space or one of the characters U+0009 to U+000D: the tokens of the parts are
// those of the whole, in the same places and the same positions. That is so for the analyzers of this package and of languages,
// but for keyword.
func Divides(a Analyzer) bool {
	b, ok := a.(*builtin)
	return ok && b.name != "keyword"
}
