package automata

import (
	"fmt"
	"unicode/utf8"
)

// MaxFuzzy is the length in code points of the longest word that Fuzzy takes.
const MaxFuzzy = 255

// MaxEdits is the most edits that Fuzzy takes.
const MaxEdits = 2

// Fuzzy returns an Automaton of the terms that up to edits edits make of word: a code point inserted, deleted or
// replaced, or two adjacent ones swapped, between which nothing else is edited. The first fixed code points
// are not edited.
func Fuzzy(word string, edits, fixed int) (*Automaton, error) {
	if n := utf8.RuneCountInString(word); n > MaxFuzzy {
		return nil, fmt.Errorf("a word of %d characters, at most %d are possible", n, MaxFuzzy)
	}
	f := &fuzzy{word: []rune(word), edits: edits}
	f.fixed = min(fixed, len(f.word))
	return newAutomaton(f), nil
}

// FuzzyPrefix returns an Automaton of the terms that begin with what Fuzzy accepts.
func FuzzyPrefix(word string, edits, fixed int) (*Automaton, error) {
	if n := utf8.RuneCountInString(word); n > MaxFuzzy {
		return nil, fmt.Errorf("a word of %d characters, at most %d are possible", n, MaxFuzzy)
	}
	f := &fuzzy{word: []rune(word), edits: edits}
	f.fixed = min(fixed, len(f.word))
	return newAutomaton(&fuzzyPrefix{f}), nil
}

// fuzzyPrefix is the machine of what begins with what fuzzy accepts.
type fuzzyPrefix struct{ *fuzzy }

// begun is the state behind an accepted beginning: no state of fuzzy, whose positions are at most MaxFuzzy, but with the flag
// swapping and no edits.
const begun = "\xff\x80"

func (f *fuzzyPrefix) start(dst []byte) []byte {
	n := len(dst)
	return f.settle(f.fuzzy.start(dst), n)
}

func (f *fuzzyPrefix) step(dst []byte, s string, r rune) []byte {
	if s == begun {
		return append(dst, begun...)
	}
	n := len(dst)
	return f.settle(f.fuzzy.step(dst, s, r), n)
}

// settle makes the state that dst has from n on begun if it is accepted.
func (f *fuzzyPrefix) settle(dst []byte, n int) []byte {
	if f.fuzzy.accepts(string(dst[n:])) {
		return append(dst[:n], begun...)
	}
	return dst
}

func (f *fuzzyPrefix) accepts(s string) bool { return s == begun }

// fuzzy is the machine of edits. A state is a set of positions, two bytes each, in ascending order: how many
// code points of the word are behind it, and how many edits have been made. A position with the flag swapping
// has read the second of two swapped code points, and waits for the first.
//
// It is the automaton of Schulz and Mihov, Fast string correction with Levenshtein automata (2002). Position
// (i, e) makes (j, f) superfluous if f-e is at least the distance of i and j.
type fuzzy struct {
	word         []rune
	edits, fixed int
	plain, swaps [MaxFuzzy + 2]uint8 // scratch memory of step: 1 + the least number of edits, or 0
}

const swapping = 0x80

func (f *fuzzy) start(dst []byte) []byte { return append(dst, 0, 0) }

func (f *fuzzy) bounds(bound func(r rune)) {
	for _, r := range f.word {
		bound(r)
		bound(r + 1)
	}
}

func (f *fuzzy) accepts(s string) bool {
	for ; s != ""; s = s[2:] {
		if s[1]&swapping == 0 && f.left(int(s[0])) <= f.edits-int(s[1]) {
			return true
		}
	}
	return false
}

// left returns how many edits delete the word from position i on: too many if part of that is fixed.
func (f *fuzzy) left(i int) int {
	if n := len(f.word) - i; n == 0 || i >= f.fixed {
		return n
	}
	return f.edits + 1
}

func (f *fuzzy) step(dst []byte, s string, r rune) []byte {
	lo, hi := len(f.word), 0 // positions that are set
	set := func(of *[MaxFuzzy + 2]uint8, i, e int) {
		if e <= f.edits && (of[i] == 0 || int(of[i]) > e+1) {
			of[i] = uint8(e + 1)
			lo, hi = min(lo, i), max(hi, i)
		}
	}
	for ; s != ""; s = s[2:] {
		i, e := int(s[0]), int(s[1]&^swapping)
		if s[1]&swapping != 0 {
			if f.word[i] == r {
				set(&f.plain, i+2, e)
			}
			continue
		}
		if i >= f.fixed {
			set(&f.plain, i, e+1) // r is inserted
		}
		for ; i < len(f.word) && e <= f.edits; i, e = i+1, e+1 {
			if f.word[i] == r {
				set(&f.plain, i+1, e)
			}
			if i < f.fixed {
				break
			}
			set(&f.plain, i+1, e+1) // r replaces
			if i+1 < len(f.word) && f.word[i+1] == r {
				set(&f.swaps, i, e+1)
			}
			// The loop goes on with the code point deleted.
		}
	}
	for i := lo; i <= hi; i++ {
		if e := int(f.plain[i]) - 1; e >= 0 && !f.superfluous(i, e) {
			dst = append(dst, byte(i), byte(e))
		}
		if e := int(f.swaps[i]) - 1; e >= 0 {
			dst = append(dst, byte(i), byte(e)|swapping)
		}
	}
	if lo <= hi {
		clear(f.plain[lo : hi+1])
		clear(f.swaps[lo : hi+1])
	}
	return dst
}

// superfluous reports whether another position leads to all that position i after e edits leads to.
func (f *fuzzy) superfluous(i, e int) bool {
	for d := 1; d <= e; d++ {
		for _, j := range [...]int{i - d, i + d} {
			if j >= f.fixed && j <= len(f.word) && f.plain[j] > 0 && int(f.plain[j])-1 <= e-d {
				return true
			}
		}
	}
	return false
}
