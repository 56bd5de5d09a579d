package site

import (
	"context"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// word is a part of a query up to white space: a word, and what of the query language is around it.
type word struct {
	lead, core, tail string
	field            *schema.Field // nil if none is named
	excluded         bool
	other            bool // an operator, or a pattern
}

// isWord reports whether documents that match may have the word.
func (w *word) isWord() bool {
	return w.core != "" && !w.excluded && !w.other && (w.field == nil || w.field.Kind == schema.Text)
}

// name returns the name of the word's field, "" for all fields.
func (w *word) name() string {
	if w.field == nil {
		return ""
	}
	return w.field.Name
}

const (
	openQuotes  = "\"“”„‟«»‹›「『〝＂"
	closeQuotes = "\"“”„‟«»‹›」』〞〟＂"
)

// wordOf takes a part of a query apart.
func (x *shown) wordOf(token string) (w word) {
	switch token {
	case "AND", "OR", "NOT", "&&", "||", "!", "-", "+":
		return word{lead: token, other: true}
	}
	rest := strings.TrimLeft(token, "+-!("+openQuotes)
	if i := strings.IndexByte(rest, ':'); i > 0 {
		if f, ok := x.schema.Field(rest[:i]); ok {
			w.field = f
			rest = strings.TrimLeft(rest[i+1:], "("+openQuotes)
		}
	}
	w.lead = token[:len(token)-len(rest)]
	w.excluded = strings.HasPrefix(w.lead, "-") || strings.HasPrefix(w.lead, "!")
	end := strings.IndexAny(rest, "()~^"+closeQuotes)
	if end < 0 {
		end = len(rest)
	}
	w.core, w.tail = rest[:end], rest[end:]
	w.other = strings.ContainsAny(strings.TrimRight(w.core, "?"), "*?")
	return w
}

// words takes a query apart.
func (x *shown) words(q string) (all []word) {
	not := false
	for _, token := range strings.Fields(q) {
		w := x.wordOf(token)
		w.excluded = w.excluded || not
		not = token == "NOT" || token == "!"
		all = append(all, w)
	}
	return all
}

// cuts reports whether some field makes terms of a word: none does of stop words, or of what is no letter.
func (x *shown) cuts(w *word) bool {
	for _, t := range x.texts {
		if (w.field == nil || t.name == w.field.Name) && (t.analyzer == nil || len(t.terms(w.core)) > 0) {
			return true
		}
	}
	return false
}

// docs returns how many documents have a word.
func docs(ctx context.Context, v *pinion.View, w *word) (int, error) {
	return v.Count(ctx, query.Match{Field: w.name(), Text: w.core, Mode: query.ModeAnd})
}

// surfaces returns words as they stand in documents that match a node in a field, whose terms are stems: lower-cased, with in
// how many of the first documents they are.
func surfaces(ctx context.Context, v *pinion.View, filter query.Node, field string, n query.Node) (words []pinion.Suggestion, err error) {
	p, err := v.Search(ctx, pinion.Request{Query: n, Filter: filter, Limit: 20, Snippet: &pinion.Snippet{Field: field, Length: 120}})
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, h := range p.Hits {
		seen := map[string]bool{}
		for _, passage := range h.Passages {
			for _, s := range passage.Spans {
				word := strings.ToLower(passage.Text[s.Start:s.End])
				if seen[word] || strings.ContainsFunc(word, unicode.IsSpace) {
					continue
				}
				seen[word] = true
				if _, ok := at[word]; !ok {
					at[word] = len(words)
					words = append(words, pinion.Suggestion{Text: word})
				}
				words[at[word]].Docs++
			}
		}
	}
	return words, nil
}
