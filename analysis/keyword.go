package analysis

// keyword is the Tokenizer of analyzer keyword.
type keyword struct{ max int }

func newKeyword(a *builtin) Tokenizer { return keyword{a.max} }

// Tokenize implements Tokenizer.
func (k keyword) Tokenize(dst *Tokens, text []byte) {
	if len(text) > k.max {
		dst.skip(len(dst.spans), 1)
		return
	}
	dst.Add(Token{Term: text, End: len(text), Increment: 1})
}
