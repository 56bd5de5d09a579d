package analysis

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// simple is the Tokenizer of analyzer simple.
type simple struct {
	max      int
	table    *[lowTableSize]uint16 // nil until the first rune that is not ASCII
	rewriter *rewriter             // nil without options that change more than the case
	inert    *[lowTableSize]uint8  // what rewriter.inert has said of runes: 0 nothing yet, 1 true, 2 false
}

func newSimple(a *builtin) Tokenizer { return &simple{max: a.max, rewriter: a.rewriter()} }

// chunk is the number of bytes that are classified into one word of bits.
const chunk = 64

// Tokenize implements Tokenizer. It copies the whole text in lower case and computes a
// bit for each byte that says whether it belongs to a run. Tokens begin and end where
// the bits change, so no branch depends on the length of a word.
func (s *simple) Tokenize(dst *Tokens, text []byte) {
	if s.inPlace(dst, text) {
		return
	}
	if dst.Reset(); s.rewriter != nil {
		s.rewritten(dst, text)
		return
	}
	s.runByRun(dst, text)
}

// inPlace appends the tokens of text. It returns false if it meets a letter whose
// lower case has another length, or what a rewriter may change.
func (s *simple) inPlace(dst *Tokens, text []byte) bool {
	dst.bytes = slices.Grow(dst.bytes, len(text)+chunk+slack)
	out := dst.bytes[:len(text)+chunk]
	r := runs{dst: dst, spans: dst.spans, max: uint32(s.max)}
	next := 0      // first byte after the last rune that is not ASCII
	carry := false // whether that rune is part of a run
	var last [chunk]byte
	for i := 0; i < len(text); i += chunk {
		in := last[:]
		if i+chunk <= len(text) {
			in = text[i:]
		} else {
			copy(in, text[i:])
		}
		var tail [utf8.UTFMax]byte // of a rune from the chunk before, lower-cased
		n := max(next-i, 0)
		copy(tail[:n], out[i:i+n])
		word, high := classify((*[chunk]byte)(in), (*[chunk]byte)(out[i:]))
		if high != 0 {
			copy(out[i:i+n], tail[:n])
			if carry {
				word |= 1<<n - 1
			}
			for high &= ^uint64(0) << max(next-i, 0); high != 0; high &= ^uint64(0) << max(next-i, 0) {
				at := i + bits.TrailingZeros64(high)
				from, size := utf8.DecodeRune(text[at:])
				if s.rewriter != nil && !s.isInert(from) {
					return false
				}
				to := s.wordRune(from)
				next, carry = at+size, to != 0
				if carry {
					if utf8.RuneLen(to) != size {
						return false
					}
					utf8.EncodeRune(out[at:at+utf8.UTFMax], to)
					word |= (1<<size - 1) << (at - i)
				}
			}
		}
		r.scan(uint32(i), word)
	}
	r.finish(uint32(len(text)))
	dst.bytes = out[:len(text)]
	dst.spans = r.spans[:r.ended]
	return true
}

// runs turns bits into spans. Separate loops store starts and ends; both are in
// order, so that each start is paired with its end.
type runs struct {
	dst          *Tokens
	spans        []Span
	begun, ended int // spans with a start, with an end
	max          uint32
	inside       uint64 // 1 if the last bit so far is set
}

// scan adds the runs of set bits of the 64 bytes from at on.
func (r *runs) scan(at uint32, word uint64) {
	before := word<<1 | r.inside
	starts, ends := word&^before, before&^word
	r.inside = word >> 63
	r.spans = slices.Grow(r.spans[:r.begun], chunk)
	spans := r.spans[:cap(r.spans)]
	n := r.begun
	for ; starts != 0; starts &= starts - 1 {
		spans[n].Start = at + uint32(bits.TrailingZeros64(starts))
		n++
	}
	r.begun = n
	for n = r.ended; ends != 0; ends &= ends - 1 {
		s := &spans[n]
		s.End = at + uint32(bits.TrailingZeros64(ends))
		n++
		if s.End-s.Start > r.max {
			n--
			r.drop(n)
		}
	}
	r.ended = n
}

