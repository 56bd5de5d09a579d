package analysis

import (
	"unicode"
	"unicode/utf8"
)

// code is the Tokenizer of analyzer code.
type code struct {
	max      int
	rewriter *rewriter
	placed   bool // option parts
	typed    bool // of a text that is typed: the only part of an identifier is added too
}

func newCode(a *builtin) Tokenizer {
	return &code{max: a.max, rewriter: a.rewriter(), placed: a.placed}
}

// What a character is in an identifier.
const (
	noIdentifier = iota
	underscore
	lowerLetter // or one without case
	upperLetter
	digit
	mark  // is what the character before is
	apart // a character of scripts without spaces, if parts are placed: identifiers end before it
)

// class returns what r is.
func (c *code) class(r rune) int {
	switch {
	case r == '_':
		return underscore
	case 'a' <= r && r <= 'z':
		return lowerLetter
	case 'A' <= r && r <= 'Z', unicode.IsUpper(r), unicode.IsTitle(r):
		return upperLetter
	case c.placed && r >= utf8.RuneSelf && beginsCharacter(r):
		return apart
	case c.rewriter != nil && c.rewriter.drops && isIgnorable(r):
		if withinWord(r) {
			return mark
		}
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
func (c *code) Tokenize(dst *Tokens, text []byte) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		class := c.class(r)
		switch class {
		case noIdentifier, mark:
			i += n
			continue
		case apart:
			i = c.rewriter.pairs(dst, text, i, c.max)
			continue
		}
		from, word := i, false
		for class != noIdentifier && class != apart {
			word = word || class > underscore && class < mark
			if i += n; i == len(text) {
				break
			}
			r, n = utf8.DecodeRune(text[i:])
			class = c.class(r)
		}
		switch {
		case !word:
		case i-from > c.max:
			dst.skip(len(dst.spans), 1)
		case !c.rewriter.add(dst, text, from, i):
		default:
			c.parts(dst, text, from, i)
		}
	}
}

// parts adds the parts of the identifier text[from:to], unless it is one: at the position of the identifier, or one after
// the other from there on if they are placed.
func (c *code) parts(dst *Tokens, text []byte, from, to int) {
	part, last, lastAt := from, underscore, from // last: the class of the character at lastAt
	increment := 0
	end := func(at int) {
		if part < at && (at-part < to-from || c.typed) {
			increment = c.part(dst, text, part, at, increment)
		}
		part = at
	}
	for i := from; i < to; {
		r, n := utf8.DecodeRune(text[i:])
		class := c.class(r)
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

// part adds the part text[from:to] at an increment, and returns that of the part behind it.
func (c *code) part(dst *Tokens, text []byte, from, to, increment int) int {
	start := len(dst.bytes)
	if c.placed {
		dst.bytes = append(dst.bytes, partMark)
	}
	empty := len(dst.bytes)
	dst.bytes = c.rewriter.append(dst.bytes, text[from:to])
	if n := len(dst.bytes) - start; len(dst.bytes) == empty || n > MaxTokenBytes {
		dst.bytes = dst.bytes[:start]
		dst.skip(len(dst.spans), increment)
	} else {
		dst.end(start, from, to)
		dst.skip(dst.Len()-1, increment-1)
	}
	if c.placed {
		return 1
	}
	return 0
}
