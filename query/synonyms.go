package query

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/schema"
)

// Synonyms are rules about words that stand for each other, and are searched for each other. A set does not change and is safe for
// concurrent use: a program goes on to another one by using that in the next request. The zero value has no rules.
//
// Rules are compared with queries as the analyzer of each field sees both, so that case and endings do not matter where they do not
// matter to the field. docs/synonyms.md has what a query becomes.
type Synonyms struct {
	own    rewriter                 // *synonymRules; nil for none
	fields map[string]*synonymRules // of fields that have others
}

// rewriter is what Rewrite does, which programs that make no rules do not link.
type rewriter interface {
	rewrite(s *Synonyms, schema *schema.Schema, n Node) (Node, error)
}

// SynonymRule is a rule. Without To, the sides of From stand for each other. With To, those of From are replaced by those of To; one that is
// to stay is among To, too. A side is a word or several.
type SynonymRule struct{ From, To []string }

// NewSynonyms returns a set of rules. The error matches ErrInvalid and names the rule, from 0.
func NewSynonyms(rules ...SynonymRule) (*Synonyms, error) {
	x := synonymRules{numbers: map[string]int32{}}
	for i, r := range rules {
		if err := x.add(r); err != nil {
			return nil, fmt.Errorf("%w: synonyms, rule %d: %s", ErrInvalid, i, err)
		}
	}
	return x.set(), nil
}

// In returns a set that is s but for a field, which has the rules of other alone: none if that is nil.
func (s *Synonyms) In(field string, other *Synonyms) *Synonyms {
	to := &Synonyms{own: s.own, fields: map[string]*synonymRules{}}
	if to.own == nil {
		to.own = new(synonymRules)
	}
	maps.Copy(to.fields, s.fields)
	to.fields[field] = new(synonymRules)
	if other != nil && other.own != nil {
		to.fields[field] = other.own.(*synonymRules)
	}
	return to
}

// Rules returns the rules of s, but for those of fields that have others, in their order. Sides that stand for each other are those of both From
// and To.
func (s *Synonyms) Rules() iter.Seq[SynonymRule] {
	return func(yield func(SynonymRule) bool) {
		x, ok := s.own.(*synonymRules)
		if !ok {
			return
		}
		texts := func(sides []int32) (all []string) {
			for _, i := range sides {
				all = append(all, x.sides[i])
			}
			return all
		}
		for _, r := range x.rules {
			if !yield(SynonymRule{From: texts(r.from), To: texts(r.to)}) {
				return
			}
		}
	}
}

// synonymRules are rules over sides, which have numbers.
type synonymRules struct {
	sides    []string
	numbers  map[string]int32 // of sides, while rules are added
	rules    []synonymRule
	analyzed sync.Map // *fieldSynonyms by analysisKey
}

type synonymRule struct{ from, to []int32 }

// analysisKey is what an analyzer is known by.
type analysisKey struct{ name, options string }

// add adds a rule.
func (x *synonymRules) add(r SynonymRule) error {
	if len(r.From) == 0 {
		return fmt.Errorf("nothing is on its left")
	}
	var own synonymRule
	for _, s := range r.From {
		own.from = append(own.from, x.side(s))
	}
	own.to = own.from
	if len(r.To) > 0 {
		own.to = nil
	}
	for _, s := range r.To {
		own.to = append(own.to, x.side(s))
	}
	for _, i := range append(own.from[:len(own.from):len(own.from)], own.to...) {
		if x.sides[i] == "" {
			return fmt.Errorf("one of its sides is empty")
		}
	}
	x.rules = append(x.rules, own)
	return nil
}

// side returns the number of a side.
func (x *synonymRules) side(s string) int32 {
	s = strings.TrimSpace(s)
	n, ok := x.numbers[s]
	if !ok {
		n = int32(len(x.sides))
		x.numbers[s] = n
		x.sides = append(x.sides, strings.Clone(s))
	}
	return n
}

// set returns a set of the rules, of which there will be no more.
func (x *synonymRules) set() *Synonyms {
	return &Synonyms{own: &synonymRules{sides: x.sides, rules: x.rules}}
}

// fieldSynonyms are rules as the analyzer of a field sees them.
type fieldSynonyms struct {
	f       *fields.Field
	texts   []string           // of the sides, by number
	sides   []synonymSide      // likewise
	rules   []synonymRule      // of what was analyzed
	lefts   map[string][]int32 // the numbers of rules, by what their left sides are as a sequence
	longest map[string]int     // the greatest number of steps of those that begin with a step
}

// synonymSide is a side as an analyzer sees it: nothing if key is "".
type synonymSide struct {
	key   string
	steps int
	term  string // of a side that is one term
}

// of returns the rules for a field of text, or nil if its analyzer is not registered.
func (s *Synonyms) of(f *schema.Field) *fieldSynonyms {
	x, ok := s.fields[f.Name]
	if !ok {
		x = s.own.(*synonymRules)
	}
	var key analysisKey
	key.name, key.options = f.Analysis()
	if all, ok := x.analyzed.Load(key); ok {
		return all.(*fieldSynonyms)
	}
	all := x.analyze(f)
	if all == nil {
		return nil
	}
	first, _ := x.analyzed.LoadOrStore(key, all)
	return first.(*fieldSynonyms)
}

