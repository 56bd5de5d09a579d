package pinion

import (
	"bytes"
	"context"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// words are the words of a query as the analyzers of its fields see them.
type words struct {
	of     *fields
	ctx    context.Context // of set
	fields []fieldWords    // by number of the field
	marks  []mark
}

// fieldWords are the words of a query in one field.
type fieldWords struct {
	searched  bool
	patterns  bool // some of the terms are patterns
	terms     []term
	at        map[string]int    // where terms are, of many
	most      float32           // what the terms weigh together
	phrases   []search.Matching // whose words are among the terms
	some      [4]uint64         // bits of the terms: most words have none of them
	first     [256]bool         // bytes that terms begin with
	tokenizer analysis.Tokenizer
	tokens    analysis.Tokens

	in      *reader.Segment // that counted is of
	counted []counted       // by term
	spots   []spot
	begins  *starts // of the terms, if started
	started bool
}

// term is a term of the query.
type term struct {
	bytes   []byte
	accepts func(term []byte) bool // of a node that stands for several terms, in place of bytes
	weight  float32                // idf
	phrased bool                   // it counts only where it is part of a phrase
	slipOf  []byte                 // accepts words with a slip in it
}

// mark is where a term of the query is in a text.
type mark struct{ start, end, term int }

// bit returns a bit of a term, from 0 to 255.
func bit(term []byte) byte { return byte(len(term))*31 ^ term[0] ^ term[len(term)-1]*7 }

// set takes the words of a node. It returns only errors of reading the index: what is wrong with
// the node is the finder's to say.
func (w *words) set(ctx context.Context, n query.Node, s *reader.Snapshot) error {
	w.ctx = ctx
	defer func() { w.ctx = nil }()
	if w.fields == nil {
		w.fields = make([]fieldWords, len(w.of.all))
	}
	for i := range w.fields {
		x := &w.fields[i]
		x.searched, x.patterns, x.terms, x.phrases, x.some, x.first, x.started = false, false, x.terms[:0], x.phrases[:0], [4]uint64{}, [256]bool{}, false
		x.at = nil
	}
	w.add(n)
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.weigh(s)
}

// add adds the words of a node, but for those that must not match and those of filters.
func (w *words) add(node query.Node) {
	switch n := node.(type) {
	case query.Term:
		if i := w.of.number(n.Field); i >= 0 && len(n.Text) > 0 {
			w.fields[i].add([]byte(n.Text), false)
		}
	case query.Match:
		for i := range w.of.all {
			switch f := &w.of.all[i]; {
			case f.Indexing() == schema.IndexNone || !search.Searches(&n, f):
			case f.Kind == schema.Text:
				w.match(i, &n)
			case n.Text != "":
				w.fields[i].add([]byte(n.Text), false)
			}
		}
	// These go on as they came, not converted from n: a program that has none of them does not link what they need.
	case query.Prefix:
		w.pattern(node, n.Field)
	case query.Wildcard:
		w.pattern(node, n.Field)
	case query.Regexp:
		w.pattern(node, n.Field)
	case query.Fuzzy:
		w.pattern(node, n.Field)
	case query.Phrase:
		w.phrase(node, n.Field)
	case query.Near:
		w.phrase(node, n.Field)
	default:
		for n := range query.Within(node) {
			w.add(n)
		}
	}
}

// in yields the numbers of the fields that a node searches: that of a name, or all of text.
func (w *words) in(field string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range w.of.all {
			f := &w.of.all[i]
			if f.Indexing() != schema.IndexNone && (f.Name == field || field == "" && f.ByDefault()) && !yield(i) {
				return
			}
		}
	}
}

// pattern adds a node that stands for terms of a field, or of all of text.
func (w *words) pattern(n query.Node, field string) {
	for i := range w.in(field) {
		if w.ctx.Err() != nil { // which set returns
			return
		}
		if accepts := search.Accepts(n, w.of.all[i].Name, w.of.analyzers[i]); accepts != nil {
			w.fields[i].addPattern(accepts, false)
		}
	}
}

// phrase adds a phrase in a field, or in all of text.
func (w *words) phrase(n query.Node, field string) {
	for i := range w.in(field) {
		if w.ctx.Err() != nil {
			return
		}
		if whole := search.WholeOf(n, w.of.analyzers[i]); whole != nil {
			w.fields[i].add(whole, false)
		}
		m := search.MatchingOf(n, w.of.all[i].Name, w.of.analyzers[i])
		if m == nil {
			continue
		}
		w.fields[i].addMatching(m)
	}
}

