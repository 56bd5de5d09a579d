// Hybrid finds what a chat gives its model to answer a question with: the parts of a tenant's notes that are nearest to it, of notes
// found by words and by vectors, in one list.
// The notes stand in notes.jsonl. A restart embeds none of them again.
//
//	go run ./examples/hybrid new.idx acme examples/hybrid/notes.jsonl "How do I get my money back?"
//	go run ./examples/hybrid --url http://localhost:11434/v1 --model all-minilm other.idx acme examples/hybrid/notes.jsonl "..."
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/embedding"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// note is a document of a tenant.
type note struct{ ID, Tenant, Text string }

func main() {
	endpoint := flag.String("url", "", "base of an endpoint that is compatible with OpenAI's; its key is $EMBEDDING_KEY")
	model := flag.String("model", "letters", "the model's name there")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: hybrid [--url URL --model NAME] DIR TENANT NOTES QUESTION") }
	if flag.Parse(); flag.NArg() != 4 {
		flag.Usage()
		os.Exit(2)
	}
	embed := letters
	if *endpoint != "" {
		embed = (&embedding.Client{URL: *endpoint, Model: *model, Key: os.Getenv("EMBEDDING_KEY")}).Embed
	}
	if err := run(context.Background(), flag.Arg(0), flag.Arg(1), flag.Arg(2), flag.Arg(3), *model, embed); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, tenant, notes, question, model string, embed func(context.Context, []string) ([][]float32, error)) (err error) {
	asked, err := embed(ctx, []string{question}) // says how many dimensions vectors have
	if err != nil {
		return err
	}
	split := embedding.Splitter{Length: 300, Markdown: true}.Split
	cache, err := embedding.OpenCache(dir + ".vectors")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, cache.Close()) }()
	index, err := pinion.Open(ctx, dir, pinion.Options{
		Schema: &schema.Schema{Fields: []schema.Field{
			{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true},
			{Name: "tenant", Kind: schema.Keyword, Column: true},
			{Name: "embedding", Kind: schema.Vector, Dims: len(asked[0]), Model: model},
		}},
		Embed: []pinion.Embed{{Field: "embedding", From: []string{"text"}, Texts: embed, Split: split, Cache: cache}},
	})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, index.Close()) }()
	if err := add(ctx, index, notes); err != nil {
		return err
	}
	page, err := index.Search(ctx, pinion.Request{
		Fuse: &pinion.Fuse{Lists: []pinion.FuseList{
			{Query: query.Match{Text: question}},
			{Query: query.Nearest{Field: "embedding", Text: question, K: 5}},
		}},
		Filter: query.Equal("tenant", tenant), // before anything else: no list has notes of others
		Limit:  3, Fields: []string{"text"}, Nearest: true,
	})
	for _, h := range page.Hits {
		fmt.Printf("[%s] by words %d, by vectors %d\n", h.ID, h.Lists[0].Rank, h.Lists[1].Rank) // ranks, 0 if it is not in the list
		text, _ := h.Value("text").(string)
		for _, n := range h.Nearest { // the part of the note that is nearest to the question: what the model is given
			fmt.Println(split(text)[n.Number])
		}
	}
	return err
}

// add adds the notes of a file, a line of JSON each.
func add(ctx context.Context, index *pinion.Index, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var all []note
	for lines := json.NewDecoder(f); ; {
		var n note
		if err := lines.Decode(&n); errors.Is(err, io.EOF) {
			return pinion.For[note](index).Add(ctx, all...)
		} else if err != nil {
			return err
		}
		all = append(all, n)
	}
}
