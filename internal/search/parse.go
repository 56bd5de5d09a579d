package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// words is engine.Options.Parse.
func (p *Parser) words(q *engine.Query, w *engine.Words) error {
	g, ok := q.Frequencies.(*given)
	if !ok {
		return p.wordsOf(q, w)
	}
	g.begin(p)
	if err := p.wordsOf(q, w); err != nil {
		return err
	}
	return g.end()
}

// wordsOf is words, whatever Neighbors q brings.
func (p *Parser) wordsOf(q *engine.Query, w *engine.Words) error {
	plain := q.Node == nil && (p == nil || p.isPlain()) && !(q.Text != "" && p.partsWords())
	if plain && len(q.Terms) > 0 {
		w.Add(0, 1, q.Terms...)
	}
	if plain && q.Text == "" {
		return nil
	}
	if err := p.check(); err != nil {
		return err
	}
	if plain {
		return appendWords(p.Fields[0], w, 0, 1, q.Text)
	}
	if n, ok := q.Node.(query.Node); ok {
		return p.build(n, w, q)
	}
	if len(q.Terms) > 0 && p.isPlain() {
		return unsupported("raw terms and text where words have parts")
	}
	if len(q.Terms) > 0 {
		return fmt.Errorf("%w: a raw term without a field, of which the index has %s: use Term", query.ErrInvalid, p.Names(nil))
	}
	return p.build(query.Match{Text: q.Text, Mode: query.Mode(q.Mode)}, w, q)
}

// build adds the words of a node to w, which has none.
func (p *Parser) build(n query.Node, w *engine.Words, q *engine.Query) error {
	b := builder{p: p, w: w}
	if b.limits, _ = q.Limited.(*[]query.Limited); b.limits != nil {
		*b.limits = nil
	}
	switch f := q.Frequencies.(type) {
	case *given:
		b.given, b.part = f.all, f
	case *finding:
		b.found = f.all
	}
	b.path = b.room[:0]
	if ok, err := (plainly{&b}).plain(n); ok || err != nil {
		return err
	}
	if x, ok := n.(query.Bool); ok {
		if ok, err := (plainly{&b}).plainFiltered(&x); ok || err != nil {
			return err
		}
	}
	w.Mode = engine.Or
	x, ok, err := b.build(n, 1)
	if err != nil || !ok || len(x.similar) > 0 { // a Similarity alone is matched by nothing
		return err
	}
	words := emitting{&b}
	if x = words.unfiltered(x); words.flatten(&x) {
		return nil
	}
	tree, err := words.emit(&x)
	w.Tree = &tree
	return err
}

// Terms returns the terms that a query searches for, each with its field and boost, and how they are combined,
// which is ModeOr if no Mode says it: what Search begins with. Terms that must not match are among them. The error is one of Searcher.AppendHits.
func (p *Parser) Terms(q *Query) ([]query.Term, query.Mode, error) { return p.terms(q, nil) }

// terms is Terms for a Parser, or for a Searcher over a snapshot.
func (p *Parser) terms(q *Query, s *reader.Snapshot) ([]query.Term, query.Mode, error) {
	if err := p.check(); err != nil {
		return nil, query.ModeOr, err
	}
	if err := q.checkNode(); err != nil {
		return nil, query.ModeOr, err
	}
	x := q.engine()
	w := engine.Words{Mode: x.Mode, Snapshot: s}
	if err := p.words(&x, &w); err != nil {
		return nil, query.ModeOr, err
	}
	var terms []query.Term
	for _, word := range w.Words {
		terms = append(terms, query.Term{Field: p.Fields[word.Field].Name, Text: string(word.Bytes), Boost: word.Boost})
	}
	return terms, query.Mode(w.Mode), nil
}

// Complete returns queries with the terms of Text in RawTerms, instead of Text, and DefaultK instead
// of a K of 0: what executors begin with. A Node becomes RawTerms and Mode if that says the same: if the
// index has one field, of text, and no term a boost. It returns queries itself if they need nothing of that, and
// does not change them. The error is a NumberError that matches what Searcher.AppendHits says.
func (p *Parser) Complete(queries []Query) ([]Query, error) {
	named := p != nil && !p.isPlain()
	complete := func(q *Query) bool {
		return q.Text == "" && q.Node == nil && q.K != 0 && !(named && len(q.RawTerms) > 0)
	}
	i := 0
	for i < len(queries) && complete(&queries[i]) {
		i++
	}
	if i == len(queries) {
		return queries, nil
	}
	own := slices.Clone(queries)
	for ; i < len(own); i++ {
		if err := p.complete(&own[i]); err != nil {
			return nil, &NumberError{Number: i, Err: err}
		}
	}
	return own, nil
}

// complete is Complete for one query.
func (p *Parser) complete(q *Query) error {
	q.K = cmp.Or(q.K, query.DefaultK)
	if q.Text == "" && q.Node == nil && (len(q.RawTerms) == 0 || p == nil || p.isPlain()) {
		return nil
	}
	if err := p.check(); err != nil {
		return err
	}
	if err := q.checkNode(); err != nil {
		return err
	}
	x := q.engine()
	var w engine.Words
	w.Mode = x.Mode
	if err := p.words(&x, &w); errors.Is(err, errTerms) {
		return nil // who executes it knows the terms
	} else if err != nil {
		return err
	}
	if !p.isPlain() || w.Tree != nil || w.Filter != nil || w.Columns != nil || slices.ContainsFunc(w.Words, engine.Word.Boosted) {
		return nil
	}
	q.RawTerms, q.Text, q.Node, q.Mode = nil, "", nil, query.Mode(w.Mode)
	for _, word := range w.Words {
		q.RawTerms = append(q.RawTerms, word.Bytes)
	}
	return nil
}

// compounds returns those of fields whose words have parts.
func (p *Parser) compounds(fields []int) (all []int) {
	for _, f := range fields {
		if p.Fields[f].Compound() != nil {
			all = append(all, f)
		}
	}
	return all
}

// impacts reports whether one of fields is of impacts.
func (p *Parser) impacts(fields []int) bool {
	for _, f := range fields {
		if p.Fields[f].Impacts {
			return true
		}
	}
	return false
}
