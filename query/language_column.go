package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/schema"
)

// restriction is a Bool that says something of columns only: of a Filter. ParseText returns it as a Bool.
type restriction struct{ Bool }

func restrict(f Filter) restriction { return restriction{Bool{Filter: []Filter{f}}} }

func (r restriction) filter() Filter { return r.Bool.Filter[0] }

// restricted returns n without saying whether it is a restriction.
func restricted(n Node) Node {
	if r, ok := n.(restriction); ok {
		return r.Bool
	}
	return n
}

// scores reports whether a part says something of words.
func (o operand) scores() bool {
	_, ok := o.node.(restriction)
	return !ok
}

// combined returns the filter of parts that say something of columns only: all that are required, or else one of the
// plain ones, and none that is excluded.
func combined(all []operand) Filter {
	var must, not filter.And
	var either filter.Or
	for _, o := range all {
		switch f := o.node.(restriction).filter(); o.sign {
		case required:
			must = append(must, f)
		case excluded:
			not = append(not, filter.Not{Filter: f})
		default:
			either = append(either, f)
		}
	}
	switch {
	case len(must) > 0:
	case len(either) == 1:
		must = filter.And{either[0]}
	default:
		must = filter.And{either}
	}
	if must = append(must, not...); len(must) == 1 {
		return must[0]
	}
	return must
}

// columns returns what an error says of fields that are only columns.
func (x *language) columns() string {
	var names []string
	for i := range x.p.schema.Fields {
		if f := &x.p.schema.Fields[i]; f.Column && f.Indexing() == schema.IndexNone {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; columns are " + strings.Join(names, ", ")
}

// comparison parses a value of x.column, or a range.
func (x *language) comparison() (Node, error) {
	f := filter.Range{Field: x.column.Name}
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		if !x.next(op) {
			continue
		}
		v, err := x.value()
		if err != nil {
			return nil, err
		}
		switch op[0] {
		case '=':
			return restrict(filter.In{Field: f.Field, Values: []schema.Value{v}}), x.single()
		case '<':
			f.Max, f.BelowMax = v, op == "<"
		default:
			f.Min, f.AboveMin = v, op == ">"
		}
		return restrict(f), x.single()
	}
	if from := x.at; x.next("*") {
		if r, _ := utf8.DecodeRuneInString(x.text[x.at:]); x.at == len(x.text) || unicode.IsSpace(r) || r == ')' {
			return restrict(filter.Exists{Field: f.Field}), nil
		}
		x.at = from // value says what is wrong with it
	}
	v, err := x.value()
	if err != nil {
		return nil, err
	}
	f.Min = v
	if f.AboveMin = x.next("<.."); !f.AboveMin && !x.next("..") {
		return restrict(filter.In{Field: f.Field, Values: []schema.Value{v}}), nil
	}
	f.BelowMax = x.next("<")
	f.Max, err = x.value()
	if err != nil {
		return nil, err
	}
	return restrict(f), x.single()
}

// single returns an error if a range follows.
func (x *language) single() error {
	if strings.HasPrefix(x.text[x.at:], "..") || strings.HasPrefix(x.text[x.at:], "<..") {
		return x.errorf(x.at, "a range has one value before .. and one behind it")
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

// value parses a value of x.column.
func (x *language) value() (v schema.Value, err error) {
	from := x.at
	var text string
	if strings.HasPrefix(x.text[from:], `"`) {
		text, err = x.quotes()
	} else {
		text, err = x.bare()
	}
	if err != nil {
		return v, err
	}
	if v, err = filter.Value(trusted.Caller{}, x.column, text); err != nil {
		return v, x.errorf(from, "%s", strings.TrimPrefix(err.Error(), "filter: "))
	}
	return v, nil
}

// bare parses a value without quotes, up to the dots of a range.
func (x *language) bare() (string, error) {
	from := x.at
	var s strings.Builder
	for x.at < len(x.text) {
		rest := x.text[x.at:]
		r, n := utf8.DecodeRuneInString(rest)
		if unicode.IsSpace(r) || strings.ContainsRune(`()"^~`, r) || strings.HasPrefix(rest, "..") || strings.HasPrefix(rest, "<..") {
			break
		}
		switch {
		case r == '*' || r == '?':
			return "", x.errorf(x.at, `%c stands for other characters only in a field that is indexed (the character is written \%[1]c)`, r)
		case (r == '[' || r == '{') && x.at == from:
			return "", x.errorf(x.at, `a range is written 1..2 (the character is written \%c)`, r)
		case r == '\\':
			if x.at++; x.at == len(x.text) {
				return "", x.errorf(x.at-1, `nothing follows \`)
			}
			_, n = utf8.DecodeRuneInString(x.text[x.at:])
		}
		s.WriteString(x.text[x.at : x.at+n])
		x.at += n
	}
	if x.at == from {
		return "", x.errorf(from, "a value of the column %q is missing", x.column.Name)
	}
	return s.String(), nil
}
