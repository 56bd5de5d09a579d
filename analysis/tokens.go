package analysis

import "slices"

// slack is how many bytes after the last token Tokens keeps allocated, so that
// a reader can load any token eight bytes at a time.
const slack = 8

// Tokens holds the tokens of one or more texts back to back. It is meant to be
// re-used: a Tokenizer appends, Reset empties without freeing, and in the steady
// state nothing is allocated. The zero value is empty and ready.
type Tokens struct {
	// Bytes are the bytes of all tokens. At least 8 bytes of capacity follow the
	// last one when there is any token.
	Bytes []byte
	// Ends holds for every token where in Bytes it ends; it begins where the one
	// before it ends.
	Ends []uint32
}

// Reset removes all tokens and keeps the memory.
func (t *Tokens) Reset() {
	t.Bytes = t.Bytes[:0]
	t.Ends = t.Ends[:0]
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.Ends) }

// At returns token i. It is valid until Reset or the next append.
func (t *Tokens) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Bytes[start:t.Ends[i]:t.Ends[i]]
}

// end makes the bytes since the last token a token.
func (t *Tokens) end() { t.Ends = append(t.Ends, uint32(len(t.Bytes))) }

// add appends one token.
func (t *Tokens) add(token []byte) {
	t.Bytes = append(t.Bytes, token...)
	t.end()
}

// pad makes sure of the slack after the last token.
func (t *Tokens) pad() { t.Bytes = slices.Grow(t.Bytes, slack) }
