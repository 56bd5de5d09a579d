package query_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// plays returns a Searcher over an index of three documents with fields.
func plays(ctx context.Context) (*query.Searcher, error) {
	dir := memfs.New() // in place of a directory
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.KindText, Weight: 2},
		{Name: "body", Kind: schema.KindText},
		{Name: "genre", Kind: schema.KindKeyword},
	}}})
	if err != nil {
		return nil, err
	}
	for _, v := range [][3]string{
		{"The Tempest", "a ship at sea", "comedy"}, {"Hamlet", "a tempest of the mind", "tragedy"}, {"King Lear", "a storm and a tempest", "tragedy"},
	} {
		d := writer.Doc{ID: []byte(v[0]), Values: []schema.Value{
			schema.TextValue(0, []byte(v[0])), schema.TextValue(1, []byte(v[1])), schema.KeywordValue(2, []byte(v[2]))}}
		if err := w.AddDoc(ctx, d); err != nil {
			return nil, err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	index, err := reader.OpenFS(dir)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close() // the Searcher keeps it
	return query.NewSearcher(snapshot, query.Options{})
}

// show prints the docIDs of a query's hits, the best first.
func show(s *query.Searcher, q query.Query) []query.Hit {
	result, err := s.Search(context.Background(), q)
	if err != nil {
		log.Fatal(err)
	}
	var docs []uint32
	for _, h := range result.Hits {
		docs = append(docs, h.Doc)
	}
	fmt.Println(docs)
	return result.Hits
}

func ExampleNode() {
	s, err := plays(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	show(s, query.Query{Node: query.Match{Text: "tempest"}})                // in all fields of text
	show(s, query.Query{Node: query.Match{Field: "body", Text: "tempest"}}) // in one
	show(s, query.Query{Node: query.Bool{Must: []query.Node{
		query.Match{Field: "body", Text: "tempest"}, query.Term{Field: "body", Term: []byte("storm")}}}})
	show(s, query.Query{Node: query.Bool{Should: []query.Node{
		query.Match{Field: "title", Text: "tempest"}, query.Match{Field: "genre", Text: "tragedy", Boost: 9}}}})
	// Output:
	// [0 1 2]
	// [1 2]
	// [2]
	// [1 2 0]
}

func ExampleParseText() {
	s, err := plays(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{"tempest", "body:tempest AND body:storm", "tempst~1", "storm (tempest"} {
		node, err := s.ParseText(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		show(s, query.Query{Node: node})
	}
	// Output:
	// [0 1 2]
	// [2]
	// [0 1 2]
	// query: at character 7, "(tempest": nothing closes this (
}

func ExamplePosition() {
	s, err := plays(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	page := show(s, query.Query{Text: "tempest", K: 2})
	last := page[len(page)-1]
	show(s, query.Query{Text: "tempest", K: 2, After: &query.Position{Score: last.Score, Doc: last.Doc}})
	// Output:
	// [0 1]
	// [2]
}
