package analysis

import "unicode/utf8"

// partMark is the byte that the terms of parts of identifiers begin with in analyzer code with parts=placed: no identifier
// has it.
const partMark = '+'

// Compound is an Analyzer that tells the parts of words from words: code with parts=placed. A word that is typed is found
// by the term of its whole, or else by those of its parts, one after the other.
type Compound interface {
	Analyzer
	// AppendWords appends the words of a text that is typed, in order.
	AppendWords(dst []Word, text []byte) []Word
	// Mark returns what the terms of parts begin with, and those of wholes do not.
	Mark() string
}

// Word is a word of a text that is typed.
type Word struct {
	Start, End int    // the part of the text that it stands for
	Whole      []byte // the term of the word, or nil if it has none
	Parts      []Part // its parts in order: at least one, unless all are too long for an index
}

// Part is a part of a Word.
type Part struct {
	At    int    // its position, as a Tokenizer counts them from 0
	Term  []byte // as the part of a word
	Whole []byte // as a word of its own, or nil
}

// compound is analyzer code with parts=placed.
type compound struct{ *builtin }

// Mark implements Compound.
func (compound) Mark() string { return string(partMark) }

// AppendWords implements Compound. Of a run of characters without spaces between words, the pairs are the parts.
func (a compound) AppendWords(dst []Word, text []byte) []Word {
	c := &code{max: a.max, rewriter: a.rewriter(), placed: true, typed: true}
	var tokens Tokens
	c.Tokenize(&tokens, text)
	first, at := len(dst), -1
	for t := range tokens.All() {
		at = max(at+t.Increment, 0)
		switch last := len(dst) - 1; {
		case t.Term[0] == partMark:
			dst[last].Parts = append(dst[last].Parts, Part{at, t.Term, t.Term[1:]})
		case last >= first && t.Start < dst[last].End: // a pair behind another
			dst[last].Parts = append(dst[last].Parts, Part{At: at, Term: t.Term})
			dst[last].End = t.End
		case c.class(firstRune(text[t.Start:])) == apart:
			dst = append(dst, Word{Start: t.Start, End: t.End, Parts: []Part{{At: at, Term: t.Term}}})
		default:
			dst = append(dst, Word{Start: t.Start, End: t.End, Whole: t.Term})
		}
	}
	return dst
}

func firstRune(b []byte) rune {
	r, _ := utf8.DecodeRune(b)
	return r
}
