package schema_test

import (
	"fmt"
	"time"

	"github.com/pinion-index/pinion/schema"
)

func ExampleParse() {
	s, err := schema.Parse([]byte(`{"fields": [
		{"name": "title", "kind": "text", "analyzer": "english", "stored": true, "weight": 2},
		{"name": "year", "kind": "integer", "stored": true}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		fmt.Println(f.Name, f.Kind, f.Indexing())
	}
	_, err = schema.Parse([]byte(`{"fields": [{"name": "year", "kind": "integer", "index": "docs"}]}`))
	fmt.Println(err)
	// Output:
	// title text freqs
	// year integer none
	// schema: invalid schema: field "year": a field of kind integer cannot be indexed yet; it can be stored and a column
}

func ExampleSchema_Rename() {
	s := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}}}
	renamed, err := s.Rename("body", "text")
	fmt.Println(renamed.Fields[0].Name, err)
	_, err = s.Rename("title", "text")
	fmt.Println(err)
	// Output:
	// text <nil>
	// schema: invalid schema: field "title": there is none of this name
}

func ExampleValue_Key() {
	at := schema.TimeValue(0, time.Date(2026, 11, 26, 9, 0, 0, 999, time.UTC))
	fmt.Println(at.Key(schema.UnitSecond))
	fmt.Println(schema.KeyValue(0, schema.Time, schema.UnitSecond, at.Key(schema.UnitSecond)))
	// Output:
	// 1795683600
	// 2026-11-26T09:00:00Z
}

func ExampleValue() {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text},
		{Name: "year", Kind: schema.Integer, Stored: true},
	}}
	fmt.Println(s.CheckValue(schema.IntegerValue(s.Number("year"), 1851)))
	fmt.Println(s.CheckValue(schema.IntegerValue(s.Number("title"), 1851)))
	// Output:
	// <nil>
	// schema: invalid schema: field "title": a value of kind integer in a field of kind text
}

// The schema of a struct, in which a field is text.
func ExampleFor() {
	type Product struct {
		ID    string // the document's id
		Title string
		Price float64
		Tags  []string `pinion:"tag"`
	}
	s := schema.For[Product]().Set(schema.Field{Name: "title", Kind: schema.Text, Analyzer: "english"})
	if err := s.Check(); err != nil {
		panic(err)
	}
	for _, f := range s.Fields {
		fmt.Println(f.Name, f.Kind, f.Stored, f.Column)
	}
	// Output:
	// title text true false
	// price float true true
	// tag keyword true true
}
