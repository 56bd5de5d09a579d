package query

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/schema"
)

func price(min, max string) Node {
	r := Range{Field: "price"}
	for _, b := range []struct {
		text  string
		mark  string
		value *any
		open  *bool
	}{{min, ">", &r.Min, &r.AboveMin}, {max, "<", &r.Max, &r.BelowMax}} {
		if text, open := strings.CutPrefix(b.text, b.mark); text != "" {
			n, _ := strconv.ParseFloat(text, 64)
			*b.value, *b.open = schema.FloatValue(0, n), open
		}
	}
	return r
}

func level(values ...string) Node {
	f := In{Field: "level"}
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
	five := In{Field: "price", Values: []any{schema.FloatValue(0, 5)}}
	host := func(v string) Node {
		return In{Field: "host", Values: []any{schema.KeywordValue(0, []byte(v))}}
	}
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
		"price:=5":                 pass(five),
		"price:*":                  pass(Exists{Field: "price"}),
		"price:(*)":                pass(Exists{Field: "price"}),
		"level:error":              pass(errs),
		`level:"a b"`:              pass(level("a b")),
		`level:a\ b\..c:d?\?`:      nil,
		`level:a\ b\.\.c:d\?\*>x=`: pass(level("a b..c:d?*>x=")),
		"level:a..b": pass(Range{Field: "level", Min: schema.KeywordValue(0, []byte("a")),
			Max: schema.KeywordValue(0, []byte("b"))}),
		"ts:>=2026-01-01": pass(Range{Field: "ts", Min: on("2026-01-01T00:00:00Z")}),
		"ts:2026-01-01T12:30..2026-02-01": pass(Range{Field: "ts", Min: on("2026-01-01T12:30:00Z"),
			Max: on("2026-02-01T00:00:00Z")}),
		"ts:<1767225600": pass(Range{Field: "ts", Max: on("2026-01-01T00:00:00Z"), BelowMax: true}),
		// Beside words they must hold, whatever the sign.
		"a price:<5":                   Bool{Must: []Node{m("a")}, Filter: []Node{cheap}},
		"a +price:<5":                  Bool{Must: []Node{m("a")}, Filter: []Node{cheap}},
		"price:<5 a b":                 Bool{Must: []Node{Bool{Should: []Node{m("a"), m("b")}}}, Filter: []Node{cheap}},
		"+a b price:<5":                Bool{Must: []Node{m("a")}, Should: []Node{m("b")}, Filter: []Node{cheap}},
		"a -b price:<5":                Bool{Must: []Node{m("a")}, MustNot: []Node{m("b")}, Filter: []Node{cheap}},
		"a AND price:<5":               Bool{Must: []Node{m("a")}, Filter: []Node{cheap}},
		"a -level:error":               Bool{Must: []Node{m("a")}, Filter: []Node{Not{Node: errs}}},
		"a AND NOT level:error":        Bool{Must: []Node{m("a")}, Filter: []Node{Not{Node: errs}}},
		"-a price:<5":                  Bool{MustNot: []Node{m("a")}, Filter: []Node{cheap}},
		"* -price:<5":                  Bool{Must: []Node{All{}}, Filter: []Node{Not{Node: cheap}}},
		"price:<5 level:error":         pass(And{cheap, errs}),
		"price:<5 -level:error":        pass(And{cheap, Not{Node: errs}}),
		"a price:<5 -level:error":      Bool{Must: []Node{m("a")}, Filter: []Node{cheap, Not{Node: errs}}},
		"a (price:<5 OR level:error)":  Bool{Must: []Node{m("a")}, Filter: []Node{Or{cheap, errs}}},
		"a -(price:<5 level:error)":    Bool{Must: []Node{m("a")}, Filter: []Node{Not{Node: And{cheap, errs}}}},
		"title:(a price:<5) b":         Bool{Should: []Node{Bool{Must: []Node{in("title", "a")}, Filter: []Node{cheap}}, m("b")}},
		"title:(price:<5) a level:()":  Bool{Must: []Node{m("a")}, Filter: []Node{cheap}},
		"(a price:<5)^2":               Bool{Must: []Node{m("a")}, Filter: []Node{cheap}, Boost: 2},
		"price:<5 OR level:error":      pass(Or{cheap, errs}),
		"a OR price:<5":                Bool{Should: []Node{m("a"), pass(cheap)}},
		"a OR price:<5 AND level:warn": Bool{Should: []Node{m("a"), pass(And{cheap, warn})}},
		// In its brackets a column has alternatives, as a field has words.
		"level:(error OR warn)":              pass(Or{errs, warn}),
		"level:(error warn) a":               Bool{Must: []Node{m("a")}, Filter: []Node{Or{errs, warn}}},
		"level:(+error warn)":                pass(errs),
		"level:(error -warn)":                pass(And{errs, Not{Node: warn}}),
		"price:(>=10 AND <20)":               pass(And{price("10", ""), price("", "<20")}),
		`level:("title:a" OR (warn) OR b:c)`: pass(Or{level("title:a"), warn, level("b:c")}),
		// So do keywords that are indexed, which have patterns and words with edits beside; ranges if they are a column too.
		"a host:x":            Bool{Must: []Node{m("a")}, Filter: []Node{host("x")}},
		"a tag:x":             Bool{Must: []Node{m("a")}, Filter: []Node{is("tag", "x")}},
		"a b +tag:=x":         Bool{Must: []Node{Bool{Should: []Node{m("a"), m("b")}}}, Filter: []Node{is("tag", "x")}},
		"a -host:x":           Bool{Must: []Node{m("a")}, Filter: []Node{Not{Node: host("x")}}},
		"-tag:x a":            Bool{Must: []Node{m("a")}, Filter: []Node{Not{Node: is("tag", "x")}}},
		"a AND tag:x":         Bool{Must: []Node{m("a")}, Filter: []Node{is("tag", "x")}},
		"a OR host:x":         Bool{Should: []Node{m("a"), pass(host("x"))}},
		"a OR tag:x":          Bool{Should: []Node{m("a"), pass(is("tag", "x"))}},
		"a (tag:x OR host:y)": Bool{Must: []Node{m("a")}, Filter: []Node{Or{is("tag", "x"), host("y")}}},
		"tag:x tag:y":         pass(And{is("tag", "x"), is("tag", "y")}),
		"tag:(x y) a":         Bool{Must: []Node{m("a")}, Filter: []Node{Or{is("tag", "x"), is("tag", "y")}}},
		"host:(x -y)":         pass(And{host("x"), Not{Node: host("y")}}),
		"a host:x price:<5":   Bool{Must: []Node{m("a")}, Filter: []Node{host("x"), cheap}},
		"host:wa* a":          Bool{Must: []Node{m("a")}, Filter: []Node{Prefix{Field: "host", Text: "wa"}}},
		"tag:?a a":            Bool{Must: []Node{m("a")}, Filter: []Node{Wildcard{Field: "tag", Pattern: "?a"}}},
		"host:wa~1":           pass(Fuzzy{Field: "host", Text: "wa", Edits: 1}),
		"host:*":              pass(Exists{Field: "host"}),
		"tag:*":               pass(Wildcard{Field: "tag", Pattern: "*"}),
		`host:""`:             pass(host("")),
		`host:"a b"~3`:        pass(host("a b")),
		"host:>=b":            pass(Range{Field: "host", Min: schema.KeywordValue(0, []byte("b"))}),
		"a host:a..<b": Bool{Must: []Node{m("a")}, Filter: []Node{Range{Field: "host", Min: schema.KeywordValue(0, []byte("a")),
			Max: schema.KeywordValue(0, []byte("b")), BelowMax: true}}},
		"tag:a..b": pass(is("tag", "a..b")),
		"a..b >=1": Bool{Should: []Node{m("a..b"), m(">=1")}},
		// With a boost they score: as words if they are indexed, else all documents alike.
		"a tag:x^1":          Bool{Should: []Node{m("a"), times(1, in("tag", "x"))}},
		"a host:x^2":         Bool{Should: []Node{m("a"), times(2, in("host", "x"))}},
		"a +host:wa*^2":      Bool{Must: []Node{Prefix{Field: "host", Text: "wa", Boost: 2}}, Should: []Node{m("a")}},
		"price:<5^2":         Const{Node: pass(cheap), Score: 2},
		"a price:5^2":        Bool{Should: []Node{m("a"), Const{Node: pass(five), Score: 2}}},
		`a host:""^2`:        Bool{Should: []Node{m("a"), Const{Node: pass(host("")), Score: 2}}},
		"(price:<5 tag:x)^2": Bool{Must: []Node{Const{Node: pass(cheap), Score: 1}, times(1, in("tag", "x"))}, Boost: 2},
		"tag:(+x y -z)^3":    Bool{Must: []Node{times(1, in("tag", "x"))}, Should: []Node{times(1, in("tag", "y"))}, MustNot: []Node{times(1, in("tag", "z"))}, Boost: 3},
		"(tag:x)^2^":         nil,
		"tag:(x^2 y) a":      Bool{Should: []Node{Bool{Should: []Node{times(2, in("tag", "x")), pass(is("tag", "y"))}}, m("a")}},
	} {
		got, err := Parse(languageSchema, text)
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
		"price:abc":      `at character 7, "abc": field "price": "abc" is no finite number`,
		"a price:1..x":   `at character 12, "x": field "price": "x" is no finite number`,
		"price:NaN":      `at character 7, "NaN": field "price": `,
		"ts:>=2026":      `at character 6, "2026": field "ts": "2026" is no time such as`,
		"price:":         `at the end: a value of the column "price" is missing`,
		"price:>= 10":    `at character 9, " 10": a value of the column "price" is missing`,
		"price:10..":     `at the end: a value of the column "price" is missing`,
		"price:..20":     `at character 7, "..20": a value of the column "price" is missing`,
		"price:>1..2":    `at character 9, "..2": a range has one value before .. and one behind it`,
		"price:1..2..3":  `at character 11, "..3": a range has one value before .. and one behind it`,
		"price:[1 TO 2]": `at character 7, "[1 TO 2]": a range is written 1..2, in a field that is a column (the character is written \[)`,
		"level:err*":     `at character 10, "*": * stands for other characters only in a field that is indexed (the character is written \*)`,
		"level:**":       `at character 7, "**": * stands for other characters only in a field that is indexed (the character is written \*)`,
		"level:err~1":    `at character 10, "~1": ~ cannot stand here (the character is written \~)`,
		"price:<5^1,5":   `at character 9, "^1,5": what follows ^ is no number`,
		"tag:>=b":        `at character 5, ">=b": field "tag" is indexed, but no column, which ranges need (the character is written \>)`,
		`tag:"a".."b"`:   `at character 8, "..\"b\"": field "tag" is indexed, but no column, which ranges need (the character is written \.)`,
		`a tag:""`:       `at character 7, "\"\"": field "tag" is indexed, but no column: only columns have the empty keyword`,
		"tag:":           `at the end: a value of the field "tag" is missing`,
		"tag:=a*":        `at character 7, "*": * cannot stand in a bound, nor behind = (the character is written \*)`,
		"host:a..b?":     `at character 10, "?": ? cannot stand in a bound, nor behind = (the character is written \?)`,
		"host:a*..b":     `at character 7, "*..b": * cannot stand in a bound, nor behind = (the character is written \*)`,
		"host:*..b":      `at character 7, "..b": a range has one value before .. and one behind it`,
		`host:"a"~x`:     `at character 9, "~x": ~ behind a quote takes a number`,
		"host:a~9":       `at character 7, "~9": a word takes ~, ~1 or ~2`,
		`level:"a`:       `at character 7, "\"a": nothing closes this quote`,
		`level:a\`:       `at character 8, "\\": nothing follows \`,
		"-price:<5 -a":   `at character 1, "-price:<5 -a": all is excluded here`,
		"level:(-error)": `at character 8, "-error)": all is excluded here`,
		"a OR -price:<5": `at character 6, "-price:<5": an alternative of OR`,
		"level:(a OR )":  `at character 13, ")": a part is missing`,
	} {
		_, err := Parse(languageSchema, text)
		if at := new(SyntaxError); err == nil || !strings.HasPrefix(err.Error(), "query: "+want) || !errors.Is(err, ErrInvalid) || !errors.As(err, &at) {
			t.Errorf("%s: %v\nwant query: %s", text, err, want)
		}
	}
}

// printedFilter returns a part of a text that says what f says.
func printedFilter(f Node) string {
	value := func(v schema.Value) string {
		text := v.String()
		switch v.Kind {
		case schema.Keyword:
			text = string(v.Bytes())
		case schema.Time:
			text = v.Time().Format(time.RFC3339Nano)
		}
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	switch f := f.(type) {
	case In:
		return f.Field + ":" + value(f.Values[0].(schema.Value))
	case Exists:
		return f.Field + ":*"
	case Range:
		above, below, dots := ">=", "<=", ".."
		if f.AboveMin {
			above, dots = ">", "<.."
		}
		if f.BelowMax {
			below, dots = "<", dots+"<"
		}
		switch {
		case f.Max == nil:
			return f.Field + ":" + above + value(f.Min.(schema.Value))
		case f.Min == nil:
			return f.Field + ":" + below + value(f.Max.(schema.Value))
		}
		return f.Field + ":" + value(f.Min.(schema.Value)) + dots + value(f.Max.(schema.Value))
	case And:
		return "(" + printedFilters(f) + ")"
	case Or:
		parts := make([]string, len(f))
		for i, x := range f {
			parts[i] = printedFilter(x)
		}
		return "(" + strings.Join(parts, " OR ") + ")"
	}
	return printed(f)
}

// printedFilters returns a list of filters.
func printedFilters(all []Node) (s string) {
	for _, f := range all {
		if not, ok := f.(Not); ok {
			s += " NOT " + printedFilter(not.Node)
		} else {
			s += " " + printedFilter(f)
		}
	}
	return s
}
