// Package quickstart is the command quickstart.
package quickstart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/tools/internal/idxinspect"
	"github.com/pinion-index/pinion/tools/internal/idxquery"
	"github.com/pinion-index/pinion/writer"
)

// Command returns the command.
func Command() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "quickstart [--dir DIR]",
		Short: "Show the engine at work on the King James Bible",
		Long: `Quickstart indexes the King James Bible, which the repository bundles with every
verse a document, in three segments; merges and verifies them; and asks the index
a few questions. It downloads nothing. The index stays for you to go on with.`,
		Example: "  go run ./tools/quickstart\n  go run ./tools/quickstart --dir kjv.idx",
		Args:    cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				dir = filepath.Join(os.TempDir(), "pinion-quickstart", "kjv.idx")
			}
			return run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` for the index (default: one in the directory for temporary files)")
	return cmd
}

// parts is how many segments the collection is built in.
const parts = 3

func run(ctx context.Context, out, stderr io.Writer, dir string) error {
	if err := clear(dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "Building an index of the King James Bible, %s verses, in %d commits.\n", cli.Count(testdata.KJVDocs), parts)
	if err := build(ctx, out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWhat it consists of (idxinspect summary):\n\n")
	if err := idxinspect.PrintSummary(out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nMerging its segments.\n")
	if err := merge(ctx, out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nVerifying every checksum, list, block and document (idxinspect verify).\n\n")
	if err := idxinspect.PrintVerification(ctx, out, stderr, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWhat it consists of now:\n\n")
	if err := idxinspect.PrintSummary(out, dir); err != nil {
		return err
	}
	for _, q := range []struct{ mode, text string }{
		{"or", "the lord is my shepherd"},
		{"and", "faith hope charity"},
		{"and-or", "a time to plant and a time to build"},
	} {
		fmt.Fprintf(out, "\nQuery %q, mode %s:\n\n", q.text, q.mode)
		if err := idxquery.Print(ctx, out, dir, q.mode, q.text, 3); err != nil {
			return err
		}
	}
	next(out, dir)
	return nil
}

// clear makes room for the index: what an earlier run left is removed, anything
// else, another index included, is not touched.
func clear(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".pin" && ext != ".tmp" && e.Name() != store.LockName {
			return fmt.Errorf("%s holds other files, such as %s: name another --dir", dir, e.Name())
		}
	}
	if err := checkOurs(dir); err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// checkOurs makes sure that the index in dir, if there is one, is of the bundled
// collection.
func checkOurs(dir string) error {
	index, err := reader.Open(dir)
	if errors.Is(err, format.ErrNotAnIndex) {
		return nil // left-overs of a run that was interrupted before its first commit
	}
	if err != nil {
		return fmt.Errorf("%w; name another --dir", err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	_, ok, err := snapshot.FindID([]byte(firstVerse))
	if stats := snapshot.Stats(); err == nil && (!ok || stats.Docs > testdata.KJVDocs) {
		err = fmt.Errorf("%s holds another index: name another --dir", dir)
	}
	return err
}

// firstVerse is the id of the collection's first document.
const firstVerse = "Ge1:1"

// build adds the bundled collection in several commits, a segment each.
func build(ctx context.Context, out io.Writer, dir string) (err error) {
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		return err
	}
	start := time.Now()
	w, err := writer.Open(ctx, dir, writer.Options{Stored: true})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	src := exchange.NewJSONL("kjv.jsonl.gz", z)
	for n := 1; ; n++ {
		d, err := src.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.Add(ctx, d)
		}
		if err == nil && n%(testdata.KJVDocs/parts) == 0 && n < testdata.KJVDocs-parts {
			err = w.Commit(ctx)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "Done in %s.\n", cli.Seconds(time.Since(start)))
	return nil
}

func merge(ctx context.Context, out io.Writer, dir string) (err error) {
	start := time.Now()
	w, err := writer.Open(ctx, dir, writer.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	stats, err := w.Merge(ctx, writer.MergeOptions{})
	if err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d segments into %d, %s postings, in %s.\n", stats.Sources, stats.Outputs, cli.Count(stats.Postings), cli.Seconds(time.Since(start)))
	return nil
}

// next says how to go on.
func next(out io.Writer, dir string) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	fmt.Fprintf(out, "\nThe index lies in %s. Go on with\n\n", dir)
	if strings.ContainsAny(dir, " '$&()") {
		dir = strconv.Quote(dir)
	}
	for _, c := range []string{
		`go run ./tools/idxquery --index %s "in the beginning"`,
		`go run ./tools/idxinspect list %s the`,
		`go run ./tools/idxinspect terms --prefix shep %s`,
		`go run ./tools/idxinspect explain %s "the lord is my shepherd" Psa23:1`,
		`go run ./tools/idxinspect hexdump --term shepherd %s`,
	} {
		fmt.Fprintf(out, "    "+c+"\n", dir)
	}
	fmt.Fprintf(out, "\nand index something of your own:\n\n    go run ./tools/idxbuild --out my.idx --store-text --format textdir DIRECTORY\n")
}
