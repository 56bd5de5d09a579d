// Quickstart shows the engine at work on the collection that the repository
// bundles: it builds, merges, verifies and queries an index. Like the other
// examples it uses only packages that any program can import.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/testdata"
)

const usage = `Quickstart indexes the King James Bible, which the repository bundles with every
verse a document, in three segments; merges and verifies them; and asks the index
a few questions. It downloads nothing, and leaves the index for you to explore.

Usage:
  go run ./examples/quickstart [--dir DIR]

Flags:
  --dir DIR   directory for the index (default: one among the temporary files)
`

func main() {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("dir", filepath.Join(os.TempDir(), "pinion-quickstart", "kjv.idx"), "")
	err := flags.Parse(os.Args[1:])
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "quickstart: %v\nTry 'quickstart --help'.\n", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *dir); err != nil {
		fmt.Fprintf(os.Stderr, "quickstart: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, dir string) error {
	if err := clear(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "Building an index of the King James Bible, %s verses, in %d commits.\n", humanize.Comma(testdata.KJVDocs), parts)
	if err := build(ctx, out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWhat it consists of:\n\n")
	if err := summarize(out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nMerging its segments.\n")
	if err := merge(ctx, out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nVerifying every checksum, list, block and document.\n\n")
	if err := verify(ctx, out, dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWhat it consists of now:\n\n")
	if err := summarize(out, dir); err != nil {
		return err
	}
	for _, q := range []struct {
		mode query.Mode
		text string
	}{
		{query.ModeOr, "the lord is my shepherd"},
		{query.ModeAnd, "faith hope charity"},
		{query.ModeAndOr, "a time to plant and a time to build"},
	} {
		fmt.Fprintf(out, "\nQuery %q, mode %s:\n\n", q.text, q.mode)
		if err := search(ctx, out, dir, q.mode, q.text); err != nil {
			return err
		}
	}
	next(out, dir)
	return nil
}

// next shows what to try next.
func next(out io.Writer, dir string) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	fmt.Fprintf(out, "\nThe index is in %s. Explore it with\n\n", dir)
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
	fmt.Fprintf(out, "\nand index your own files:\n\n    go run ./tools/idxbuild --out my.idx --store-text --format textdir DIRECTORY\n")
}
