package search

import (
	"bytes"
	"math"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// words are the words of a query as the analyzers of its fields see them.
type words struct {
	of     *fields
	fields []fieldWords // by number of the field
	marks  []mark
}

// fieldWords are the words of a query in one field.
type fieldWords struct {
	searched  bool
	terms     []term
	some      [4]uint64 // bits of the terms: most words have none of them
	first     [256]bool // bytes that terms begin with
	tokenizer analysis.Tokenizer
	tokens    analysis.Tokens
}

// term is a term of the query.
type term struct {
	bytes  []byte
	weight float32 // idf
}

// mark is where a term of the query is in a text.
type mark struct{ start, end, term int }

// bit returns a bit of a term, from 0 to 255.
func bit(term []byte) byte { return byte(len(term))*31 ^ term[0] ^ term[len(term)-1]*7 }

// set takes the words of a node. It returns only errors of reading the index: what is wrong with
// the node is the finder's to say.
func (w *words) set(n query.Node, s *reader.Snapshot) error {
	if w.fields == nil {
		w.fields = make([]fieldWords, len(w.of.all))
	}
	for i := range w.fields {
		x := &w.fields[i]
		x.searched, x.terms, x.some, x.first = false, x.terms[:0], [4]uint64{}, [256]bool{}
	}
	w.add(n)
	for i := range w.fields {
		if err := w.weigh(i, s); err != nil {
			return err
		}
	}
	return nil
}

// add adds the words of a node.
func (w *words) add(n query.Node) {
	switch n := n.(type) {
	case query.Term:
		if i := w.of.number(n.Field); i >= 0 && len(n.Term) > 0 {
			w.fields[i].add(n.Term)
		}
	case query.Match:
		for i := range w.of.all {
			switch f := &w.of.all[i]; {
			case f.Indexing() == schema.IndexNone || f.Name != n.Field && (n.Field != "" || f.Kind != schema.KindText):
			case f.Kind == schema.KindText:
				w.match(i, n.Text)
			case n.Text != "":
				w.fields[i].add([]byte(n.Text))
			}
		}
	case query.All:
		for _, n := range n.Nodes {
			w.add(n)
		}
	case query.Any:
		for _, n := range n.Nodes {
			w.add(n)
		}
	}
}

// match adds the words of a text in a field.
func (w *words) match(field int, text string) {
	f := &w.fields[field]
	f.searched = true
	for t := range f.tokenize(w.of.analyzers[field], []byte(text), nil).All() {
		f.add(bytes.Clone(t.Term))
	}
}

// add adds a term, unless it is there.
func (f *fieldWords) add(t []byte) {
	f.searched = true
	if slices.ContainsFunc(f.terms, func(x term) bool { return bytes.Equal(x.bytes, t) }) {
		return
	}
	f.terms = append(f.terms, term{bytes: t})
	b := bit(t)
	f.some[b>>6] |= 1 << (b & 63)
	f.first[t[0]] = true
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

// weigh sets the weights of the terms of a field: rare ones count most.
func (w *words) weigh(field int, s *reader.Snapshot) error {
	f := &w.fields[field]
	for i := range f.terms {
		df, err := w.of.terms[field].DF(f.terms[i].bytes)
		if err != nil {
			return err
		}
		f.terms[i].weight = float32(math.Log1p(float64(s.Stats().Live) / float64(1+df)))
	}
	return nil
}

// searches reports whether the query has words in a field.
func (w *words) searches(field int) bool { return w.fields[field].searched }

// look is how many bytes of a text are looked through for words.
const look = 256 << 10

// find returns where words of the query are in a text, in order, until the next call. Marks
// may overlap where tokens do.
func (w *words) find(field int, text []byte) []mark {
	f := &w.fields[field]
	w.marks = w.marks[:0]
	if len(f.terms) == 0 {
		return nil
	}
	text = text[:runeStart(text, min(len(text), look))]
	tokens := f.tokenize(w.of.analyzers[field], text, &f.first)
	all, spans := tokens.Raw()
	for i, s := range spans {
		t := all[s.Start:s.End]
		if b := bit(t); f.some[b>>6]>>(b&63)&1 == 0 {
			continue
		}
		n := slices.IndexFunc(f.terms, func(x term) bool { return bytes.Equal(x.bytes, t) })
		if n < 0 {
			continue
		}
		if t := tokens.At(i); t.Start < t.End && t.End <= len(text) {
			w.marks = append(w.marks, mark{t.Start, t.End, n})
		}
	}
	return w.marks
}
