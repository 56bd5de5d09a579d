package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/expand"
)

// The limits of a Prefix, Wildcard, Regexp or Fuzzy: how many terms of the snapshot it may stand for, not counting
// those of deleted documents only. For more the error matches ErrTooManyTerms.
const (
	MaxScored   = 1024  // if it scores each term
	MaxConstant = 65536 // if it does not
)

// errTerms is matched by the error for an expansion where no snapshot is searched.
var errTerms = fmt.Errorf("%w: only a Searcher knows the terms", ErrInvalid)

// buildable is a node that builds itself. The builder calls its method and does not switch on its type, so that a
// program without such nodes has no code for them.
type buildable interface {
	build(b *builder, around float64) (part, bool, error)
}

func (n Prefix) build(b *builder, around float64) (part, bool, error)   { return b.expand(n, around) }
func (n Wildcard) build(b *builder, around float64) (part, bool, error) { return b.expand(n, around) }
func (n Regexp) build(b *builder, around float64) (part, bool, error)   { return b.expand(n, around) }
func (n Fuzzy) build(b *builder, around float64) (part, bool, error)    { return b.expand(n, around) }

// accepting is a node that stands for terms, as buildable is one.
type accepting interface {
	accepts(f *fieldParser) func(term []byte) bool
}

func (n Prefix) accepts(f *fieldParser) func(term []byte) bool   { return f.accepts(n) }
func (n Wildcard) accepts(f *fieldParser) func(term []byte) bool { return f.accepts(n) }
func (n Regexp) accepts(f *fieldParser) func(term []byte) bool   { return f.accepts(n) }
func (n Fuzzy) accepts(f *fieldParser) func(term []byte) bool    { return f.accepts(n) }

// accepts returns what reports whether n stands for a term in the field, or nil if it is in error.
func (f *fieldParser) accepts(n expansion) func(term []byte) bool {
	x, err := n.selection(f)
	if err != nil {
		return nil
	}
	return x.Accepts
}

// Accepts returns what reports whether a Prefix, Wildcard, Regexp or Fuzzy stands for a term in a field with an
// analyzer, nil for keywords. Of other nodes, and of those in error, it returns nil. What it returns is for one
// goroutine.
func Accepts(_ trusted.Caller, n Node, field string, a analysis.Analyzer) func(term []byte) bool {
	if x, ok := n.(accepting); ok {
		return x.accepts(&fieldParser{name: field, analyzer: a})
	}
	return nil
}

// expansion is a node that stands for terms of the dictionary.
type expansion interface {
	// expansion returns the parts that all expansions have, and how errors name the node.
	expansion() (field string, boost float64, scored bool, label string)
	// selection returns which terms of a field these are.
	selection(f *fieldParser) (expand.Selection, error)
}

func (n Prefix) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("prefix %.40q", n.Prefix)
}

func (n Prefix) selection(f *fieldParser) (expand.Selection, error) {
	return expand.Selection{Prefix: []byte(f.fold(n.Prefix))}, nil
}

func (n Wildcard) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("pattern %.40q", n.Pattern)
}

func (n Wildcard) selection(f *fieldParser) (x expand.Selection, err error) {
	x.Automaton, err = automata.Wildcard(f.foldPattern(n.Pattern))
	return x, err
}

func (n Regexp) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("regular expression %.40q", n.Pattern)
}

func (n Regexp) selection(*fieldParser) (x expand.Selection, err error) {
	x.Automaton, err = automata.Regexp(n.Pattern)
	return x, err
}

func (n Fuzzy) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, !n.Constant, fmt.Sprintf("fuzzy %.40q", n.Text)
}

func (n Fuzzy) selection(f *fieldParser) (x expand.Selection, err error) {
	if n.Edits < 0 || n.Edits > automata.MaxEdits || n.FixedPrefix < 0 {
		return x, fmt.Errorf("%d edits behind %d characters; 0, 1 or 2 are possible, behind 0 or more", n.Edits, n.FixedPrefix)
	}
	x.Automaton, err = automata.Fuzzy(f.fold(n.Text), cmp.Or(n.Edits, automata.MaxEdits), n.FixedPrefix)
	return x, err
}

