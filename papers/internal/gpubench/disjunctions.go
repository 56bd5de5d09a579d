package gpubench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/query"
)

// AccumulationNames returns the names of the algorithms for disjunctions.
func AccumulationNames() (names []string) {
	for _, a := range gpuload.Accumulations() {
		names = append(names, a.String())
	}
	return names
}

// answered are queries for all algorithms, with the CPU's answers.
type answered struct {
	kind    kind
	lists   [][]int
	queries []query.Query
	want    []query.Result
}

// disjunctions measures the algorithms for disjunctions, top 10, each in an executor of
// its own, and compares all results with the CPU's.
func (b *Bench) disjunctions(ctx context.Context, e *engine) error {
	n := 4096
	if b.Small {
		n = 40
	}
	var sets []answered
	for _, k := range []kind{whole, long} {
		s := answered{kind: k, lists: draw(e.Set, n, k, b.Seed+2000)}
		s.queries = asked(e.Set, s.lists, 10, query.Or)
		var err error
		if s.want, err = onAll(ctx, e.cpu, s.queries); err != nil {
			return err
		}
		sets = append(sets, s)
	}
	for _, how := range gpuload.Accumulations() {
		if b.Accumulations != nil && !slices.Contains(b.Accumulations, how) {
			continue
		}
		if err := b.disjunction(ctx, e, sets, how); err != nil {
			return fmt.Errorf("disjunctions, %v: %w", how, err)
		}
	}
	return nil
}

func (b *Bench) disjunction(ctx context.Context, e *engine, sets []answered, how gpuload.Accumulation) error {
	o := gpuload.Options{Memory: 8 << 30, Accumulate: how}
	rounds := 4
	if b.Small {
		o.Memory, rounds = 64<<20, 2
	}
	x, err := gpuload.New(b.Device, e.Snapshot, o)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.LoadAll(ctx); err != nil {
		return err
	}
	each := float64(x.Stats().Bytes) / float64(e.Snapshot.Stats().Postings)
	for _, s := range sets {
		sec := math.Inf(1)
		for range rounds {
			start := time.Now()
			got, err := x.Execute(ctx, s.queries)
			if err != nil {
				return err
			}
			sec = min(sec, time.Since(start).Seconds())
			for i := range s.want {
				if !gputrial.Equal(got[i].Hits, s.want[i].Hits) {
					return fmt.Errorf("query %d, %s: the device answers %v, the CPU %v", i, s.queries[i].RawTerms, got[i].Hits, s.want[i].Hits)
				}
			}
		}
		n := float64(len(s.queries))
		r := Row{Name: fmt.Sprintf("OR %s, %v, %v", e.Set.Name, s.kind, how), Value: n / sec / 1e3, Unit: "k queries/s",
			Note: fmt.Sprintf("top 10, %.1f ms for %.0f", sec*1e3, n)}
		if how == gpuload.GlobalAccumulators {
			bytes := traffic(e.Set, s.lists, each)
			r.Bound = b.copy / bytes / 1e3 * n
			r.Note += fmt.Sprintf(", %.0f MB a query", bytes/n/1e6)
		}
		b.add(r)
	}
	return nil
}

// traffic returns the minimum number of bytes of device memory that disjunctions with
// accumulators in device memory (kernels/accumulate.cu) move: 8 per document, the
// postings with the given bytes each, and the 32-byte sectors of accumulators with a
// posting, read and written. Norms are assumed to be in L2.
func traffic(s *listset.Set, queries [][]int, each float64) (bytes float64) {
	sectors := float64(s.Docs) / 8
	for _, q := range queries {
		bytes += 8 * float64(s.Docs)
		for _, i := range q {
			df := float64(len(s.Lists[i]))
			bytes += each*df + 64*sectors*(1-math.Exp(-df/sectors))
		}
	}
	return bytes
}
