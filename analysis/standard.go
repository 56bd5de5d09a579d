package analysis

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// standard is the Tokenizer of analyzer standard.
type standard struct {
	max      int
	fold     bool // option apostrophes
	cuts     bool // option scripts
	plain    bool // rewriter does what appendLower does to ASCII
	rewriter *rewriter
	words    *words.Iterator[[]byte]
	folded   folded
}

func newStandard(a *builtin) Tokenizer { return makeStandard(a) }

func makeStandard(a *builtin) *standard {
	return &standard{max: a.max, fold: a.apostrophes, cuts: a.cuts, plain: a.language == nil || a.language.Lower == nil,
		rewriter: a.early(), words: words.FromBytes(nil)}
}

// Tokenize implements Tokenizer. If apostrophes are to be folded, it folds what follows the
// last word before the first of them, and cuts that into words instead.
func (s *standard) Tokenize(dst *Tokens, text []byte) {
	if i := s.cut(dst, text, s.fold, nil); i < len(text) {
		s.folded.set(text, i)
		s.cut(dst, s.folded.text, false, &s.folded)
	}
	s.words.SetText(nil)
}

// cut adds the words of text. It finds segments itself where a few ASCII bytes determine
// them, and leaves the others to the library. If it has to and stop is set, it looks for
// apostrophes to fold, and if there are any, returns where it has got to. Otherwise it
// returns len(text). The source of a word is where f says.
func (s *standard) cut(dst *Tokens, text []byte, stop bool, f *folded) int {
	for i := 0; i < len(text); {
		n, word := asciiSegment(text[i:])
		ascii := n > 0
		if !ascii {
			if stop && hasApostrophe(text[i:]) {
				return i
			}
			stop = false
			s.words.SetText(text[i:])
			s.words.Next()
			segment := s.words.Value()
			n, word = len(segment), isWord(segment)
		}
		switch {
		case !word:
		case !ascii && s.cuts && mayBeEastern(text[i:i+n]):
			for from := i; from < i+n; {
				to, next := endOfScript(text[:i+n], from)
				s.add(dst, text, from, to, false, f)
				from = next
			}
		default:
			s.add(dst, text, i, i+n, ascii, f)
		}
		i += n
	}
	return len(text)
}

// add adds the word text[from:to], which may be said to be ASCII, unless it is too long. Its source is where f says.
func (s *standard) add(dst *Tokens, text []byte, from, to int, ascii bool, f *folded) {
	if to-from > s.max {
		dst.skip(len(dst.spans), 1)
		return
	}
	start := len(dst.bytes)
	if ascii && s.plain {
		dst.bytes = appendLowerASCII(dst.bytes, text[from:to])
	} else {
		dst.bytes = s.rewriter.append(dst.bytes, text[from:to])
	}
	if size := len(dst.bytes) - start; size == 0 || size > MaxTokenBytes { // the lower case may be longer
		dst.bytes = dst.bytes[:start]
		dst.skip(len(dst.spans), 1)
		return
	}
	if f != nil {
		from, to = f.source(from), f.source(to)
	}
	dst.end(start, from, to)
}

// What an ASCII byte does after a run of ASCII letters and digits, and alone
// (UAX 29, rules WB5 to WB13b).
const (
	other   = iota // ends the run
	alnum          // letter or digit: continues the run
	between        // may continue it if a letter or digit follows
	joins          // underscore, or not ASCII: ask the library
)

var asciiClass = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf || c == '_':
			t[c] = joins
		case asciiLower[c] != 0:
			t[c] = alnum
		case c == '\'' || c == '.' || c == ',' || c == ':' || c == ';':
			t[c] = between
		}
	}
	return t
}()

// asciiSegment returns the length of the segment at the start of text, which must
// follow a boundary, and whether it is a word. It returns 0 if ASCII bytes alone do not
// determine it. Bytes that are not part of a word are segments of their own.
func asciiSegment(text []byte) (n int, word bool) {
	switch asciiClass[text[0]] {
	case joins:
		return 0, false
	case alnum:
	default:
		n = 1
		for text[0] == ' ' && n < len(text) && text[n] == ' ' {
			n++ // spaces stay together (WB3d)
		}
		// A mark that follows would be ignored by the rules (WB4).
		if n < len(text) && text[n] >= utf8.RuneSelf {
			return 0, false
		}
		return n, false
	}
	for n = 1; n < len(text) && asciiClass[text[n]] == alnum; n++ {
	}
	if n == len(text) {
		return n, true
	}
	switch asciiClass[text[n]] {
	case other:
		return n, true
	case between:
		if n+1 == len(text) || asciiClass[text[n+1]] != alnum && asciiClass[text[n+1]] != joins {
			return n, true
		}
	}
	return 0, false
}

// isWord reports whether a segment of UAX 29 contains a letter or a number.
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
