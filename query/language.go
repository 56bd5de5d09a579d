package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/schema"
)

// Parse returns what a text in the query language says. s is the schema of the index, as reader.Snapshot.Schema
// returns it. Docs/query-language.md describes the language:
//
//	a b          documents with a or b or both      +a -b c      a must be there, b must not
//	a AND b      both; also &&                      a OR b       at least one; also ||
//	NOT a        not a; also !                      (a b) c      brackets
//	title:a      a in a field                       "a"          without special characters
//	"a b"        a phrase                           "a b"~2      its words up to two places out of place
//	"a b"*       a phrase whose last word goes on
//	ab*  a?b*    terms that match a pattern         ab~  ab~1    terms within two edits, or one
//	a^2          a counts twice as much             *            all documents
//	\+           the next character is nothing special
//	level:error  a value of a field of keywords, or of a column: it must be there, and does not score
//	price:1..9   a range of a column; also price:>=1, level:(x OR y)
//
// Quotation marks of print, as “a b” or «a b», are quotes as well. A text without words is a node that matches nothing. The
// error is a *SyntaxError, and matches ErrInvalid: also for what the language has and the index cannot answer.
func Parse(s *schema.Schema, text string) (Node, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no schema", ErrInvalid)
	}
	x := language{p: fields.Of(s), text: text, source: text}
	return x.all()
}

// SyntaxError says what in the text of a query is not in the language, or cannot be answered, and where. It matches
// ErrInvalid.
type SyntaxError struct {
	Text   string // of the query
	Offset int    // in bytes
	Reason string
	filter bool // the text is one of ParseFilter
}

// Error says where it is in characters from 1, what is there, and what is wrong with it.
func (e *SyntaxError) Error() string {
	what := "query"
	if e.filter {
		what = "filter"
	}
	at := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	if e.Offset == len(e.Text) {
		return fmt.Sprintf("%s: at the end: %s", what, e.Reason)
	}
	return fmt.Sprintf("%s: at character %d, %.20q: %s", what, at, e.Text[e.Offset:], e.Reason)
}

// Is reports whether target is ErrInvalid.
func (e *SyntaxError) Is(target error) bool { return errors.Is(ErrInvalid, target) }

// language parses a text. Its functions follow the grammar in docs/query-language.md.
type language struct {
	p      fields.Set
	source string // the text
	text   string // the same, but for characters that are nothing special, which are letters here
	at     int
	field  string        // in which words are searched, "" for all
	values *schema.Field // unless nil, its values stand here in place of words: keywords, or a column
	depth  int           // of brackets
	parts  int           // words, values and texts in quotes
	places int           // of words in the phrases, over all fields
	begin  int           // of the word that is parsed, or of the name of the field before it
	joint  int           // of the last sign or operator

	lenient bool
	faulty  int    // where what the last error is about begins
	phrases []span // quotes that are words, for want of positions
}

// sign is what stands before a part.
type sign byte

const (
	plain    sign = 0
	required sign = '+'
	excluded sign = '-'
)

// operand is a part with its sign, and where it begins.
type operand struct {
	node Node // nil if there is nothing in its brackets
	sign sign
	at   int
}

func (x *language) errorf(at int, format string, args ...any) error {
	return x.errorFrom(at, at, format, args...)
}

