package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

func exportCommand() *cobra.Command {
	var out, description, field string
	var zip bool
	form := cli.NewChoice("FORMAT", "ciff", "jsonl")
	cmd := &cobra.Command{
		Use:   "export --out FILE INDEX",
		Short: "Write posting lists as CIFF, or stored documents as JSONL",
		Long: `Write an index as a CIFF file (Common Index File Format), which Lucene
(Anserini), PISA, Terrier, idxbuild and others read, of an index with fields one of
them, or the documents that it
stores as JSONL, one {"id", "contents"} a line, as idxbuild reads them; of an index
with fields, the id and the fields that are stored or columns, and vectors. Deleted documents are left out. "-" is standard output.`,
		Example: `  idxinspect export --out kjv.ciff.gz --gzip kjv.idx
  idxbuild --out copy.idx kjv.ciff.gz
  idxinspect export --format jsonl --out - kjv.idx | jq -r .id`,
		Args: cli.Want("INDEX"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case out == "":
			return cli.Usage("--out is missing")
		case form.Value == "jsonl" && description != "":
			return cli.Usage("--description goes with --format ciff")
		case form.Value == "jsonl" && field != "":
			return cli.Usage("--field goes with --format ciff: JSONL has all fields that are stored")
		}
		stdout := cmd.OutOrStdout()
		if out == "-" {
			var err error
			if zip {
				err = cli.Unreadable(stdout, "what gzip compresses")
			} else if form.Value == "ciff" {
				err = cli.Unreadable(stdout, "a CIFF file")
			}
			if err != nil {
				return err
			}
		}
		s, end, err := cli.Snapshot(args[0])
		if err != nil {
			return err
		}
		defer end()
		if description == "" {
			description = describe(s, field)
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), "export", 0, cli.BytesRate)
		defer p.Stop()
		write := func(w io.Writer) error {
			m := &meter{ctx: cmd.Context(), w: w, p: p}
			if form.Value == "ciff" {
				x, err := lists(s, field)
				if err != nil {
					return err
				}
				return x.ExportCIFF(m, description)
			}
			replaced, err := exchange.ExportJSONL(cmd.Context(), m, s)
			if replaced > 0 {
				p.Stop()
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s not valid UTF-8: what JSON cannot hold became U+FFFD\n", cmd.CommandPath(), cli.Number(replaced, "text"))
			}
			if left := notWritten(s.Schema()); err == nil && len(left) > 0 {
				p.Stop()
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: not written, as they are neither stored nor columns: %s\n", cmd.CommandPath(), strings.Join(left, ", "))
			}
			if left := codesAlone(s.Schema()); err == nil && len(left) > 0 {
				p.Stop()
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: written as what their codes stand for, which are all that is kept: vectors of %s\n", cmd.CommandPath(), strings.Join(left, ", "))
			}
			return err
		}
		if zip {
			plain := write
			write = func(w io.Writer) error {
				z := gzip.NewWriter(w)
				if err := plain(z); err != nil {
					return err
				}
				return z.Close()
			}
		}
		if out == "-" {
			return write(cli.Visible(stdout))
		}
		return cli.WriteCopy(out, args[0], true, write)
	}
	cli.Output(cmd.Flags(), &out, "out", "o", "`FILE` to write (required)")
	cmd.Flags().Var(form, "format", form.Words())
	cmd.Flags().StringVar(&field, "field", "", "the `FIELD` of which CIFF has the lists, of an index with fields")
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` for the header of CIFF")
	cmd.Flags().BoolVar(&zip, "gzip", false, "compress the file")
	return cmd
}

// codesAlone returns the names of the fields of vectors of which only codes are kept.
func codesAlone(s *schema.Schema) (names []string) {
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == schema.Vector && f.Values == schema.Int8 {
			names = append(names, f.Name)
		}
	}
	return names
}

// lists returns the lists of a field; of the whole index if none is named.
func lists(s *reader.Snapshot, field string) (*exchange.SnapshotLists, error) {
	x, err := exchange.FromField(s, field)
	if field == "" {
		x, err = exchange.FromSnapshot(s)
	}
	if errors.Is(err, exchange.ErrInvalid) {
		var names []string
		for _, f := range s.Schema().Fields {
			if f.Name != "" && f.Indexing() != schema.IndexNone {
				names = append(names, f.Name)
			}
		}
		switch {
		case len(names) == 0 && !s.Schema().IsImplicit():
			return nil, cli.Usage("no field of the index is indexed, so that there are no lists: --format jsonl writes documents")
		case len(names) == 0:
			return nil, cli.Usage("--field: the index has no fields")
		}
		return nil, cli.Usage("--field is one of %s", strings.Join(names, ", "))
	}
	return x, err
}

// notWritten returns the names of the fields that JSONL does not have.
func notWritten(s *schema.Schema) (names []string) {
	for i := range s.Fields {
		if f := &s.Fields[i]; !f.Stored && !f.Column && f.Kind != schema.Vector && f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// describe returns the description of an exported field.
func describe(s *reader.Snapshot, field string) string {
	what := "Pinion index"
	if field != "" {
		what += ", field " + field
	}
	f, ok := s.Schema().Field(field)
	switch {
	case !ok:
		return what
	case f.HasImpacts():
		return fmt.Sprintf("%s, impacts in steps of %v", what, f.Step())
	case f.Kind != schema.Text:
		return fmt.Sprintf("%s, %v", what, f.Kind)
	}
	name, options := f.Analysis()
	return fmt.Sprintf("%s, analyzer %s(%s)", what, name, options)
}

// meter counts what is written through it for a progress bar. It writes nothing more once
// ctx is done.
type meter struct {
	ctx context.Context
	w   io.Writer
	p   *cli.Progress
	n   int64
}

func (m *meter) Write(b []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.w.Write(b)
	m.n += int64(n)
	m.p.Set(m.n)
	return n, err
}
