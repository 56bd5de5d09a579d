package query_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// plays are an index of three documents with fields.
type plays struct {
	*pinion.Index
	dir string
}

func open() plays {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "plays")
	if err != nil {
		log.Fatal(err)
	}
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Boost: 2},
		{Name: "body", Kind: schema.Text},
		{Name: "genre", Kind: schema.Keyword},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range [][3]string{
		{"The Tempest", "a ship at sea", "comedy"}, {"Hamlet", "a tempest of the mind", "tragedy"}, {"King Lear", "a storm and a tempest", "tragedy"},
	} {
		if err := index.Add(ctx, pinion.Doc{ID: v[0], Fields: map[string]any{"title": v[0], "body": v[1], "genre": v[2]}}); err != nil {
			log.Fatal(err)
		}
	}
	return plays{index, dir}
}

// show prints the ids of the documents that match, the best first.
func (p plays) show(n query.Node) {
	page, err := p.Search(context.Background(), pinion.Request{Query: n})
	if err != nil {
		log.Fatal(err)
	}
	ids := []string{}
	for _, h := range page.Hits {
		ids = append(ids, h.ID)
	}
	fmt.Printf("%q\n", ids)
}

func (p plays) close() {
	if err := p.Close(); err != nil {
		log.Fatal(err)
	}
	os.RemoveAll(p.dir)
}

func ExampleNode() {
	p := open()
	defer p.close()
	p.show(query.Match{Text: "tempest"})                // in all fields of text
	p.show(query.Match{Field: "body", Text: "tempest"}) // in one
	p.show(query.Bool{Must: []query.Node{query.Match{Field: "body", Text: "tempest"}, query.Term{Field: "body", Text: "storm"}}})
	p.show(query.Bool{Should: []query.Node{
		query.Match{Field: "title", Text: "tempest"}, query.Match{Field: "genre", Text: "tragedy", Boost: 9}}})
	// Output:
	// ["The Tempest" "Hamlet" "King Lear"]
	// ["Hamlet" "King Lear"]
	// ["King Lear"]
	// ["Hamlet" "King Lear" "The Tempest"]
}

func ExampleParse() {
	p := open()
	defer p.close()
	for _, text := range []string{"tempest", "body:tempest AND body:storm", "tempst~1", "storm (tempest"} {
		node, err := query.Parse(p.Schema(), text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		p.show(node)
	}
	// Output:
	// ["The Tempest" "Hamlet" "King Lear"]
	// ["King Lear"]
	// ["The Tempest" "Hamlet" "King Lear"]
	// query: at character 7, "(tempest": nothing closes this (
}

func ExampleParseLenient() {
	p := open()
	defer p.close()
	typed := query.ParseLenient(p.Schema(), "storm (tempest")
	p.show(typed.Node)
	fmt.Printf("%q\n", typed.Words)
	// Output:
	// ["The Tempest" "King Lear" "Hamlet"]
	// ["(tempest"]
}
