package analysis

import "slices"

// slack is how many bytes after the last token Tokens keeps allocated, so that
// a reader can load any token eight bytes at a time.
const slack = 8

// Span says where a token lies in Tokens.Bytes.
type Span struct{ Start, End uint32 }

// Tokens holds the tokens of one or more texts. It is meant to be re-used: a
// Tokenizer appends, Reset empties without freeing, and in the steady state
// nothing is allocated. The zero value is empty and ready.
type Tokens struct {
	// Bytes holds the bytes of all tokens, and others between them. When there is
	// any token, its capacity exceeds its length by at least 8 bytes.
	Bytes []byte
	// Spans holds the place of every token, ascending.
	Spans []Span
}

// Reset removes all tokens and keeps the memory.
func (t *Tokens) Reset() {
	t.Bytes = t.Bytes[:0]
	t.Spans = t.Spans[:0]
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.Spans) }

// At returns token i. It is valid until Reset or the next append.
func (t *Tokens) At(i int) []byte {
	s := t.Spans[i]
	return t.Bytes[s.Start:s.End:s.End]
}

// end makes the bytes from start a token.
func (t *Tokens) end(start int) {
	t.Spans = append(t.Spans, Span{uint32(start), uint32(len(t.Bytes))})
}

// add appends one token.
func (t *Tokens) add(token []byte) {
	start := len(t.Bytes)
	t.Bytes = append(t.Bytes, token...)
	t.end(start)
}

// pad makes sure of the slack after the last token.
func (t *Tokens) pad() { t.Bytes = slices.Grow(t.Bytes, slack) }
