package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

// errTerms is matched by the error for an expansion where no snapshot is searched.
var errTerms = fmt.Errorf("%w: only a Searcher knows the terms", query.ErrInvalid)

// expansionOf returns a Prefix, Wildcard, Regexp or Fuzzy as what stands for terms, or nil of other nodes.
func expansionOf(n query.Node) expansion {
	switch n := n.(type) {
	case query.Prefix:
		return prefixes(n)
	case query.Wildcard:
		return wildcard(n)
	case query.Regexp:
		return expression(n)
	case query.Fuzzy:
		return fuzzy(n)
	}
	return nil
}

// Nodes as expansions.
type (
	prefixes   query.Prefix
	wildcard   query.Wildcard
	expression query.Regexp
	fuzzy      query.Fuzzy
)

// accepting returns what reports whether n stands for a term in the field, or nil if it is in error.
func accepting(f *fields.Field, n expansion) func(term []byte) bool {
	all, err := selections(f, n)
	if err != nil {
		return nil
	}
	if len(all) == 1 {
		return all[0].Accepts
	}
	return func(term []byte) bool { return all[0].Accepts(term) || all[1].Accepts(term) }
}

// Accepts returns what reports whether a Prefix, Wildcard, Regexp or Fuzzy stands for a term in a field with an
// analyzer, nil for keywords. Of other nodes, and of those in error, it returns nil. What it returns is for one
// goroutine.
func Accepts(n query.Node, field string, a analysis.Analyzer) func(term []byte) bool {
	if x := expansionOf(n); x != nil {
		return accepting(&fields.Field{Name: field, Analyzer: a}, x)
	}
	return nil
}

// expansion is a node that stands for terms of the dictionary.
type expansion interface {
	// expansion returns the parts that all expansions have, and how errors name the node.
	expansion() (field string, boost float64, scored bool, label string)
	// selection returns which terms of a field these are: of those that begin with a mark, unless that is empty, by what
	// follows it.
	selection(f *fields.Field, mark string) (expand.Selection, error)
	// raw reports whether the node is about terms as the dictionary has them, with their marks.
	raw() bool
}

// selections returns which terms of the field n stands for: in one with a compound analyzer those of wholes, then those of
// parts.
func selections(f *fields.Field, n expansion) ([]expand.Selection, error) {
	x, err := n.selection(f, "")
	c := f.Compound()
	if err != nil || c == nil || n.raw() {
		return []expand.Selection{x}, err
	}
	x.Without = []byte(c.Mark())
	parts, err := n.selection(f, c.Mark())
	return []expand.Selection{x, parts}, err
}

func (n prefixes) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("prefix %.40q", n.Text)
}

func (n prefixes) raw() bool { return false }

func (n prefixes) selection(f *fields.Field, mark string) (expand.Selection, error) {
	return expand.Selection{Prefix: []byte(mark + f.Fold(n.Text))}, nil
}

func (n wildcard) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("pattern %.40q", n.Pattern)
}

func (n wildcard) raw() bool { return false }

func (n wildcard) selection(f *fields.Field, mark string) (x expand.Selection, err error) {
	x.Automaton, err = automata.Wildcard(quoted.Replace(mark) + foldPattern(f, n.Pattern))
	return x, err
}

func (n expression) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, n.Scored, fmt.Sprintf("regular expression %.40q", n.Pattern)
}

func (n expression) raw() bool { return true }

func (n expression) selection(*fields.Field, string) (x expand.Selection, err error) {
	x.Automaton, err = automata.Regexp(n.Pattern)
	return x, err
}

func (n fuzzy) expansion() (field string, boost float64, scored bool, label string) {
	return n.Field, n.Boost, true, fmt.Sprintf("fuzzy %.40q", n.Text)
}

func (n fuzzy) raw() bool { return false }

func (n fuzzy) selection(f *fields.Field, mark string) (x expand.Selection, err error) {
	if n.Edits < 0 || n.Edits > automata.MaxEdits || n.FixedPrefix < 0 {
		return x, fmt.Errorf("%d edits behind %d characters; 0, 1 or 2 are possible, behind 0 or more", n.Edits, n.FixedPrefix)
	}
	text := f.Fold(n.Text)
	x.Automaton, err = automata.Fuzzy(mark+text, n.editsOf(text), n.FixedPrefix+utf8.RuneCountInString(mark))
	return x, err
}

// editsOf returns how many edits of a text, which is folded, n allows.
func (n fuzzy) editsOf(text string) int {
	if n.Edits == 0 {
		return editsByLength(text)
	}
	return n.Edits
}

// editsByLength returns how many edits of a word are likely meant.
func editsByLength(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return automata.MaxEdits
}

