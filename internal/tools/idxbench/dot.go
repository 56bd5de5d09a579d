package idxbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// dotUsage describes the flag --dot.
const dotUsage = "queries are vectors, in the forms that idxquery --dot reads, over `FIELD` of impacts; weights are rounded"

// readDots reads queries that are vectors, for the k best documents by a field of impacts.
func readDots(path, field string, k int) (queries []search.Query, err error) {
	weigh := func(terms []exchange.WeightedTerm) (d query.Dot, err error) {
		d.Field = field
		for _, t := range terms {
			if err := d.Add(string(t.Term), t.Weight); err != nil {
				return d, err
			}
		}
		return d, d.Check()
	}
	src, _, err := exchange.OpenVectors(path, exchange.QueriesAuto, func(terms []exchange.WeightedTerm) error { _, err := weigh(terms); return err })
	if err != nil {
		return nil, err
	}
	defer src.Close()
	for {
		q, err := src.Next()
		if err == io.EOF {
			if len(queries) == 0 {
				err = fmt.Errorf("no query of %s has a term", path)
			} else {
				err = nil
			}
			return queries, err
		}
		var terms []exchange.WeightedTerm
		if err == nil {
			terms, err = exchange.AppendVector(nil, bytes.Clone(q.Contents)) // which Next overwrites
		}
		if err != nil {
			return nil, err
		}
		d, err := weigh(terms)
		if err != nil {
			return nil, err
		}
		if len(d.Terms) > 0 {
			queries = append(queries, search.Query{Node: d, K: k})
		}
	}
}

// together are the numbers of queries that are asked at a time for latencies.
var together = []int{1, 16}

// dots measures queries that are vectors: all at a time, and few.
func (b *gpuBench) dots(ctx context.Context, queries []search.Query) (err error) {
	x, err := b.executor(ctx, queries, gpu.Options{Memory: int64(b.flags.memory)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if s := x.Stats(); s.Tiled == 0 {
		return fmt.Errorf("field %q does not fit on the device", b.flags.dot)
	} else {
		b.out.Rows = append(b.out.Rows, GPURow{What: "resident", Value: float64(s.Bytes) / 1e9, Unit: "GB"})
	}
	many := slices.Repeat(queries, max(1, b.flags.atLeast/len(queries)))
	var arena search.Arena
	var got []search.Result
	if err := b.rate("dot", "", len(many), func() (err error) { got, err = x.ExecuteInto(ctx, many, &arena); return err }); err != nil {
		return err
	}
	for lo := 0; lo < min(len(queries), b.flags.compare); lo += comparedAtOnce {
		some := queries[lo:min(lo+comparedAtOnce, len(queries), b.flags.compare)]
		want, err := b.cpu.Execute(ctx, some)
		if err != nil {
			return err
		}
		for i := range want {
			if !slices.Equal(got[lo+i].Hits, want[i].Hits) {
				return fmt.Errorf("query %d: the GPU answers %v, the CPU %v", lo+i+1, got[lo+i].Hits, want[i].Hits)
			}
		}
	}
	for _, n := range together {
		var took times
		for i := range min(latencies, len(queries)/n) {
			start := time.Now()
			if _, err := x.ExecuteInto(ctx, queries[i*n:][:n], &arena); err != nil {
				return err
			}
			took = append(took, time.Since(start))
		}
		took.sort()
		b.out.Rows = append(b.out.Rows, GPURow{What: "dot", Way: fmt.Sprint(n, " together, median"), Value: float64(took.at(0.5)) / 1e6, Unit: "ms"})
	}
	return nil
}

const (
	comparedAtOnce = 64
	latencies      = 100
)
