package exchange_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
)

// Keys of JSON objects go into fields.
func ExampleDocuments_NextValues() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "books.jsonl")
	if err := os.WriteFile(path, []byte(`{"id":1,"name":"Moby-Dick","author":{"name":"Melville"},"tags":["sea","whale"]}`), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	fields, err := exchange.ParseFields("", "name=title:english:2", "author.name=author", "tags:keyword")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := fields.WithSchema(nil, schema.Field{Stored: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := exchange.OpenDocuments(path, exchange.DocumentOptions{Fields: fields, Schema: s})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	id, values, err := src.NextValues()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("document", string(id))
	for _, v := range values {
		fmt.Println(s.Fields[v.Field].Name, v)
	}
	// Output:
	// document 1
	// title Moby-Dick
	// author Melville
	// tags sea
	// tags whale
}

// Documents of JSON objects whose fields have names of their own.
func ExampleParseFields() {
	fields, err := exchange.ParseFields("id=_id,contents=title+text")
	if err != nil {
		log.Fatal(err)
	}
	src := exchange.NewJSONL("corpus.jsonl", strings.NewReader(
		`{"_id": "d1", "title": "Salt", "text": "Ye are the salt of the earth", "url": ""}`))
	defer src.Close()
	src.SetFields(fields)
	for {
		doc, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", doc.ID, doc.Contents) // what writer.Writer.Add takes
	}
	fmt.Println(src.Ignored(), "other fields")
	// Output:
	// d1: "Salt\nYe are the salt of the earth"
	// 1 other fields
}

// A run's error names the line; what concerns one record only can be skipped.
func ExampleRecoverable() {
	src := exchange.NewTSV("verses.tsv", strings.NewReader("Ge1:1\tIn the beginning\nno tab\nGe1:3\tAnd God said\n"))
	defer src.Close()
	for {
		doc, err := src.Next()
		switch {
		case err == io.EOF:
			return
		case exchange.Recoverable(err):
			fmt.Println("skipped:", err)
			continue
		case err != nil:
			log.Fatal(err)
		}
		fmt.Printf("%s %s\n", doc.ID, doc.Contents)
	}
	// Output:
	// Ge1:1 In the beginning
	// skipped: verses.tsv:2: no tab between id and text
	// Ge1:3 And God said
}
