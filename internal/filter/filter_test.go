package filter

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

var testSchema = &schema.Schema{NextID: 10, Fields: []schema.Field{
	{ID: 1, Name: "body", Kind: schema.Text},
	{ID: 2, Name: "price", Kind: schema.Integer, Column: true},
	{ID: 3, Name: "rank", Kind: schema.Float, Column: true},
	{ID: 4, Name: "ts", Kind: schema.Time, Column: true, Unit: schema.UnitSecond},
	{ID: 5, Name: "level", Kind: schema.Keyword, Column: true},
	{ID: 6, Name: "not", Kind: schema.Keyword, Column: true},
	{ID: 7, Name: "a b", Kind: schema.Keyword, Column: true},
	{ID: 8, Name: "host", Kind: schema.Keyword},
}}

func integer(n int64) schema.Value  { return schema.IntegerValue(0, n) }
func keyword(s string) schema.Value { return schema.KeywordValue(0, []byte(s)) }
func moment(s string) schema.Value {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return schema.TimeValue(0, t)
}

func key(t interface{ Fatalf(string, ...any) }, f Filter) string {
	c, err := Compile(testSchema, f)
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return c.Key()
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Filter{
		"level=error":                      In{"level", []schema.Value{keyword("error")}},
		"level = error":                    In{"level", []schema.Value{keyword("error")}},
		`level != "a b"`:                   Not{In{"level", []schema.Value{keyword("a b")}}},
		`level in(error, "w\x00")`:         In{"level", []schema.Value{keyword("error"), keyword("w\x00")}},
		"level in ()":                      In{Field: "level"},
		"price 10..20":                     Range{Field: "price", Min: integer(10), Max: integer(20)},
		"price -10<..<-2":                  Range{Field: "price", Min: integer(-10), Max: integer(-2), AboveMin: true, BelowMax: true},
		"price>=-9223372036854775808":      Range{Field: "price", Min: integer(math.MinInt64)},
		"rank < 1.5e3":                     Range{Field: "rank", Max: schema.FloatValue(0, 1500), BelowMax: true},
		"rank 1.5..2":                      Range{Field: "rank", Min: schema.FloatValue(0, 1.5), Max: schema.FloatValue(0, 2)},
		"ts<2026-01-01":                    Range{Field: "ts", Max: moment("2026-01-01T00:00:00Z"), BelowMax: true},
		"ts>2026-01-01T12:30":              Range{Field: "ts", Min: moment("2026-01-01T12:30:00Z"), AboveMin: true},
		"ts<=2026-01-01T12:30+02:00":       Range{Field: "ts", Max: moment("2026-01-01T10:30:00Z")},
		"ts 2026-01-01T12:30:01.5Z..12345": Range{Field: "ts", Min: moment("2026-01-01T12:30:01Z"), Max: moment("1970-01-01T03:25:45Z")},
		"exists(ts)":                       Exists{"ts"},
		`EXISTS ( "a b" )`:                 Exists{"a b"},
		`ids(a, "b c")`:                    IDs{[][]byte{[]byte("a"), []byte("b c")}},
		"ids()":                            IDs{},
		"*":                                And{},
		"not *":                            Or{},
		`"not" = and`:                      In{"not", []schema.Value{keyword("and")}},
		"not \"not\"=x":                    Not{In{"not", []schema.Value{keyword("x")}}},
		"level in..out":                    Range{Field: "level", Min: keyword("in"), Max: keyword("out")},
		"level in<..out":                   Range{Field: "level", Min: keyword("in"), Max: keyword("out"), AboveMin: true},
		"price=1 or price=2 and not level=x and (rank=1 or *)": Or{In{"price", []schema.Value{integer(1)}},
			And{In{"price", []schema.Value{integer(2)}}, Not{In{"level", []schema.Value{keyword("x")}}}, Or{In{"rank", []schema.Value{schema.FloatValue(0, 1)}}, And{}}}},
	} {
		f, err := Parse(testSchema, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if key(t, f) != key(t, want) {
			t.Errorf("%s: %v, want %v", text, f, want)
		}
		again(t, f)
	}
}

// again fails if what f prints says something else.
func again(t interface{ Fatalf(string, ...any) }, f Filter) {
	text := fmt.Sprint(f)
	g, err := Parse(testSchema, text)
	if err != nil || key(t, f) != key(t, g) || fmt.Sprint(g) != text {
		t.Fatalf("%s, parsed again: %v, %v", text, g, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "at the end: a filter is missing"},
		{"level=", "at the end: a value is missing"},
		{"level = error warn", `at character 15, "warn": this does not belong`},
		{"level", "at the end: a comparison is missing"},
		{"level )", `at character 7, ")": a comparison is missing`},
		{"(level=a", `at character 1, "(level=a": nothing closes`},
		{"(level=a b", `at character 10, "b": ) or another filter`},
		{"level=a)", `at character 8, ")": this does not belong`},
		{"é=1", `at character 1, "é=1": there is no field "é"; the columns are price, rank, ts`},
		{"body=a", `at character 1, "body=a": field "body": it is no column`},
		{"host=a", `field "host": it is no column`},
		{"price=x", `at character 7, "x": field "price": "x" is no integer`},
		{"price=1.5", "is no integer"},
		{"price=9223372036854775808", "is no integer"},
		{"rank=NaN", `field "rank": the value NaN is not finite`},
		{"rank=inf", "is not finite"},
		{"rank=1e999", "is no finite number"},
		{"ts>=2026", `"2026" is no time such as`},
		{"ts=yesterday", `"yesterday" is no time such as`},
		{"ts=2500-01-01", "from the year 1678 to 2261"},
		{"ts=99999999999", "from the year 1678 to 2261"},
		{"and", "this combines filters"},
		{"level=a and", "at the end: a filter is missing"},
		{"level in (a", "at the end: ) is missing"},
		{"level in (a,)", `at character 13, ")": a value is missing`},
		{"level in a", `at character 10, "a": ( is missing`},
		{"price 1", "at the end: .. is missing"},
		{"price 1..", "at the end: a value is missing"},
		{"exists()", "the name of a field is missing"},
		{`level="a`, "nothing closes this quote"},
		{strings.Repeat("(", 101), "more than 100 filters"},
		{strings.Repeat("not ", 101) + "*", "more than 100 filters"},
		{"level=" + strings.Repeat("a", schema.MaxKeyword+1), "at most 65535 are possible"},
	} {
		f, err := Parse(testSchema, c.text)
		var place *SyntaxError
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrInvalid) || !errors.As(err, &place) || f != nil {
			t.Errorf("%.60q: %v, %v; want %s", c.text, f, err, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	deep := Filter(Exists{"ts"})
	for range 101 {
		deep = Not{deep}
	}
	for _, c := range []struct {
		f    Filter
		want string // of the error
	}{
		{In{"level", []schema.Value{keyword("a")}}, ""},
		{Range{Field: "price", Min: integer(2), Max: integer(1)}, ""},
		{Range{Field: "price"}, ""},
		{In{Field: "level"}, ""},
		{nil, "a filter is nil"},
		{And{Exists{"ts"}, nil}, "a filter is nil"},
		{Not{}, "a filter is nil"},
		{deep, "within one another"},
		{Or(make([]Filter, 10_000)), "nil"},
		{Or(all(10_000)), "more than 10000 filters"},
		{other{}, "a filter of type filter.other is for searches only"},
		{Exists{"nowhere"}, `there is no field "nowhere"; the columns are price, rank, ts, level, not, a b`},
		{Exists{"body"}, `field "body": it is no column`},
		{Or{And{}, Exists{"host"}}, `field "host": it is no column`},
		{In{"price", []schema.Value{keyword("7")}}, `field "price": the value "7" of kind keyword in a field of kind integer`},
		{In{"price", []schema.Value{{}}}, "a value without a kind"},
		{In{"rank", []schema.Value{schema.FloatValue(0, math.NaN())}}, `field "rank": the value NaN is not finite`},
		{Range{Field: "rank", Max: schema.FloatValue(0, math.Inf(1))}, `field "rank": the value +Inf is not finite`},
		{Range{Field: "ts", Min: integer(1)}, "of kind integer in a field of kind time"},
		{Range{Field: "ts", Min: schema.TimeValue(0, time.Time{})}, `field "ts": the time is not from the year 1678`},
	} {
		switch err := Check(testSchema, c.f); {
		case c.want == "" && err != nil, c.want != "" && err == nil:
			t.Errorf("%v: %v, want %q", c.f, err, c.want)
		case c.want != "" && (!strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrInvalid)):
			t.Errorf("%v: %v, want %q", c.f, err, c.want)
		}
	}
	for _, s := range []*schema.Schema{nil, {Fields: []schema.Field{{Name: "", Kind: schema.Text}}}} {
		if err := Check(s, Exists{"x"}); err == nil || !strings.Contains(err.Error(), "the index has no columns") {
			t.Errorf("no columns: %v", err)
		}
	}
}

type other struct{}

func (other) Restricts() {}

func all(n int) []Filter {
	some := make([]Filter, n)
	for i := range some {
		some[i] = Exists{"ts"}
	}
	return some
}

// What means the same has one key, what does not has others.
func TestKey(t *testing.T) {
	a, b, c := Exists{"ts"}, Exists{"price"}, In{"level", []schema.Value{keyword("x")}}
	classes := [][]Filter{
		{a, And{a}, Or{a}, And{a, a}, And{a, And{}}, Or{a, Or{}}, Not{Not{a}}, Range{Field: "ts"}},
		{And{a, b, c}, And{c, And{b, a}}, And{b, a, c, b}},
		{Or{a, b, c}, Or{c, Or{b, a}}},
		{And{}, Not{Or{}}, Or{And{}, a}, Not{In{Field: "level"}}},
		{Or{}, Not{And{}}, And{Or{}, a}, IDs{}, In{Field: "price"}, Range{Field: "price", Min: integer(2), Max: integer(1)},
			Range{Field: "price", Min: integer(2), Max: integer(2), AboveMin: true}, Range{Field: "level", Min: keyword("b"), Max: keyword("a")},
			Range{Field: "level", Min: keyword("b"), Max: keyword("b"), BelowMax: true},
			Range{Field: "price", Min: integer(math.MaxInt64), AboveMin: true}, Range{Field: "price", Max: integer(math.MinInt64), BelowMax: true}},
		{In{"price", []schema.Value{integer(1), integer(2)}}, In{"price", []schema.Value{integer(2), integer(1), integer(2)}}},
		{Range{Field: "price", Min: integer(1), Max: integer(3)}, Range{Field: "price", Min: integer(0), Max: integer(4), AboveMin: true, BelowMax: true}},
		{In{"rank", []schema.Value{schema.FloatValue(0, 0)}}, In{"rank", []schema.Value{schema.FloatValue(3, math.Copysign(0, -1))}}},
		{In{"ts", []schema.Value{moment("2026-01-01T00:00:01.9Z")}}, In{"ts", []schema.Value{moment("2026-01-01T00:00:01Z")}}},
		{In{"level", []schema.Value{keyword("a"), keyword("b")}}},
		{In{"level", []schema.Value{keyword("ab")}}},
		{In{"not", []schema.Value{keyword("ab")}}},
		{In{"level", []schema.Value{keyword("")}}},
		{IDs{[][]byte{[]byte("a"), []byte("b")}}, IDs{[][]byte{[]byte("b"), []byte("a"), []byte("b")}}},
		{IDs{[][]byte{[]byte("ab")}}},
		{Range{Field: "level", Min: keyword("")}},
		{Range{Field: "level", Max: keyword("")}},
		{Range{Field: "level", Min: keyword(""), AboveMin: true}},
		{Not{a}},
		{b},
		{In{"level", []schema.Value{keyword(strings.Repeat("x", 70))}}},
		{In{"level", []schema.Value{keyword(strings.Repeat("x", 71))}}},
	}
	seen := map[string]Filter{}
	for _, class := range classes {
		k := key(t, class[0])
		if other, ok := seen[k]; ok {
			t.Errorf("%v and %v have the same key", class[0], other)
		}
		seen[k] = class[0]
		for _, f := range class {
			if key(t, f) != k {
				t.Errorf("%v and %v have different keys", class[0], f)
			}
			again(t, f)
		}
	}
}

func drawFilter(t *rapid.T, depth int) Filter {
	kinds := 5
	if depth > 0 {
		kinds = 8
	}
	words := rapid.SampledFrom([]string{"", "a", "b c", "..", "é", "\xff\x00", `"\`, "and", "x.y", ".5", "<", "10"})
	var field string
	value := func() schema.Value {
		switch field {
		case "price":
			return integer(rapid.Int64().Draw(t, "integer"))
		case "rank":
			return schema.FloatValue(0, rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "float"))
		case "ts":
			return schema.NanosValue(0, rapid.Int64Min(math.MinInt64+1).Draw(t, "time"))
		}
		return keyword(words.Draw(t, "word"))
	}
	field = rapid.SampledFrom([]string{"price", "rank", "ts", "level", "not", "a b"}).Draw(t, "field")
	kids := func() []Filter {
		var all []Filter
		for range rapid.IntRange(0, 3).Draw(t, "kids") {
			all = append(all, drawFilter(t, depth-1))
		}
		return all
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		f := In{Field: field}
		for range rapid.IntRange(0, 3).Draw(t, "values") {
			f.Values = append(f.Values, value())
		}
		return f
	case 1, 2:
		f := Range{Field: field, AboveMin: rapid.Bool().Draw(t, "above"), BelowMax: rapid.Bool().Draw(t, "below")}
		if rapid.Bool().Draw(t, "low") {
			f.Min = value()
		}
		if rapid.Bool().Draw(t, "high") {
			f.Max = value()
		}
		return f
	case 3:
		return Exists{field}
	case 4:
		f := IDs{}
		for range rapid.IntRange(0, 2).Draw(t, "ids") {
			f.IDs = append(f.IDs, []byte(words.Draw(t, "id")))
		}
		return f
	case 5:
		return And(kids())
	case 6:
		return Or(kids())
	}
	return Not{drawFilter(t, depth-1)}
}

// What a filter prints says the same.
func TestPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFilter(t, 3)
		again(t, f)
	})
}

// FuzzParse parses any text: what it says, printed, says the same.
func FuzzParse(x *testing.F) {
	f := fuzzing.New(x)
	for _, text := range []string{"", `level in (error, "w\x00") and not (price -10<..<20 or rank>=1e5)`, `ts < 2026-01-01T12:30Z and exists("a b")`, "ids(a, b) or *", `"not"!=x..y`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := Parse(testSchema, text); err == nil {
			again(t, g)
		} else if place := (*SyntaxError)(nil); !errors.As(err, &place) || place.Offset > len(text) || !bytes.Contains([]byte(err.Error()), []byte(place.Reason)) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
