package game

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// The fields of an index. The corpus calls them so.
const (
	textField = "text"
	sortField = "sort_field"
)

// fields is the schema of an index. Of the text, words and their positions are indexed, for phrases; it is not
// stored. Words are those of Unicode Standard Annex 29, as Lucene's StandardTokenizer has them, without stemming.
func fields() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: textField, Kind: schema.Text, Analyzer: "standard", Options: "max=255,apostrophes=fold", Positions: true},
		{Name: sortField, Kind: schema.Integer, Column: true},
	}}
}

// memory is the memory budget of a build: that of the game's Lucene.
const memory = 1 << 30

// Build makes an index of one segment in folder dir, which must be empty or not exist, of the JSON objects in file
// corpus, one a line, or of standard input if that is exchange.Stdin. With writer.OrderInput documents stay in the
// order of their lines; of two with one id the last one counts.
func Build(ctx context.Context, dir, corpus string, order writer.Order) (err error) {
	if entries, err := os.ReadDir(dir); len(entries) > 0 {
		return fmt.Errorf("%s is not empty: an index is made in one go", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, err := exchange.OpenDocuments(corpus, exchange.DocumentOptions{Format: exchange.FormatJSONL, Schema: fields(), MaxRecord: memory / 16})
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: fields(), Memory: memory, MergePolicy: writer.NoMerges})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := add(ctx, w, in); err != nil {
		return err
	}
	if _, err := w.Merge(ctx, writer.MergeOptions{Order: order}); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// add adds all documents of in.
func add(ctx context.Context, w *writer.Writer, in *exchange.Documents) error {
	for {
		id, values, err := in.NextValues()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Add(ctx, writer.Doc{ID: id, Values: values}); err != nil {
			return err
		}
	}
}
