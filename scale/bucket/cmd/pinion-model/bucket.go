package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket/internal/model"
)

// table prints rows of cells.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, heads ...any) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	t.row(heads...)
	return t
}

func (t table) row(cells ...any) {
	for _, c := range cells {
		switch c := c.(type) {
		case float64:
			fmt.Fprintf(t.w, "%.4g\t", c)
		case time.Duration:
			fmt.Fprintf(t.w, "%.4g\t", c.Seconds()*1000)
		default:
			fmt.Fprintf(t.w, "%v\t", c)
		}
	}
	fmt.Fprintln(t.w)
}

func readTraces(names []string) (traces []*model.Trace, err error) {
	for _, name := range names {
		t, err := readTrace(name)
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
	}
	return traces, nil
}

// quantities are what growCommand shows of traces.
var quantities = []struct {
	name string
	of   func(m model.Means) float64
}{
	{"requests until the hits are known", func(m model.Means) float64 { return m.Requests }},
	{"rounds", func(m model.Means) float64 { return m.Rounds }},
	{"bytes", func(m model.Means) float64 { return m.Bytes }},
	{"of the dictionary", func(m model.Means) float64 { return m.Dictionary }},
	{"of lists", func(m model.Means) float64 { return m.Lists }},
	{"share of their blocks decoded", func(m model.Means) float64 { return m.Decoded }},
	{"seconds of CPU", func(m model.Means) float64 { return m.CPU }},
	{"requests for ids", func(m model.Means) float64 { return m.IDRequests }},
	{"bytes for ids", func(m model.Means) float64 { return m.IDBytes }},
	{"bytes to open", func(m model.Means) float64 { return m.OpeningBytes }},
	{"bytes of tables", func(m model.Means) float64 { return m.Kept }},
}

func growCommand() *cobra.Command {
	docs := 10_000_000
	cmd := &cobra.Command{
		Use:   "grow TRACE TRACE...",
		Short: "Show how what queries read grows with the documents",
		Long: `Grow shows the means of the same log's traces of indexes of ascending sizes, as
far as all have it, the exponents of the powers that fit all but the last trace, what these predict for
the last, what the model makes of the trace before the last for that size, and
what it makes of the last for --docs documents.`,
		Example: "  pinion-model grow 50k.trace 200k.trace 1m.trace",
		Args:    cli.Want("TRACE", "TRACE..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			traces, err := readTraces(args)
			if err != nil {
				return err
			}
			last, common := len(traces)-1, len(traces[0].Queries)
			for _, t := range traces {
				common = min(common, len(t.Queries))
			}
			for _, t := range traces {
				t.Queries = t.Queries[:common]
			}
			grown := traces[last-1].Grow(traces[last].Docs).Means()
			further := traces[last].Grow(docs).Means()
			heads := []any{"documents"}
			var x []float64
			var means []model.Means
			for _, t := range traces {
				heads = append(heads, t.Docs)
				x, means = append(x, float64(t.Docs)), append(means, t.Means())
			}
			out := newTable(cmd.OutOrStdout(), append(heads, "exponent", "predicted", "by model", fmt.Sprint("at ", docs))...)
			for _, q := range quantities {
				row := []any{q.name}
				var y []float64
				for _, m := range means {
					y = append(y, q.of(m))
					row = append(row, q.of(m))
				}
				if last > 1 {
					exponent, predicted := model.Exponent(x[:last], y[:last], x[last])
					row = append(row, exponent, predicted)
				} else {
					row = append(row, "", "")
				}
				out.row(append(row, q.of(grown), q.of(further))...)
			}
			return out.w.Flush()
		},
	}
	cmd.Flags().IntVar(&docs, "docs", docs, "documents `N` to extend the last trace to")
	return cmd
}

func cacheCommand() *cobra.Command {
	shares, docs := []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5}, 10_000_000
	cmd := &cobra.Command{
		Use:     "cache TRACE...",
		Short:   "Replay logs with a local cache",
		Long:    "Cache answers the log of each trace in its order with caches of shares of the\nsegment, and shows what share of the second half's reads they had.",
		Example: "  pinion-model cache 1m.trace",
		Args:    cli.Want("TRACE..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			traces, err := readTraces(args)
			if err != nil {
				return err
			}
			out := newTable(cmd.OutOrStdout(), "trace", "cache", "requests", "bytes")
			for i, t := range traces {
				g := t.Grow(docs)
				for _, share := range shares {
					r := g.Replay(int64(share * float64(g.Bytes)))
					out.row(args[i], share, r.Requests, r.Bytes)
				}
			}
			return out.w.Flush()
		},
	}
	cmd.Flags().Float64SliceVar(&shares, "share", shares, "shares of the segment's bytes")
	cmd.Flags().IntVar(&docs, "segment-docs", docs, "documents `N` of the segment to extend the trace to")
	return cmd
}