// quoted writes a text as a pattern that matches it alone.
var quoted = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`)

// fold returns text with its letters as the terms of the field have them.
func (f *fieldParser) fold(text string) string {
	if a, ok := f.analyzer.(analysis.Folder); ok {
		return string(a.AppendFolded(nil, []byte(text)))
	}
	return text
}

// foldPattern folds what is between the special characters of a pattern.
func (f *fieldParser) foldPattern(pattern string) string {
	var folded, literal strings.Builder
	flush := func() {
		folded.WriteString(quoted.Replace(f.fold(literal.String())))
		literal.Reset()
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*' || c == '?':
			flush()
			folded.WriteByte(c)
		case c == '\\' && i+1 == len(pattern): // automata.Wildcard says what is wrong
			flush()
			folded.WriteByte(c)
		case c == '\\':
			i++
			literal.WriteByte(pattern[i])
		default:
			literal.WriteByte(c)
		}
	}
	flush()
	return folded.String()
}

// expand builds a node that stands for terms: a disjunction of them, or a constant for their documents.
func (b *builder) expand(n expansion, around float64) (x part, ok bool, err error) {
	field, own, scored, label := n.expansion()
	fields, err := b.searched(field)
	if err != nil {
		return x, false, err
	}
	scored = scored && !b.p.fields[fields[0]].impacts // as a Term there
	boost, err := b.boostOf(own, around, field, label)
	if err != nil {
		return x, false, err
	}
	if b.w.Snapshot == nil {
		return x, false, b.at(fmt.Errorf("%w: %s", errTerms, label))
	}
	e := &expanding{b: b, label: label, left: MaxConstant}
	if scored {
		e.left = MaxScored
	}
	whole, err := e.begin(!scored)
	if err != nil {
		return x, false, b.at(err)
	}
	x = part{op: algorithm.OpBool, atLeast: 1}
	for _, f := range fields {
		terms, err := e.find(n, f, scored)
		if err != nil {
			return x, false, b.at(err)
		}
		if e.all = append(e.all, terms...); scored && len(terms) > 0 {
			b.blends++
			for i := range terms {
				x.should = append(x.should, word(engine.Word{Bytes: terms[i].Bytes, Field: f, Boost: boost, Blend: b.blends}))
			}
		}
	}
	switch {
	case len(e.all) == 0 && (whole == nil || len(whole.Terms) == 0):
		return part{op: algorithm.OpNone}, true, nil
	case scored:
		return x.simplified()
	}
	set, err := expand.Union(e.context(), b.w.Snapshot, e.all)
	return part{op: algorithm.OpConst, score: float32(boost), must: []part{{op: algorithm.OpSet, set: set}}}, true, b.at(err)
}

// expanding finds the terms of a node.
type expanding struct {
	b     *builder
	label string
	left  int // how many more terms are possible
	all   []expand.Term
	whole *Expansion // what it stands for in the collection, if the query says so
}

func (e *expanding) context() context.Context {
	if e.b.w.Context != nil {
		return e.b.w.Context
	}
	return context.Background()
}

// find returns the terms of n in a field. Where words are wanted, those of the collection count.
func (e *expanding) find(n expansion, field int, words bool) ([]expand.Term, error) {
	f := e.b.p.fields[field]
	if f.err != nil {
		return nil, f.err
	}
	if e.whole != nil && words {
		return e.whole.in(f.name), nil
	}
	x, err := n.selection(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %s in field %q: %w", ErrInvalid, e.label, f.name, err)
	}
	terms, more, err := expand.Find(e.context(), e.b.w.Snapshot, f.name, &x, e.left)
	switch {
	case errors.Is(err, automata.ErrComplex):
		return nil, fmt.Errorf("%w: %s in field %q: %w", ErrInvalid, e.label, f.name, err)
	case err != nil:
		return nil, err
	case more:
		n := len(e.all) + len(terms)
		return nil, fmt.Errorf("%w: %s stands for more than %d terms", ErrTooManyTerms, e.label, n)
	}
	e.left -= len(terms)
	e.found(f.name, terms)
	return terms, nil
}

// searched returns the fields that a node searches: that of a name, or all of text.
func (b *builder) searched(name string) ([]int, error) {
	if name != "" || b.p.schema == nil {
		i, err := b.p.number(name)
		if err != nil {
			return nil, b.at(err)
		}
		return b.p.each[i : i+1 : i+1], nil
	}
	if len(b.p.texts) == 0 {
		return nil, b.errorf("the index has no field of text to search")
	}
	return b.p.texts, nil
}
