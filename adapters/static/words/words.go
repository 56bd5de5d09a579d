// Package words registers the analyzer manual, for texts about programs: it takes the words of another analyzer, and of those with a
// point, a sign or a capital letter within also the parts. So .Site.RegularPages is found by regularPages, "regular pages" and site.
// An index and the program that searches it need it both.
package words

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
)

// Name is the name of the analyzer. Its options are the name of the other analyzer, and after a comma its options.
const Name = "manual"

func init() {
	if err := analysis.Register(Name, open); err != nil {
		panic(err) // the name is taken: two packages of one program
	}
}

// manual is the analyzer.
type manual struct{ of analysis.Analyzer }

func open(options string) (analysis.Analyzer, error) {
	name, rest, _ := strings.Cut(options, ",")
	if name == "" {
		name = "standard"
	}
	of, err := analysis.New(name, rest)
	return manual{of}, err
}

// Name implements analysis.Analyzer.
func (manual) Name() string { return Name }

// Options implements analysis.Analyzer.
func (m manual) Options() string { return m.of.Name() + "," + m.of.Options() }

// Tokenizer implements analysis.Analyzer.
func (m manual) Tokenizer() analysis.Tokenizer { return &tokenizer{of: m.of.Tokenizer()} }

// Stems implements analysis.Stemmer.
func (m manual) Stems() bool { return analysis.Stems(m.of) }

// AppendFolded implements analysis.Folder.
func (m manual) AppendFolded(dst, text []byte) []byte {
	if f, ok := m.of.(analysis.Folder); ok {
		return f.AppendFolded(dst, text)
	}
	return append(dst, bytes.ToLower(text)...)
}

type tokenizer struct {
	of            analysis.Tokenizer
	tokens, parts analysis.Tokens
	ends          []int // scratch of pieces
}

// Tokenize implements analysis.Tokenizer.
func (t *tokenizer) Tokenize(dst *analysis.Tokens, text []byte) {
	t.tokens.Reset()
	t.of.Tokenize(&t.tokens, text)
	for token := range t.tokens.All() {
		dst.Add(token)
		word := text[token.Start:token.End]
		if plain(word) {
			continue
		}
		t.ends = appendPieces(t.ends[:0], word)
		for i := 0; i < len(t.ends); i += 2 {
			from, to := t.ends[i], t.ends[i+1]
			t.parts.Reset()
			t.of.Tokenize(&t.parts, word[from:to])
			for part := range t.parts.All() {
				if !bytes.Equal(part.Term, token.Term) {
					dst.Add(analysis.Token{Term: part.Term, Start: token.Start + from, End: token.Start + to})
				}
			}
		}
	}
}

// plain reports whether a word is letters, of which only the first may be a capital one, and apostrophes, so that it has no parts.
func plain(word []byte) bool {
	for i, c := range word {
		if c < utf8.RuneSelf && (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') && c != '\'' {
			return false
		}
	}
	return true
}

// appendPieces appends where the pieces of a word begin and end: what signs divide, and what small letters before capital ones
// do. A word of one piece has none.
func appendPieces(ends []int, word []byte) []int {
	add := func(from, to int) {
		if from < to && to-from < len(word) {
			ends = append(ends, from, to)
		}
	}
	from := 0
	for from < len(word) {
		n := bytes.IndexFunc(word[from:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
		if n < 0 {
			n = len(word) - from
		}
		add(from, from+n)
		humps(word, from, from+n, add)
		_, sign := utf8.DecodeRune(word[from+n:])
		from += n + sign
	}
	return ends
}

// humps calls add with the parts of word[from:to], if capital letters after small ones divide it.
func humps(word []byte, from, to int, add func(from, to int)) {
	begin, small := from, false
	for i := from; i < to; {
		r, n := utf8.DecodeRune(word[i:])
		if unicode.IsUpper(r) && small {
			add(begin, i)
			begin = i
		}
		small = unicode.IsLower(r)
		i += n
	}
	if begin > from {
		add(begin, to)
	}
}
