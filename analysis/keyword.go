package analysis

// keyword is the Tokenizer of analyzer keyword.
type keyword struct {
	max      int
	rewriter *rewriter
	word     []byte // scratch
}

func newKeyword(a *builtin) Tokenizer { return &keyword{max: a.max, rewriter: a.rewriter()} }

// Tokenize implements Tokenizer.
func (k *keyword) Tokenize(dst *Tokens, text []byte) {
	if len(text) > k.max {
		dst.skip(len(dst.spans), 1)
		return
	}
	k.word = k.rewriter.append(k.word[:0], text)
	dst.Add(Token{Term: k.word, End: len(text), Increment: 1})
}
