package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Correction is a text that may have been meant by another.
type Correction struct {
	Text string
	Docs uint64 // documents that have all of its words
}

const (
	similarWords = 5 // that may stand for one word
	heldTexts    = 8 // beginnings of texts that are looked at further
)

// Corrections returns up to k texts that may have been meant by a text, whose words are looked for in a field as they stand: those in which words
// that few documents have (as a Match with Typos says) are replaced by similar ones (as Similar says) that more documents have
// together with the others. Texts of more documents come first. There are none if no text is in more documents than the one that was typed.
// A k of 0 means DefaultK. The errors are those of Completions.
func Corrections(ctx context.Context, s *Searcher, field, text string, k int) ([]Correction, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	f, err := wordsOf(s, field)
	if err != nil {
		return nil, err
	}
	if k = cmp.Or(k, query.DefaultK); k < 0 {
		return nil, fmt.Errorf("%w: %d texts", query.ErrInvalid, k)
	}
	snapshot := s.engine.Snapshot()
	if snapshot == nil {
		return nil, fmt.Errorf("%w: a Searcher without a snapshot", query.ErrInvalid)
	}
	x := correcting{s: s, ctx: ctx, f: f, snapshot: snapshot.WithContext(ctx)}
	held := []corrected{{}}
	for len(text) > 0 {
		from := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
		if from < 0 {
			from = len(text)
		}
		end := from + strings.IndexFunc(text[from:], unicode.IsSpace)
		if end < from {
			end = len(text)
		}
		if held, err = x.step(held, text[:from], text[from:end]); err != nil {
			return nil, err
		}
		text = text[end:]
	}
	typed := slices.IndexFunc(held, func(c corrected) bool { return c.changed == 0 })
	var all []Correction
	for _, c := range held {
		if c.changed > 0 && c.docs > held[typed].docs {
			all = append(all, Correction{c.text, c.docs})
		}
	}
	return all[:min(len(all), k)], nil
}

// correcting is what Corrections works with.
type correcting struct {
	s   *Searcher
	ctx context.Context
	f   *fields.Field

	snapshot *reader.Snapshot
}

// corrected is a text up to some word.
type corrected struct {
	text    string
	words   []query.Node
	docs    uint64
	changed int // words
}

// step adds a word, and what is before it, to texts. The text as it was typed is always held.
func (x *correcting) step(held []corrected, space, word string) ([]corrected, error) {
	words, err := x.words(word)
	if err != nil {
		return nil, err
	}
	var next []corrected
	for _, h := range held {
		for i, w := range words {
			c := corrected{text: h.text + space + w, words: h.words, docs: h.docs, changed: h.changed}
			if i > 0 {
				c.changed++
			}
			if m := (query.Match{Field: x.f.Name, Text: w, Mode: query.ModeAnd}); w != "" {
				c.words = append(slices.Clip(h.words), m)
				if c.docs, err = x.s.Count(x.ctx, Query{Node: query.Bool{Filter: c.words}}); err != nil {
					return nil, err
				}
			}
			if c.docs > 0 || c.changed == 0 {
				next = append(next, c)
			}
		}
	}
	slices.SortStableFunc(next, func(a, b corrected) int {
		return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.changed, b.changed))
	})
	if len(next) > heldTexts {
		typed := slices.IndexFunc(next, func(c corrected) bool { return c.changed == 0 })
		if typed >= heldTexts {
			next[heldTexts-1] = next[typed]
		}
		next = next[:heldTexts]
	}
	return next, nil
}

// words returns a word, and those that may have been meant by it.
func (x *correcting) words(word string) ([]string, error) {
	all := []string{word}
	terms, _, err := x.f.AppendTerms(nil, nil, word)
	if err != nil || len(terms) != 1 || utf8.RuneCount(terms[0]) > automata.MaxFuzzy {
		return all, err
	}
	i, err := x.s.parser.Number(x.f.Name)
	if err != nil {
		return nil, err
	}
	b := builder{p: x.s.parser, w: &engine.Words{Snapshot: x.snapshot}}
	if common, err := isCommon(&b, &engine.Word{Bytes: terms[0], Field: i}); common || err != nil {
		return all, err
	}
	found, err := x.s.Similar(x.ctx, x.f.Name, string(terms[0]), similarWords)
	for _, s := range found {
		if !bytes.Equal(s.Term, terms[0]) {
			all = append(all, string(s.Term))
		}
	}
	return all, err
}
