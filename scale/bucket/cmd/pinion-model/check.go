package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
	"github.com/pinion-index/pinion/scale/bucket/internal/model"
)

func checkCommand() *cobra.Command {
	most, store := 100, model.S3
	cmd := &cobra.Command{
		Use:   "check DIR QUERIES",
		Short: "Compare the model with queries of a bucket that is made slow",
		Long: `Check records what queries read of the index in DIR, of one segment, and predicts
their times one after the other by that. Then it puts the index into a bucket
in memory that answers as late as the model's, answers the queries from there,
each with nothing cached, and shows both.`,
		Example: "  pinion-model check 1m.idx log.tsv --most 100",
		Args:    cli.Want("DIR", "QUERIES"),
		RunE: func(cmd *cobra.Command, args []string) error {
			queries, err := readQueries(args[1], most)
			if err != nil {
				return err
			}
			t, err := model.Record(cmd.Context(), args[0], queries)
			if err != nil {
				return err
			}
			s := model.Search{Trace: t, Segments: 1, Searchers: 1, Fresh: true, Cores: 1, Store: store, NoHedge: true, Queries: 100 * len(queries), Seed: 1}
			predicted, n := s.Run(), float64(100*len(queries))
			measured, err := slow(cmd.Context(), args[0], queries, store)
			if err != nil {
				return err
			}
			out := newTable(cmd.OutOrStdout(), "", "p50 ms", "p90", "p99", "requests", "sent again", "kB")
			for _, row := range []struct {
				name string
				model.Searched
				n float64
			}{{"predicted", predicted, n}, {"measured", measured, float64(len(queries))}} {
				out.row(row.name, model.Quantile(row.Times, 0.5), model.Quantile(row.Times, 0.9), model.Quantile(row.Times, 0.99),
					float64(row.Requests)/row.n, float64(row.Repeated)/row.n, float64(row.Bytes)/row.n/1000)
			}
			return out.w.Flush()
		},
	}
	cmd.Flags().IntVar(&most, "most", most, "at most `N` queries, 0 for all")
	storeFlags(cmd.Flags(), &store)
	return cmd
}

// slow answers queries of the index in dir from a bucket as late as store, up to ids.
func slow(ctx context.Context, dir string, queries []string, store model.Store) (res model.Searched, err error) {
	mem := memblob.OpenBucket(nil)
	defer mem.Close()
	if err := bucket.Import(ctx, mem, dir, bucket.WriteOptions{}); err != nil {
		return res, err
	}
	late := lag.New(lag.Model{Median: store.Median, P999: store.P999, Rate: int64(store.Rate), Errors: store.Errors}, 1).Bucket(mem)
	for _, text := range queries {
		took, used, err := ask(ctx, late, text)
		if err != nil {
			return res, fmt.Errorf("query %q: %w", text, err)
		}
		res.Times = append(res.Times, took)
		res.Requests += int64(used.Requests)
		res.Repeated += int64(used.Repeated)
		res.Bytes += used.Bytes
	}
	return res, nil
}

// ask answers a query with nothing cached but what opening reads.
func ask(ctx context.Context, b *blob.Bucket, text string) (took time.Duration, used reader.Usage, err error) {
	x, err := bucket.Open(ctx, b, bucket.ReadOptions{NoHedge: true})
	if err != nil {
		return 0, used, err
	}
	s, err := x.Snapshot()
	if err != nil {
		return 0, used, errors.Join(err, x.Close())
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return 0, used, errors.Join(err, s.Close(), x.Close())
	}
	defer func() { err = errors.Join(err, searcher.Close(), s.Close(), x.Close()) }()
	meter := reader.NewMeter(reader.Budget{})
	ctx = reader.WithMeter(ctx, meter)
	start := time.Now()
	res, err := searcher.Search(ctx, search.Query{Text: text, K: 10})
	if err != nil {
		return 0, used, err
	}
	err = readIDs(s.WithContext(ctx), res.Hits)
	return time.Since(start), meter.Usage(), err
}

func readIDs(s *reader.Snapshot, hits []search.Hit) error {
	var docs []uint32
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	s.Prefetch(docs, false)
	for _, d := range docs {
		if _, err := s.AppendID(nil, d); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}
