package idxbench

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Open is what `idxbench open` prints; times are in microseconds.
type Open struct {
	Index    string  `json:"index"`
	Bytes    int64   `json:"bytes"`
	Segments int     `json:"segments"`
	Repeats  int     `json:"repeats"`
	First    float64 `json:"first_us"`
	Median   float64 `json:"median_us"`
	P99      float64 `json:"p99_us"`
	Snapshot float64 `json:"snapshot_us"`
	Lookup   float64 `json:"first_lookup_us"`
	open     times
	snap     times
	lookup   times
}

func openCommand() *cobra.Command {
	var index string
	var repeats int
	cmd := &cobra.Command{
		Use:   "open --index DIR",
		Short: "Measure opening an index",
		Long: `Measure opening an index with all its segments, taking a snapshot, and the first
lookup of a term. The times do not depend on the size of the index.`,
		Example: "  idxbench open --index kjv.idx\n  idxbench open --index kjv.idx --json",
		Args:    cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if index == "" {
				return cli.Usage("--index is missing")
			}
			o := &Open{Index: index, Repeats: repeats}
			for range repeats {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				if err := o.once(); err != nil {
					return err
				}
			}
			o.finish()
			return cli.Show(cmd, o)
		},
	}
	cli.JSONFlag(cmd.Flags())
	cmd.Flags().StringVar(&index, "index", "", "index `DIR` (required)")
	cli.Int(cmd.Flags(), &repeats, "repeat", 200, 1, cli.Any, "open it `N` times")
	return cmd
}

func (o *Open) once() error {
	t := time.Now()
	x, err := reader.Open(context.Background(), reader.Dir(o.Index), reader.Options{})
	if err != nil {
		return cli.Opening(err)
	}
	defer x.Close()
	o.open = append(o.open, time.Since(t))
	t = time.Now()
	s, err := x.Snapshot()
	if err != nil {
		return cli.Opening(err)
	}
	defer s.Close()
	if err := cli.Committed(o.Index, s); err != nil {
		return err
	}
	o.snap = append(o.snap, time.Since(t))
	t = time.Now()
	if err := lookUp(s); err != nil {
		return err
	}
	o.lookup = append(o.lookup, time.Since(t))
	o.Bytes, o.Segments = 0, len(s.Segments())
	for _, g := range s.Segments() {
		o.Bytes += g.Header().FileLen
	}
	return nil
}

// lookUp looks for a word: in the first field that is indexed, or for an id if there is none.
func lookUp(s *reader.Snapshot) error {
	for i := range s.Schema().Fields {
		if f := &s.Schema().Fields[i]; f.Indexing() != schema.IndexNone {
			in, _ := s.Field(f.Name)
			_, err := in.DF([]byte("the"))
			return err
		}
	}
	_, _, err := s.FindID([]byte("the"))
	return err
}

func (o *Open) finish() {
	f := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	o.First = f(o.open[0])
	for _, t := range []times{o.open, o.snap, o.lookup} {
		t.sort()
	}
	o.Median, o.P99 = f(o.open.at(0.5)), f(o.open.at(0.99))
	o.Snapshot, o.Lookup = f(o.snap.at(0.5)), f(o.lookup.at(0.5))
}

func (o *Open) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s in %s, opened %s times, in microseconds\n\n", o.Index, cli.Bytes(o.Bytes), cli.Number(o.Segments, "segment"), cli.Count(o.Repeats))
	t := cli.NewTable("", ">us")
	for _, r := range []struct {
		name string
		v    float64
	}{{"open, first", o.First}, {"open, median", o.Median}, {"open, p99", o.P99}, {"snapshot, median", o.Snapshot}, {"first look-up, median", o.Lookup}} {
		t.Row(r.name, cli.Float(r.v, 3))
	}
	t.WriteTo(w)
}
