package query

import (
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/schema"
)

// comparing is a language where values are compared.
type comparing struct{ *language }

// restriction is what says something of values only, a Bool of one Filter: it does not score. Parse returns the Bool.
type restriction struct {
	Bool
	scores Node // what it is with a boost
}

func restrictedBy(f, scores Node) restriction {
	return restriction{Bool{Filter: []Node{f}}, scores}
}

// restrict returns the restriction by a filter of columns, which with a boost gives all documents the same score.
func restrict(f Node) restriction {
	return restrictedBy(f, Const{Node: Bool{Filter: []Node{f}}, Score: 1})
}

func (r restriction) filter() Node { return r.Bool.Filter[0] }

// restricted returns n without saying whether it is a restriction.
func restricted(n Node) Node {
	if r, ok := n.(restriction); ok {
		return r.Bool
	}
	return n
}

// scored returns n with the boost 1, which says that it is to score.
func scored(n Node) Node {
	n, _ = boosted(n, 1)
	return n
}

// scoring returns parts that are restrictions as they are with a boost.
func scoring(all []operand) []operand {
	all = slices.Clone(all)
	for i := range all {
		all[i].node = all[i].node.(restriction).scores
	}
	return all
}

// scores reports whether a part says something of words.
func (o operand) scores() bool {
	_, ok := o.node.(restriction)
	return !ok
}

// combined returns the filter of parts that say something of values only: all that are required, or else one of the
// plain ones, and none that is excluded.
func combined(all []operand) Node {
	var must, not And
	var either Or
	for _, o := range all {
		switch f := o.node.(restriction).filter(); o.sign {
		case required:
			must = append(must, f)
		case excluded:
			not = append(not, Not{f})
		default:
			either = append(either, f)
		}
	}
	switch {
	case len(must) > 0:
	case len(either) == 1:
		must = And{either[0]}
	default:
		must = And{either}
	}
	if must = append(must, not...); len(must) == 1 {
		return must[0]
	}
	return must
}

