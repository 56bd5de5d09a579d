package idxinspect

import (
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/internal/cli"
)

func exportCommand() *cobra.Command {
	var out, description string
	var zip bool
	form := cli.NewChoice("FORMAT", "ciff", "jsonl")
	cmd := &cobra.Command{
		Use:   "export --out FILE INDEX",
		Short: "Write posting lists as CIFF, or stored documents as JSONL",
		Long: `Write an index as a CIFF file (Common Index File Format), which Lucene
(Anserini), PISA, Terrier, idxbuild and others read, or the documents that it
stores as JSONL, one {"id", "contents"} a line, as idxbuild reads them. Deleted
documents are left out. "-" is standard output.`,
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
			name, options := s.Analyzer()
			description = fmt.Sprintf("Pinion index, analyzer %s(%s)", name, options)
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), "export", 0, cli.BytesRate)
		defer p.Stop()
		write := func(w io.Writer) error {
			m := &meter{ctx: cmd.Context(), w: w, p: p}
			if form.Value == "ciff" {
				return exchange.ExportCIFF(m, s, description)
			}
			replaced, err := exchange.ExportJSONL(cmd.Context(), m, s)
			if replaced > 0 {
				p.Stop()
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s not valid UTF-8: what JSON cannot hold became U+FFFD\n", cmd.CommandPath(), cli.Number(replaced, "text"))
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
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` for the header of CIFF")
	cmd.Flags().BoolVar(&zip, "gzip", false, "compress the file")
	return cmd
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
