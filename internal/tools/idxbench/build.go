package idxbench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxbuild"
	"github.com/pinion-index/pinion/reader"
)

// Build is what `idxbench build` prints.
type Build struct {
	Documents int64     `json:"documents"`
	Postings  uint64    `json:"postings"`
	Tokens    uint64    `json:"tokens"`
	Read      int64     `json:"bytes_read"`
	Bytes     int64     `json:"index_bytes"`
	Segments  int       `json:"segments"`
	Seconds   []float64 `json:"seconds"`
	PeakRSS   int64     `json:"peak_rss_bytes,omitempty"`
}

func buildCommand() *cobra.Command {
	var repeats, threads int
	memory := cli.ByteSize(512 << 20)
	var analyzer string
	cmd := &cobra.Command{
		Use:     "build INPUT...",
		Short:   "Measure building an index",
		Long:    "Measure building an index of INPUT, as for idxbuild, in a temporary directory that\nis then removed.",
		Example: "  idxbench build --repeat 3 testdata/kjv.jsonl.gz\n  idxbench build --json testdata/kjv.jsonl.gz",
		Args:    cli.Want("INPUT..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := &Build{}
			for range repeats {
				flags := []string{"--memory", memory.String(), "--threads", fmt.Sprint(threads), "--analyzer", analyzer}
				if err := b.run(cmd.Context(), cmd.ErrOrStderr(), append(flags, args...)); err != nil {
					return err
				}
			}
			b.PeakRSS = peakRSS()
			return cli.Show(cmd, b)
		},
	}
	cli.JSONFlag(cmd.Flags())
	cli.Int(cmd.Flags(), &repeats, "repeat", 1, 1, cli.Any, "build `N` times")
	cli.Threads(cmd.Flags(), &threads)
	cmd.Flags().Var(&memory, "memory", "memory budget")
	cmd.Flags().StringVar(&analyzer, "analyzer", "standard", "`NAME` of the analyzer")
	return cmd
}

// run builds once.
func (b *Build) run(ctx context.Context, stderr io.Writer, args []string) error {
	dir, err := os.MkdirTemp("", "idxbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "idx")
	r, err := idxbuild.Build(ctx, stderr, append([]string{"--out", out}, args...))
	if err != nil {
		return err
	}
	b.Documents, b.Read, b.Bytes, b.Segments = r.Added, r.Read, r.Bytes, r.Segments
	b.Seconds = append(b.Seconds, r.Seconds)
	x, err := reader.Open(ctx, reader.Dir(out), reader.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	st := s.Stats()
	b.Postings, b.Tokens = st.Postings, st.Tokens
	return nil
}

func (b *Build) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("documents", b.Documents)
	t.Row("postings", b.Postings)
	t.Row("tokens", b.Tokens)
	t.Row("input", cli.Bytes(b.Read))
	t.Row("index", fmt.Sprintf("%s in %s", cli.Bytes(b.Bytes), cli.Number(b.Segments, "segment")))
	if b.PeakRSS > 0 {
		t.Row("peak memory", cli.Bytes(b.PeakRSS))
	}
	for _, s := range b.Seconds {
		d := time.Duration(s * float64(time.Second))
		t.Row("time", fmt.Sprintf("%s: %s documents/s, %s tokens/s", cli.Seconds(d), cli.Rate(float64(b.Documents), d), cli.Rate(float64(b.Tokens), d)))
	}
	t.WriteTo(w)
}
