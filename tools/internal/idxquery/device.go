package idxquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// checkDevice returns an error if other flags exclude the device of --device.
func (f *flags) checkDevice() error {
	switch {
	case f.device.Value == "cpu":
		return nil
	case f.threads > 1:
		return cli.Usage("--threads takes --device cpu")
	}
	return nil
}

// onDevice answers queries on a GPU. The CPU answers what the device cannot. With hybrid
// it answers everything if the device cannot be opened or fails. Several goroutines cut
// queries into terms and print answers while the device works for others.
func (s *session) onDevice(cmd *cobra.Command, l *pipeline, print printer) error {
	d := &device{session: s, stderr: cmd.ErrOrStderr()}
	if err := d.open(); err != nil {
		return err
	}
	defer d.release()
	workers := max(runtime.GOMAXPROCS(0), 2)
	start := time.Now()
	n, err := l.run(workers, onDevices, func(int) func(*share) error {
		w := &worker{s: s, print: print}
		return func(sh *share) error { return w.together(cmd.Context(), d, sh) }
	})
	took := time.Since(start)
	l.progress.Stop()
	if err == nil && s.f.queries != "" && n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s queries in %s on %s: %s queries/s\n", cli.Count(n), cli.Seconds(took), d.name(),
			cli.Rate(float64(n), took))
	}
	return err
}

// device is a query.Executor on a GPU. With --device hybrid it goes on without one.
type device struct {
	*session
	stderr io.Writer
	gpu    query.Executor
	of     string // its name
	close  func()
	lost   atomic.Bool // the CPU answers everything
	once   sync.Once
}

func (d *device) open() (err error) {
	d.of, d.close, err = d.executor(&d.gpu)
	if err != nil && d.f.device.Value == "hybrid" {
		d.lose(err)
		return nil
	}
	return err
}

func (d *device) lose(err error) {
	d.once.Do(func() { fmt.Fprintf(d.stderr, "answering on the CPU: %v\n", err) })
	d.lost.Store(true)
}

func (d *device) release() {
	if d.close != nil {
		d.close()
	}
}

func (d *device) name() string {
	if d.lost.Load() {
		return "the CPU"
	}
	return d.of
}

// Execute implements query.Executor.
func (d *device) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	if !d.lost.Load() {
		results, err := d.gpu.Execute(ctx, queries)
		if err == nil || d.f.device.Value != "hybrid" || !errors.Is(err, gpuload.ErrDevice) {
			return results, err
		}
		d.lose(err)
	}
	return d.searcher.Execute(ctx, queries)
}

// executor opens a device and puts an executor with the snapshot's lists on it.
func (s *session) executor(x *query.Executor) (name string, release func(), err error) {
	dev, err := gpuload.OpenDevice()
	if err != nil {
		return "", nil, err
	}
	g, err := gpuload.New(dev, s.snapshot, gpuload.Options{CPU: s.searcher, Scorer: s.searcher.Scorer()})
	if err != nil {
		return "", nil, errors.Join(err, dev.Close())
	}
	*x = g
	return dev.Info().Name, func() {
		_ = errors.Join(g.Close(), dev.Close()) // all answers have arrived
	}, nil
}
