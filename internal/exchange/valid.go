package exchange

import "encoding/binary"

// validText is what is known of a text that comes in blocks: the state of an automaton that accepts UTF-8, as a multiple of
// stateBits. A character may lie in two blocks. Package unicode/utf8 takes about twice as long for texts with characters
// beyond ASCII.
type validText uint8

// The states: what may follow.
const (
	textStart = iota // a character, or the end
	textOne          // one more byte of a character
	textTwo          // two, and so on
	textThree
	textE0 // the second byte of a character that begins so: not those of a longer form than necessary
	textED // not those of surrogates
	textF0
	textF4 // not those beyond U+10FFFF
	textBad
)

// stateBits is how far apart the next states lie in an entry of transitions.
const stateBits = 6

// transitions has the next states by byte, of each state at as many bits as the state says (the state machine of Per Vognsen).
var transitions = func() (t [256]uint64) {
	set := func(state, from, to, next int) {
		for b := from; b <= to; b++ {
			t[b] = t[b]&^(63<<(state*stateBits)) | uint64(next*stateBits)<<(state*stateBits)
		}
	}
	for state := range textBad + 1 {
		set(state, 0, 255, textBad)
	}
	set(textStart, 0x00, 0x7f, textStart)
	set(textStart, 0xc2, 0xdf, textOne)
	set(textStart, 0xe0, 0xe0, textE0)
	set(textStart, 0xe1, 0xef, textTwo)
	set(textStart, 0xed, 0xed, textED)
	set(textStart, 0xf0, 0xf0, textF0)
	set(textStart, 0xf1, 0xf3, textThree)
	set(textStart, 0xf4, 0xf4, textF4)
	set(textOne, 0x80, 0xbf, textStart)
	set(textTwo, 0x80, 0xbf, textOne)
	set(textThree, 0x80, 0xbf, textTwo)
	set(textE0, 0xa0, 0xbf, textOne)
	set(textED, 0x80, 0x9f, textOne)
	set(textF0, 0x90, 0xbf, textTwo)
	set(textF4, 0x80, 0x8f, textTwo)
	return t
}()

// next reports whether the text is UTF-8 up to the end of b, which may be inside a character unless it is the last.
func (v *validText) next(b []byte, last bool) bool {
	state := uint64(*v)
	const ascii, words = 0x8080808080808080, 4
	for len(b) >= 8 {
		for state == textStart && len(b) >= 8*words {
			w := (*[8 * words]byte)(b)
			x, y := binary.LittleEndian.Uint64(w[:])|binary.LittleEndian.Uint64(w[8:]), binary.LittleEndian.Uint64(w[16:])|binary.LittleEndian.Uint64(w[24:])
			if (x|y)&ascii != 0 {
				break
			}
			b = b[8*words:]
		}
		if len(b) < 8 {
			break
		}
		if state == textStart && binary.LittleEndian.Uint64(b)&ascii == 0 {
			b = b[8:]
			continue
		}
		for _, c := range b[:8] {
			state = transitions[c] >> (state & 63) & 63
		}
		b = b[8:]
	}
	for _, c := range b {
		state = transitions[c] >> (state & 63) & 63
	}
	*v = validText(state)
	return state != textBad*stateBits && (!last || state == textStart)
}