// drop removes span n; all spans before it have ends.
func (r *runs) drop(n int) {
	spans := r.spans[:r.begun]
	for i := n; i+1 < len(spans); i++ {
		spans[i].Start = spans[i+1].Start
	}
	r.begun--
	r.dst.skip(n, 1)
}

// finish ends a run that reaches the end of the text.
func (r *runs) finish(end uint32) {
	if r.inside == 0 {
		return
	}
	r.spans = r.spans[:r.begun]
	if s := &r.spans[r.ended]; end-s.Start <= r.max {
		s.End = end
		r.ended++
	}
}

const (
	ones = 0x0101010101010101
	low7 = 0x7f * ones
	top  = 0x80 * ones
)

// classify lower-cases the ASCII letters of in into out. Bit i of word says that
// in[i] is an ASCII letter or digit, bit i of high that it is not ASCII. It processes
// eight bytes at a time, with sums of 7-bit values that cannot carry into the next.
func classify(in, out *[chunk]byte) (word, high uint64) {
	for i := 0; i < chunk; i += 8 {
		x := binary.LittleEndian.Uint64(in[i : i+8])
		y := x & low7
		folded := y | 0x20*ones
		letter := (folded + (0x80-'a')*ones) &^ (folded + (0x7f-'z')*ones) & top &^ x
		digit := (y + (0x80-'0')*ones) &^ (y + (0x7f-'9')*ones) & top &^ x
		binary.LittleEndian.PutUint64(out[i:i+8], x|letter>>2)
		word |= gather(letter|digit) << i
		if x&top != 0 {
			high |= gather(x&top) << i
		}
	}
	return word, high
}

// gather packs the top bits of the eight bytes of x, all other bits of which are
// zero, into the low byte of the result.
func gather(x uint64) uint64 { return (x >> 7) * 0x0102040810204080 >> 56 }

// runByRun appends the tokens of any text, a byte or rune at a time.
func (s *simple) runByRun(dst *Tokens, text []byte) {
	for i := 0; i < len(text); {
		start, from := len(dst.bytes), i
		size := 1
		for ; i < len(text); i += size {
			c := asciiLower[text[i]]
			if size = 1; c != 0 {
				dst.bytes = append(dst.bytes, c)
				continue
			}
			var r rune
			r, size = utf8.DecodeRune(text[i:])
			if r = s.wordRune(r); r == 0 {
				break
			}
			dst.bytes = utf8.AppendRune(dst.bytes, r)
		}
		switch n := i - from; {
		case n > s.max || len(dst.bytes)-start > MaxTokenBytes: // the lower case may be longer
			dst.bytes = dst.bytes[:start]
			dst.skip(len(dst.spans), 1)
		case n > 0:
			dst.end(start, from, i)
		}
		i += size
	}
}

// wordRune is slowWordRune with a table for the alphabets.
func (s *simple) wordRune(r rune) rune {
	if r >= lowTableSize {
		return slowWordRune(r)
	}
	if s.table == nil {
		s.table = lowTable()
	}
	return rune(s.table[r])
}

// rewritten appends the tokens of any text, run by run, as the rewriter has them.
func (s *simple) rewritten(dst *Tokens, text []byte) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if s.wordRune(r) == 0 {
			i += n
			continue
		}
		from := i
		for i += n; i < len(text); i += n {
			if r, n = utf8.DecodeRune(text[i:]); s.wordRune(r) == 0 && !s.rewriter.continues(r) {
				break
			}
		}
		if i-from > s.max {
			dst.skip(len(dst.spans), 1)
			continue
		}
		s.rewriter.add(dst, text, from, i)
	}
}

// isInert is rewriter.inert with a memory for the alphabets.
func (s *simple) isInert(r rune) bool {
	if r >= lowTableSize {
		return s.rewriter.inert(r)
	}
	if s.inert == nil {
		s.inert = new([lowTableSize]uint8)
	}
	if s.inert[r] == 0 {
		s.inert[r] = 2
		if s.rewriter.inert(r) {
			s.inert[r] = 1
		}
	}
	return s.inert[r] == 1
}
