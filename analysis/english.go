package analysis

import (
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	stemmer "github.com/blevesearch/snowballstem/english"
	"github.com/cespare/xxhash/v2"
)

// english is the Tokenizer of analyzer english.
type english struct {
	standard
	stop  stopList
	words Tokens
	cache stemCache
}

func newEnglish(a *builtin) Tokenizer {
	return &english{standard: *makeStandard(a), stop: a.stop}
}

// Tokenize implements Tokenizer. Stop words leave gaps in the positions.
func (e *english) Tokenize(dst *Tokens, text []byte) {
	e.words.Reset()
	e.standard.Tokenize(&e.words, text)
	for i := range e.words.Len() {
		word := e.words.Term(i)
		inc := e.words.increment(i)
		if e.stop.has(word) {
			dst.skip(dst.Len(), inc)
			continue
		}
		stem := e.cache.stem(word)
		if len(stem) == 0 {
			dst.skip(dst.Len(), inc)
			continue
		}
		start, from := len(dst.bytes), e.words.source[i]
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
	entries []stemEntry
	lost    int // words replaced since entries was made
	scratch []byte
}

type stemEntry struct {
	wordLen, stemLen uint8
	word, stem       [stemCacheWord]byte
}

func (c *stemCache) stem(word []byte) []byte {
	if len(word) > stemCacheWord {
		c.scratch = append(c.scratch[:0], stem(word)...)
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
	s := stem(word)
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

// stem returns the Snowball English stem of word. The stem of a word that is not
// valid UTF-8 is the word itself: the stemmer walks runes.
func stem(word []byte) string {
	if !utf8.Valid(word) {
		return string(word)
	}
	env := snowballstem.NewEnv(string(word))
	stemmer.Stem(env)
	return env.Current()
}
