package query

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/query/internal/engine"
)

// Node is what a Query searches for, over one field or several: a Term, a Match, or All or Any of other
// nodes. Each term of a node, in its field, adds to the score of a document that holds it.
//
// For now nodes must be flat: All within one field, and neither All of nodes with alternatives nor Any of
// nodes with several terms that must all match. The error for what is not matches errors.ErrUnsupported.
type Node interface{ node() }

// Term is a term as the dictionary of a field spells it: no analyzer sees it.
type Term struct {
	Field string // "" if the index has no schema
	Term  []byte
	Boost float64 // multiplies the score, together with the field's weight; up to MaxBoost, and 0 means 1
}

// Match is text, which the field's analyzer cuts into terms. In a field of keywords the text is the term. Text
// without a term, such as one of stop words only, is as good as absent.
type Match struct {
	Field string // "" means all fields of text, with Mode Or if there are several
	Text  string
	Mode  Mode    // how the terms are combined
	Boost float64 // as in Term
}

// All is matched by the documents that match all of the nodes.
type All struct{ Nodes []Node }

// Any is matched by the documents that match at least one of the nodes.
type Any struct{ Nodes []Node }

func (Term) node()  {}
func (Match) node() {}
func (All) node()   {}
func (Any) node()   {}

// MaxBoost is the maximum of Term.Boost and Match.Boost.
const MaxBoost = 1e6

// flat collects the words of a node.
type flat struct {
	parser *Parser
	words  *engine.Words
}

// add adds the words of a node. It returns how many it added, and how they are combined: as by Or if there are
// less than two.
func (f *flat) add(n Node) (m Mode, words int, err error) {
	before := len(f.words.Words)
	switch n := n.(type) {
	case Term:
		err = f.term(&n)
	case Match:
		m, err = n.Mode, f.match(&n)
	case All:
		m, err = And, f.all(n.Nodes)
	case Any:
		m, err = f.any(n.Nodes)
	default:
		err = fmt.Errorf("%w: a node of type %T", ErrInvalid, n)
	}
	if words = len(f.words.Words) - before; words < 2 {
		m = Or
	}
	return m, words, err
}

func (f *flat) term(t *Term) error {
	i, err := f.parser.number(t.Field)
	if err != nil {
		return err
	}
	boost, err := boostOf(t.Boost, t.Field, string(t.Term))
	if err == nil {
		f.words.Add(i, boost, t.Term)
	}
	return err
}

func (f *flat) match(m *Match) error {
	if int(m.Mode) >= len(modeNames) {
		return fmt.Errorf("%w: %v", ErrInvalid, m.Mode)
	}
	boost, err := boostOf(m.Boost, m.Field, m.Text)
	if err != nil {
		return err
	}
	if m.Field != "" || f.parser.schema == nil {
		i, err := f.parser.number(m.Field)
		if err != nil {
			return err
		}
		return f.text(i, boost, m.Text)
	}
	texts := f.parser.texts
	switch {
	case len(texts) == 0:
		return fmt.Errorf("%w: the index has no field of text to search", ErrInvalid)
	case len(texts) > 1 && m.Mode != Or:
		return unsupported("mode %v over the fields %s", m.Mode, f.parser.names(texts))
	}
	for _, i := range texts {
		if err := f.text(i, boost, m.Text); err != nil {
			return err
		}
	}
	return nil
}

// text adds the words of a text in field i.
func (f *flat) text(i int, boost float64, text string) (err error) {
	w, from := f.words, len(f.words.Terms)
	w.Terms, w.Bytes, err = f.parser.fields[i].appendTerms(w.Terms, w.Bytes, text)
	w.Add(i, boost, w.Terms[from:]...)
	return err
}

func (f *flat) all(nodes []Node) error {
	first := len(f.words.Words)
	for _, n := range nodes {
		m, words, err := f.add(n)
		if err != nil {
			return err
		}
		if words > 1 && m != And {
			return unsupported("All of a node with %d alternatives (mode %v)", words, m)
		}
	}
	for _, w := range f.words.Words[first:] {
		if in := f.words.Words[first].Field; w.Field != in {
			return unsupported("All over the fields %s", f.parser.names([]int{in, w.Field}))
		}
	}
	return nil
}

func (f *flat) any(nodes []Node) (Mode, error) {
	total, required, by := 0, 0, Or // the words of a node that is no disjunction
	for _, n := range nodes {
		m, words, err := f.add(n)
		if err != nil {
			return Or, err
		}
		if total += words; m != Or {
			required, by = words, m
		}
	}
	if required > 0 && required < total {
		return Or, unsupported("Any of a node with %d terms of mode %v, and others", required, by)
	}
	return by, nil
}

// boostOf returns a boost, 1 for 0, or an error that says what it is of.
func boostOf(b float64, field, what string) (float64, error) {
	if b == 0 {
		return 1, nil
	}
	if !(b > 0 && b <= MaxBoost) {
		return 0, fmt.Errorf("%w: the boost of %.40q in field %q is %v, not above 0 and up to %v", ErrInvalid, what, field, b, float64(MaxBoost))
	}
	return b, nil
}

// unsupportedError is an error for queries that no executor can answer yet.
type unsupportedError struct{ what string }

func (e *unsupportedError) Error() string        { return "query: not supported yet: " + e.what }
func (e *unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

func unsupported(format string, args ...any) error {
	return &unsupportedError{fmt.Sprintf(format, args...)}
}

// checkNode returns an error matching ErrInvalid if q says something beside a Node that contradicts it.
func (q *Query) checkNode() error {
	switch {
	case q.Node == nil:
		return nil
	case q.Text != "" || len(q.RawTerms) > 0:
		return fmt.Errorf("%w: a Node beside Text or RawTerms", ErrInvalid)
	case q.Mode != Or:
		return fmt.Errorf("%w: mode %v beside a Node, which has its own", ErrInvalid, q.Mode)
	}
	return nil
}
