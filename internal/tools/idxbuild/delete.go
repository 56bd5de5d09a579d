package idxbuild

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// deletions says which documents of the index are deleted before others are added.
type deletions struct {
	ids     string   // file of ids, one a line; empty: none
	enc     string   // encoding of ids
	queries []string // documents that hold all words of one of them
	where   []string // documents that pass one of these filters
}

func (d *deletions) any() bool { return d.ids != "" || len(d.queries) > 0 || len(d.where) > 0 }

// check refuses what can be refused before the index is opened.
func (d *deletions) check(dir string, inputs []string) error {
	if !d.any() {
		return nil
	}
	for _, in := range inputs {
		if in == exchange.Stdin && d.ids == exchange.Stdin {
			return cli.Usage("standard input cannot hold both ids to delete and documents")
		}
	}
	for _, text := range slices.Concat(d.queries, d.where) {
		if err := cli.CheckText("--delete", text); err != nil {
			return err
		}
	}
	if !isIndex(dir) {
		return &format.Error{Kind: format.ErrNotAnIndex, File: dir, Block: format.NoBlock, Offset: -1, Msg: "there is nothing to delete from"}
	}
	return nil
}

// delete deletes documents of the newest commit. Filters come last: what they count are documents
// that are there.
func (b *build) delete(ctx context.Context, dir string, d *deletions) error {
	if !d.any() {
		return nil
	}
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	s, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	docs := &docset.Bits{}
	if d.ids != "" {
		if b.report.NotFound, err = findIDs(ctx, s, d, docs); err != nil {
			return err
		}
	}
	if err := findMatches(ctx, s, d.queries, docs); err != nil {
		return err
	}
	filters, err := parseFilters(s.Schema(), d.where)
	if err != nil {
		return err
	}
	var id []byte
	for doc := range docs.All() {
		if id, err = s.AppendID(id[:0], doc); err == nil {
			err = b.w.Delete(ctx, id)
		}
		if err != nil {
			return err
		}
		b.report.Deleted++
	}
	for _, f := range filters {
		n, err := b.w.DeleteWhere(ctx, f)
		if err != nil {
			return err
		}
		b.report.Deleted += int64(n)
	}
	return nil
}

// parseFilters returns the nodes of an index that texts stand for.
func parseFilters(s *schema.Schema, texts []string) (filters []query.Node, err error) {
	for _, text := range texts {
		f, err := query.ParseFilter(s, text)
		if err != nil {
			return nil, cli.Usage("--delete-where %s: %w", cli.Quote(text), err)
		}
		filters = append(filters, f)
	}
	return filters, nil
}

// findIDs adds the documents with the ids in the file of d to docs and returns how many of
// the ids the index does not have.
func findIDs(ctx context.Context, s *reader.Snapshot, d *deletions, docs *docset.Bits) (absent int64, err error) {
	for id, err := range exchange.EncodedLines(d.ids, d.enc, exchange.MaxID) {
		if err != nil {
			return absent, err
		}
		doc, ok, err := s.FindID(id)
		if err != nil {
			return absent, err
		}
		if ok {
			docs.Add(doc)
		} else {
			absent++
		}
		if err := ctx.Err(); err != nil {
			return absent, err
		}
	}
	return absent, nil
}

// findMatches adds the documents that hold all words of one of the queries to docs; of an
// index with fields, those that hold them all in one field of text.
func findMatches(ctx context.Context, s *reader.Snapshot, queries []string, docs *docset.Bits) error {
	if len(queries) == 0 {
		return nil
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	fields := textFields(s)
	for _, text := range queries {
		words := false
		for _, f := range fields {
			q := search.Query{Node: query.Match{Field: f, Text: text, Mode: query.ModeAnd}}
			terms, _, err := searcher.Terms(&q)
			if err != nil {
				return err
			}
			if err := plainWords(searcher, f, text); err != nil {
				return err
			}
			if len(terms) == 0 {
				continue
			}
			words = true
			for doc, err := range searcher.Matches(ctx, q) {
				if err != nil {
					return err
				}
				docs.Add(doc)
			}
		}
		if !words {
			return fmt.Errorf("--delete-query %s has no words", cli.Quote(text))
		}
	}
	return nil
}

// textFields returns the fields that are searched where none is named.
func textFields(s *reader.Snapshot) (names []string) {
	for _, f := range s.Schema().Fields {
		if f.ByDefault() {
			names = append(names, f.Name)
		}
	}
	return names
}

// plainWords returns a usage error if a query has an operator that the analyzer would read
// as plain words: it might delete the very documents that it was meant to spare.
func plainWords(s *search.Searcher, field, text string) error {
	op := cli.Operator(text)
	if op == "" {
		return nil
	}
	terms, _, err := s.Terms(&search.Query{Node: query.Match{Field: field, Text: op}})
	if err != nil {
		return err
	}
	var plain []string
	for _, t := range terms {
		plain = append(plain, t.Text)
	}
	if strings.Join(plain, " ") == op {
		return nil // terms of an analyzer that cuts at white space
	}
	return cli.Usage("--delete-query %s: %s", cli.Quote(text), cli.NoOperators(op, "queries to delete by have no operators"))
}
