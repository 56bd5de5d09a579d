package query

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/schema"
)

// searched is a field that a Match searches.
type searched struct {
	name      string
	spec      string  // its name and boost, as in Match.Fields; "" without
	boost     float64 // of words in it; 0 without
	positions bool
	typos     bool           // of the Match
	rules     *fieldSynonyms // nil if it is not of text
	steps     []step         // of the text
	found     []found
}

// fields returns the fields that a Match searches. ok is false if there is nothing to be done in them, or one of them is wrong, which the
// search says.
func (x *rewriting) fields(m *Match) (all []searched, ok bool) {
	if len(m.Fields) > 0 && m.Field != "" {
		return nil, false
	}
	for _, spec := range m.Fields {
		name, by := fields.Weight(spec, func(name string) bool {
			f, ok := x.schema.Field(name)
			return ok && f.Indexing() != schema.IndexNone
		})
		f, ok := x.schema.Field(name)
		if !ok || f.Indexing() == schema.IndexNone {
			return nil, false
		}
		own := searched{name: f.Name, spec: spec, typos: m.Typos}
		if by != "" {
			number, err := strconv.ParseFloat(by, 64)
			if err != nil || !(number > 0 && number <= MaxBoost) {
				return nil, false
			}
			own.boost = number / f.Factor()
		}
		if !x.add(&all, own, f) {
			return nil, false
		}
	}
	named, _ := x.schema.Field(m.Field)
	for i := range x.schema.Fields {
		f := &x.schema.Fields[i]
		if len(m.Fields) > 0 || f.Indexing() == schema.IndexNone || m.Field == "" && !f.ByDefault() || m.Field != "" && f != named {
			continue
		}
		if !x.add(&all, searched{name: f.Name, typos: m.Typos}, f) {
			return nil, false
		}
	}
	return all, slices.ContainsFunc(all, func(f searched) bool { return f.rules != nil && len(f.rules.lefts) > 0 })
}

// add adds a field, unless it is there already or its analyzer is not registered.
func (x *rewriting) add(all *[]searched, own searched, f *schema.Field) bool {
	if slices.ContainsFunc(*all, func(o searched) bool { return o.name == f.Name }) {
		return false
	}
	own.positions = f.Positions
	if f.Kind == schema.Text {
		if own.rules = x.s.of(f); own.rules == nil {
			return false
		}
	}
	*all = append(*all, own)
	return true
}

// match returns a Match with synonyms.
func (x *rewriting) match(m Match) (Node, bool, error) {
	if m.Mode >= ModeAndOr {
		return m, false, fmt.Errorf("%w: mode %v with synonyms, whose hits depend on their number", ErrInvalid, m.Mode)
	}
	all, ok := x.fields(&m)
	if !ok || m.Mode == ModeAnd && slices.ContainsFunc(all, func(f searched) bool { return f.rules == nil }) {
		return m, false, nil
	}
	some := false
	for i := range all {
		if f := &all[i]; f.rules != nil {
			f.steps = stepsOf(f.rules.f, m.Text)
			f.found = f.rules.find(f.steps, nil)
			some = some || len(f.found) > 0
		}
	}
	if !some {
		return m, false, nil
	}
	to := Bool{Boost: m.Boost}
	if m.Boost = 0; len(all) > 1 {
		to.Must, to.Should = spread(&m, all)
	} else if to.Must = all[0].nodes(m.Text, 0, len(all[0].steps)); m.Mode == ModeOr {
		to.Must, to.Should = nil, to.Must
	}
	return to, true, nil
}

// spread returns what a Match in several fields becomes, which has no Boost.
func spread(m *Match, all []searched) (must, should []Node) {
	texts := make([]searched, 0, len(all))
	for _, f := range all {
		if f.rules == nil { // its text is a term
			should = append(should, f.typed(m.Text, ModeOr))
		} else {
			texts = append(texts, f)
		}
	}
	from, every := -1, false // of what no rule has
	end := func(to int) {
		if from >= 0 {
			n := among(texts, nil, m.Text[from:to], m.Mode)
			if m.Mode == ModeAnd && every {
				must = append(must, n)
			} else {
				should = append(should, n)
			}
		}
		from, every = -1, false
	}
	last := 0
	for _, c := range clustersOf(texts) {
		if c.some {
			end(last)
			n := c.node(texts, m.Text, nil)
			if m.Mode == ModeOr && !c.covered(texts) { // words of it that no rule has need not be together
				n = bestOf([]Node{n, among(texts, nil, m.Text[c.start:c.end], ModeOr)})
			}
			if m.Mode == ModeAnd && c.fields == len(texts) {
				must = append(must, n)
			} else {
				should = append(should, n)
			}
		} else {
			if from < 0 {
				from = c.start
			}
			every = every || c.fields == len(texts)
		}
		last = c.end
	}
	end(last)
	return must, should
}

// among returns a Match of a text in those of fields that keeps is true for, or all if that is nil.
func among(all []searched, keeps func(*searched) bool, text string, mode Mode) Node {
	m := Match{Text: text, Mode: mode, Typos: all[0].typos}
	for i := range all {
		if f := &all[i]; keeps == nil || keeps(f) {
			m.Fields = append(m.Fields, f.named())
		}
	}
	return m
}

// named returns the field as Match.Fields has it.
func (f *searched) named() string {
	if f.spec != "" {
		return f.spec
	}
	return f.name
}

// match returns a Match of a text in the field.
func (f *searched) match(text string, mode Mode) Match {
	if f.spec != "" {
		return Match{Fields: []string{f.spec}, Text: text, Mode: mode}
	}
	return Match{Field: f.name, Text: text, Mode: mode}
}

// typed is match for a text of the query.
func (f *searched) typed(text string, mode Mode) Node {
	m := f.match(text, mode)
	m.Typos = f.typos
	return m
}

// nodes returns what the steps of a text in the field become.
func (f *searched) nodes(text string, from, to int) (all []Node) {
	for i := from; i < to; {
		at := slices.IndexFunc(f.found, func(x found) bool { return x.from == i })
		if at < 0 {
			all = f.words(all, text, i, i+1)
			i++
			continue
		}
		x := &f.found[at]
		var of []Node
		if x.stays {
			if of = f.words(nil, text, x.from, x.to); len(of) > 1 {
				of = []Node{Bool{Must: of}}
			}
		}
		all = append(all, bestOf(append(of, f.others(x)...)))
		i = x.to
	}
	return all
}

// words appends the words of steps.
func (f *searched) words(all []Node, text string, from, to int) []Node {
	for _, s := range f.steps[from:to] {
		if f.typos || len(s.terms) == 0 {
			all = append(all, f.typed(text[s.start:s.end], ModeAnd))
			continue
		}
		for _, term := range s.terms {
			all = append(all, Term{Field: f.name, Text: term, Boost: f.boost})
		}
	}
	return all
}

// others returns the other sides of what was found.
func (f *searched) others(x *found) (all []Node) {
	for _, n := range x.sides {
		text, s := f.rules.texts[n], &f.rules.sides[n]
		switch {
		case s.term != "":
			all = append(all, Term{Field: f.name, Text: s.term, Boost: f.boost})
		case s.steps > 1 && f.positions:
			all = append(all, Phrase{Field: f.name, Text: text, Boost: f.boost})
		default:
			all = append(all, f.match(text, ModeAnd))
		}
	}
	return all
}

func bestOf(all []Node) Node {
	if len(all) == 1 {
		return all[0]
	}
	return Best{Of: all}
}