// analyze returns the rules for a field of text, or nil if its analyzer is not registered.
func (x *synonymRules) analyze(f *schema.Field) *fieldSynonyms {
	set := fields.Of(&schema.Schema{Fields: []schema.Field{*f}})
	if len(set.Fields) != 1 || set.Fields[0].Err != nil {
		return nil
	}
	c := &fieldSynonyms{f: set.Fields[0], texts: x.sides, sides: make([]synonymSide, len(x.sides)), rules: x.rules, lefts: map[string][]int32{}, longest: map[string]int{}}
	firsts := make([]string, len(x.sides))
	for i, text := range x.sides {
		steps := stepsOf(c.f, text)
		if len(steps) == 0 {
			continue
		}
		firsts[i] = steps[0].key
		c.sides[i] = synonymSide{key: sequence(steps), steps: len(steps)}
		if len(steps) == 1 && len(steps[0].terms) == 1 {
			c.sides[i].term = steps[0].terms[0]
		}
	}
	for i, r := range x.rules {
		for _, n := range r.from {
			if s := &c.sides[n]; s.key != "" {
				c.lefts[s.key] = append(c.lefts[s.key], int32(i))
				c.longest[firsts[n]] = max(c.longest[firsts[n]], s.steps)
			}
		}
	}
	return c
}

// ParseSynonyms reads a file of synonyms in one of the two usual forms. In that of Solr and Elasticsearch a line is a rule: sides with commas between
// them, which stand for each other, or sides that are replaced, =>, and those that replace them. A \ takes the next character as it is, and
// lines that are empty or begin with # are none. In that of WordNet's prolog files, whose first line begins like s(100001740,1, words
// with the same first number stand for each other. The error matches ErrInvalid and names the line, or is one of r.
func ParseSynonyms(r io.Reader) (*Synonyms, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	x := synonymRules{numbers: map[string]int32{}}
	parse := x.line
	var w *wordNet
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' && w == nil {
			continue
		}
		if len(x.rules) == 0 && w == nil && isWordNet(text) {
			w = &wordNet{at: map[string]int{}}
			parse = w.line
		}
		if err := parse(text); err != nil {
			return nil, fmt.Errorf("%w: synonyms, line %d: %w", ErrInvalid, number, err)
		}
	}
	if w != nil {
		for _, words := range w.sets {
			if err := x.add(SynonymRule{From: words}); err != nil {
				return nil, fmt.Errorf("%w: synonyms: %w", ErrInvalid, err)
			}
		}
	}
	return x.set(), nil
}

// line adds the rule of a line in the form of Solr.
func (x *synonymRules) line(text string) error {
	parts := [][]string{nil}
	var side strings.Builder
	end := func() error {
		s := strings.TrimSpace(side.String())
		if s == "" {
			return fmt.Errorf("a side is empty: a , or => has nothing beside it")
		}
		last := &parts[len(parts)-1]
		*last = append(*last, s)
		side.Reset()
		return nil
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 == len(text):
			return fmt.Errorf(`nothing follows \`)
		case text[i] == '\\':
			i++
			side.WriteByte(text[i])
		case text[i] == ',':
			if err := end(); err != nil {
				return err
			}
		case strings.HasPrefix(text[i:], "=>"):
			if err := end(); err != nil {
				return err
			}
			if parts = append(parts, nil); len(parts) > 2 {
				return fmt.Errorf("=> is there twice")
			}
			i++
		default:
			side.WriteByte(text[i])
		}
	}
	if err := end(); err != nil {
		return err
	}
	r := SynonymRule{From: parts[0]}
	if len(parts) > 1 {
		r.To = parts[1]
	}
	return x.add(r)
}

// wordNet are the words of a prolog file of WordNet, by the number of what they mean.
type wordNet struct {
	sets [][]string
	at   map[string]int // of sets, by their number in the file
}

// isWordNet reports whether a line begins as those of WordNet do.
func isWordNet(text string) bool {
	_, _, ok := meaning(text)
	return ok
}

// meaning returns the number that a line of WordNet begins with, and what follows it.
func meaning(text string) (number, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, "s(")
	number, rest, comma := strings.Cut(rest, ",")
	return number, rest, ok && comma && number != "" && strings.Trim(number, "0123456789") == ""
}

// line adds the word of a line: s(100001740,1,'entity',n,1,11).
func (w *wordNet) line(text string) error {
	if text[0] == '%' {
		return nil
	}
	number, rest, ok := meaning(text)
	_, rest, word := strings.Cut(rest, ",")
	if !ok || !word || !strings.HasPrefix(rest, "'") {
		return fmt.Errorf("it is not like s(100001740,1,'entity',n,1,11)")
	}
	var s strings.Builder
	for rest = rest[1:]; ; {
		part, behind, closed := strings.Cut(rest, "'")
		if !closed {
			return fmt.Errorf("nothing closes the ' before the word")
		}
		s.WriteString(part)
		if rest, closed = strings.CutPrefix(behind, "'"); !closed { // '' is a '
			break
		}
		s.WriteByte('\'')
	}
	if strings.TrimSpace(s.String()) == "" {
		return fmt.Errorf("the word is empty")
	}
	i, ok := w.at[number]
	if !ok {
		i = len(w.sets)
		w.at[number] = i
		w.sets = append(w.sets, nil)
	}
	w.sets[i] = append(w.sets[i], s.String())
	return nil
}
