package search

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

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