// addMatching adds the words of a phrase.
func (f *fieldWords) addMatching(m search.Matching) {
	places, last := m.Places()
	several := len(places) > 1
	if several {
		f.phrases = append(f.phrases, m)
	}
	if last != nil {
		f.addPattern(last, several)
		places = places[:len(places)-1]
	}
	for _, words := range places {
		for _, t := range words {
			f.add(t, several)
		}
	}
}

// match adds the words of a Match in a field.
func (w *words) match(field int, m *query.Match) {
	f, text := &w.fields[field], m.Text
	f.searched = true
	if c, ok := w.of.analyzers[field].(analysis.Compound); ok {
		for _, word := range c.AppendWords(nil, []byte(text)) {
			w.typed(field, word)
		}
		return
	}
	for t := range f.tokenize(w.of.analyzers[field], []byte(text), nil).All() {
		f.add(bytes.Clone(t.Term), false)
		if !m.Typos {
			continue
		}
		if accepts := search.AcceptsSlips(t.Term, w.of.analyzers[field]); accepts != nil {
			f.addPattern(accepts, false)
			f.terms[len(f.terms)-1].slipOf = bytes.Clone(t.Term)
		}
	}
}

// typed adds a word of a text as it is typed: its whole, and its parts where they stand one after the other, if the index
// says where terms are.
func (w *words) typed(field int, word analysis.Word) {
	f := &w.fields[field]
	if word.Whole != nil {
		f.add(word.Whole, false)
	}
	if len(word.Parts) > 1 && w.of.all[field].Positions {
		f.addMatching(search.MatchingOfWord(word))
		return
	}
	for _, p := range word.Parts {
		f.add(p.Term, false)
		if p.Whole != nil {
			f.add(p.Whole, false)
		}
	}
}

// add adds a term, unless it is there.
func (f *fieldWords) add(t []byte, phrased bool) {
	f.searched = true
	if i := f.lookup(t); i >= 0 {
		f.terms[i].phrased = f.terms[i].phrased && phrased
		return
	}
	f.terms = append(f.terms, term{bytes: t, phrased: phrased})
	if f.at != nil {
		f.at[string(t)] = len(f.terms) - 1
	}
	b := bit(t)
	f.some[b>>6] |= 1 << (b & 63)
	f.first[t[0]] = true
}

// lookup returns the number of the term with bytes t, or -1.
func (f *fieldWords) lookup(t []byte) int {
	const few = 16
	if len(f.terms) <= few {
		return slices.IndexFunc(f.terms, func(x term) bool { return x.accepts == nil && bytes.Equal(x.bytes, t) })
	}
	if f.at == nil {
		f.at = make(map[string]int, 2*len(f.terms))
		for i, x := range f.terms {
			if x.accepts == nil {
				f.at[string(x.bytes)] = i
			}
		}
	}
	if i, ok := f.at[string(t)]; ok {
		return i
	}
	return -1
}

// addPattern adds what accepts terms.
func (f *fieldWords) addPattern(accepts func(term []byte) bool, phrased bool) {
	f.searched, f.patterns = true, true
	f.terms = append(f.terms, term{accepts: accepts, phrased: phrased})
}

// tokenize cuts a text into tokens, none without an analyzer. If first is not nil, those may be
// missing that begin with other bytes.
func (f *fieldWords) tokenize(a analysis.Analyzer, text []byte, first *[256]bool) *analysis.Tokens {
	f.tokens.Reset()
	if a == nil {
		return &f.tokens
	}
	if f.tokenizer == nil {
		f.tokenizer = a.Tokenizer()
	}
	if t, ok := f.tokenizer.(analysis.Selector); ok {
		t.Select(first)
	}
	f.tokenizer.Tokenize(&f.tokens, text)
	return &f.tokens
}

