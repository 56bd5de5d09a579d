package analysis

import (
	"iter"
	"math"
	"slices"
)

// Token is one term of a text and where it came from.
type Token struct {
	// Term is what the index holds: 1 to MaxTokenBytes bytes.
	Term []byte
	// Start and End delimit the part of the source text that the term stands for:
	// text[Start:End], with 0 <= Start <= End <= len(text).
	Start, End int
	// Increment is the distance in positions from the previous token, or from
	// position -1 for the first: 1 for the next position, more if tokens in between
	// were dropped (stop words), 0 for the same position (a synonym).
	Increment int
}

// Span is a byte range from Start up to but not including End.
type Span struct{ Start, End uint32 }

// Tokens holds the tokens of a text in order. It is meant to be reused: a Tokenizer
// adds tokens, Reset removes them and keeps the memory, so that after a few texts
// nothing is allocated. The zero value is empty and ready to use.
type Tokens struct {
	bytes []byte // of all terms; there may be others between them
	spans []Span // place of every term in bytes
	// source holds the source ranges. Where it is shorter than spans, the source range
	// of a token is its span: the tokenizer copied the text and changed it in place.
	source []Span
	// increments holds those of the first tokens; all others have 1.
	increments []uint32
}

// slack is the number of bytes that stay allocated after the last term, so that a
// reader can load any term eight bytes at a time.
const slack = 8

// Reset removes all tokens and keeps the memory.
func (t *Tokens) Reset() {
	t.bytes = t.bytes[:0]
	t.spans = t.spans[:0]
	t.source = t.source[:0]
	t.increments = t.increments[:0]
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.spans) }

// Term returns the term of token i. It is valid until Reset or the next Add.
func (t *Tokens) Term(i int) []byte {
	s := t.spans[i]
	return t.bytes[s.Start:s.End:s.End]
}

// At returns token i. Its term is valid until Reset or the next Add.
func (t *Tokens) At(i int) Token {
	s := t.sourceOf(i)
	return Token{Term: t.Term(i), Start: int(s.Start), End: int(s.End), Increment: t.increment(i)}
}

// All returns an iterator over the tokens.
func (t *Tokens) All() iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := range t.spans {
			if !yield(t.At(i)) {
				return
			}
		}
	}
}

// Raw returns the bytes of all terms, possibly with other bytes between them, and the
// spans of the terms in order. The capacity of the bytes exceeds their length by at
// least 8. Callers must not modify either. Both are valid until Reset or the next Add.
func (t *Tokens) Raw() (bytes []byte, terms []Span) {
	t.bytes = slices.Grow(t.bytes, slack)
	return t.bytes, t.spans
}

// Increments returns the increments of the first tokens, and perhaps of one behind the last; all
// others are 1. Callers must not modify it. It is valid until Reset or the next Add.
func (t *Tokens) Increments() []uint32 { return t.increments }

// Add adds a token and copies its term. A term that no index can hold, because it
// is empty or longer than MaxTokenBytes, is dropped and leaves a gap in the
// positions. So are terms past 4 GiB in all.
func (t *Tokens) Add(token Token) {
	if n := len(token.Term); n == 0 || n > MaxTokenBytes || uint64(len(t.bytes)+n) > maxBytes {
		t.skip(len(t.spans), token.Increment)
		return
	}
	start := len(t.bytes)
	t.bytes = append(t.bytes, token.Term...)
	t.end(start, token.Start, token.End)
	if token.Increment != 1 {
		t.skip(len(t.spans)-1, token.Increment-1)
	}
}

// maxBytes is how many bytes of terms Tokens hold. Tests lower it.
var maxBytes uint64 = math.MaxUint32

// end makes the bytes from start a token that stands for text[from:to]. Like Add, it drops
// what lies past 4 GiB: rewriting may make a text longer.
func (t *Tokens) end(start, from, to int) {
	if uint64(len(t.bytes)) > maxBytes {
		t.bytes = t.bytes[:start]
		t.skip(len(t.spans), 1)
		return
	}
	if len(t.source) < len(t.spans) {
		t.source = append(t.source, t.spans[len(t.source):]...)
	}
	t.spans = append(t.spans, Span{uint32(start), uint32(len(t.bytes))})
	t.source = append(t.source, Span{uint32(from), uint32(to)})
}

// skip moves token i, which may be the next one to be added, n positions away from
// the one before.
func (t *Tokens) skip(i, n int) {
	for len(t.increments) <= i {
		t.increments = append(t.increments, 1)
	}
	t.increments[i] = uint32(min(max(int64(t.increments[i])+int64(n), 0), math.MaxUint32))
}

func (t *Tokens) sourceOf(i int) Span {
	if i < len(t.source) {
		return t.source[i]
	}
	return t.spans[i]
}

func (t *Tokens) increment(i int) int {
	if i < len(t.increments) {
		return int(t.increments[i])
	}
	return 1
}
