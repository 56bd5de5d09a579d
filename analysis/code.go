package analysis

import (
	"unicode"
	"unicode/utf8"
)

// code is the Tokenizer of analyzer code.
type code struct{ max int }

func newCode(a *builtin) Tokenizer { return code{a.max} }

// What a character is in an identifier.
const (
	noIdentifier = iota
	underscore
	lowerLetter // or one without case
	upperLetter
	digit
	mark // is what the character before is
)

func codeClass(r rune) int {
	switch {
	case r == '_':
		return underscore
	case 'a' <= r && r <= 'z':
		return lowerLetter
	case 'A' <= r && r <= 'Z', unicode.IsUpper(r), unicode.IsTitle(r):
		return upperLetter
	case unicode.IsLetter(r):
		return lowerLetter
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return noIdentifier
}

// Tokenize implements Tokenizer.
func (c code) Tokenize(dst *Tokens, text []byte) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		class := codeClass(r)
		if class == noIdentifier || class == mark {
			i += n
			continue
		}
		from, word := i, false
		for class != noIdentifier {
			word = word || class > underscore && class < mark
			if i += n; i == len(text) {
				break
			}
			r, n = utf8.DecodeRune(text[i:])
			class = codeClass(r)
		}
		switch {
		case !word:
		case i-from > c.max || !c.add(dst, text, from, i, 1):
			dst.skip(len(dst.spans), 1)
		default:
			c.parts(dst, text, from, i)
		}
	}
}

// parts adds the parts of the identifier text[from:to] at its position, unless it is one.
func (c code) parts(dst *Tokens, text []byte, from, to int) {
	part, last, lastAt := from, underscore, from // last: the class of the character at lastAt
	end := func(at int) {
		if part < at && at-part < to-from {
			c.add(dst, text, part, at, 0)
		}
		part = at
	}
	for i := from; i < to; {
		r, n := utf8.DecodeRune(text[i:])
		class := codeClass(r)
		switch {
		case class == mark:
			if i += n; last == underscore {
				part = i
			}
			continue
		case class == underscore:
			end(i)
			part = i + n
		case last == underscore:
		case (class == digit) != (last == digit), class == upperLetter && last == lowerLetter:
			end(i)
		case class == lowerLetter && last == upperLetter && lastAt > part:
			end(lastAt) // the last of several capitals begins a word: HTTPServer
		}
		last, lastAt = class, i
		i += n
	}
	end(to)
}

// add adds text[from:to] in lower case. It reports false if that is too long for an index.
func (c code) add(dst *Tokens, text []byte, from, to, increment int) bool {
	start := len(dst.bytes)
	dst.bytes = appendLower(dst.bytes, text[from:to])
	if len(dst.bytes)-start > MaxTokenBytes {
		dst.bytes = dst.bytes[:start]
		return false
	}
	dst.end(start, from, to)
	if increment != 1 {
		dst.skip(dst.Len()-1, increment-1)
	}
	return true
}