// weigh sets the weights of the terms: rare ones count most. One that several fields have weighs the same in all of them, as
// where it is least rare, so that passages of different fields compare.
func (w *words) weigh(s *reader.Snapshot) error {
	least, fields := map[string]float32(nil), 0
	for i := range w.fields {
		if len(w.fields[i].terms) > 0 {
			fields++
		}
	}
	if fields > 1 {
		least = map[string]float32{}
	}
	for i := range w.fields {
		for j := range w.fields[i].terms {
			t := &w.fields[i].terms[j]
			if t.accepts != nil && t.slipOf == nil {
				t.weight = math.Ln2 // as of a term in all documents
				continue
			}
			if err := w.ctx.Err(); err != nil {
				return err
			}
			word := t.bytes
			if t.accepts != nil {
				word = t.slipOf
			}
			df, err := w.of.terms[i].DF(word)
			if err != nil {
				return err
			}
			if t.accepts != nil {
				if t.weight = math.Ln2; search.Common(df, s.Stats().Live) { // it is not searched for
					t.weight, t.accepts = 0, func([]byte) bool { return false }
				}
				continue
			}
			t.weight = float32(math.Log1p(float64(s.Stats().Live) / float64(1+df)))
			if x, ok := least[string(t.bytes)]; least != nil && df > 0 && (!ok || t.weight < x) {
				least[string(t.bytes)] = t.weight
			}
		}
	}
	for i := range w.fields {
		f := &w.fields[i]
		f.most = 0
		for j := range f.terms {
			t := &f.terms[j]
			if x, ok := least[string(t.bytes)]; ok && t.accepts == nil {
				t.weight = x
			}
			f.most += t.weight
		}
	}
	return nil
}

// searches reports whether the query has words in a field.
func (w *words) searches(field int) bool { return w.fields[field].searched }

// look is how many bytes of a text are analyzed to find words, unless the index tells when all are found. Tests lower it.
var look = 256 << 10

// find returns where words of the query are in a text, in order, until the next call. Marks
// may overlap where tokens do.
func (w *words) find(field int, text []byte) []mark {
	f := &w.fields[field]
	w.marks = w.marks[:0]
	if len(f.terms) == 0 {
		return nil
	}
	text = text[:runeStart(text, min(len(text), look))]
	first := &f.first
	if f.patterns {
		first = nil
	}
	tokens := f.tokenize(w.of.analyzers[field], text, first)
	if len(f.phrases) > 0 {
		f.findPhrases(tokens)
	}
	all, spans := tokens.Raw()
	at := -1
	for i, s := range spans {
		t := all[s.Start:s.End]
		if len(f.phrases) > 0 {
			at = max(at+tokens.At(i).Increment, 0)
		}
		if !f.may(t) {
			continue
		}
		n := f.term(t, at)
		if n < 0 {
			continue
		}
		if t := tokens.At(i); t.Start < t.End && t.End <= len(text) {
			w.marks = append(w.marks, mark{t.Start, t.End, n})
		}
	}
	return w.inOrder()
}

// inOrder returns the marks by where they begin.
func (w *words) inOrder() []mark {
	byStart := func(i, j int) bool { return w.marks[i].start < w.marks[j].start }
	if !sort.SliceIsSorted(w.marks, byStart) {
		sort.SliceStable(w.marks, byStart)
	}
	return w.marks
}

// findPhrases finds the phrases in the tokens of a text.
func (f *fieldWords) findPhrases(tokens *analysis.Tokens) {
	for _, m := range f.phrases {
		m.Reset()
	}
	at := -1
	for t := range tokens.All() {
		at = max(at+t.Increment, 0)
		if !f.may(t.Term) {
			continue
		}
		for _, m := range f.phrases {
			m.Add(t.Term, uint32(at))
		}
	}
	for _, m := range f.phrases {
		m.Find()
	}
}

// may reports whether a term can be one of the query's: it is false for most others.
func (f *fieldWords) may(t []byte) bool {
	b := bit(t)
	return f.patterns || f.some[b>>6]>>(b&63)&1 != 0
}

// term returns the number of the term of the query that t is, at a position that counts with phrases only, or -1 if
// t is none, or none there.
func (f *fieldWords) term(t []byte, at int) int {
	n := f.lookup(t)
	if f.patterns && (n < 0 || f.terms[n].phrased) {
		accepts := func(phrased bool) int {
			return slices.IndexFunc(f.terms, func(x term) bool { return x.accepts != nil && x.phrased == phrased && x.accepts(t) })
		}
		if i := accepts(false); i >= 0 {
			n = i
		} else if n < 0 {
			n = accepts(true)
		}
	}
	if n >= 0 && f.terms[n].phrased && !slices.ContainsFunc(f.phrases, func(m search.Matching) bool { return m.Has(t, uint32(at)) }) {
		return -1
	}
	return n
}