// quoted writes a text as a pattern that matches it alone.
var quoted = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`)

// foldPattern folds what is between the special characters of a pattern.
func foldPattern(f *fields.Field, pattern string) string {
	var folded, literal strings.Builder
	flush := func() {
		folded.WriteString(quoted.Replace(f.Fold(literal.String())))
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
	scored = scored && !b.quiet && !b.p.Fields[fields[0]].Impacts // as a Term there
	boost, err := b.boostOf(own, around, field, label)
	if err != nil {
		return x, false, err
	}
	if b.w.Snapshot == nil {
		return x, false, b.at(fmt.Errorf("%w: %s", errTerms, label))
	}
	e := &expanding{b: b, label: label}
	e.allow(query.MaxConstant)
	if scored {
		e.allow(query.MaxScored)
	}
	if err := e.begin(n, !scored); err != nil {
		return x, false, b.at(err)
	}
	if scored {
		in, err := e.words(n, fields)
		if err != nil {
			return x, false, b.at(err)
		}
		if in != nil {
			return e.scored(in, fields, boost)
		}
	}
	x, err = e.constant(n, fields, boost)
	return x, err == nil, b.at(err)
}

// constant returns a constant for the documents with one of the terms that n stands for.
func (e *expanding) constant(n expansion, fields []int, boost float64) (part, error) {
	docs, terms := expand.NewUnion(e.context(), e.b.w.Snapshot), 0
	for _, f := range fields {
		some, err := e.add(docs, n, f)
		if err != nil {
			return part{}, err
		}
		terms += some
	}
	if terms == 0 && (e.whole == nil || len(e.whole.Terms) == 0) {
		return part{op: algorithm.OpNone}, nil
	}
	set, err := docs.Docs()
	return part{op: algorithm.OpConst, score: float32(boost), must: []part{{op: algorithm.OpSet, set: set}}}, err
}

// add adds the documents with one of the terms that n stands for in a field, and returns how many terms these are.
func (e *expanding) add(docs *expand.Union, n expansion, field int) (terms int, err error) {
	if e.asked() == nil {
		f := e.b.p.Fields[field]
		of, err := e.selections(f, n)
		if err != nil {
			return 0, err
		}
		for i := range of {
			some, err := docs.AddTerms(f.Name, &of[i], e.left-terms)
			if err != nil {
				return 0, e.blame(f, err)
			}
			terms += some
		}
		if terms <= e.left {
			e.left -= terms
			return terms, nil
		} // deleted documents may be all that some of them have: find knows
	}
	found, err := e.find(n, field)
	for i := range found {
		if err = docs.Add(found[i].Entries); err != nil {
			break
		}
	}
	return len(found), err
}

// scored returns a disjunction of terms, which it has for each field.
func (e *expanding) scored(in [][][]byte, fields []int, boost float64) (part, bool, error) {
	b := e.b
	x := part{op: algorithm.OpBool, atLeast: 1}
	for i, terms := range in {
		if len(terms) == 0 {
			continue
		}
		if err := b.expanded(len(terms)); err != nil {
			return x, false, b.at(err)
		}
		b.blends++
		for j := range terms {
			x.should = append(x.should, word(engine.Word{Bytes: terms[j], Field: fields[i], Boost: boost, Blend: b.blends}))
		}
	}
	if len(x.should) == 0 {
		return part{op: algorithm.OpNone}, true, nil
	}
	return x.simplified()
}

// expanding finds the terms of a node.
type expanding struct {
	b     *builder
	label string
	most  int              // terms that are possible
	left  int              // of most
	whole *query.Expansion // what it stands for in the collection, if the query says so
}

// allow says how many terms are possible.
func (e *expanding) allow(most int) { e.most, e.left = most, most }

func (e *expanding) context() context.Context {
	if e.b.w.Context != nil {
		return e.b.w.Context
	}
	return context.Background()
}

// find returns the terms of n in a field.
func (e *expanding) find(n expansion, field int) ([]expand.Term, error) {
	terms, more, err := e.findSome(n, field)
	if err != nil {
		return nil, err
	}
	if more {
		return nil, fmt.Errorf("%w: %s stands for more than %d terms", query.ErrTooManyTerms, e.label, e.most)
	}
	e.left -= len(terms)
	e.found(e.b.p.Fields[field].Name, terms)
	return terms, nil
}

// findSome returns some of the terms of n in a field, at most as many as are left, and whether there are more.
func (e *expanding) findSome(n expansion, field int) (terms []expand.Term, more bool, err error) {
	f := e.b.p.Fields[field]
	of, err := e.selections(f, n)
	if err != nil {
		return nil, false, err
	}
	for i := range of {
		its, some, err := expand.Find(e.context(), e.b.w.Snapshot, f.Name, &of[i], e.left)
		if err != nil {
			return nil, false, e.blame(f, err)
		}
		terms, more = append(terms, its...), more || some
	}
	if len(of) > 1 {
		slices.SortFunc(terms, func(a, b expand.Term) int { return bytes.Compare(a.Bytes, b.Bytes) })
		more = more || len(terms) > e.left
	}
	return terms, more, nil
}

// selections returns which terms of a field n stands for.
func (e *expanding) selections(f *fields.Field, n expansion) ([]expand.Selection, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	of, err := selections(f, n)
	if err != nil {
		return nil, e.invalid(f, err)
	}
	return of, nil
}

// invalid says of an error in the node what it is of.
func (e *expanding) invalid(f *fields.Field, err error) error {
	return fmt.Errorf("%w: %s in field %q: %w", query.ErrInvalid, e.label, f.Name, err)
}

// blame is invalid for an error of a walk over the terms of a field, if it is one in the node.
func (e *expanding) blame(f *fields.Field, err error) error {
	if errors.Is(err, automata.ErrComplex) {
		return e.invalid(f, err)
	}
	return err
}

// searched returns the fields that a node searches: that of a name, or all of text.
func (b *builder) searched(name string) ([]int, error) {
	if name != "" {
		i, err := b.p.Number(name)
		if err != nil {
			return nil, b.at(err)
		}
		return b.p.Each[i : i+1 : i+1], nil
	}
	if len(b.p.Texts) == 0 {
		return nil, b.errorf("the index has no field of text to search")
	}
	return b.p.Texts, nil
}
