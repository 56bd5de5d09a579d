package analysis

import (
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts of cjk: those that put no spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// cjk is the Tokenizer of analyzer cjk.
type cjk struct {
	standard
	words Tokens
}

func newCJK(a *builtin) Tokenizer { return &cjk{standard: *makeStandard(a)} }

// Tokenize implements Tokenizer.
func (c *cjk) Tokenize(dst *Tokens, text []byte) {
	for i := 0; i < len(text); {
		run := nextRun(text, i)
		if run > i {
			c.rest(dst, text[i:run], i)
		}
		i = c.rewriter.pairs(dst, text, run, c.max)
	}
}

// rest adds the words of text, which begins at place at of the whole.
func (c *cjk) rest(dst *Tokens, text []byte, at int) {
	c.words.Reset()
	c.standard.Tokenize(&c.words, text)
	for i := range c.words.Len() {
		start, from := len(dst.bytes), c.words.source[i]
		dst.bytes = append(dst.bytes, c.words.Term(i)...)
		dst.end(start, at+int(from.Start), at+int(from.End))
		if inc := c.words.increment(i); inc != 1 {
			dst.skip(dst.Len()-1, inc-1)
		}
	}
	if n := c.words.Len(); n < len(c.words.increments) { // words dropped after the last
		dst.skip(dst.Len(), c.words.increment(n)-1)
	}
}

// pairs adds the pairs of characters of the run that begins at text[i], or its only one, but for those of more than most
// bytes. It returns where the run ends.
func (r *rewriter) pairs(dst *Tokens, text []byte, i, most int) int {
	add := func(from, to int) {
		if to-from > most {
			dst.skip(len(dst.spans), 1)
			return
		}
		r.add(dst, text, from, to)
	}
	before := -1 // where the character before begins
	for n := 0; i < len(text); {
		end := r.character(text, i)
		if end == i {
			if n == 1 {
				add(before, i)
			}
			return i
		}
		if n++; n > 1 {
			add(before, end)
		}
		before, i = i, end
		if i == len(text) && n == 1 {
			add(before, i)
		}
	}
	return i
}

// nextRun returns where the next run of text begins from i on, or the length of text.
func nextRun(text []byte, i int) int {
	for ; i < len(text); i++ {
		if text[i] >= 0xe0 { // all have three bytes or four
			if r, _ := utf8.DecodeRune(text[i:]); beginsCharacter(r) {
				return i
			}
		}
	}
	return i
}

// character returns where the character ends that begins at text[i], with the marks that
// follow its letter, and what cannot be seen if r leaves that out. It returns i if no letter of a run is there.
func (r *rewriter) character(text []byte, i int) int {
	c, n := utf8.DecodeRune(text[i:])
	if !beginsCharacter(c) {
		return i
	}
	drops := r != nil && r.drops
	for i += n; i < len(text); i += n {
		if text[i] < utf8.RuneSelf {
			break
		}
		if c, n = utf8.DecodeRune(text[i:]); !continuesCharacter(c) && !(drops && withinWord(c)) {
			break
		}
	}
	return i
}

// beginsCharacter reports whether r is a letter of unspaced scripts, or a sign that is
// used like one.
func beginsCharacter(r rune) bool {
	switch {
	case 0x4e00 <= r && r <= 0x9fff, 0xac00 <= r && r <= 0xd7a3, 0x3041 <= r && r <= 0x3096, 0x30a1 <= r && r <= 0x30fa:
		return true
	case r == 0x3007, r == 0x30fc, r == 0xff70, 0x3031 <= r && r <= 0x3035: // 〇, ー, ｰ, and marks of repetition
		return true
	}
	return unicode.In(r, unspaced...) && unicode.IsLetter(r) && !continuesCharacter(r)
}

// continuesCharacter reports whether r belongs to the letter before: a mark, half-width
// voice marks, or a vowel or final consonant of decomposed Hangul.
func continuesCharacter(r rune) bool {
	switch {
	case r == 0xff9e, r == 0xff9f, 0x1160 <= r && r <= 0x11ff, 0xd7b0 <= r && r <= 0xd7fb:
		return true
	case 0x3041 <= r && r <= 0x3096, 0x30a1 <= r && r <= 0x30fa, 0x4e00 <= r && r <= 0x9fff:
		return false
	}
	return unicode.IsMark(r)
}
