package analysis

// Divides reports whether a text of a may be divided into parts that are analyzed one after the other: the tokens of the parts are
// those of the whole, in the same places and the same positions. A part begins behind a line feed, or with an ASCII character above
// U+0020 that stands behind a space or one of the characters U+0009 to U+000D. That is so for the analyzers of this package and of
// languages, but for keyword.
func Divides(a Analyzer) bool {
	if c, ok := a.(compound); ok {
		a = c.builtin
	}
	b, ok := a.(*builtin)
	return ok && b.name != "keyword"
}

// Divide returns the first place from at on, which is above 0, where a text may be divided as Divides says, or the length of
// text.
func Divide(text []byte, at int) int {
	for ; at < len(text); at++ {
		switch before := text[at-1]; {
		case before == '\n':
			return at
		case before == ' ', '\t' <= before && before <= '\r':
			if c := text[at]; ' ' < c && c < 0x80 {
				return at
			}
		}
	}
	return len(text)
}
