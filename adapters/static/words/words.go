// Package words says what the words of a text are, for the index that package static builds. The reader in the browser says the same of what
// visitors type (internal/static/web/reader.js), and the two are tested against each other.
//
// A word is a run of letters, digits and underscores, in lower case, without accents, ligatures and what is not seen. RegularPages and
// max_connections are words whose parts are words too. In scripts without spaces, and in Hangul, each two letters side by side are a word.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Word is a word of a text.
type Word struct {
	Form string // as the index has it
	Raw  string // without accents, but with capital letters
	Pair bool   // it is of two letters of a script without spaces, or one that stands alone
}

// Longest is the length in bytes of the longest word; longer ones are left out.
const Longest = 64

// Append appends the words of a text. The parts of a word follow it.
func Append(dst []Word, text string) []Word {
	text = Plain(text)
	for i := 0; i < len(text); {
		if r, n := utf8.DecodeRuneInString(text[i:]); !within(r) {
			i += n
			continue
		}
		end := i
		r, n := utf8.DecodeRuneInString(text[i:])
		for pairs := paired(r); end < len(text) && within(r) && paired(r) == pairs; r, n = utf8.DecodeRuneInString(text[end:]) {
			end += n
		}
		if first, _ := utf8.DecodeRuneInString(text[i:]); paired(first) {
			dst = appendPairs(dst, text[i:end])
		} else {
			dst = appendParts(dst, text[i:end])
		}
		i = end
	}
	return dst
}

// appendPairs appends each two letters of a run.
func appendPairs(dst []Word, run string) []Word {
	_, n := utf8.DecodeRuneInString(run)
	if n == len(run) {
		return append(dst, Word{lower(run), run, true})
	}
	for i := 0; ; {
		_, first := utf8.DecodeRuneInString(run[i:])
		_, second := utf8.DecodeRuneInString(run[i+first:])
		if second == 0 {
			return dst
		}
		pair := run[i : i+first+second]
		dst = append(dst, Word{lower(pair), pair, true})
		i += first
	}
}

// appendParts appends a word and its parts.
func appendParts(dst []Word, word string) []Word {
	word = strings.Trim(word, "_")
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return dst
	}
	add := func(raw string) {
		if form := lower(raw); len(form) <= Longest {
			dst = append(dst, Word{Form: form, Raw: raw})
		}
	}
	add(word)
	begin, small := 0, false
	part := func(end int) {
		if raw := word[begin:end]; end-begin < len(word) && utf8.RuneCountInString(raw) > 1 {
			add(raw)
		}
	}
	for i, r := range word {
		switch {
		case r == '_':
			part(i)
			begin = i + 1
		case small && unicode.IsUpper(r):
			part(i)
			begin = i
		}
		small = unicode.IsLower(r)
	}
	if begin > 0 {
		part(len(word))
	}
	return dst
}

func within(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// paired reports whether a letter is of a script whose words are two letters side by side.
func paired(r rune) bool {
	return r == 'ー' || r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Plain returns a text without accents, ligatures and characters that are not seen.
func Plain(text string) string {
	if ascii(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if r == 0xad || r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xfeff {
			return -1
		}
		return r
	}, text)
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if accent(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}

// accent reports whether a character is an accent, or a point of a script whose readers leave them out.
func accent(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x591 && r <= 0x5c7 && r != 0x5be && r != 0x5c0 && r != 0x5c3 && r != 0x5c6 ||
		r == 0x640 || r >= 0x64b && r <= 0x65f || r == 0x670
}

// letters are letters that a reader may not have, or that depend on where they stand.
var letters = strings.NewReplacer("ł", "l", "đ", "d", "ø", "o", "ħ", "h", "ı", "i", "ß", "ss", "æ", "ae", "œ", "oe", "ς", "σ")

// lower returns a word as the index has it.
func lower(word string) string {
	word = strings.ToLower(word)
	if ascii(word) {
		return word
	}
	return letters.Replace(word)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
