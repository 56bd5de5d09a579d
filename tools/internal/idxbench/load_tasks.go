package idxbench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/chart"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/reader"
)

// TaskRow is what fine-grained tasks of one size cost (Tatikonda 2011, section
// 4.5): queries are asked one after the other.
type TaskRow struct {
	Postings int     `json:"postings"`            // of the shortest list in a task
	Tasks    float64 `json:"tasks_per_query"`     // as the pool made them
	Making   float64 `json:"making_us_per_query"` // time for that
	Mean     float64 `json:"mean_us"`             // latency
	Skips    float64 `json:"skips"`               // blocks a list and task: S_avg
	Overlap  float64 `json:"overlap"`             // of these also in the previous task: O_avg
}

// taskPostings are the sizes that figure 7 tries.
var taskPostings = []int{128, 256, 512, 1024, 2048, 4096, 8192, 16384}

// figure7 measures the overheads of tasks against their size.
func (l *loader) figure7(ctx context.Context, workers int) error {
	runtime.GOMAXPROCS(workers)
	for _, size := range taskPostings {
		row, err := l.tasks(ctx, size, workers)
		if err != nil {
			return err
		}
		l.out.Tasks = append(l.out.Tasks, row)
	}
	panel := func(title, label string, series map[string]func(TaskRow) float64, names ...string) chart.Panel {
		p := chart.Panel{Title: title, X: chart.Axis{Label: "postings of a task", Log: true}, Y: chart.Axis{Label: label, Log: true}}
		for _, n := range names {
			s := chart.Series{Name: n}
			for _, r := range l.out.Tasks {
				s.Points = append(s.Points, chart.Point{X: float64(r.Postings), Y: series[n](r)})
			}
			p.Series = append(p.Series, s)
		}
		p.X.Ticks = []float64{128, 512, 2048, 8192}
		return p
	}
	fields := map[string]func(TaskRow) float64{
		"tasks/query":     func(r TaskRow) float64 { return r.Tasks },
		"blocks/list":     func(r TaskRow) float64 { return r.Skips },
		"of these twice":  func(r TaskRow) float64 { return r.Overlap },
		"latency":         func(r TaskRow) float64 { return r.Mean },
		"making of tasks": func(r TaskRow) float64 { return r.Making },
	}
	return l.write("figure7.svg", &chart.Figure{
		Title: "What tasks cost against their size",
		Notes: []string{cli.Number(workers, "core") + ", one query at a time"},
		Panels: []chart.Panel{
			panel("number", "tasks, blocks", fields, "tasks/query", "blocks/list", "of these twice"),
			panel("time", "us a query", fields, "latency", "making of tasks"),
		},
	})
}

func (l *loader) tasks(ctx context.Context, size, workers int) (TaskRow, error) {
	row := TaskRow{Postings: size}
	p, err := pool.New(l.whole, pool.Options{Workers: workers, Model: pool.FineGrained, TaskPostings: size, SpinFor: l.f.spin})
	if err != nil {
		return row, err
	}
	defer p.Close()
	var hits []query.Hit
	begin, asked := time.Now(), 0
	for ; time.Since(begin) < l.f.time/3 || asked == 0; asked++ {
		if hits, err = p.AppendHits(ctx, hits[:0], &l.queries[asked%len(l.queries)]); err != nil {
			return row, err
		}
	}
	n := p.Counts()
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(asked) }
	row.Tasks, row.Making, row.Mean = float64(n.Tasks)/float64(asked), us(n.Splitting), us(time.Since(begin))
	row.Skips, row.Overlap, err = l.skips(size, min(len(l.queries), 500))
	return row, err
}

// skips returns S_avg and O_avg of Tatikonda 2011, section 4.5, for the first n
// queries: how many blocks of a list a task reads, and how many of those the previous
// task also reads.
func (l *loader) skips(size, n int) (skips, overlap float64, err error) {
	tasks := 0
	for _, q := range l.queries[:n] {
		for _, s := range l.snapshot.Segments() {
			lists, err := blockEnds(s, q.RawTerms)
			if err != nil {
				return 0, 0, err
			}
			if len(lists) < 2 {
				continue
			}
			t, sk, ov := cutTasks(lists, size/128)
			tasks, skips, overlap = tasks+t, skips+sk, overlap+ov
		}
	}
	if tasks == 0 {
		return 0, 0, nil
	}
	return skips / float64(tasks), overlap / float64(tasks), nil
}

// blockEnds returns the last docIDs of the blocks of the terms' lists, shortest list
// first, or nil if a term is missing or has no blocks.
func blockEnds(s *reader.Segment, terms [][]byte) ([][]uint32, error) {
	var lists [][]uint32
	for _, t := range terms {
		e, ok, err := s.Lookup(t)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, nil
		}
		l, err := s.Views(trusted.Caller{}).List(e)
		if err != nil {
			return nil, err
		}
		if docs, _ := l.Small(); docs != nil {
			return nil, nil
		}
		lists = append(lists, l.Docs.Last)
	}
	slices.SortFunc(lists, func(a, b []uint32) int { return len(a) - len(b) })
	return lists, nil
}

// cutTasks cuts the first list into tasks of per blocks, as algorithm 4 does. It returns
// the number of tasks, and, summed over the tasks, how many blocks of a list a task has
// on average and how many of those the previous task also has.
func cutTasks(lists [][]uint32, per int) (tasks int, skips, overlap float64) {
	per = max(per, 1)
	before := make([]int, len(lists)) // one past the last block that the previous task reads
	lo := uint32(0)
	for b := 0; b < len(lists[0]); b += per {
		hi := lists[0][min(b+per, len(lists[0]))-1]
		for i, last := range lists {
			from, _ := slices.BinarySearch(last, lo)
			to, _ := slices.BinarySearch(last, hi)
			to = min(to+1, len(last))
			skips += float64(max(to-from, 0)) / float64(len(lists))
			if tasks > 0 {
				overlap += float64(max(before[i]-from, 0)) / float64(len(lists))
			}
			before[i] = to
		}
		tasks++
		lo = hi + 1
	}
	return tasks, skips, overlap
}

func (l *Load) tasksText(w io.Writer) {
	if len(l.Tasks) == 0 {
		return
	}
	fmt.Fprintf(w, "\nFigure 7\n")
	t := cli.NewTable(">postings/task", ">tasks/query", ">making, us", ">latency, us", ">blocks/list", ">of these twice")
	for _, r := range l.Tasks {
		t.Row(r.Postings, cli.Float(r.Tasks, 3), cli.Float(r.Making, 3), cli.Float(r.Mean, 3), cli.Float(r.Skips, 3), cli.Float(r.Overlap, 3))
	}
	t.WriteTo(w)
}
