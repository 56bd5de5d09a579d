package ao

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/papers/internal/resident"
)

// The rows of the paper's own kernels: lists lie on the device uncompressed, or in
// HS_LRC with buckets as segments, and no presence words stand before a search.

func init() {
	figure5.Own, figure6.Own, figure9.Own, table3.Own, table7.Own = ownFigure5, ownFigure6, ownFigure9, ownTable3, ownTable7
}

// ownPoint is a batch of one way.
type ownPoint struct {
	way     string
	c, sms  int // sms is the number of multiprocessors, 0: all
	queries int
	t       resident.Times
}

func (p ownPoint) perSecond() float64 { return float64(p.queries) / p.t.Batch }

// onLists measures batches of a collection's queries, for each way and threshold, and for
// some ways with few multiprocessors.
func onLists(ctx context.Context, e *paper.Env, set string, ways []resident.Way, cs, sms []int) (out []ownPoint, err error) {
	s, err := batchSet(e, set)
	if err != nil {
		return nil, err
	}
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	lists := resident.Load(m, s.Lists)
	var searched []*resident.Searched
	for _, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		searched = append(searched, lists.For(m, w))
	}
	if err := m.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", set, err)
	}
	if e.Small {
		cs = []int{400}
	}
	for _, c := range cs {
		points, err := atThreshold(ctx, e, s, searched, c, append([]int{0}, sms...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set, err)
		}
		out = append(out, points...)
	}
	return out, nil
}

// atThreshold measures a batch in all ways, with each number of multiprocessors.
func atThreshold(ctx context.Context, e *paper.Env, s *corpus.Set, ways []*resident.Searched, c int, sms []int) (out []ownPoint, err error) {
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	qs := batch(s, c)
	batches := make([]*resident.Batch, len(ways))
	for i, w := range ways {
		batches[i] = w.NewBatch(m, qs)
	}
	step := e.Pick(1+len(qs)/64, 1)
	for _, n := range sms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, b := range batches {
			b.Multiprocessors = n
		}
		times, err := resident.Measure(batches, e.Pick(51, 1), step, func(q int) []uint32 { return s.Intersect(qs[q]) })
		if err != nil {
			return nil, err
		}
		for i, t := range times {
			out = append(out, ownPoint{ways[i].Name, c, n, len(qs), t})
		}
	}
	return out, nil
}

// ownSweep measures all ways on GOV at all thresholds, once for the figures that show it.
func ownSweep(ctx context.Context, e *paper.Env) ([]ownPoint, error) {
	return paper.Once(e, "ao own sweep", func() ([]ownPoint, error) { return onLists(ctx, e, "GOV", resident.Ways(), thresholds, nil) })
}

// ownRows makes a row of each point of the sweep.
func ownRows(ctx context.Context, e *paper.Env, metric, unit string, value func(ownPoint) float64) (rows []paper.Row, err error) {
	points, err := ownSweep(ctx, e)
	for _, p := range points {
		rows = append(rows, paper.Row{Metric: metric, Series: p.way, At: thresholdName(p.c), X: float64(p.c), Value: value(p), Unit: unit})
	}
	return rows, err
}

func ownFigure5(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
	rows, err := ownRows(ctx, e, throughput, "queries/s", ownPoint.perSecond)
	if err != nil {
		return nil, err
	}
	search, err := ownRows(ctx, e, searchOnly, "queries/s", func(p ownPoint) float64 { return float64(p.queries) / p.t.Search })
	if err != nil {
		return nil, err
	}
	rows = append(rows, search...)
	at := func(metric, way string) float64 {
		for _, r := range rows {
			if r.Metric == metric && r.Series == way && r.At == "1M" {
				return r.Value
			}
		}
		return 0
	}
	for _, metric := range []string{throughput, searchOnly} {
		rows = append(rows, paper.Row{Metric: "HS16 over BS", Series: metric, At: "1M", Value: at(metric, "HS16") / at(metric, "BS"), Unit: "times"})
	}
	return rows, nil
}

func ownFigure6(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
	return ownRows(ctx, e, response, "ms", func(p ownPoint) float64 { return 1e3 * p.t.Batch })
}

// ownFigure9 gives HS16 and HS256_LRC one to all multiprocessors: blocks on others end at
// once.
func ownFigure9(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	points, err := ownSweep(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if p.way == "HS16" || p.way == "HS256_LRC" {
			rows = append(rows, paper.Row{Metric: kernelShare, Series: p.way, At: thresholdName(p.c), X: float64(p.c),
				Value: 100 * (p.t.Search + p.t.Gather) / p.t.Batch, Unit: "%"})
		}
	}
	all := max(e.Device.Info().Multiprocessors, 1)
	var sms []int
	for n := 1; n < all; n *= 2 {
		sms = append(sms, n)
	}
	sms = append(sms, all)
	ways := []resident.Way{resident.Named("HS16"), resident.Named("HS256_LRC")}
	if points, err = onLists(ctx, e, "GOV", ways, []int{1 << 20}, sms); err != nil {
		return nil, err
	}
	one := map[string]float64{}
	for _, p := range points {
		if p.sms == 1 {
			one[p.way] = p.t.Search
		}
		if p.sms > 0 {
			rows = append(rows, paper.Row{Metric: bySMs, Series: p.way, At: fmt.Sprint(p.sms), X: float64(p.sms), Value: one[p.way] / p.t.Search, Unit: "times"})
		}
	}
	return rows, nil
}

// ownTables measures the ways of tables 3 and 7 on their collections, once for both.
func ownTables(ctx context.Context, e *paper.Env) (map[string][]ownPoint, error) {
	return paper.Once(e, "ao own tables", func() (map[string][]ownPoint, error) {
		var ways []resident.Way
		for _, name := range []string{"BS", "LR", "LR local", "HS32", "HS16", "IS", "HS128_LRC", "HS256_LRC"} {
			ways = append(ways, resident.Named(name))
		}
		out := map[string][]ownPoint{}
		for _, name := range five {
			points, err := onLists(ctx, e, name, ways, []int{1 << 20}, nil)
			if err != nil {
				return nil, err
			}
			out[name] = points
		}
		return out, nil
	})
}

func ownTable3(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	all, err := ownTables(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, name := range five {
		s, err := batchSet(e, name)
		if err != nil {
			return nil, err
		}
		base := skipList(e, s)
		for _, p := range all[name] {
			rows = append(rows, paper.Row{Metric: speedup, Series: name, At: p.way, Value: p.perSecond() / base, Unit: "times"})
		}
	}
	return rows, nil
}

func ownTable7(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	all, err := ownTables(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, name := range five {
		for _, p := range all[name] {
			if p.way == "HS128_LRC" || p.way == "HS256_LRC" {
				rows = append(rows, paper.Row{Metric: throughput, Series: name, At: p.way, Value: p.perSecond(), Unit: "queries/s"},
					paper.Row{Metric: response, Series: name, At: p.way, Value: 1e3 * p.t.Batch, Unit: "ms"})
			}
		}
	}
	return rows, nil
}
