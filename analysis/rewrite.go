package analysis

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// form is the value of option unicode.
type form uint8

const (
	formKeep form = iota
	formNFC
	formNFKC
)

var formNames = []string{"keep", "nfc", "nfkc"}

func parseForm(value string) (form, error) {
	i := slices.Index(formNames, value)
	if i < 0 {
		return 0, fmt.Errorf("want keep, nfc or nfkc")
	}
	return form(i), nil
}

// folds is the value of option fold, a set.
type folds uint8

const (
	foldAccents folds = 1 << iota
	foldCase
	foldLate // only what is left of the words of a language when stop words have been dropped
)

var foldNames = []string{"accents", "case", "late"}

// parseFolds parses the value of option fold; late says whether that is a possible part of it.
func parseFolds(value string, late bool) (folds, error) {
	if value == "none" {
		return 0, nil
	}
	var f folds
	for name := range strings.SplitSeq(value, "+") {
		i := slices.Index(foldNames, name)
		if i < 0 {
			more := ""
			if late {
				more = ", or one of the last three with +late"
			}
			return 0, fmt.Errorf("want none, accents, case or accents+case%s", more)
		}
		f |= 1 << i
	}
	switch {
	case f == foldLate:
		return 0, fmt.Errorf("late goes with accents or case")
	case f&foldLate != 0 && !late:
		return 0, fmt.Errorf("late is for languages, which drop stop words")
	}
	return f, nil
}

