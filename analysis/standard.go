package analysis

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// standard is the Tokenizer of analyzer standard.
type standard struct {
	max   int
	words *words.Iterator[[]byte]
}

func newStandard(a *Analyzer) Tokenizer { return makeStandard(a) }

func makeStandard(a *Analyzer) *standard {
	return &standard{max: a.max, words: words.FromBytes(nil)}
}

// Append implements Tokenizer.
func (s *standard) Append(dst *Tokens, text []byte) {
	s.words.SetText(text)
	for s.words.Next() {
		if word := s.words.Value(); len(word) <= s.max && isWord(word) {
			dst.Bytes = appendLower(dst.Bytes, word)
			dst.end()
		}
	}
	dst.pad()
	s.words.SetText(nil)
}

// isWord says whether a segment of UAX 29 holds a letter or a number.
func isWord(word []byte) bool {
	for i := 0; i < len(word); {
		if c := word[i]; c < utf8.RuneSelf {
			if asciiLower[c] != 0 {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(word[i:])
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		i += n
	}
	return false
}
