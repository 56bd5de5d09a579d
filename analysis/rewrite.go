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
)

var foldNames = []string{"accents", "case"}

func parseFolds(value string) (folds, error) {
	if value == "none" {
		return 0, nil
	}
	var f folds
	for name := range strings.SplitSeq(value, "+") {
		i := slices.Index(foldNames, name)
		if i < 0 {
			return 0, fmt.Errorf("want none, accents, case or accents+case")
		}
		f |= 1 << i
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

// rewriter turns a word into lower case, and as the options unicode and fold say.
type rewriter struct {
	form  form
	folds folds
	lower func(dst, word []byte) []byte
	a, b  []byte // scratch
	iter  norm.Iter
}

// rewriter returns the one of a, or nil if it does what appendLower does.
func (a *builtin) rewriter() *rewriter {
	r := &rewriter{form: a.form, folds: a.folds, lower: appendLower}
	if a.language != nil && a.language.Lower != nil {
		r.lower = a.language.Lower
	} else if a.form == formKeep && a.folds == 0 {
		return nil
	}
	return r
}

// append appends what word becomes: normalized, lower-cased, folded, and normalized again.
func (r *rewriter) append(dst, word []byte) []byte {
	if r == nil {
		return appendLower(dst, word)
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