// storeFlags adds flags for how object storage answers.
func storeFlags(f *pflag.FlagSet, s *model.Store) {
	f.DurationVar(&s.Median, "median", s.Median, "time until an answer begins, in the median")
	f.DurationVar(&s.P999, "p999", s.P999, "that of one answer in a thousand")
	f.Float64Var(&s.Rate, "rate", s.Rate, "bytes a second of one request")
	f.Float64Var(&s.Errors, "errors", s.Errors, "share of answers that are 503s")
}

func bucketCommand() *cobra.Command {
	var (
		docs, segmentDocs = 1_000_000_000, 10_000_000
		searchers         = []int{1, 10, 100}
		caches            = []float64{0, 0.1}
		load, gigabit     = 0.5, 10.0
		prices            = model.Prices{Get: 0.0004, Put: 0.005, Storage: 0.023, Hour: 0.33}
		s                 = model.Search{Cores: 8, Store: model.S3, Queries: 500, Seed: 1}
	)
	cmd := &cobra.Command{
		Use:   "bucket TRACE",
		Short: "Predict searchers over an index in a bucket",
		Long: `Bucket predicts requests, times and dollars of stateless searchers over an index
in a bucket, whose segments are as that of the trace, extended to --segment-docs.`,
		Example: "  pinion-model bucket 1m.trace --docs 1000000000",
		Args:    cli.Want("TRACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := readTrace(args[0])
			if err != nil {
				return err
			}
			s.Segments, s.Link = (docs+segmentDocs-1)/segmentDocs, gigabit*1e9/8
			g := t.Grow(segmentDocs)
			w, m, n := cmd.OutOrStdout(), g.Means(), float64(s.Segments)
			fmt.Fprintf(w, "%d segments, %.4g GB, $%.4g a month; tables in memory %.4g GB; to open all: %.4g requests, %.4g GB\n\n", s.Segments,
				n*float64(g.Bytes)/1e9, n*float64(g.Bytes)/1e9*prices.Storage, n*m.Kept/1e9,
				n*float64(m.Opening), n*m.OpeningBytes/1e9)
			out := newTable(w, "searchers", "cache", "open s", "requests", "hedged", "MB", "alone p50 ms", "p99", "queries/s", "at load p50", "p99", "failed",
				"$/M requests", "$/M machines")
			for _, cache := range caches {
				s.Trace = g
				if cache > 0 {
					s.Trace = g.Replay(int64(cache * float64(g.Bytes))).Left
				}
				for _, s.Searchers = range searchers {
					s := s
					if s.Searchers > s.Segments {
						continue // some would have nothing to do
					}
					one := s
					one.Queries = min(s.Queries, 100)
					alone := one.Run()
					s.Rate = load * s.Most()
					got := s.Run()
					requests, machines := s.PerMillion(prices, got.Sent, load)
					q := float64(s.Queries)
					out.row(s.Searchers, cache, s.Open().Seconds(), float64(got.Requests)/q, float64(got.Hedged)/q, float64(got.Bytes)/q/1e6,
						model.Quantile(alone.Times, 0.5), model.Quantile(alone.Times, 0.99), s.Rate,
						model.Quantile(got.Times, 0.5), model.Quantile(got.Times, 0.99), got.Failed, requests, machines)
				}
			}
			return out.w.Flush()
		},
	}
	f := cmd.Flags()
	f.IntVar(&docs, "docs", docs, "documents `N`")
	f.IntVar(&segmentDocs, "segment-docs", segmentDocs, "documents `N` of a segment")
	f.IntSliceVar(&searchers, "searchers", searchers, "searchers that share a query")
	f.Float64SliceVar(&caches, "cache", caches, "shares of the index in local caches")
	f.Float64Var(&load, "load", load, "share of what searchers bear")
	f.Float64Var(&gigabit, "gigabit", gigabit, "gigabits a second of a searcher's network")
	f.Float64Var(&prices.Get, "get", prices.Get, "dollars for 1000 requests")
	f.Float64Var(&prices.Storage, "storage", prices.Storage, "dollars for a gigabyte for a month")
	f.Float64Var(&prices.Hour, "hour", prices.Hour, "dollars for a searcher for an hour")
	f.IntVar(&s.Cores, "cores", s.Cores, "cores of a searcher")
	f.IntVar(&s.Queries, "queries", s.Queries, "queries `N` to simulate")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "seed of the simulation")
	storeFlags(f, &s.Store)
	return cmd
}
