package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/query"
)

// typed is what a visitor has typed so far.
type typed struct {
	words   string   // all whole ones
	phrases []string // in quotation marks
	last    string   // the last word, if it may not be whole yet, without signs around it
}

// Bounds on what a search makes of what is typed, so that nothing that is pasted keeps a browser busy.
const (
	mostTyped   = 512 // bytes
	leastPrefix = 2   // characters that a last word begins others with
	mostCut     = 3   // characters cut off a last word, if nothing begins with it: it may go on beyond the stem of a word
	leastCut    = 3   // characters that are left of it
)

// prefixBoost is the score of words that begin with the last word. It is below that of most words of a text, so that the word itself counts more.
const prefixBoost = 0.5

// parse reads what was typed. A word that is followed by something is whole.
func parse(text string) (t typed) {
	if len(text) > mostTyped {
		text = strings.ToValidUTF8(text[:mostTyped], "")
	}
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("“”„‟«»‹›「」『』〝〞〟＂", r) { // quotation marks of print, as in the query language
			return '"'
		}
		return r
	}, text)
	parts := strings.Split(text, `"`)
	var words []string
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			t.phrases = append(t.phrases, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	if end, _ := utf8.DecodeLastRuneInString(text); len(words) > 0 && end != '"' && !unicode.IsSpace(end) {
		t.last = strings.TrimFunc(words[len(words)-1], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		words = words[:len(words)-1]
	}
	t.words = strings.Join(words, " ")
	return t
}

// attempts returns the queries to try until one has hits: for all words and phrases, with less and less of the last word if it is
// not one, and at last for any of them.
func (t typed) attempts() []query.Node {
	all := []query.Node{query.Match{Text: t.words, Mode: query.ModeAnd}}
	for _, p := range t.phrases {
		all = append(all, query.Phrase{Text: p})
	}
	some := append([]query.Node{query.Match{Text: t.words}}, all[1:]...)
	if t.last == "" {
		return []query.Node{query.Bool{Must: all}, query.Bool{Should: some}}
	}
	var out []query.Node
	with := func(more ...query.Node) query.Node {
		return query.Bool{Must: append(all[:len(all):len(all)], query.Bool{Should: more})}
	}
	begun := []rune(t.last)
	if len(begun) < leastPrefix {
		out = append(out, with(query.Match{Text: t.last, Mode: query.ModeAnd}))
	} else {
		out = append(out, with(append([]query.Node{query.Match{Text: t.last, Mode: query.ModeAnd}}, prefixes(t.last)...)...))
	}
	for n := len(begun) - 1; n >= max(leastCut, len(begun)-mostCut); n-- {
		out = append(out, with(prefixes(string(begun[:n]))...))
	}
	return append(out, query.Bool{Should: append(some, query.Match{Text: t.last})})
}

// prefixes returns what matches words that begin with a word. Of one with signs within, analyzers may make several: then the last
// begins a word.
func prefixes(word string) []query.Node {
	out := []query.Node{query.Prefix{Text: word, Boost: prefixBoost}}
	i := strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if i < 0 {
		return out
	}
	_, sign := utf8.DecodeRuneInString(word[i:])
	if i+sign == len(word) {
		return out // what was cut off was all that followed the sign
	}
	return append(out, query.Bool{Must: []query.Node{
		query.Match{Text: word[:i], Mode: query.ModeAnd}, query.Prefix{Text: word[i+sign:], Boost: prefixBoost},
	}})
}
