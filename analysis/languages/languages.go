// Package languages registers an analyzer for each of these languages, under its name:
//
//	arabic danish dutch finnish french german hungarian irish italian
//	norwegian portuguese romanian russian spanish swedish tamil turkish
//
// A program that makes or opens indexes with them imports it for that:
//
//	import _ "github.com/pinion-index/pinion/analysis/languages"
//
// It is a package of its own as it makes a program a third of a megabyte larger. English
// is in package analysis.
//
// An analyzer takes the words of standard, normalized to the form NFC, drops the words of
// its stop list and stems the others by Snowball's stemmer for the language. The options
// are those of analysis.New. Some languages need more:
//
//	french, italian  an elided word before an apostrophe is dropped: l'homme is homme
//	irish            the n or t before a capital vowel is dropped: nAthair is athair
//	romanian         ș and ț are ş and ţ, as the stemmer has them
//	russian          ё is е
//	turkish          I is ı and İ is i in lower case; what follows an apostrophe is dropped
package languages

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"

	"github.com/pinion-index/pinion/analysis"
)

func init() {
	for _, l := range all {
		l.language.Stem, l.language.Stop = stemmer(l.stem), strings.Fields(stop[l.language.Name])
		if err := analysis.RegisterLanguage(l.language); err != nil {
			panic(err) // two programs' analyzers of one name cannot both be had
		}
	}
}

// all are the languages in order of name.
var all = []struct {
	language analysis.Language
	stem     func(*snowballstem.Env) bool
}{
	{analysis.Language{Name: "arabic"}, arabic.Stem},
	{analysis.Language{Name: "danish"}, danish.Stem},
	{analysis.Language{Name: "dutch"}, dutch.Stem},
	{analysis.Language{Name: "finnish"}, finnish.Stem},
	{analysis.Language{Name: "french", Rewrite: elide(`c d j jusqu l lorsqu m n puisqu qu quoiqu s t`)}, french.Stem},
	{analysis.Language{Name: "german"}, german.Stem},
	{analysis.Language{Name: "hungarian"}, hungarian.Stem},
	{analysis.Language{Name: "irish", Lower: lowerIrish}, irish.Stem},
	{analysis.Language{Name: "italian", Rewrite: elide(`agl all c coll d dagl dall degl dell gl l m negl nell
		pell quell quest s sugl sull t un v`)}, italian.Stem},
	{analysis.Language{Name: "norwegian"}, norwegian.Stem},
	{analysis.Language{Name: "portuguese"}, portuguese.Stem},
	{analysis.Language{Name: "romanian", Rewrite: replace("ș", "ş", "ț", "ţ")}, romanian.Stem},
	{analysis.Language{Name: "russian", Rewrite: replace("ё", "е")}, russian.Stem},
	{analysis.Language{Name: "spanish"}, spanish.Stem},
	{analysis.Language{Name: "swedish"}, swedish.Stem},
	{analysis.Language{Name: "tamil"}, tamil.Stem},
	{analysis.Language{Name: "turkish", Lower: lowerTurkish, Rewrite: untilApostrophe}, turkish.Stem},
}

// longest is the length in bytes of the longest word that is stemmed. Stemmers copy a word
// for each letter that they change, which takes a minute for one of 65535 bytes.
const longest = 255

func stemmer(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		if len(word) > longest {
			return word
		}
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// elide returns a function that takes what precedes the first apostrophe from a word if it
// is one of words.
func elide(words string) func([]byte) []byte {
	elided := strings.Fields(words)
	return func(word []byte) []byte {
		if i := bytes.IndexByte(word, '\''); i > 0 && slices.Contains(elided, string(word[:i])) {
			return word[i+1:]
		}
		return word
	}
}

// replace returns a function that replaces letters by others of the same length in bytes.
func replace(pairs ...string) func([]byte) []byte {
	return func(word []byte) []byte {
		for i := 0; i < len(pairs); i += 2 {
			for rest := word; ; {
				at := bytes.Index(rest, []byte(pairs[i]))
				if at < 0 {
					break
				}
				copy(rest[at:], pairs[i+1])
				rest = rest[at:]
			}
		}
		return word
	}
}

func untilApostrophe(word []byte) []byte {
	word, _, _ = bytes.Cut(word, []byte("'"))
	return word
}

// lowerTurkish lower-cases word as Turkish does: invalid bytes stay.
func lowerTurkish(dst, word []byte) []byte {
	return lower(dst, word, unicode.TurkishCase.ToLower)
}

// lowerIrish lower-cases word without the letter that Irish puts before a capital vowel.
func lowerIrish(dst, word []byte) []byte {
	if len(word) > 1 && (word[0] == 'n' || word[0] == 't') {
		if r, _ := utf8.DecodeRune(word[1:]); strings.ContainsRune("AEIOUÁÉÍÓÚ", r) {
			word = word[1:]
		}
	}
	return lower(dst, word, unicode.ToLower)
}

func lower(dst, word []byte, to func(rune) rune) []byte {
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRune(word[i:])
		if r == utf8.RuneError {
			dst = append(dst, word[i:i+n]...)
		} else {
			dst = utf8.AppendRune(dst, to(r))
		}
		i += n
	}
	return dst
}