// errorFrom is errorf for what begins before the place that the error names.
func (x *language) errorFrom(from, at int, format string, args ...any) error {
	x.faulty = from
	return &SyntaxError{Text: x.source, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// all parses the whole text.
func (x *language) all() (Node, error) {
	n, err := x.list()
	switch {
	case err != nil:
		return nil, err
	case x.at < len(x.text): // list ends before the end at a bracket only
		return nil, x.errorf(x.at, "nothing opens this )")
	case n == nil:
		return Bool{}, nil
	}
	return restricted(n), nil
}

// list parses parts up to the end or a closing bracket. The node is nil if there is none.
func (x *language) list() (Node, error) {
	var all []operand
	for x.space(); x.at < len(x.text) && x.text[x.at] != ')'; x.space() {
		o, err := x.either()
		if err != nil {
			return nil, err
		}
		if _, ok := o.node.(restriction); ok && o.sign == plain && x.values == nil {
			o.sign = required
		}
		all = append(all, o)
	}
	return x.combine(all)
}

// combine returns the node of parts: nil if there is nothing in them, the part if there is one only.
func (x *language) combine(all []operand) (Node, error) {
	all = slices.DeleteFunc(all, func(o operand) bool { return o.node == nil })
	if len(all) == 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(all, func(o operand) bool { return o.sign != excluded }) {
		if x.lenient {
			return joined(append(all, operand{node: All{}})), nil
		}
		return nil, x.errorf(all[0].at, "all is excluded here: put * before it, which stands for all documents")
	}
	if !slices.ContainsFunc(all, operand.scores) {
		return restrictedBy(combined(all), joined(scoring(all))), nil
	}
	return joined(all), nil
}

// joined returns the node of parts, not all of which are excluded.
func joined(all []operand) Node {
	var b Bool
	for _, o := range all {
		b.add(o)
	}
	if should := b.Should; len(b.Filter) > 0 && len(b.Must) == 0 && len(should) > 0 { // one must match
		if b.Must, b.Should = should, nil; len(should) > 1 {
			b.Must = []Node{Bool{Should: should}}
		}
	}
	switch must, should, others := len(b.Must), len(b.Should), len(b.MustNot)+len(b.Filter); {
	case must == 1 && should+others == 0:
		return b.Must[0]
	case should == 1 && must+others == 0:
		return b.Should[0]
	}
	return b
}

// add adds a part.
func (b *Bool) add(o operand) {
	r, restricts := o.node.(restriction)
	switch {
	case restricts && o.sign == required:
		b.Filter = append(b.Filter, r.filter())
	case restricts && o.sign == excluded:
		b.Filter = append(b.Filter, Not{r.filter()})
	case o.sign == required:
		b.Must = append(b.Must, o.node)
	case o.sign == excluded:
		b.MustNot = append(b.MustNot, o.node)
	default:
		b.Should = append(b.Should, restricted(o.node))
	}
}

// either parses alternatives.
func (x *language) either() (operand, error) {
	o, err := x.both()
	if err != nil || !x.operator("OR", "||") {
		return o, err
	}
	var all []operand
	for first, more := o.at, true; ; more = x.operator("OR", "||") {
		if o.sign != plain && x.lenient {
			n, err := x.combine([]operand{o})
			if err != nil {
				return o, err
			}
			o = operand{node: n, at: o.at}
		}
		if o.sign != plain {
			return o, x.errorf(o.at, "an alternative of OR can be neither required nor excluded: put it into brackets with what it belongs to")
		}
		if all = append(all, o); !more {
			n, err := x.combine(all)
			return operand{node: n, at: first}, err
		}
		if o, err = x.both(); err != nil {
			return o, err
		}
	}
}

// both parses parts that must all match.
func (x *language) both() (operand, error) {
	o, err := x.part()
	if err != nil || !x.operator("AND", "&&") {
		return o, err
	}
	var all []operand
	for first, more := o.at, true; ; more = x.operator("AND", "&&") {
		if o.sign == plain {
			o.sign = required
		}
		if all = append(all, o); !more {
			n, err := x.combine(all)
			return operand{node: n, at: first}, err
		}
		if o, err = x.part(); err != nil {
			return o, err
		}
	}
}

// part parses a part with its sign.
func (x *language) part() (o operand, err error) {
	x.space()
	o.at = x.at
	if x.lenient && x.parts > maxTypedParts {
		return o, x.errorf(x.at, "more than %d parts", maxTypedParts)
	}
	if x.operator("NOT") {
		o.sign = excluded
		x.space()
	} else if x.at < len(x.text) && strings.IndexByte("+-!", x.text[x.at]) >= 0 {
		x.joint = x.at
		if o.sign = excluded; x.text[x.at] == '+' {
			o.sign = required
		}
		if x.at++; x.at == len(x.text) || x.space() {
			return o, x.errorf(o.at, `%c stands directly before a part (the character is written \%[1]c)`, x.text[o.at])
		}
	}
	if o.sign != plain && x.at < len(x.text) && (strings.IndexByte("+-!", x.text[x.at]) >= 0 || x.is("NOT")) {
		from := x.at
		if x.joint == x.at-1 { // --a
			from = x.joint
		}
		return o, x.errorFrom(from, x.at, "one sign follows another")
	}
	for _, name := range []string{"AND", "OR", "&&", "||"} {
		if x.is(name) {
			return o, x.errorf(x.at, `%s stands between two parts (to search for the word, write "%[1]s")`, name)
		}
	}
	if x.at == len(x.text) || x.text[x.at] == ')' {
		return o, x.errorFrom(x.joint, x.at, "a part is missing")
	}
	o.node, err = x.boosted()
	return o, err
}

// boosted parses a word, a text in quotes or a list in brackets, and what follows it.
func (x *language) boosted() (n Node, err error) {
	switch c := x.text[x.at]; {
	case c == '(':
		n, err = x.brackets()
	case x.values != nil:
		n, err = comparing{x}.comparison()
	case x.family() != "":
		n, err = x.quoted()
	default:
		n, err = x.word()
	}
	if err != nil {
		return nil, err
	}
	if x.at < len(x.text) && x.text[x.at] == '^' {
		if n, err = x.boost(n); err != nil {
			return nil, err
		}
	}
	if x.at < len(x.text) && strings.IndexByte("^~", x.text[x.at]) >= 0 {
		return nil, x.errorf(x.at, `%c cannot stand here (the character is written \%c)`, x.text[x.at], x.text[x.at])
	}
	return n, nil
}

// brackets parses a list in brackets.
func (x *language) brackets() (Node, error) {
	from := x.at
	most := MaxDepth
	if x.lenient {
		most = maxTypedDepth
	}
	if x.depth++; x.depth > most {
		return nil, x.errorf(from, "more than %d brackets within one another", most)
	}
	x.at++
	n, err := x.list()
	if err != nil {
		return nil, err
	}
	if x.at == len(x.text) {
		return nil, x.errorf(from, "nothing closes this (")
	}
	x.at++
	x.depth--
	return n, nil
}

// boost parses a boost of n.
func (x *language) boost(n Node) (Node, error) {
	from := x.at
	if r, ok := n.(restriction); ok {
		n = r.scores
	}
	x.at++
	number := x.run()
	by, err := strconv.ParseFloat(number, 64)
	if err == nil && by > 0 && by <= MaxBoost && strings.Trim(number, "0123456789.") == "" {
		if n, err = boosted(n, by); err == nil {
			return n, nil
		}
	}
	return nil, x.errorf(from, `what follows ^ is no number above 0 and up to %.0f in digits, as 3 or 1.5 (the character is written \^)`, float64(MaxBoost))
}

// run passes over all up to what ends a word, and returns it.
func (x *language) run() string {
	from := x.at
	if n := strings.IndexFunc(x.text[from:], endsWord); n >= 0 {
		x.at += n
	} else {
		x.at = len(x.text)
	}
	return x.text[from:x.at]
}

// boosted returns n with by times its boost.
func boosted(n Node, by float64) (Node, error) {
	times := func(b float64) float64 {
		if b != 0 {
			by *= b
		}
		return by
	}
	switch x := n.(type) {
	case nil:
	case Match:
		x.Boost = times(x.Boost)
		n = x
	case Bool:
		x.Boost = times(x.Boost)
		n = x
	case All:
		x.Score = times(x.Score)
		n = x
	case Const:
		x.Score = times(x.Score)
		n = x
	case Prefix:
		x.Boost = times(x.Boost)
		n = x
	case Wildcard:
		x.Boost = times(x.Boost)
		n = x
	case Fuzzy:
		x.Boost = times(x.Boost)
		n = x
	case Phrase:
		x.Boost = times(x.Boost)
		n = x
	}
	if !(by > 0 && by <= MaxBoost) {
		return nil, ErrInvalid
	}
	return n, nil
}

// space passes over white space, and reports whether there was any.
func (x *language) space() bool {
	from := x.at
	x.at = len(x.text) - len(strings.TrimLeftFunc(x.text[from:], unicode.IsSpace))
	return x.at > from
}

// reason returns what an error says beside that a value is invalid.
func reason(err error) string { return strings.TrimPrefix(err.Error(), ErrInvalid.Error()+": ") }

// is reports whether an operator comes next: its name, and then the end, white space, a bracket or a quote.
func (x *language) is(name string) bool {
	rest, ok := strings.CutPrefix(x.text[x.at:], name)
	if !ok || rest == "" {
		return ok
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsSpace(r) || r == '(' || r == ')' || family(r) != ""
}

// endsWord reports whether a character ends a word: white space, a bracket, a quote, ^ or ~.
func endsWord(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("()^~", r) || family(r) != ""
}

// operator passes over white space and an operator with one of names. It returns false if there is none.
func (x *language) operator(names ...string) bool {
	x.space()
	for _, name := range names {
		if x.is(name) {
			x.joint = x.at
			x.at += len(name)
			return true
		}
	}
	return false
}
