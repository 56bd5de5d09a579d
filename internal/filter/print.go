package filter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/schema"
)

// String returns f as Parse reads it.
func (f In) String() string {
	if len(f.Values) == 1 {
		return name(f.Field) + " = " + value(f.Values[0])
	}
	all := make([]string, len(f.Values))
	for i, v := range f.Values {
		all[i] = value(v)
	}
	return name(f.Field) + " in (" + strings.Join(all, ", ") + ")"
}

// String returns f as Parse reads it.
func (f Range) String() string {
	low, high := f.Min.Kind != 0, f.Max.Kind != 0
	switch {
	case low && high:
		dots := ".."
		if f.AboveMin {
			dots = "<.."
		}
		if f.BelowMax {
			dots += "<"
		}
		return name(f.Field) + " " + value(f.Min) + dots + value(f.Max)
	case low && f.AboveMin:
		return name(f.Field) + " > " + value(f.Min)
	case low:
		return name(f.Field) + " >= " + value(f.Min)
	case high && f.BelowMax:
		return name(f.Field) + " < " + value(f.Max)
	case high:
		return name(f.Field) + " <= " + value(f.Max)
	}
	return Exists{f.Field}.String()
}

// String returns f as Parse reads it.
func (f Exists) String() string { return "exists(" + name(f.Field) + ")" }

// String returns f as Parse reads it.
func (f IDs) String() string {
	all := make([]string, len(f.IDs))
	for i, id := range f.IDs {
		all[i] = quoted(string(id))
	}
	return "ids(" + strings.Join(all, ", ") + ")"
}

// String returns f as Parse reads it.
func (f And) String() string {
	if len(f) == 0 {
		return "*"
	}
	return joined(f, " and ")
}

// String returns f as Parse reads it.
func (f Or) String() string {
	if len(f) == 0 {
		return "not *"
	}
	return joined(f, " or ")
}

// String returns f as Parse reads it.
func (f Not) String() string { return "not " + within(f.Filter) }

func joined(all []Filter, by string) string {
	if len(all) == 1 {
		return fmt.Sprint(all[0])
	}
	parts := make([]string, len(all))
	for i, f := range all {
		parts[i] = within(f)
	}
	return strings.Join(parts, by)
}

// within returns f as a part of another filter, in brackets if it has several parts itself.
func within(f Filter) string {
	var parts []Filter
	switch f := f.(type) {
	case And:
		parts = f
	case Or:
		parts = f
	}
	switch len(parts) {
	case 0:
		return fmt.Sprint(f)
	case 1:
		return within(parts[0])
	}
	return "(" + fmt.Sprint(f) + ")"
}

// name returns the name of a field as Parse reads it.
func name(field string) string {
	if reserved[strings.ToLower(field)] {
		return strconv.Quote(field)
	}
	return quoted(field)
}

// value returns a value as Parse reads it.
func value(v schema.Value) string {
	if v.Kind == schema.Keyword || v.Kind == schema.Text {
		return quoted(string(v.Bytes()))
	}
	return v.String()
}

// quoted returns a text in quotes if it needs them.
func quoted(text string) string {
	if n := bare(text); n == 0 || n < len(text) {
		return strconv.Quote(text)
	}
	return text
}
