package analysis

import (
	"unicode"
	"unicode/utf8"
)

// isEastern reports whether r is of Han, Hiragana, Katakana or Hangul. What the option scripts=cut means must not change, so the
// ranges are these, and not those of a version of Unicode.
func isEastern(r rune) bool {
	switch {
	case r < 0x3000:
		return 0x1100 <= r && r <= 0x11ff || 0x2e80 <= r && r <= 0x2fdf
	case r < 0x3100:
		return 0x3005 <= r && r <= 0x3007 || 0x3021 <= r && r <= 0x3029 || 0x3031 <= r && r <= 0x3035 || 0x3038 <= r && r <= 0x303c || 0x3041 <= r
	case r < 0xac00:
		return 0x3131 <= r && r <= 0x318e || 0x31f0 <= r && r <= 0x31ff || 0x32d0 <= r && r <= 0x32fe || 0x3300 <= r && r <= 0x3357 ||
			0x3400 <= r && r <= 0x4dbf || 0x4e00 <= r && r <= 0x9fff || 0xa960 <= r && r <= 0xa97c
	case r < 0x10000:
		return r <= 0xd7fb || 0xf900 <= r && r <= 0xfaff || 0xff66 <= r && r <= 0xffdc
	}
	return r == 0x16fe3 || 0x1aff0 <= r && r <= 0x1b16f || 0x20000 <= r && r <= 0x3fffd
}

// mayBeEastern reports whether word may have a character of those scripts: one of them has a byte from 0xe1 on.
func mayBeEastern(word []byte) bool {
	for _, c := range word {
		if c >= 0xe1 {
			return true
		}
	}
	return false
}

// endOfScript returns where a word of word[from:] ends, as scripts=cut has it, and where the next one begins. What is neither letter,
// number nor mark there, such as an underscore, belongs to neither.
func endOfScript(word []byte, from int) (to, next int) {
	begun, eastern := false, false // a letter or number has been, of those scripts
	to = from
	for i := from; i < len(word); {
		r, n := utf8.DecodeRune(word[i:])
		switch {
		case unicode.IsMark(r) || isIgnorable(r):
			if to == i {
				to = i + n
			}
		case unicode.IsLetter(r) || unicode.IsNumber(r) || isEastern(r):
			was := eastern
			if eastern = isEastern(r); begun && eastern != was {
				return to, i
			}
			begun, to = true, i+n
		}
		i += n
	}
	return len(word), len(word)
}
