package serve

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
)

// piece is a part of a text that is shown: a word of the query, or what is between them.
type piece struct {
	Text  string
	Match bool
}

// marker finds the words of a query in texts, as the index's analyzer sees them: english
// finds "running" for "runs".
type marker struct {
	tokenizer analysis.Tokenizer // nil if the analyzer is not known here, or nothing is asked
	tokens    analysis.Tokens
	terms     map[string]int // numbered from 0
	counts    []int          // scratch, by number
}

// span is where a word of the query is in a text.
type span struct{ from, to, term int }

// marker returns a marker for a query's text, of which nothing is found if it is empty.
func (x *source) marker(text string) *marker {
	m := &marker{terms: map[string]int{}}
	if text == "" || x.snapshot == nil {
		return m
	}
	a, err := analysis.New(x.snapshot.Analyzer())
	if err != nil {
		return m
	}
	m.tokenizer = a.Tokenizer()
	for _, t := range analysis.Terms(m.tokenizer, []byte(text)) {
		if _, ok := m.terms[string(t)]; !ok {
			m.terms[string(t)] = len(m.terms)
		}
	}
	m.counts = make([]int, len(m.terms))
	return m
}

// find returns where words of the query are in a text, in order.
func (m *marker) find(text []byte) (spans []span) {
	if m.tokenizer == nil {
		return nil
	}
	m.tokens.Reset()
	m.tokenizer.Tokenize(&m.tokens, text)
	end := 0
	for t := range m.tokens.All() {
		if i, ok := m.terms[string(t.Term)]; ok && t.Start >= end && t.Start < t.End && t.End <= len(text) {
			spans = append(spans, span{t.Start, t.End, i})
			end = t.End
		}
	}
	return spans
}

// The lengths of passages, in bytes.
const (
	passageLen  = 280      // of what is shown
	passageLead = 60       // of that before the first word of the query
	passageLook = 64 << 10 // of the text that is looked at
)

// passage returns the part of a text that has the most words of the query, or its beginning.
func (m *marker) passage(text []byte) []piece {
	long := len(text) > passageLook
	if long {
		text = text[:runeStart(text, passageLook)]
	}
	spans := m.find(text)
	from := 0
	if first := m.densest(spans); first > passageLead {
		from = runeStart(text, first-passageLead)
		if i := bytes.IndexAny(text[from:first], " \t\n"); i >= 0 {
			from += i + 1
		}
	}
	to := runeStart(text, min(from+passageLen, len(text)))
	for len(spans) > 0 && spans[0].from < from {
		spans = spans[1:]
	}
	for len(spans) > 0 && spans[len(spans)-1].to > to {
		spans = spans[:len(spans)-1]
	}
	flat := func(b []byte) string {
		return strings.Map(func(r rune) rune {
			if r == utf8.RuneError || !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, string(b))
	}
	out := cut(text, from, to, spans, flat)
	if from > 0 {
		out = append([]piece{{Text: "…"}}, out...)
	}
	if to < len(text) || long {
		out = append(out, piece{Text: "…"})
	}
	return out
}

// densest returns where the first passage begins that has the most different words.
func (m *marker) densest(spans []span) (at int) {
	clear(m.counts)
	most, different, next := 0, 0, 0
	for i, s := range spans {
		for ; next < len(spans) && spans[next].to <= s.from+passageLen-passageLead; next++ {
			if m.counts[spans[next].term]++; m.counts[spans[next].term] == 1 {
				different++
			}
		}
		if different > most {
			most, at = different, s.from
		}
		if next == i { // longer than a passage
			next++
			continue
		}
		if m.counts[s.term]--; m.counts[s.term] == 0 {
			different--
		}
	}
	return at
}

// whole returns all of a text.
func (m *marker) whole(text []byte) []piece {
	return cut(text, 0, len(text), m.find(text), func(b []byte) string { return cli.Printable(string(b)) })
}

// cut returns the pieces of text[from:to] as show makes them printable.
func cut(text []byte, from, to int, spans []span, show func([]byte) string) (out []piece) {
	for _, s := range spans {
		if s.from > from {
			out = append(out, piece{Text: show(text[from:s.from])})
		}
		out = append(out, piece{show(text[s.from:s.to]), true})
		from = s.to
	}
	if from < to {
		out = append(out, piece{Text: show(text[from:to])})
	}
	return out
}

// runeStart returns the last index up to i at which a rune begins.
func runeStart(text []byte, i int) int {
	for j := i; j > 0 && j > i-utf8.UTFMax; j-- {
		if j == len(text) || utf8.RuneStart(text[j]) {
			return j
		}
	}
	return i
}
