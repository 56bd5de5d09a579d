package analysis

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// simple is the Tokenizer of analyzer simple.
type simple struct {
	max   int
	table *[lowTableSize]uint16 // nil until the first rune that is not ASCII
}

func newSimple(a *Analyzer) Tokenizer { return &simple{max: a.max} }

// Append implements Tokenizer. ASCII goes eight bytes at a time: the bytes are
// stored lower-cased, and the first that is no letter or digit ends the run or
// sends the loop to the rune path.
func (s *simple) Append(dst *Tokens, text []byte) {
	// Lower-casing lengthens a rune by at most half (U+023A: 2 bytes to 3).
	dst.Bytes = slices.Grow(dst.Bytes, len(text)+len(text)/2+2*slack)
	out := dst.Bytes[:cap(dst.Bytes)]
	ends := dst.Ends
	w := len(dst.Bytes)
	for i := 0; i < len(text); {
		start, from := w, i
		i, w = s.run(text, out, i, w)
		switch n := i - from; {
		case n == 0:
		case n > s.max:
			w = start
		default:
			ends = append(ends, uint32(w))
		}
		i = skip(text, i)
	}
	dst.Ends = ends
	dst.Bytes = out[:w]
}

// run copies the run of letters and digits that begins at text[i] to out[w:],
// lower-cased, and returns where both end.
func (s *simple) run(text, out []byte, i, w int) (int, int) {
	for i < len(text) {
		if i+8 <= len(text) {
			x := binary.LittleEndian.Uint64(text[i:])
			stop, lower := wordBytes(x)
			binary.LittleEndian.PutUint64(out[w:], lower)
			if stop == 0 {
				i += 8
				w += 8
				continue
			}
			k := bits.TrailingZeros64(stop) >> 3
			i += k
			w += k
		} else if c := asciiLower[text[i]]; c != 0 {
			out[w] = c
			i++
			w++
			continue
		}
		if text[i] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(text[i:])
		if r = s.wordRune(r); r == 0 {
			break
		}
		i += n
		w += utf8.EncodeRune(out[w:w+utf8.UTFMax], r)
	}
	return i, w
}

// skip returns the position after the separator at text[i].
func skip(text []byte, i int) int {
	if i >= len(text) || text[i] < utf8.RuneSelf {
		return i + 1
	}
	_, n := utf8.DecodeRune(text[i:])
	return i + n
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
