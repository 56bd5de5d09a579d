package writer_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Documents have values in the fields of a schema, and terms are those of a field.
func ExampleWriter_Add() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pinion")
	check(err)
	defer os.RemoveAll(dir)
	fields := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Boost: 2},
		{Name: "tag", Kind: schema.Keyword},
	}}
	w, err := writer.Open(ctx, dir, writer.Options{Schema: fields})
	check(err)
	defer w.Close()
	title, tag := fields.Number("title"), fields.Number("tag")
	check(w.Add(ctx, writer.Doc{ID: []byte("1"), Values: []schema.Value{
		schema.TextValue(title, []byte("Salt of the earth")),
		schema.KeywordValue(tag, []byte("food")), schema.KeywordValue(tag, []byte("salt")),
	}}))
	check(w.Add(ctx, writer.Doc{ID: []byte("2"), Values: []schema.Value{schema.TextValue(title, []byte("The salt sea, salt"))}}))
	err = w.Add(ctx, writer.Doc{ID: []byte("3"), Values: []schema.Value{schema.IntegerValue(tag, 3)}})
	fmt.Println(err)
	check(w.Commit(ctx))

	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	check(err)
	defer index.Close()
	s, err := index.Snapshot()
	check(err)
	defer s.Close()
	for _, name := range []string{"title", "tag"} {
		f, _ := s.Field(name)
		fmt.Printf("%s, in %d documents:", name, f.Stats().Docs)
		for p, err := range f.Postings([]byte("salt")) {
			check(err)
			fmt.Printf(" document %d %d times", p.Doc, p.Freq)
		}
		fmt.Println()
	}
	// Output:
	// bad document "3": schema: invalid schema: field "tag": a value of kind integer in a field of kind keyword
	// title, in 2 documents: document 0 1 times document 1 2 times
	// tag, in 2 documents: document 0 1 times
}
