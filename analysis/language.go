package analysis

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	stemmer "github.com/blevesearch/snowballstem/english"
	"github.com/cespare/xxhash/v2"
)

// Language describes an analyzer for a language: one that takes the words of standard,
// drops stop words and stems the others. Its functions must be safe for concurrent use.
type Language struct {
	// Name is that of the analyzer, and of its stop list in the option stop.
	Name string
	// Stop is the stop list: words as they are before Rewrite.
	Stop []string
	// Lower appends word in lower case to dst. It is called with what the option unicode
	// makes of a word. Nil means rune by rune, as Unicode has it.
	Lower func(dst, word []byte) []byte
	// Rewrite returns what a lower-case word is to be, such as word without an elided
	// article, before it is looked up in the stop list and stemmed. It may change the
	// bytes of word. What it makes empty is dropped. Nil leaves words as they are.
	Rewrite func(word []byte) []byte
	// Stem returns the stem of a word, which is valid UTF-8. A word with an empty stem is
	// dropped. Nil leaves words as they are.
	Stem func(word string) string

	// keepsFirst means that a word of ASCII and its stem begin with the same letter.
	keepsFirst bool
}

// english is the language of analyzer english. Its list is the classic one that Lucene's
// EnglishAnalyzer uses.
var english = Language{
	Name: "english",
	Stop: strings.Fields(`a an and are as at be but by for if in into is it no not of on or such
		that the their then there these they this to was will with`),
	Stem: func(word string) string {
		env := snowballstem.NewEnv(word)
		stemmer.Stem(env)
		return env.Current()
	},
	keepsFirst: true,
}

// RegisterLanguage registers an analyzer for a language, as Register does. Its options are
// max, stop, stop-words, unicode, fold, ignorable and scripts; apostrophes are always folded.
func RegisterLanguage(l Language) error {
	for _, w := range l.Stop {
		if err := checkStop(w); err != nil {
			return fmt.Errorf("analysis: %w: stop list of %q: %w", ErrInvalid, l.Name, err)
		}
	}
	l.Stop = slices.Clone(l.Stop)
	k := kind{name: l.Name, defaultMax: 255, takesFolds: true, takesScripts: true, form: formNFC,
		standing: "ignorable=drop,scripts=cut", language: &l, makeFor: newStems}
	return Register(l.Name, k.parse)
}

// stems is the Tokenizer of a language.
type stems struct {
	standard
	stop    stopList
	rewrite func([]byte) []byte
	words   Tokens
	late    *rewriter // folds what is left when stop words have been dropped, unless it is nil
	bare    []byte    // scratch of late
	cache   stemCache

	keepsFirst bool
	first      *[256]bool // if not nil, terms may be left out that do not begin with one of these
}

// Selector is a Tokenizer that can leave out terms that nobody looks for, which is faster than
// making them. Those of languages are, and english makes use of it.
type Selector interface {
	Tokenizer
	// Select makes Tokenize leave out terms that begin with other bytes than those for
	// which first is true. Others may be left out, or not; the positions of those that are made stay. It
	// retains first; nil selects all.
	Select(first *[256]bool)
}

// Select implements Selector.
func (s *stems) Select(first *[256]bool) {
	if s.keepsFirst {
		s.first = first
	}
}

// leaves reports whether the term of a word is left out.
func (s *stems) leaves(word []byte) bool {
	return s.first != nil && len(word) > 0 && word[0] < utf8.RuneSelf && !s.first[word[0]]
}

func newStems(a *builtin) Tokenizer {
	s := &stems{standard: *makeStandard(a), stop: a.stop, rewrite: a.language.Rewrite, cache: stemCache{of: a.language.Stem},
		keepsFirst: a.language.keepsFirst}
	if a.folds&foldLate != 0 {
		s.late = a.rewriter()
		s.late.lower = func(dst, word []byte) []byte { return append(dst, word...) } // they are lower-case
	}
	return s
}

// Tokenize implements Tokenizer. Stop words leave gaps in the positions.
func (s *stems) Tokenize(dst *Tokens, text []byte) {
	s.words.Reset()
	s.standard.Tokenize(&s.words, text)
	for i := range s.words.Len() {
		word := s.words.Term(i)
		inc := s.words.increment(i)
		if s.rewrite != nil {
			word = s.rewrite(word)
		}
		if len(word) == 0 || s.leaves(word) || s.stop.has(word) {
			dst.skip(dst.Len(), inc)
			continue
		}
		if s.late != nil {
			s.bare = s.late.append(s.bare[:0], word)
			word = s.bare
		}
		stem := s.cache.stem(word)
		if len(stem) == 0 {
			dst.skip(dst.Len(), inc)
			continue
		}
		start, from := len(dst.bytes), s.words.source[i]
		dst.bytes = append(dst.bytes, stem...)
		dst.end(start, int(from.Start), int(from.End))
		if inc != 1 {
			dst.skip(dst.Len()-1, inc-1)
		}
	}
}

// A stemCache begins with stemCacheLeast entries and grows when words were replaced in a
// sixteenth of them. stemCacheMost hold the words that make up nearly all of a text. All
// sizes are powers of two.
const (
	stemCacheLeast = 1 << 7
	stemCacheMost  = 1 << 14
)

// stemCacheWord is the length in bytes of the longest word or stem in the cache.
const stemCacheWord = 23

// stemCache is a direct-mapped cache of stems, since the stemmer works on strings and
// allocates at every step.
type stemCache struct {
	of      func(string) string // nil: words are their stems
	entries []stemEntry
	lost    int // words replaced since entries was made
	scratch []byte
}

type stemEntry struct {
	wordLen, stemLen uint8
	word, stem       [stemCacheWord]byte
}

func (c *stemCache) stem(word []byte) []byte {
	if c.of == nil {
		return word
	}
	if len(word) > stemCacheWord {
		c.scratch = append(c.scratch[:0], c.slow(word)...)
		return c.scratch
	}
	if c.entries == nil {
		c.entries = make([]stemEntry, stemCacheLeast)
	}
	hash := xxhash.Sum64(word)
	e := &c.entries[hash&uint64(len(c.entries)-1)]
	if string(e.word[:e.wordLen]) == string(word) {
		return e.stem[:e.stemLen]
	}
	if e.wordLen > 0 && len(c.entries) < stemCacheMost {
		if c.lost++; c.lost > len(c.entries)/16 {
			e = c.grow(hash)
		}
	}
	s := c.slow(word)
	if len(s) > stemCacheWord {
		c.scratch = append(c.scratch[:0], s...)
		return c.scratch
	}
	e.wordLen = uint8(copy(e.word[:], word))
	e.stemLen = uint8(copy(e.stem[:], s))
	return e.stem[:e.stemLen]
}

// grow makes c eight times as large and returns the entry for hash.
func (c *stemCache) grow(hash uint64) *stemEntry {
	old := c.entries
	c.entries, c.lost = make([]stemEntry, min(8*len(old), stemCacheMost)), 0
	for i := range old {
		if e := &old[i]; e.wordLen > 0 {
			c.entries[xxhash.Sum64(e.word[:e.wordLen])&uint64(len(c.entries)-1)] = *e
		}
	}
	return &c.entries[hash&uint64(len(c.entries)-1)]
}

// slow returns the stem of word. That of a word that is not valid UTF-8 is the word itself:
// stemmers walk runes.
func (c *stemCache) slow(word []byte) string {
	if !utf8.Valid(word) {
		return string(word)
	}
	return c.of(string(word))
}
