package analysis

import (
	"unicode"
	"unicode/utf8"
)

// whitespace is the Tokenizer of analyzer whitespace.
type whitespace struct {
	max      int
	rewriter *rewriter
}

func newWhitespace(a *builtin) Tokenizer { return whitespace{a.max, a.rewriter()} }

// Tokenize implements Tokenizer. Terms are ranges of a copy of the text, unless words change.
func (t whitespace) Tokenize(dst *Tokens, text []byte) {
	changed := t.rewriter.changes(text)
	if !changed {
		dst.bytes = append(dst.bytes, text...)
	}
	for i := 0; i < len(text); {
		n := space(text[i:])
		if n > 0 {
			i += n
			continue
		}
		from := i
		for i < len(text) && n == 0 {
			i++
			for i < len(text) && !utf8.RuneStart(text[i]) {
				i++
			}
			n = space(text[i:])
		}
		switch {
		case i-from > t.max:
			dst.skip(len(dst.spans), 1)
		case changed:
			t.rewriter.add(dst, text, from, i)
		default:
			dst.spans = append(dst.spans, Span{uint32(from), uint32(i)})
		}
		i += n
	}
}

// space returns the length of the white-space rune at the start of text, or 0.
func space(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if c := text[0]; c < utf8.RuneSelf {
		if c == ' ' || '\t' <= c && c <= '\r' {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRune(text); unicode.IsSpace(r) {
		return n
	}
	return 0
}
