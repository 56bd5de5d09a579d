package idxinspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/tools/internal/cli"
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
		x, err := reader.Open(args[0])
		if err != nil {
			return cli.Opening(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			return cli.Opening(err)
		}
		defer s.Close()
		if description == "" {
			name, options := s.Analyzer()
			description = fmt.Sprintf("Pinion index, analyzer %s(%s)", name, options)
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), "export", 0, cli.BytesRate)
		defer p.Stop()
		write := func(w io.Writer) error {
			m := &meter{w: w, p: p}
			if form.Value == "ciff" {
				return exchange.ExportCIFF(m, s, description)
			}
			replaced, err := exchange.ExportJSONL(cmd.Context(), m, s)
			if replaced > 0 {
				p.Stop()
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s texts are not valid UTF-8: what JSON cannot hold became U+FFFD\n", cmd.CommandPath(), cli.Count(replaced))
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
			return write(cmd.OutOrStdout())
		}
		return writeFile(out, write)
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (required)")
	cmd.Flags().Var(form, "format", form.Words())
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` for the header of CIFF")
	cmd.Flags().BoolVar(&zip, "gzip", false, "compress the file")
	return cmd
}

// meter counts what is written through it for a progress bar.
type meter struct {
	w io.Writer
	p *cli.Progress
	n int64
}

func (m *meter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	m.n += int64(n)
	m.p.Set(m.n)
	return n, err
}

// writeFile makes what write writes the content of the file at path, durably. It
// writes to a new file beside path, and leaves path as it was on an error. Where path is
// a device or a pipe, it writes there, and where it is a link, to what that names.
func writeFile(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	switch st, err := os.Stat(path); {
	case err != nil && !cli.IsNotExist(err):
		return err
	case err == nil && st.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case err == nil && !st.Mode().IsRegular():
		return writeThrough(path, write)
	case err == nil:
		mode = st.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	tmp := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		var e *fs.PathError
		if errors.As(err, &e) {
			e.Path = path // the name that the user knows
		}
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// writeThrough writes to a file that is not regular.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Close())
}
