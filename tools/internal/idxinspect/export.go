package idxinspect

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

func exportCommand() *cobra.Command {
	var out, description string
	var zip bool
	cmd := &cobra.Command{
		Use:   "export --out FILE INDEX",
		Short: "Write an index in the Common Index File Format",
		Long: `Write an index as a CIFF file, which Lucene (Anserini), PISA, Terrier, idxbuild and
others read. Deleted documents are left out. "-" is standard output.`,
		Example: `  idxinspect export --out kjv.ciff.gz --gzip kjv.idx
  idxbuild --out copy.idx kjv.ciff.gz`,
		Args: cli.Want("INDEX"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out == "" {
			return cli.Usage("--out is missing")
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
			return exchange.ExportCIFF(&meter{w: w, p: p}, s, description)
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
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write (required)")
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` for the header")
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
// writes to a new file beside path, and leaves path as it was on an error.
func writeFile(path string, write func(io.Writer) error) error {
	tmp := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
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