// columns returns what an error says of fields that are only columns.
func (x comparing) columns() string {
	var names []string
	for i := range x.p.Schema.Fields {
		if f := &x.p.Schema.Fields[i]; f.Column && f.Indexing() == schema.IndexNone {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; columns are " + strings.Join(names, ", ")
}

// comparison parses a value of x.values, what stands for several values, or a range.
func (x comparing) comparison() (Node, error) {
	x.parts++
	f := Range{Field: x.values.Name}
	var least schema.Value
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		from := x.at
		if !x.next(op) {
			continue
		}
		v, err := x.bound()
		switch {
		case err != nil:
			return nil, err
		case op == "=":
			return x.having(v, from)
		case !x.values.Column:
			return nil, x.rangeless(from)
		case op[0] == '<':
			f.Max, f.BelowMax = v, op == "<"
		default:
			f.Min, f.AboveMin = v, op == ">"
		}
		return restrict(f), x.single()
	}
	from := x.at
	s, n, err := x.several()
	if err != nil || n != nil {
		return n, err
	}
	if least, err = x.value(s, from); err != nil {
		return nil, err
	}
	f.Min = least
	dots := x.at
	if f.AboveMin = x.next("<.."); !f.AboveMin && !x.next("..") {
		return x.having(least, from)
	}
	if !x.values.Column {
		return nil, x.rangeless(dots)
	}
	f.BelowMax = x.next("<")
	if f.Max, err = x.bound(); err != nil {
		return nil, err
	}
	return restrict(f), x.single()
}

// indexed reports whether x.values has words, so that patterns and words with edits stand for some of them.
func (x comparing) indexed() bool { return x.values.Indexing() != schema.IndexNone }

// rangeless returns the error for a range at a place, in a field that is no column.
func (x comparing) rangeless(at int) error {
	return x.errorFrom(x.begin, at, `field %q is indexed, but no column, which ranges need (the character is written \%c)`, x.values.Name, x.text[at])
}

// having returns the restriction to the documents with a value, which is at a place. In a column it is looked up there,
// else among the words.
func (x comparing) having(v schema.Value, at int) (Node, error) {
	word := Match{Field: x.values.Name, Text: string(v.Bytes()), Mode: ModeAnd}
	switch {
	case x.values.Column && x.indexed() && word.Text != "":
		return restrictedBy(In{Field: x.values.Name, Values: []any{v}}, scored(word)), x.single()
	case x.values.Column:
		return restrict(In{Field: x.values.Name, Values: []any{v}}), x.single()
	case word.Text == "":
		return nil, x.errorFrom(x.begin, at, "field %q is indexed, but no column: only columns have the empty keyword", x.values.Name)
	}
	return restrictedBy(word, scored(word)), nil
}

// several parses a value, or what stands for several values: then it returns its node.
func (x comparing) several() (text string, n Node, err error) {
	from := x.at
	if x.family() != "" {
		if text, err = x.quotes(); err != nil || !x.indexed() {
			return text, nil, err
		}
		if x.next("*") {
			n = Prefix{Field: x.values.Name, Text: text}
		}
		if x.at < len(x.text) && x.text[x.at] == '~' { // a value is one word, in its place
			_, err = x.slop()
		}
	} else {
		s, _, err := x.spell(false)
		switch {
		case err != nil:
			return "", nil, err
		case s.pattern.Len() == 0:
			return "", nil, x.valueless(from)
		case s.pattern.String() == "*" && x.values.Column:
			return "", restrict(Exists{Field: x.values.Name}), x.single()
		case s.wild() && !x.indexed():
			return "", nil, x.errorFrom(x.begin, s.at, `%c stands for other characters only in a field that is indexed (the character is written \%[1]c)`, x.text[s.at])
		case s.wild() && x.dots():
			return "", nil, x.patterned(s)
		case x.indexed():
			if n, err = x.node(s); err != nil {
				return "", nil, err
			}
		}
		if _, one := n.(Match); one {
			n = nil
		}
		text = s.text.String()
	}
	if err == nil && n != nil {
		n = restrictedBy(n, scored(n))
	}
	return text, n, err
}

// single returns an error if a range follows.
func (x comparing) single() error {
	if strings.HasPrefix(x.text[x.at:], "..") || strings.HasPrefix(x.text[x.at:], "<..") {
		return x.errorFrom(x.begin, x.at, "a range has one value before .. and one behind it")
	}
	return nil
}

// next passes over a mark, and reports whether it came next.
func (x *language) next(mark string) bool {
	ok := strings.HasPrefix(x.text[x.at:], mark)
	if ok {
		x.at += len(mark)
	}
	return ok
}

// dots reports whether the dots of a range come next, where x.values has ranges.
func (x *language) dots() bool {
	return x.values != nil && x.values.Column && (strings.HasPrefix(x.text[x.at:], "..") || strings.HasPrefix(x.text[x.at:], "<.."))
}

// bound parses a value beside which no pattern can stand.
func (x comparing) bound() (schema.Value, error) {
	from := x.at
	if x.family() != "" {
		text, err := x.quotes()
		if err != nil {
			return schema.Value{}, err
		}
		return x.value(text, from)
	}
	s, _, err := x.spell(false)
	switch {
	case err != nil:
		return schema.Value{}, err
	case s.pattern.Len() == 0:
		return schema.Value{}, x.valueless(from)
	case s.wild():
		return schema.Value{}, x.patterned(s)
	}
	return x.value(s.text.String(), from)
}

// value returns the value of x.values that is spelled so at a place.
func (x *language) value(text string, at int) (schema.Value, error) {
	v, err := filter.Value(x.values, text)
	if err != nil {
		return v, x.errorFrom(x.begin, at, "%s", strings.TrimPrefix(err.Error(), "filter: "))
	}
	return v, nil
}

func (x comparing) valueless(at int) error {
	what := "field"
	if x.values.Column {
		what = "column"
	}
	return x.errorFrom(x.begin, at, "a value of the %s %q is missing", what, x.values.Name)
}

// patterned returns the error for a star or mark in a value that must be one.
func (x *language) patterned(s *spelling) error {
	return x.errorFrom(x.begin, s.at, `%c cannot stand in a bound, nor behind = (the character is written \%[1]c)`, x.text[s.at])
}