// String returns the value of option fold that stands for f.
func (f folds) String() string {
	var names []string
	for i, name := range foldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// rewriter turns a word into lower case, and as the options unicode, fold and ignorable say.
type rewriter struct {
	form    form
	folds   folds
	drops   bool
	lower   func(dst, word []byte) []byte
	a, b, c []byte // scratch
	iter    norm.Iter
}

// rewriter returns the one of a, or nil if it does what appendLower does.
func (a *builtin) rewriter() *rewriter { return a.rewriterOf(a.folds) }

// early is rewriter for words before stop words have been dropped.
func (a *builtin) early() *rewriter {
	if a.folds&foldLate != 0 {
		return a.rewriterOf(0)
	}
	return a.rewriter()
}

func (a *builtin) rewriterOf(f folds) *rewriter {
	r := &rewriter{form: a.form, folds: f, drops: a.drops, lower: appendLower}
	switch {
	case a.unchanged:
		r.lower = func(dst, word []byte) []byte { return append(dst, word...) }
	case a.language != nil && a.language.Lower != nil:
		r.lower = a.language.Lower
	case a.form == formKeep && f == 0 && !a.drops:
		return nil
	}
	return r
}

// append appends what word becomes: without characters that cannot be seen, normalized, lower-cased, folded, and
// normalized again. That may be nothing.
func (r *rewriter) append(dst, word []byte) []byte {
	if r == nil {
		return appendLower(dst, word)
	}
	if r.drops && !isASCII(word) {
		r.c = appendSeen(r.c[:0], word)
		word = r.c
	}
	if isASCII(word) {
		return r.lower(dst, word) // nothing but case changes an ASCII word
	}
	r.b = r.lower(r.b[:0], r.normalize(word))
	if r.folds&foldCase != 0 {
		r.a = appendCaseFolded(r.a[:0], r.b)
		r.a, r.b = r.b, r.a
	}
	if r.folds&foldAccents != 0 {
		r.a = appendBare(r.a[:0], r.b)
		r.a, r.b = r.b, r.a
	}
	return append(dst, r.normalize(r.b)...)
}

// add adds what text[from:to] becomes, unless that is nothing or too long for an index. It reports whether it does.
func (r *rewriter) add(dst *Tokens, text []byte, from, to int) bool {
	start := len(dst.bytes)
	dst.bytes = r.append(dst.bytes, text[from:to])
	if n := len(dst.bytes) - start; n == 0 || n > MaxTokenBytes {
		dst.bytes = dst.bytes[:start]
		dst.skip(len(dst.spans), 1)
		return false
	}
	dst.end(start, from, to)
	return true
}

// changes reports whether r may change text, letters apart.
func (r *rewriter) changes(text []byte) bool {
	return (r.form != formKeep || r.drops) && !isASCII(text)
}

// continues reports whether r goes on in what follows a letter: a mark if words are normalized, and what cannot be seen
// if that is left out.
func (r *rewriter) continues(x rune) bool {
	return r != nil && (r.form != formKeep && unicode.IsMark(x) || r.drops && withinWord(x))
}

// inert reports whether nothing but the case of x changes, whatever is around it.
func (r *rewriter) inert(x rune) bool {
	switch {
	case 0x4e00 <= x && x <= 0x9fff, 0xac00 <= x && x <= 0xd7a3, x == utf8.RuneError: // ideographs, syllables
		return true
	case r.continues(x):
		return false
	}
	var buf [utf8.UTFMax]byte
	b := buf[:utf8.EncodeRune(buf[:], x)]
	if r.form != formKeep && !(norm.NFC.Properties(b).BoundaryBefore() && norm.NFKC.Properties(b).BoundaryBefore()) {
		return false // what is before may be composed with it
	}
	return string(r.append(nil, b)) == string(appendLower(nil, b))
}

// normalize returns b in the form that r has. It may be b, or in r.a. What lies between
// invalid bytes is normalized by itself: norm leaves text alone that ends within the length
// that an invalid byte announces.
func (r *rewriter) normalize(b []byte) []byte {
	var form norm.Form
	switch r.form {
	case formKeep:
		return b
	case formNFC:
		form = norm.NFC
	case formNFKC:
		form = norm.NFKC
	}
	valid := utf8.Valid(b)
	if valid && form.QuickSpan(b) == len(b) {
		return b
	}
	r.a = r.a[:0]
	for !valid && len(b) > 0 {
		n := validPrefix(b)
		r.appendForm(form, b[:n])
		if b = b[n:]; len(b) > 0 {
			r.a, b = append(r.a, b[0]), b[1:]
		}
	}
	r.appendForm(form, b)
	return r.a
}

// appendForm appends valid b in a form to r.a. Unlike norm.Form.Append, it allocates nothing.
func (r *rewriter) appendForm(form norm.Form, b []byte) {
	r.iter.Init(form, b)
	for !r.iter.Done() {
		r.a = append(r.a, r.iter.Next()...)
	}
}

// validPrefix returns the length of the valid UTF-8 that b begins with.
func validPrefix(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendCaseFolded appends lower-case b with the letters replaced that caseFold has.
func appendCaseFolded(dst, b []byte) []byte {
	folds := caseFold()
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if s, ok := folds[r]; ok && r >= utf8.RuneSelf {
			dst = append(dst, s...)
		} else {
			dst = append(dst, b[i:i+n]...)
		}
		i += n
	}
	return dst
}

// bare holds lower-case Latin letters that Unicode does not decompose, though they are
// another letter with a stroke or two letters in one.
var bare = map[rune]string{
	'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h",
	'ŧ': "t", 'ı': "i",
}

// appendBare appends b with its Latin and Greek letters bare of marks. Marks of other
// scripts stay: there they make other letters, as in й and が.
func appendBare(dst, b []byte) []byte {
	marked := false // the last letter was Latin or Greek: its marks go
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		from := b[i : i+n]
		i += n
		switch {
		case r < utf8.RuneSelf:
			marked = asciiLower[byte(r)] > '9'
			dst = append(dst, from...)
		case unicode.Is(unicode.Mn, r):
			if !marked {
				dst = append(dst, from...)
			}
		case r != utf8.RuneError && unicode.In(r, unicode.Latin, unicode.Greek):
			marked = true
			if d := norm.NFD.Properties(from).Decomposition(); d != nil {
				r, n = utf8.DecodeRune(d)
				from = d[:n]
			}
			if s, ok := bare[r]; ok {
				dst = append(dst, s...)
			} else {
				dst = append(dst, from...)
			}
		default:
			marked = false
			dst = append(dst, from...)
		}
	}
	return dst
}
