package idxinspect

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// Stats is what `idxinspect stats` prints: histograms.
type Stats struct {
	Terms      uint64               `json:"terms"` // distinct ones
	Lists      uint64               `json:"lists"`
	Postings   uint64               `json:"postings"`
	Sample     inspect.Sample       `json:"sample"`
	Histograms []*inspect.Histogram `json:"histograms"`

	only string // the name of the only histogram to show
}

// defaultBlocks is about how many blocks the sample has.
const defaultBlocks = 8192

// histogramNames are the names of inspect.Histogram.
var histogramNames = []string{"df", "lengths", "gaps", "frequencies", "docs-widths", "freqs-widths", "exceptions"}

func statsCommand() *cobra.Command {
	var asCSV bool
	var field string
	o := inspect.Options{Blocks: defaultBlocks}
	only := cli.NewChoice("NAME", append([]string{"all"}, histogramNames...)...)
	cmd := command("stats INDEX", "Show how frequencies, lengths, gaps and block widths are spread",
		`Document frequencies (df) and lengths are those of all terms and documents,
deleted ones included. The others (gaps, frequencies, docs-widths, freqs-widths,
exceptions) come from a sample: the blocks that hold every n-th posting, in the
order of the dictionary, from a random one on. The sample stays the same unless
--seed changes. Percentiles are within 1 %. Of an index with a schema they are those
of all fields together, or with --field of one.`,
		`  idxinspect stats kjv.idx
  idxinspect stats --histogram gaps kjv.idx
  idxinspect stats --csv kjv.idx > kjv.csv`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			if asCSV && cmd.Flags().Changed("json") {
				return nil, cli.Usage("--csv and --json exclude each other")
			}
			var s *Stats
			err := inspect.With(args[0], func(x *inspect.Index) (err error) {
				if field != "" {
					if err := x.Choose(field); err != nil {
						return err
					}
					o.Field = x.Field
				}
				s, err = stats(cmd.Context(), cmd.ErrOrStderr(), x, o)
				return err
			})
			if err != nil {
				return nil, err
			}
			if only.Value != "all" {
				s.only = only.Value
				s.Histograms = slices.DeleteFunc(s.Histograms, func(h *inspect.Histogram) bool { return h.Name != only.Value })
			}
			if asCSV {
				return nil, s.csv(cmd.OutOrStdout())
			}
			return s, nil
		})
	cmd.Flags().Var(only, "histogram", "show only one, with its bins")
	fieldFlag(cmd, &field)
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print the bins as CSV")
	cli.Int(cmd.Flags(), &o.Blocks, "blocks", defaultBlocks, 1, 1<<30, "sample about `N` blocks")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "draw other blocks with another `N`")
	return cmd
}

func stats(ctx context.Context, stderr io.Writer, x *inspect.Index, o inspect.Options) (*Stats, error) {
	p := cli.NewProgress(stderr, "walk", 0, cli.ItemRate("lists"))
	defer p.Stop()
	o.Progress = p.Update
	st, err := inspect.Collect(ctx, x.Segments(), o)
	if err != nil {
		return nil, err
	}
	return &Stats{Terms: st.Terms, Lists: st.Lists, Postings: st.Postings, Sample: st.Sample, Histograms: st.Histograms}, nil
}

func (s *Stats) Text(w io.Writer) {
	heads := []string{"", "of", ">number", ">min"}
	for _, q := range []string{"p10", "p25", "median", "p75", "p90", "p99"} {
		heads = append(heads, ">"+q)
	}
	t := cli.NewTable(append(heads, ">max", ">mean")...)
	for _, h := range s.Histograms {
		row := []any{h.Name, h.Of, h.Count, h.Min}
		for _, q := range h.Quantiles {
			row = append(row, q.Value)
		}
		for len(row) < 10 {
			row = append(row, "-")
		}
		t.Row(append(row, h.Max, cli.Float(h.Mean, 3))...)
	}
	t.WriteTo(w)
	if s.only == "" {
		fmt.Fprintf(w, "\n%s, %s, %s\n", cli.Number(s.Terms, "term"), cli.Number(s.Lists, "list"), cli.Number(s.Postings, "posting"))
	}
	if s.Sample.Step == 1 {
		fmt.Fprintf(w, "sample: all %s\n", cli.Number(s.Sample.Blocks, "block"))
	} else {
		fmt.Fprintf(w, "sample: %s, drawn by one posting in %s\n", cli.Number(s.Sample.Blocks, "block"), cli.Count(s.Sample.Step))
	}
	if s.only == "" {
		return
	}
	for _, h := range s.Histograms {
		fmt.Fprintln(w)
		bins(w, h)
	}
}

// bins prints the bins of a histogram with bars.
func bins(w io.Writer, h *inspect.Histogram) {
	most := uint64(1)
	for _, b := range h.Bins {
		most = max(most, b.Count)
	}
	t := cli.NewTable(">"+h.Unit, ">"+h.Of, ">share", "")
	for _, b := range h.Bins {
		name := cli.Count(b.From)
		if b.To > b.From {
			name += "-" + cli.Count(b.To)
		}
		t.Row(name, b.Count, cli.Percent(b.Count, h.Count), strings.Repeat("=", int(30*b.Count/most)))
	}
	t.WriteTo(w)
}

func (s *Stats) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"histogram", "unit", "from", "to", "of", "count", "sum"})
	n := func(v uint64) string { return strconv.FormatUint(v, 10) }
	for _, h := range s.Histograms {
		for _, b := range h.Bins {
			out.Write([]string{h.Name, h.Unit, n(b.From), n(b.To), h.Of, n(b.Count), n(b.Sum)})
		}
	}
	out.Flush()
	return out.Error()
}
