package idxbench

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/internal/search"
)

// run describes one measurement.
type run struct {
	device    string // "" is the CPU
	model     pool.Model
	workers   int
	threshold int
	rate      float64 // 0: saturation

	// One query after the other, instead of a rate.
	alone bool
	pause time.Duration // before each query; 0 means idle
}

// measure runs r on queries for d, after a quarter of that as warm-up.
func (l *loader) measure(ctx context.Context, r run, queries []search.Query, d time.Duration) (LoadRow, error) {
	row := LoadRow{Device: cmp.Or(r.device, onCPU), Model: r.model.String(), Workers: r.workers, Threshold: r.threshold, Offered: r.rate}
	threads := r.workers
	if row.Device != onCPU {
		threads = max(threads, l.out.CPUs)
	}
	runtime.GOMAXPROCS(threads)
	p, err := l.target(r)
	if err != nil {
		return row, err
	}
	defer p.Close()
	if r.alone {
		if r.pause == 0 {
			r.pause = idle
		}
		row.Alone, row.Pause = true, float64(r.pause)/float64(time.Microsecond)
		err = loadtest.Alone(ctx, p, queries, r.pause, d, l.f.deadline, &row.Result)
	} else if x, ok := p.(*hybridTarget); ok && r.rate == 0 && x.group > 0 {
		err = loadtest.SaturateGroups(ctx, x.Executor, queries, x.group, d, &row.Result)
	} else if r.rate == 0 {
		err = loadtest.Saturate(ctx, p, queries, p.backlog(), d, &row.Result)
	} else {
		err = loadtest.Arrive(ctx, p, queries, loadtest.Arrivals(r.rate, d/4+d, l.f.seed), d, l.f.deadline, &row.Result)
	}
	p.report(&row)
	l.done++
	l.progress.Update(l.done, max(l.total, l.done))
	return row, err
}

// idle is the default pause between queries that are asked alone.
const idle = time.Millisecond

// backlog is the number of queries that are running or waiting at saturation, and with a
// GPU, which takes thousands at a time.
const backlog, deviceBacklog = 512, 1 << 15
