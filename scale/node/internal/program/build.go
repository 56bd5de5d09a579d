package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/scale/node"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// build is a run of the command.
type build struct {
	out        string
	shards     int
	fields     string
	keys       []string
	schemaFile string
	analyzer   string
	language   string
	storeText  bool
	memory     cli.ByteSize
	budgeted   bool // memory was given

	documents exchange.DocumentOptions
	options   writer.Options
	writers   []*writer.Writer
	added     []int
	misread   []string // what is to be said of encodings
}

func buildCommand() *cobra.Command {
	b := &build{memory: writer.DefaultMemory}
	cmd := &cobra.Command{
		Use:   "build --out DIR --shards N [flags] INPUT...",
		Short: "Add documents to shards, each to the one that its id belongs to",
		Long: `Add the documents of every INPUT to the shards in DIR, each to the one that the hash of its id
names, and create the shards if there are none. A document replaces one with the same id.

INPUT, --encoding, --map, --field, --schema, --analyzer and --store-text are as those of idxbuild. Each shard
is an index for itself: idxbuild deletes documents from it, idxmerge and idxinspect work on it.
A run commits one shard after the other. If it fails between them, run it again.`,
		Example: `  pinion-cluster build --out kjv --shards 3 --store-text testdata/kjv.jsonl.gz
  pinion-cluster build --out shop --shards 8 --field name=title:english:2 \
    --field price:float:column shop.jsonl`,
		Args: cli.Want("INPUT..."),
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&b.out, "out", "", "`DIR` of the shards (required)")
	cli.Int(fl, &b.shards, "shards", 0, 0, node.MaxShards, "how many shards, `N`, a new DIR has")
	fl.StringVar(&b.documents.Encoding, "encoding", "", "`NAME` of the encoding of inputs that do not say their own, such as windows-1252 (default: utf-8)")
	fl.StringVar(&b.fields, "map", "", "`FIELDS` of a document, as in id=url,contents=title+text (default: the usual ones)")
	fl.StringArrayVar(&b.keys, "field", nil, "a field, `KEY=NAME:TYPE:OPTION...`, of which NAME must be there; may be repeated")
	fl.StringVar(&b.schemaFile, "schema", "", "the fields of new shards: a `FILE` of JSON")
	cli.AnalyzerFlag(cmd, &b.analyzer, "that of the shards; of new ones standard")
	cli.LanguageFlag(cmd, &b.language)
	fl.BoolVar(&b.storeText, "store-text", false, "keep the text of documents in new shards")
	fl.Var(&b.memory, "memory", "memory budget of all shards together")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		b.budgeted = cmd.Flags().Changed("memory")
		if err := b.run(cmd.Context(), args); err != nil {
			return err
		}
		for i, n := range b.added {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s added\n", node.ShardName(i, b.shards), cli.Number(n, "document"))
		}
		for _, line := range b.misread {
			fmt.Fprintln(cmd.OutOrStdout(), line)
		}
		return nil
	}
	return cmd
}

func (b *build) run(ctx context.Context, inputs []string) (err error) {
	dirs, err := b.dirs()
	if err != nil {
		return err
	}
	if err := b.describe(dirs[0]); err != nil {
		return err
	}
	if least := int64(b.shards) * writer.MinMemory; b.budgeted && int64(b.memory) < least {
		return cli.Usage("--memory is at least %s for %s", cli.Bytes(least), cli.Number(b.shards, "shard"))
	}
	b.options.Memory = max(int64(b.memory)/int64(b.shards), writer.MinMemory)
	var fresh []*cli.Fresh
	defer func() {
		for _, w := range b.writers {
			err = errors.Join(err, w.Close())
		}
		for _, f := range fresh {
			if err != nil {
				f.Undo() // unless it has a commit
			}
		}
	}()
	for _, dir := range dirs {
		fresh = append(fresh, cli.NewFresh(dir))
	}
	for _, dir := range dirs {
		w, err := writer.Open(ctx, dir, b.options)
		if err != nil {
			return cli.Opening(err)
		}
		b.writers = append(b.writers, w)
	}
	b.added = make([]int, b.shards)
	for _, path := range inputs {
		if err := b.add(ctx, path); err != nil {
			return fmt.Errorf("%w\nnothing was added", err)
		}
	}
	for i, w := range b.writers {
		if err := w.Commit(ctx); err != nil {
			return fmt.Errorf("%w\n%s of %d changed", err, cli.Number(i, "shard"), b.shards)
		}
	}
	for _, w := range b.writers {
		if err := w.WaitMerges(ctx); err != nil {
			return fmt.Errorf("%w\neverything was added", err)
		}
	}
	return nil
}

