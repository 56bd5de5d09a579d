package analysis

import (
	"bytes"
	"strings"
)

// apostrophes are the characters that the option apostrophes=fold reads as U+0027: those
// that Snowball's page on apostrophes names, the letter that Unicode has for it, and the
// fullwidth form, which Lucene's EnglishPossessiveFilter knows too.
var apostrophes = [...]string{"\u2019", "\u2018", "\u201b", "\u02bc", "\uff07"}

// foldApostrophes replaces them in a word.
func foldApostrophes(word string) string {
	for _, a := range &apostrophes {
		word = strings.ReplaceAll(word, a, "'")
	}
	return word
}

func hasApostrophe(text []byte) bool {
	for _, a := range &apostrophes {
		if bytes.Contains(text, []byte(a)) {
			return true
		}
	}
	return false
}

// apostropheAt returns the length in bytes of the apostrophe that text[i:] begins with,
// or 0.
func apostropheAt(text []byte, i int) int {
	switch text[i] {
	case 0xe2, 0xca, 0xef: // what they begin with
		for _, a := range &apostrophes {
			if len(text)-i >= len(a) && string(text[i:i+len(a)]) == a {
				return len(a)
			}
		}
	}
	return 0
}

// folded is the rest of a text with its apostrophes folded, and where its bytes were.
type folded struct {
	text  []byte
	folds []fold
	// source has passed the folds before next; they and what precedes the rest of the
	// text make up shift.
	next, shift int
}

// fold is an apostrophe: where it is in folded.text, and the bytes that folding took away.
type fold struct{ at, lost uint32 }

// set folds text[from:].
func (f *folded) set(text []byte, from int) {
	f.text, f.folds, f.next, f.shift = f.text[:0], f.folds[:0], 0, from
	for i := from; i < len(text); {
		n := apostropheAt(text, i)
		if n == 0 {
			f.text = append(f.text, text[i])
			i++
			continue
		}
		f.folds = append(f.folds, fold{uint32(len(f.text)), uint32(n - 1)})
		f.text = append(f.text, '\'')
		i += n
	}
}

// source returns the place in the original text of place i in f.text. Places must not
// descend from call to call.
func (f *folded) source(i int) int {
	for f.next < len(f.folds) && int(f.folds[f.next].at) < i {
		f.shift += int(f.folds[f.next].lost)
		f.next++
	}
	return i + f.shift
}
