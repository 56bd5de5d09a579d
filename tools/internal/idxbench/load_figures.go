package idxbench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/chart"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// Arrival rates of figures 5 and 6 as shares of saturation.
var (
	shares5 = []float64{0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.1}
	shares6 = []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1, 1.1}
)

var (
	thresholds = []int{1, 5, 20, 50, 150}
	figureRuns = []pool.Model{pool.Inter, pool.DocRanges, pool.FineGrained} // the models of figures 5 and 6
)

// figures runs the experiments of Tatikonda 2011, section 4.
func (l *loader) figures(ctx context.Context, cpus int) error {
	if err := os.MkdirAll(l.f.figures, 0o777); err != nil {
		return err
	}
	workers := l.f.workers
	if len(workers) == 0 {
		for n := 1; n < cpus; n *= 2 {
			workers = append(workers, n)
		}
		workers = append(workers, cpus)
	}
	if workers[0] != 1 {
		workers = append([]int{1}, workers...)
	}
	most := workers[len(workers)-1]
	for _, step := range []func() error{
		func() error { return l.figure4(ctx, workers) },
		func() error { return l.figure5(ctx, workers, most) },
		func() error { return l.figure6(ctx, most) },
		func() error { return l.figure7(ctx, most) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	l.summarize(most)
	return nil
}

// add measures r and keeps the row.
func (l *loader) add(ctx context.Context, r run, queries []query.Query, d time.Duration) (LoadRow, error) {
	row, err := l.measure(ctx, r, queries, d)
	if err == nil {
		l.out.Rows = append(l.out.Rows, row)
	}
	return row, err
}

// find returns the throughput at saturation or the mean latency of a measured row,
// 0 if there is none.
func (l *loader) find(figure string, m pool.Model, workers int) float64 {
	for _, r := range l.out.Rows {
		if r.Figure == figure && r.Model == m.String() && r.Workers == workers && r.Threshold == 0 {
			if r.Offered == 0 && !r.Alone {
				return r.Throughput
			}
			return r.Mean
		}
	}
	return 0
}

// figure4 measures throughput and latency by cores and by pool threshold.
func (l *loader) figure4(ctx context.Context, workers []int) error {
	models := []pool.Model{pool.Inter, pool.DocRanges, pool.Partitions, pool.FineGrained}
	for _, m := range models {
		for _, n := range workers {
			if _, err := l.add(ctx, run{figure: "4a", model: m, workers: n}, l.queries, l.f.time); err != nil {
				return err
			}
		}
	}
	asked := 0 // queries in every run: as many as one worker answers in the time
	for _, m := range models {
		for _, n := range workers {
			row, err := l.add(ctx, run{figure: "4b", model: m, workers: n, alone: true, most: asked}, l.queries, 2*l.f.time)
			if err != nil {
				return err
			}
			asked = int(row.Queries)
		}
	}
	most := workers[len(workers)-1]
	loss, gain := chart.Series{Name: "throughput lost, %"}, chart.Series{Name: "latency saved, %"}
	for _, kappa := range thresholds {
		full, err := l.add(ctx, run{figure: "4c", model: pool.FineGrained, workers: most, threshold: kappa}, l.queries, l.f.time)
		if err != nil {
			return err
		}
		part, err := l.add(ctx, run{figure: "4c", model: pool.FineGrained, workers: most, threshold: kappa, alone: true, most: asked}, l.queries, l.f.time)
		if err != nil {
			return err
		}
		x := float64(kappa)
		loss.Points = append(loss.Points, chart.Point{X: x, Y: 100 * (1 - full.Throughput/l.find("4a", pool.Inter, most))})
		gain.Points = append(gain.Points, chart.Point{X: x, Y: 100 * (1 - part.Mean/l.find("4b", pool.Inter, 1))})
	}
	cores := func(label string, log bool) chart.Panel {
		p := chart.Panel{X: chart.Axis{Label: "cores", Log: true}, Y: chart.Axis{Label: label, Log: log, Zero: !log}}
		for _, n := range workers {
			p.X.Ticks = append(p.X.Ticks, float64(n))
		}
		return p
	}
	a, b := cores("queries/s", false), cores("mean latency, us", true)
	a.Title, b.Title = "(a) throughput at saturation", "(b) latency of queries asked alone"
	for _, m := range models {
		a.Series, b.Series = append(a.Series, l.against(m, "4a", workers)), append(b.Series, l.against(m, "4b", workers))
	}
	c := chart.Panel{Title: "(c) fgqp against inter", X: chart.Axis{Label: "pool threshold", Log: true, Ticks: []float64{1, 5, 20, 50, 150}},
		Y: chart.Axis{Label: "%", Zero: true}, Series: []chart.Series{loss, gain}}
	return l.write("figure4.svg", &chart.Figure{Title: "Parallel models against cores", Panels: []chart.Panel{a, b, c}})
}

// against returns the values of a figure by number of workers.
func (l *loader) against(m pool.Model, figure string, workers []int) chart.Series {
	s := chart.Series{Name: m.String()}
	for _, n := range workers {
		s.Points = append(s.Points, chart.Point{X: float64(n), Y: l.find(figure, m, n)})
	}
	return s
}

// figure5 measures latency by arrival rate, and latency and throughput by length of
// queries.
func (l *loader) figure5(ctx context.Context, workers []int, most int) error {
	a := chart.Panel{Title: "(a) latency", X: chart.Axis{Label: "arrivals/s", Log: true}, Y: chart.Axis{Label: "mean latency, us", Log: true}}
	few := workers[max(0, len(workers)-3)] // a quarter of them, for powers of two
	counts := []int{few, most}
	if few == most {
		counts = counts[:1]
	}
	for _, n := range counts {
		for _, m := range figureRuns {
			s := chart.Series{Name: fmt.Sprintf("%s, %d", m, n)}
			for _, share := range shares5 {
				rate := share * l.find("4a", pool.Inter, n)
				row, err := l.add(ctx, run{figure: "5a", model: m, workers: n, rate: rate}, l.queries, l.f.time*3/4)
				if err != nil {
					return err
				}
				s.Points = append(s.Points, chart.Point{X: rate, Y: row.Mean})
				if row.behind {
					break // from here on, latency only says how long the run was
				}
			}
			a.Series = append(a.Series, s)
		}
	}
	b := chart.Panel{Title: "(b) latency, " + cli.Number(most, "core"), X: chart.Axis{Label: "terms"}, Y: chart.Axis{Label: "mean latency, us", Log: true}}
	c := chart.Panel{Title: "(c) throughput, " + cli.Number(most, "core"), X: chart.Axis{Label: "terms"}, Y: chart.Axis{Label: "queries/s", Log: true}}
	lengths, asked := l.lengths(2, 10), map[int]int{}
	for _, m := range figureRuns {
		lat, thr := chart.Series{Name: fmt.Sprintf("%s, %d", m, most)}, chart.Series{Name: fmt.Sprintf("%s, %d", m, most)}
		for _, n := range lengths {
			some := l.ofLength(n)
			full, err := l.add(ctx, run{figure: "5c", model: m, workers: most, terms: n}, some, l.f.time/3)
			if err != nil {
				return err
			}
			one, err := l.add(ctx, run{figure: "5b", model: m, workers: most, terms: n, alone: true, most: asked[n]}, some, l.f.time*2/3)
			if err != nil {
				return err
			}
			asked[n] = int(one.Queries)
			lat.Points = append(lat.Points, chart.Point{X: float64(n), Y: one.Mean})
			thr.Points = append(thr.Points, chart.Point{X: float64(n), Y: full.Throughput})
		}
		b.Series, c.Series = append(b.Series, lat), append(c.Series, thr)
	}
	slices.SortStableFunc(l.out.Rows, func(a, b LoadRow) int { return strings.Compare(a.Figure, b.Figure) })
	return l.write("figure5.svg", &chart.Figure{Title: "Parallel models against load and query length", Panels: []chart.Panel{a, b, c},
		Notes: []string{"after the name of the model: cores"}})
}

// figure6 measures latency by arrival rate for two lengths of queries.
func (l *loader) figure6(ctx context.Context, most int) error {
	f := &chart.Figure{Title: "Latency against arrival rate by query length, " + cli.Number(most, "core")}
	for _, n := range []int{4, 6} {
		some := l.ofLength(n)
		if len(some) == 0 {
			continue
		}
		p := chart.Panel{Title: cli.Number(n, "term"), X: chart.Axis{Label: "arrivals/s"}, Y: chart.Axis{Label: "mean latency, us", Log: true}}
		full, err := l.measure(ctx, run{model: pool.Inter, workers: most}, some, l.f.time/2)
		if err != nil {
			return err
		}
		for _, m := range figureRuns {
			s := chart.Series{Name: m.String()}
			for _, share := range shares6 {
				row, err := l.add(ctx, run{figure: "6", model: m, workers: most, terms: n, rate: share * full.Throughput}, some, l.f.time/2)
				if err != nil {
					return err
				}
				s.Points = append(s.Points, chart.Point{X: row.Offered, Y: row.Mean})
				if row.behind {
					break
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return l.write("figure6.svg", f)
}

// ofLength returns the queries with n terms.
func (l *loader) ofLength(n int) []query.Query {
	var out []query.Query
	for _, q := range l.queries {
		if len(q.RawTerms) == n {
			out = append(out, q)
		}
	}
	return out
}

// lengths returns the lengths from lo to hi that at least ten queries have.
func (l *loader) lengths(lo, hi int) []int {
	var out []int
	for n := lo; n <= hi; n++ {
		if len(l.ofLength(n)) >= 10 {
			out = append(out, n)
		}
	}
	return out
}

func (l *loader) write(name string, f *chart.Figure) error {
	path := filepath.Join(l.f.figures, name)
	err := cli.WriteFile(path, false, func(w io.Writer) error {
		_, err := f.WriteTo(w)
		return err
	})
	l.out.Figures = append(l.out.Figures, path)
	return err
}

// summarize compares the models at the greatest number of workers.
func (l *loader) summarize(most int) {
	say := func(msg string, args ...any) { l.out.summary = append(l.out.summary, fmt.Sprintf(msg, args...)) }
	t := func(m pool.Model, n int) float64 { return max(l.find("4a", m, n), 1e-9) }
	lat := func(m pool.Model, n int) float64 { return max(l.find("4b", m, n), 1e-9) }
	say("%s against one: inter answers %.1f times as many queries", cli.Number(most, "worker"), t(pool.Inter, most)/t(pool.Inter, 1))
	say("of queries asked alone the mean latency falls %.1f times with fgqp, %.1f with docp-ui, %.1f with docp-pi", lat(pool.Inter, 1)/lat(pool.FineGrained, most),
		lat(pool.Inter, 1)/lat(pool.DocRanges, most), lat(pool.Inter, 1)/lat(pool.Partitions, most))
	say("at saturation fgqp answers %.1f %% of what inter does, docp-ui %.1f %%, docp-pi %.1f %%", 100*t(pool.FineGrained, most)/t(pool.Inter, most),
		100*t(pool.DocRanges, most)/t(pool.Inter, most), 100*t(pool.Partitions, most)/t(pool.Inter, most))
}