// dirs returns the directories of the shards, those that are there or new ones.
func (b *build) dirs() ([]string, error) {
	if b.out == "" {
		return nil, cli.Usage("--out is missing")
	}
	dirs, err := node.ShardDirs(b.out)
	if err != nil {
		return nil, cli.Opening(err)
	}
	if n := len(dirs); n > 0 {
		if b.shards != 0 && b.shards != n {
			return nil, cli.Usage("--shards: %s has %s, and that is fixed", b.out, cli.Number(n, "shard"))
		}
		b.shards = n
		return dirs, nil
	}
	if b.shards == 0 {
		return nil, cli.Usage("--shards is missing")
	}
	for i := range b.shards {
		dirs = append(dirs, filepath.Join(b.out, node.ShardName(i, b.shards)))
	}
	return dirs, nil
}

// describe sets what documents are, and how they are written: as the flags say, on top of what the first shard has.
func (b *build) describe(first string) error {
	fields, err := exchange.ParseFields(b.fields, b.keys...)
	if err != nil {
		return cli.Usage("--map, --field: %w", err)
	}
	b.documents.Fields = fields
	base, err := b.base(first)
	if err != nil {
		return err
	}
	if b.analyzer, err = cli.Language(b.language, b.analyzer, base, len(b.keys)); err != nil {
		return err
	}
	if err := cli.CheckKeys(fields.Keys, base, b.analyzer, "", b.storeText); err != nil {
		return err
	}
	if err := cli.CheckEncoding(b.documents.Encoding); err != nil {
		return err
	}
	if base == nil && len(b.keys) == 0 {
		b.options.Schema, err = cli.Implicit(b.analyzer, "", b.storeText)
		return err
	}
	switch {
	case len(b.keys) == 0 && b.analyzer != "":
		return cli.Usage("--analyzer: in the schema, each field has its own")
	case len(b.keys) == 0 && b.storeText:
		return cli.Usage("--store-text: the schema says what is stored")
	}
	s, err := fields.WithSchema(base, schema.Field{Stored: b.storeText, Analyzer: b.analyzer})
	if err != nil {
		return cli.Usage("--field: %w", err)
	}
	b.documents.Schema, b.options.Schema = s, s
	return nil
}

// base returns the schema of --schema, or that of a shard, or nil if there is neither, or none with names.
func (b *build) base(first string) (*schema.Schema, error) {
	if b.schemaFile != "" {
		data, err := os.ReadFile(b.schemaFile)
		if err != nil {
			return nil, err
		}
		s, err := schema.Parse(data)
		if err != nil {
			return nil, cli.Usage("--schema %s: %w", b.schemaFile, err)
		}
		if err := cli.CheckSchema(s); err != nil {
			return nil, cli.Usage("--schema %s: %w", b.schemaFile, err)
		}
		return s, nil
	}
	if _, err := os.Stat(first); err != nil {
		return nil, nil
	}
	x, end, err := cli.Snapshot(first)
	if err != nil {
		return nil, err
	}
	defer end()
	if s := x.Schema(); !s.IsImplicit() {
		return s, nil
	}
	return nil, nil
}

// add adds the documents of an input.
func (b *build) add(ctx context.Context, path string) error {
	in, err := exchange.OpenDocuments(path, b.documents)
	if err != nil {
		return err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Close() })()
	for {
		err := b.next(ctx, in)
		if err == io.EOF {
			if n, first := in.NotUTF8(); n > 0 {
				b.misread = append(b.misread, "not UTF-8: "+cli.NotUTF8(n, first.Error()))
			}
			if n, first := in.Undecoded(); n > 0 {
				b.misread = append(b.misread, "not decoded: "+cli.Undecoded(n, first.Error()))
			}
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// next adds the next document.
func (b *build) next(ctx context.Context, in *exchange.Documents) error {
	id, values, err := in.NextValues()
	if err != nil {
		return err
	}
	i := node.ShardOf(id, b.shards)
	b.added[i]++
	return b.writers[i].Add(ctx, writer.Doc{ID: id, Values: values})
}
