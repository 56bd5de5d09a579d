// Package command is the command bleve-to-pinion.
package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/adapters/bleve"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

type flags struct {
	analyzers []string
	memory    cli.ByteSize
	threads   int
	json      bool
}

// Command returns the command.
func Command() *cobra.Command {
	f := &flags{memory: writer.DefaultMemory}
	cmd := &cobra.Command{
		Use:   "bleve-to-pinion OLD NEW",
		Short: "Copy an index of bleve's to a new one of Pinion's",
		Long: `Bleve-to-pinion copies what documents of the index in the directory OLD, which bleve made,
have stored to a new index in the directory NEW. OLD is only read; no program may have it open
for writing. The mapping becomes a schema, and what that cannot carry is listed. Fields that
have terms in OLD and no stored values cannot be copied: they are named, and their documents must
be added again.

NEW must be empty or not exist. There is an index when all is copied; a run that fails leaves none.`,
		Example: `  bleve-to-pinion old.bleve new.idx
  bleve-to-pinion --analyzer mine=english old.bleve new.idx
  bleve-to-pinion --json old.bleve new.idx >report.json`,
		Args: cli.Want("OLD", "NEW"),
		RunE: f.run,
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringArrayVar(&f.analyzers, "analyzer", nil, "what takes the place of an analyzer of OLD: `OLD=NEW[:OPTIONS]`; may be repeated")
	fl.Var(&f.memory, "memory", "memory budget")
	cli.Threads(fl, &f.threads)
	fl.BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

// report is what a run prints.
type report struct {
	Index string `json:"index"`
	*bleve.Report
	Seconds float64 `json:"seconds"`
}

func (f *flags) run(cmd *cobra.Command, args []string) (err error) {
	if int64(f.memory) < writer.MinMemory {
		return cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	}
	o := bleve.CopyOptions{Memory: int64(f.memory), Threads: f.threads}
	if o.Analyzers, err = parseAnalyzers(f.analyzers); err != nil {
		return err
	}
	src, err := open(args[0])
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, src.index.Close()) }()
	p := cli.NewProgress(cmd.ErrOrStderr(), "copy", 0, cli.ItemRate("documents"))
	o.Progress = func(done, total uint64) { p.Update(int64(done), int64(total)) }
	start := time.Now()
	r, err := bleve.CopyDir(cmd.Context(), src, args[1], o)
	p.Stop()
	switch {
	case errors.Is(err, bleve.ErrExists):
		return cli.Usage("%s has something in it; give a new directory", args[1])
	case err != nil:
		return err
	}
	out := report{args[1], r, time.Since(start).Seconds()}
	if f.json {
		return cli.JSON(cmd.OutOrStdout(), out)
	}
	return out.write(cmd.OutOrStdout())
}

func parseAnalyzers(texts []string) (map[string]bleve.Analyzer, error) {
	m := map[string]bleve.Analyzer{}
	for _, text := range texts {
		from, to, ok := strings.Cut(text, "=")
		name, options, _ := strings.Cut(to, ":")
		if !ok || from == "" || name == "" {
			return nil, cli.Usage("--analyzer %s: wanted is OLD=NEW or OLD=NEW:OPTIONS", text)
		}
		m[from] = bleve.Analyzer{Name: name, Options: options}
	}
	return m, nil
}

// write writes the report as text.
func (r *report) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %s copied to %s, in %.1f s\n", cli.Number(r.Docs, "document"), cli.Number(r.Values, "value"), r.Index, r.Seconds)
	if r.Refused > 0 {
		fmt.Fprintf(&b, "%s refused, the first one because of: %s\n", cli.Number(r.Refused, "document"), r.Reason)
	}
	if r.Nested > 0 {
		fmt.Fprintf(&b, "%s left out\n", cli.Number(r.Nested, "nested document"))
	}
	if r.Flattened > 0 {
		fmt.Fprintf(&b, "%s of arrays in arrays copied as of one array\n", cli.Number(r.Flattened, "value"))
	}
	for _, d := range r.Dropped {
		fmt.Fprintf(&b, "%s of %s left out: %s\n", cli.Number(d.Values, "value"), cli.Printable(d.Field), cli.Printable(d.Reason))
	}
	if n := len(r.NotStored); n > 0 {
		fmt.Fprintf(&b, "%s not stored in bleve, so not copied: %s\n", cli.Number(n, "field"), cli.Printable(strings.Join(r.NotStored, ", ")))
	}
	if len(r.Losses) > 0 {
		b.WriteString("what is different:\n")
	}
	for _, l := range r.Losses {
		fmt.Fprintf(&b, "  %s\n", cli.Printable(l.String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
