package search_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

var comparing = &schema.Schema{NextID: 10, Fields: []schema.Field{
	{ID: 1, Name: "body", Kind: schema.Text},
	{ID: 2, Name: "stock", Kind: schema.Integer, Column: true},
	{ID: 3, Name: "price", Kind: schema.Float, Column: true},
	{ID: 4, Name: "added", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
	{ID: 5, Name: "brand", Kind: schema.Keyword, Column: true},
}}

// keyOf returns what tells the set of a node from others.
func keyOf(t *testing.T, n query.Node) string {
	t.Helper()
	f, err := where.Filter(comparing, n)
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	c, err := filter.Compile(comparing, f)
	if err != nil {
		t.Fatal(err)
	}
	return c.Key()
}

// A filter is the same set as text, as nodes of values of a schema or of Go, and as what functions return; and prints as text
// that says the same.
func TestFilterForms(t *testing.T) {
	type name string
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	for text, forms := range map[string][]query.Node{
		"stock = 5": {query.Equal("stock", 5), query.Equal("stock", 5.0), query.Equal("stock", uint8(5)), query.In{Field: "stock", Values: []any{int64(5)}},
			query.In{Field: "stock", Values: []any{schema.IntegerValue(0, 5), 5, 5.0}}},
		"price = 5":        {query.Equal("price", 5), query.Equal("price", 5.0), query.Equal("price", float32(5)), query.In{Field: "price", Values: []any{schema.FloatValue(0, 5)}}},
		"brand = acme":     {query.Equal("brand", "acme"), query.Equal("brand", name("acme")), query.In{Field: "brand", Values: []any{schema.KeywordValue(0, []byte("acme"))}}},
		"brand = true":     {query.Equal("brand", true), query.Equal("brand", "true")},
		`brand = ""`:       {query.Equal("brand", "")},
		"brand in (a, b)":  {query.In{Field: "brand", Values: []any{"b", "a", "b"}}},
		"brand in ()":      {query.In{Field: "brand"}, query.Or{}, query.Not{Node: query.And{}}},
		"added=2026-01-31": {query.Equal("added", day), query.Equal("added", day.Add(time.Second/2)), query.Equal("added", "2026-01-31T00:00:00Z"), query.Equal("added", "2026-01-31"), query.Equal("added", day.Unix())},
		"price 5..20":      {query.Between("price", 5, 20), query.Between("price", 5.0, 20.0), query.Range{Field: "price", Min: 5, Max: 20.0}},
		"price 5<..<20":    {query.Range{Field: "price", Min: 5, Max: 20, AboveMin: true, BelowMax: true}, query.And{query.Range{Field: "price", Min: 5, Max: 20, AboveMin: true, BelowMax: true}}},
		"stock >= 5":       {query.AtLeast("stock", 5), query.Above("stock", 4)},
		"stock <= 5":       {query.AtMost("stock", 5), query.Below("stock", 6)},
		"price > 5":        {query.Above("price", 5)},
		"brand < b":        {query.Below("brand", "b")},
		"added >= 2026-01-31 and not brand = acme": {query.And{query.AtLeast("added", day), query.Not{Node: query.Equal("brand", "acme")}},
			query.And{query.Not{Node: query.Equal("brand", "acme")}, query.And{query.AtLeast("added", day)}}},
		"exists(price)":                          {query.Exists{Field: "price"}, query.Range{Field: "price"}, query.Range{Field: "price", Min: schema.Value{}}},
		"ids(a, b)":                              {query.IDs{"a", "b"}, query.IDs{"b", "a", "a"}},
		"*":                                      {query.And{}, query.Not{Node: query.Or{}}},
		"stock = 1 or (price = 2 and brand = c)": {query.Or{query.Equal("stock", 1), query.And{query.Equal("price", 2), query.Equal("brand", "c")}}},
	} {
		parsed, err := query.ParseFilter(comparing, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := keyOf(t, parsed)
		for _, n := range append(forms, parsed) {
			if keyOf(t, n) != want {
				t.Errorf("%s: %v is another set", text, n)
			}
			again, err := query.ParseFilter(comparing, fmt.Sprint(n))
			if err != nil || keyOf(t, again) != want {
				t.Errorf("%s: %#v prints as %v: %v", text, n, n, err)
			}
		}
	}
}

// Values of Go that a field cannot have are refused, with the field, the value and the kind.
func TestFilterValues(t *testing.T) {
	for _, c := range []struct {
		n    query.Node
		says []string
	}{
		{query.Equal("stock", "five"), []string{`"stock"`, `"five"`, "integer"}},
		{query.Equal("stock", 5.5), []string{`"stock"`, "5.5", "integer"}},
		{query.Equal("stock", uint64(math.MaxUint64)), []string{`"stock"`, "18446744073709551615", "integer"}},
		{query.Equal("stock", true), []string{`"stock"`, "true", "integer"}},
		{query.Equal("stock", time.Unix(0, 0)), []string{`"stock"`, "1970", "integer"}},
		{query.Equal("price", "5"), []string{`"price"`, `"5"`, "float"}},
		{query.Equal("price", math.NaN()), []string{`"price"`, "NaN"}},
		{query.Above("price", math.Inf(1)), []string{`"price"`, "Inf"}},
		{query.Equal("price", 1<<53+1), []string{`"price"`, "9007199254740993", "float"}},
		{query.Equal("brand", 5), []string{`"brand"`, "5", "keyword"}},
		{query.AtMost("brand", 5.5), []string{`"brand"`, "5.5", "keyword"}},
		{query.Equal("added", 5.5), []string{`"added"`, "5.5", "time"}},
		{query.AtLeast("added", "yesterday"), []string{`"added"`, `"yesterday"`, "time"}},
		{query.Equal("added", time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)), []string{`"added"`, "from the year 1678"}},
		{query.Equal("body", "a"), []string{`"body"`, "no column"}},
		{query.Equal("none", "a"), []string{`"none"`, "the columns are stock, price, added, brand"}},
		{query.In{Field: "stock", Values: []any{1, nil}}, []string{"stock", "without a kind"}},
		{query.In{Field: "stock", Values: []any{[]int{1, 2}}}, []string{`"stock"`, "[1 2]", "not one value"}},
		{query.In{Field: "stock", Values: []any{struct{}{}}}, []string{`"stock"`, "struct", "integer"}},
		{query.Equal("stock", schema.Value{}.Int()), nil},
	} {
		searched := query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{query.IDs{"a"}, c.n}}
		_, err := where.Filter(comparing, c.n)
		_, _, built := search.NewParserFor(comparing).Terms(&search.Query{Node: searched})
		if c.says == nil {
			if err != nil || built != nil {
				t.Errorf("%v: %v, %v", c.n, err, built)
			}
			continue
		}
		for _, err := range []error{err, built} {
			if !errors.Is(err, query.ErrInvalid) || slices.ContainsFunc(c.says, func(s string) bool { return !strings.Contains(err.Error(), s) }) {
				t.Errorf("%v: %v; it should say %v", c.n, err, c.says)
			}
		}
		if built != nil && !strings.HasSuffix(built.Error(), "at Filter[1]") {
			t.Errorf("%v: %v does not say where", c.n, built)
		}
	}
	for _, n := range []query.Node{query.Match{Text: "a"}, query.Docs{}, query.And{query.Exists{Field: "price"}, query.All{}}, query.Not{}, nil} {
		if _, err := where.Filter(comparing, n); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "only searches take") {
			t.Errorf("%v: %v", n, err)
		}
	}
}
