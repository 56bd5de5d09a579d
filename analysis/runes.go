package analysis

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// asciiLower maps ASCII letters and digits to their lower case, and all other bytes
// to 0.
var asciiLower = func() (t [256]byte) {
	for c := range byte(128) {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z':
			t[c] = c
		case 'A' <= c && c <= 'Z':
			t[c] = c | 0x20
		}
	}
	return t
}()

// lowTableSize is the number of runes in lowTable: those of the alphabets.
const lowTableSize = 0x3000

// lowTable caches slowWordRune, whose results for these runes are below 0x10000.
var lowTable = sync.OnceValue(func() *[lowTableSize]uint16 {
	t := new([lowTableSize]uint16)
	for r := range rune(lowTableSize) {
		t[r] = uint16(slowWordRune(r))
	}
	return t
})

// slowWordRune returns r lower-cased if it is a letter or decimal digit, else 0.
func slowWordRune(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return unicode.ToLower(r)
	}
	return 0
}

// appendLowerASCII appends b, which is ASCII, lower-cased.
func appendLowerASCII(dst, b []byte) []byte {
	n := len(dst)
	dst = append(dst, b...)
	for i, c := range dst[n:] {
		if 'A' <= c && c <= 'Z' {
			dst[n+i] = c | 0x20
		}
	}
	return dst
}

// appendLower appends b lower-cased rune by rune; invalid bytes are kept.
func appendLower(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError {
			dst = append(dst, b[i:i+n]...)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}
