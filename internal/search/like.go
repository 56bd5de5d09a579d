package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Like counts the terms of documents and texts, and chooses those that weigh most. It is for one goroutine.
type Like struct {
	p      *Parser
	fields []likeField
	terms  []likeTerm
	docs   int // that were added
	cut    [][]byte
	buf    []byte
}

// likeField is a field that counts.
type likeField struct {
	number int // of the Parser
	*schema.Field
	at map[string]int // its terms in Like.terms
}

// likeTerm is a term, and how much it counts.
type likeTerm struct {
	field int // of Like.fields
	text  string
	count uint64 // how often the documents and texts have it
	docs  uint64 // how many of the documents have it
	last  int    // of these, by number from 1
}

// NewLike returns a Like of fields of text or keywords; without names, of all fields of text. The error matches ErrInvalid, also if
// there is none, and ErrClosed for the zero Parser.
func (p *Parser) NewLike(names []string) (*Like, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	l := &Like{p: p}
	add := func(i int) {
		f, _ := p.Schema.Field(p.Fields[i].Name)
		l.fields = append(l.fields, likeField{number: i, Field: f})
	}
	for _, name := range names {
		i, err := p.Number(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(l.fields, func(f likeField) bool { return f.number == i }) {
			add(i)
		}
		if f := l.fields[len(l.fields)-1]; f.Kind != schema.Text && f.Kind != schema.Keyword {
			return nil, fmt.Errorf("%w: the field %q, of kind %v, has no words", query.ErrInvalid, name, f.Kind)
		}
	}
	if len(names) == 0 {
		for _, i := range p.Texts {
			add(i)
		}
	}
	if len(l.fields) == 0 {
		return nil, fmt.Errorf("%w: no field of text is indexed", query.ErrInvalid)
	}
	return l, nil
}

// Shown returns the names of the fields, if the index can show what documents have in them. Otherwise the error, which matches ErrInvalid,
// names one.
func (l *Like) Shown() (names []string, err error) {
	for _, f := range l.fields {
		if !f.Stored && !f.Column {
			return nil, fmt.Errorf("%w: which words a document has in the field %q is not kept, as the field is not stored: store it, name fields that are, or give the text",
				query.ErrInvalid, cmp.Or(f.Name, "text"))
		}
		names = append(names, f.Name)
	}
	return names, nil
}

// AddText adds a text, as one of each field. The error matches analysis.ErrUnknown.
func (l *Like) AddText(text string) error {
	for i := range l.fields {
		if err := l.add(i, text, 0); err != nil {
			return err
		}
	}
	return nil
}

// AddDoc adds what a document has in the fields. The error matches analysis.ErrUnknown.
func (l *Like) AddDoc(values []schema.Value) error {
	l.docs++
	for _, v := range values {
		name := l.p.Schema.Fields[v.Field].Name
		for i := range l.fields {
			if l.fields[i].Name != name {
				continue
			}
			if err := l.add(i, string(v.Bytes()), l.docs); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the terms of a text in a field, of a document by its number, which is 0 of no document.
func (l *Like) add(field int, text string, doc int) (err error) {
	f := &l.fields[field]
	if l.cut, l.buf, err = l.p.Fields[f.number].AppendTerms(l.cut[:0], l.buf[:0], text); err != nil {
		return err
	}
	all := string(l.buf) // the terms, one behind the other
	if f.at == nil {
		f.at = make(map[string]int, len(l.cut))
	}
	l.terms = slices.Grow(l.terms, len(l.cut))
	for _, b := range l.cut {
		term := all[:len(b)]
		all = all[len(b):]
		at, ok := f.at[term]
		if !ok {
			at = len(l.terms)
			f.at[term] = at
			l.terms = append(l.terms, likeTerm{field: field, text: term})
		}
		t := &l.terms[at]
		if t.count++; t.last != doc {
			t.docs, t.last = t.docs+1, doc
		}
	}
	return nil
}

// All returns the terms that were added, each once.
func (l *Like) All() []query.Term {
	all := make([]query.Term, len(l.terms))
	for i, t := range l.terms {
		all[i] = query.Term{Field: l.fields[t.field].Name, Text: t.text}
	}
	return all
}

// LikeFrequencies returns how many documents that are not deleted have each term of l, in the order of All, in what s searches. The
// error is one of AppendHits.
func LikeFrequencies(ctx context.Context, s *Searcher, l *Like) ([]uint64, error) {
	words := make([]terms.Word, len(l.terms))
	for i, t := range l.terms {
		words[i] = terms.Word{Bytes: []byte(t.text), Field: l.fields[t.field].number, Boost: 1}
	}
	return s.engine.WordFrequencies(ctx, words)
}

// Given returns what LikeFrequencies does, of a collection in which terms have these frequencies.
func (l *Like) Given(f *query.Frequencies) []uint64 {
	all := make([]uint64, len(l.terms))
	for _, t := range f.Terms {
		for i := range l.fields {
			if at, ok := l.fields[i].at[t.Term]; ok && l.fields[i].Name == t.Field {
				all[at] = t.DF
			}
		}
	}
	return all
}

// Best returns the n terms that weigh most in a collection in which they have frequencies, in the order of All: those with the greatest
// product of how often they were added and bm25.IDF, the heaviest first, and of equal ones the first by bytes, then by the name of the
// field. Terms that no other document than those added has are left out.
func (l *Like) Best(n int, of query.Collection, frequencies []uint64) []query.Term {
	docs := make([]uint64, len(l.fields))
	for i := range l.fields {
		at := slices.IndexFunc(of.Fields, func(f query.FieldTotals) bool { return f.Field == l.fields[i].Name })
		if at >= 0 {
			docs[i] = of.Fields[at].Docs
		}
	}
	type weighed struct {
		*likeTerm
		score float64
	}
	better := func(a, b weighed) bool {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.text, b.text), cmp.Compare(l.fields[a.field].Name, l.fields[b.field].Name)) < 0
	}
	best := make([]weighed, 0, min(n, len(l.terms)))
	for i := range l.terms {
		t := &l.terms[i]
		if frequencies[i] <= t.docs {
			continue
		}
		w := weighed{t, float64(t.count) * bm25.IDF(docs[t.field], frequencies[i])}
		if len(best) == n {
			if !better(w, best[n-1]) {
				continue
			}
			best = best[:n-1]
		}
		at := sort.Search(len(best), func(i int) bool { return better(w, best[i]) })
		best = slices.Insert(best, at, w)
	}
	all := make([]query.Term, len(best))
	for i, t := range best {
		all[i] = query.Term{Field: l.fields[t.field].Name, Text: strings.Clone(t.text)} // not a part of all terms
	}
	return all
}
