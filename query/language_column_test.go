package query

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/schema"
)

func price(min, max string) Filter {
	r := filter.Range{Field: "price"}
	for _, b := range []struct {
		text  string
		mark  string
		value *schema.Value
		open  *bool
	}{{min, ">", &r.Min, &r.AboveMin}, {max, "<", &r.Max, &r.BelowMax}} {
		if text, open := strings.CutPrefix(b.text, b.mark); text != "" {
			n, _ := strconv.ParseFloat(text, 64)
			*b.value, *b.open = schema.FloatValue(0, n), open
		}
	}
	return r
}

func level(values ...string) Filter {
	f := filter.In{Field: "level"}
	for _, v := range values {
		f.Values = append(f.Values, schema.KeywordValue(0, []byte(v)))
	}
	return f
}

func on(text string) schema.Value {
	t, _ := time.Parse(time.RFC3339, text)
	return schema.TimeValue(0, t)
}

// Values in columns restrict what is beside them, and are alternatives in OR and in the brackets of a column.
func TestParseTextColumns(t *testing.T) {
	pass := func(f ...Filter) Node { return Bool{Filter: f} }
	cheap, errs, warn := price("", "<5"), level("error"), level("warn")
	for text, want := range map[string]Node{
		"price:10..20":             pass(price("10", "20")),
		"price:-1.5..1e3":          pass(price("-1.5", "1e3")),
		"price:10<..<20":           pass(price(">10", "<20")),
		`price:"10"..<"20"`:        pass(price("10", "<20")),
		"price:>=10":               pass(price("10", "")),
		"price:>10":                pass(price(">10", "")),
		"price:<=5":                pass(price("", "5")),
		"price:<5":                 pass(cheap),
		"price:=5":                 pass(filter.In{Field: "price", Values: []schema.Value{schema.FloatValue(0, 5)}}),
		"price:*":                  pass(filter.Exists{Field: "price"}),
		"price:(*)":                pass(filter.Exists{Field: "price"}),
		"level:error":              pass(errs),
		`level:"a b"`:              pass(level("a b")),
		`level:a\ b\..c:d?\?`:      nil,
		`level:a\ b\.\.c:d\?\*>x=`: pass(level("a b..c:d?*>x=")),
		"level:a..b": pass(filter.Range{Field: "level", Min: schema.KeywordValue(0, []byte("a")),
			Max: schema.KeywordValue(0, []byte("b"))}),
		"ts:>=2026-01-01": pass(filter.Range{Field: "ts", Min: on("2026-01-01T00:00:00Z")}),
		"ts:2026-01-01T12:30..2026-02-01": pass(filter.Range{Field: "ts", Min: on("2026-01-01T12:30:00Z"),
			Max: on("2026-02-01T00:00:00Z")}),
		"ts:<1767225600": pass(filter.Range{Field: "ts", Max: on("2026-01-01T00:00:00Z"), BelowMax: true}),
		// Beside words they must hold, whatever the sign.
		"a price:<5":                   Bool{Must: []Node{m("a")}, Filter: []Filter{cheap}},
		"a +price:<5":                  Bool{Must: []Node{m("a")}, Filter: []Filter{cheap}},
		"price:<5 a b":                 Bool{Must: []Node{Bool{Should: []Node{m("a"), m("b")}}}, Filter: []Filter{cheap}},
		"+a b price:<5":                Bool{Must: []Node{m("a")}, Should: []Node{m("b")}, Filter: []Filter{cheap}},
		"a -b price:<5":                Bool{Must: []Node{m("a")}, Not: []Node{m("b")}, Filter: []Filter{cheap}},
		"a AND price:<5":               Bool{Must: []Node{m("a")}, Filter: []Filter{cheap}},
		"a -level:error":               Bool{Must: []Node{m("a")}, Filter: []Filter{filter.Not{Filter: errs}}},
		"a AND NOT level:error":        Bool{Must: []Node{m("a")}, Filter: []Filter{filter.Not{Filter: errs}}},
		"-a price:<5":                  Bool{Not: []Node{m("a")}, Filter: []Filter{cheap}},
		"* -price:<5":                  Bool{Must: []Node{All{}}, Filter: []Filter{filter.Not{Filter: cheap}}},
		"price:<5 level:error":         pass(filter.And{cheap, errs}),
		"price:<5 -level:error":        pass(filter.And{cheap, filter.Not{Filter: errs}}),
		"a price:<5 -level:error":      Bool{Must: []Node{m("a")}, Filter: []Filter{cheap, filter.Not{Filter: errs}}},
		"a (price:<5 OR level:error)":  Bool{Must: []Node{m("a")}, Filter: []Filter{filter.Or{cheap, errs}}},
		"a -(price:<5 level:error)":    Bool{Must: []Node{m("a")}, Filter: []Filter{filter.Not{Filter: filter.And{cheap, errs}}}},
		"title:(a price:<5) b":         Bool{Should: []Node{Bool{Must: []Node{in("title", "a")}, Filter: []Filter{cheap}}, m("b")}},
		"title:(price:<5) a level:()":  Bool{Must: []Node{m("a")}, Filter: []Filter{cheap}},
		"(a price:<5)^2":               Bool{Must: []Node{m("a")}, Filter: []Filter{cheap}, Boost: 2},
		"price:<5 OR level:error":      pass(filter.Or{cheap, errs}),
		"a OR price:<5":                Bool{Should: []Node{m("a"), pass(cheap)}},
		"a OR price:<5 AND level:warn": Bool{Should: []Node{m("a"), pass(filter.And{cheap, warn})}},
		// In its brackets a column has alternatives, as a field has words.
		"level:(error OR warn)":              pass(filter.Or{errs, warn}),
		"level:(error warn) a":               Bool{Must: []Node{m("a")}, Filter: []Filter{filter.Or{errs, warn}}},
		"level:(+error warn)":                pass(errs),
		"level:(error -warn)":                pass(filter.And{errs, filter.Not{Filter: warn}}),
		"price:(>=10 AND <20)":               pass(filter.And{price("10", ""), price("", "<20")}),
		`level:("title:a" OR (warn) OR b:c)`: pass(filter.Or{level("title:a"), warn, level("b:c")}),
		// A field that is indexed too has words.
		"host:a..b a": Bool{Should: []Node{in("host", "a..b"), m("a")}},
		"host:>=b":    in("host", ">=b"),
		"a..b >=1":    Bool{Should: []Node{m("a..b"), m(">=1")}},
	} {
		got, err := ParseText(languageSchema, text)
		if want == nil {
			if err == nil {
				t.Errorf("%s: %+v", text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v", text, got, err, want)
		}
	}
}

func TestParseTextColumnErrors(t *testing.T) {
	for text, want := range map[string]string{
		"price:abc":            `at character 7, "abc": field "price": "abc" is no finite number`,
		"a price:1..x":         `at character 12, "x": field "price": "x" is no finite number`,
		"price:NaN":            `at character 7, "NaN": field "price": `,
		"ts:>=2026":            `at character 6, "2026": field "ts": "2026" is no time such as`,
		"price:":               `at the end: a value of the column "price" is missing`,
		"price:>= 10":          `at character 9, " 10": a value of the column "price" is missing`,
		"price:10..":           `at the end: a value of the column "price" is missing`,
		"price:..20":           `at character 7, "..20": a value of the column "price" is missing`,
		"price:>1..2":          `at character 9, "..2": a range has one value before .. and one behind it`,
		"price:1..2..3":        `at character 11, "..3": a range has one value before .. and one behind it`,
		"price:[1 TO 2]":       `at character 7, "[1 TO 2]": a range is written 1..2 (the character is written \[)`,
		"level:err*":           `at character 10, "*": * stands for other characters only in a field that is indexed (the character is written \*)`,
		"level:**":             `at character 7, "**": * stands for other characters only in a field that is indexed (the character is written \*)`,
		"level:err~1":          `at character 10, "~1": ~ cannot stand here (the character is written \~)`,
		"price:<5^2":           `at character 9, "^2": values in columns do not score, so that ^ changes nothing (the character is written \^)`,
		"(price:<5 level:a)^2": `at character 19, "^2": values in columns do not score, so that ^ changes nothing (the character is written \^)`,
		`level:"a`:             `at character 7, "\"a": nothing closes this quote`,
		`level:a\`:             `at character 8, "\\": nothing follows \`,
		"-price:<5 -a":         `at character 1, "-price:<5 -a": all is excluded here`,
		"level:(-error)":       `at character 8, "-error)": all is excluded here`,
		"a OR -price:<5":       `at character 6, "-price:<5": an alternative of OR`,
		"level:(a OR )":        `at character 13, ")": a part is missing`,
	} {
		_, err := ParseText(languageSchema, text)
		if at := new(SyntaxError); err == nil || !strings.HasPrefix(err.Error(), "query: "+want) || !errors.Is(err, ErrInvalid) || !errors.As(err, &at) {
			t.Errorf("%s: %v\nwant query: %s", text, err, want)
		}
	}
}

// printedFilter returns a part of a text that says what f says.
func printedFilter(f Filter) string {
	value := func(v schema.Value) string {
		text := v.String()
		switch v.Kind {
		case schema.KindKeyword:
			text = string(v.Bytes())
		case schema.KindTime:
			text = v.Time().Format(time.RFC3339Nano)
		}
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	switch f := f.(type) {
	case filter.In:
		return f.Field + ":" + value(f.Values[0])
	case filter.Exists:
		return f.Field + ":*"
	case filter.Range:
		above, below, dots := ">=", "<=", ".."
		if f.AboveMin {
			above, dots = ">", "<.."
		}
		if f.BelowMax {
			below, dots = "<", dots+"<"
		}
		switch {
		case f.Max.Kind == 0:
			return f.Field + ":" + above + value(f.Min)
		case f.Min.Kind == 0:
			return f.Field + ":" + below + value(f.Max)
		}
		return f.Field + ":" + value(f.Min) + dots + value(f.Max)
	case filter.And:
		return "(" + printedFilters(f) + ")"
	case filter.Or:
		parts := make([]string, len(f))
		for i, x := range f {
			parts[i] = printedFilter(x)
		}
		return "(" + strings.Join(parts, " OR ") + ")"
	}
	return "?"
}

// printedFilters returns a list of filters.
func printedFilters(all []Filter) (s string) {
	for _, f := range all {
		if not, ok := f.(filter.Not); ok {
			s += " NOT " + printedFilter(not.Filter)
		} else {
			s += " " + printedFilter(f)
		}
	}
	return s
}
