package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/schema"
)

// Typed is what a text means that a person has typed.
type Typed struct {
	Node Node
	// Words are the parts of the text that the query language has no meaning for, or the index no answer to, so that they
	// are taken as words: in the order of the text, up to white space on either side. A page may show them.
	Words []string
}

// Limits of what ParseLenient mends. A text that has more is taken as words alone.
const (
	maxFaults     = 100
	maxFaultyText = 8 << 10      // bytes of a text with any
	maxTypedParts = MaxNodes / 3 // each may become three nodes
	maxTypedDepth = MaxDepth / 6 // of brackets, each of which may become six nodes within one another
)

// ParseLenient returns what a text says in the query language, as ParseText does, and has no error: what is not in the
// language, or cannot be answered by an index with schema s, is words. So 10:30, std::vector and "server - tools" are words,
// as are an AND that ends a text, a bracket or quote without its other one, and values that a field cannot have.
//
// Otherwise it finds what ParseText finds, except that a question mark at the end of a word stands for itself. A phrase is
// sought in the fields that have positions, and if there are none its words are, all of which must be there. Where all is
// excluded, it is so from all documents, and an alternative of OR may be required, which says nothing, or excluded.
//
// A text with more than 100 such parts, one above 8 KiB with any, and one of more than 3,333 words is words alone, of which
// one must be there. Brackets within 16 others are nothing special. A nil s stands for schema.Implicit with the default analyzer.
func ParseLenient(s *schema.Schema, text string) Typed {
	if s == nil {
		s = schema.Implicit("", "", false)
	}
	p := fields.Of(s)
	seen := []byte(text) // what the grammar sees
	for range maxFaults + 1 {
		x := language{p: p, source: text, text: string(seen), lenient: true}
		n, err := x.all()
		if x.parts > maxTypedParts {
			break
		}
		if err == nil {
			return Typed{n, x.words()}
		}
		if len(text) > maxFaultyText || !x.mend(seen) {
			break
		}
	}
	return Typed{Match{Text: text}, []string{text}}
}

// mend takes away the meaning of what the last error is about, and reports whether it had one. What ends words becomes
// white space, other characters letters.
func (x *language) mend(seen []byte) (changed bool) {
	from, end := x.faulty, len(seen)
	if from == end {
		return false
	}
	with := byte('x')
	if r, n := utf8.DecodeRuneInString(x.text[from:]); endsWord(r) {
		with, end = ' ', from+n
	} else if n := strings.IndexFunc(x.text[from:], endsWord); n >= 0 {
		end = from + n
	}
	for i := from; i < end; i++ {
		changed = changed || seen[i] != with
		seen[i] = with
	}
	return changed
}

// span is a range of bytes of a text.
type span struct{ from, end int }

// words returns what of the text has lost its meaning.
func (x *language) words() (words []string) {
	parts := slices.Clone(x.phrases)
	for i := 0; i < len(x.source); i++ {
		if x.source[i] != x.text[i] {
			p := span{wordBegin(x.source, 0, i), wordEnd(x.source, i)}
			parts = append(parts, p)
			i = p.end
		}
	}
	slices.SortFunc(parts, func(a, b span) int { return a.from - b.from })
	end := 0
	for _, p := range parts {
		if p.end > end {
			words = append(words, x.source[max(p.from, end):p.end])
			end = p.end
		}
	}
	return words
}

// wordBegin returns where the word that byte i of a text is in begins, behind white space, but looks no further back than least.
func wordBegin(text string, least, i int) int {
	at := strings.LastIndexFunc(text[least:i], unicode.IsSpace)
	if at < 0 {
		return least
	}
	_, n := utf8.DecodeRuneInString(text[least+at:])
	return least + at + n
}

// wordEnd returns where white space follows byte i of a text, or the text ends.
func wordEnd(text string, i int) int {
	if n := strings.IndexFunc(text[i:], unicode.IsSpace); n >= 0 {
		return i + n
	}
	return len(text)
}

// questions adds the question marks that come next to a word, and returns how many there are. In what is typed those that end a
// word stand for themselves, and for nothing behind a pattern or before a tilde.
func (x *language) questions(s *spelling) (n int) {
	rest := strings.TrimLeft(x.text[x.at:], "?")
	n = len(x.text) - x.at - len(rest)
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case !x.lenient || rest != "" && !endsWord(r):
		for i := range n {
			s.mark('?', x.at+i)
		}
	case !s.wild() && r != '~':
		for range n {
			s.add("?")
		}
	}
	return n
}

// placeless returns the node of a text in quotes that begins at a place, some fields of which have no positions for it. If
// none has, or the phrase is none for other reasons, all of its words must be there.
func (x *language) placeless(n Phrase, from int, fields, lacking []int, none bool) Node {
	var all []Node
	for _, i := range fields {
		if !none && !slices.Contains(lacking, i) {
			n.Field = x.p.Fields[i].Name
			all = append(all, n)
		}
	}
	switch len(all) {
	case 0:
		least := 0
		if n := len(x.phrases); n > 0 {
			least = x.phrases[n-1].end
		}
		x.phrases = append(x.phrases, span{wordBegin(x.source, least, from), x.at})
		return Match{Field: x.field, Text: n.Text, Mode: ModeAnd}
	case 1:
		return all[0]
	}
	return Bool{Should: all}
}
