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
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// GPUName names the first GPU of this machine and says how many there are.
func GPUName() string {
	n, err := gpuload.Devices()
	if err != nil || n == 0 {
		return "no GPU"
	}
	d, err := gpuload.OpenDevice()
	if err != nil {
		return "no GPU: " + err.Error()
	}
	defer d.Close()
	if n > 1 {
		return fmt.Sprintf("%d GPUs, the first %s", n, d.Info().Name)
	}
	return d.Info().Name
}

// checkDevice returns an error if other flags exclude the device of --device.
func (f *flags) checkDevice() error {
	switch {
	case f.gpus > 0 && (f.device.Value == "cpu" || f.queries == ""):
		return cli.Usage("--gpus takes --queries, and --device gpu or hybrid")
	case f.preload != "" && (f.device.Value != "gpu" || f.queries == "" || f.trace):
		return cli.Usage("--preload takes --queries and --device gpu, and no --trace")
	case f.device.Value == "cpu":
		return nil
	case f.threads > 1:
		return cli.Usage("--threads takes --device cpu")
	}
	return nil
}

// onDevice answers queries on a GPU, or with hybrid on the GPU and the CPU. Several
// goroutines cut queries into terms and print answers while the device works for others.
func (s *session) onDevice(cmd *cobra.Command, l *pipeline, print printer) error {
	d := &device{session: s, stderr: cmd.ErrOrStderr()}
	if err := d.open(); err != nil {
		return err
	}
	defer d.release()
	workers, shares := max(runtime.GOMAXPROCS(0), 2), onDevices
	start := time.Now()
	if d.hybrid != nil {
		shares = onBoth
		done := make(chan struct{})
		d.opening.Go(func() { d.openWhenItPays(l, workers, done) })
		defer close(done) // before release
	}
	n, err := l.run(workers, shares, func(int) func(*share) error {
		w := &worker{s: s, print: print}
		return func(sh *share) error { return w.together(cmd.Context(), d, sh) }
	})
	took := time.Since(start)
	l.progress.Stop()
	if err == nil && s.f.queries != "" && n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s queries in %s on %s: %s queries/s\n", cli.Count(n), cli.Seconds(took), d.processors(),
			cli.Rate(float64(n), took))
	}
	d.report()
	return err
}

// device is a query.Executor on a GPU, or on both processors.
type device struct {
	*session
	query.Executor
	stderr  io.Writer
	hybrid  *hybrid.Executor // nil for GPUs alone
	gpus    *gpuload.Group   // nil with hybrid
	close   func()
	opening sync.WaitGroup // of hybrid's GPU
	asked   atomic.Bool    // for it
	said    sync.Once
}

func (d *device) open() (err error) {
	if d.f.device.Value != hybrid.Parallel.String() {
		if d.gpus, err = d.group(); err != nil {
			return err
		}
		d.Executor = d.gpus
		d.close = func() { _ = d.gpus.Close() } // all answers have arrived
		return d.preload()
	}
	x, err := hybrid.Open(d.snapshot, d.searcher, hybrid.OpenOptions{GPUs: d.f.gpus, OnDemand: true})
	if err != nil {
		return err
	}
	d.Executor, d.hybrid = x, x
	d.close = func() {
		_ = x.Close() // all answers have arrived
		d.opening.Wait()
	}
	return nil
}

// looks is how often it is looked whether the GPU of hybrid pays.
const looks = 5 * time.Millisecond

// openWhenItPays opens the GPU of hybrid once that pays for the queries of l, unless done is
// closed before.
func (d *device) openWhenItPays(l *pipeline, workers int, done <-chan struct{}) {
	var rule demand
	start := time.Now()
	for tick := time.Tick(looks); ; {
		select {
		case <-done:
			return
		case <-tick:
		}
		answered := int(d.hybrid.Stats().CPU.Queries)
		read, ended := l.progressed()
		if !rule.pays(time.Since(start), answered, read-answered-workers, ended) {
			continue
		}
		d.asked.Store(true)
		d.opening.Go(func() { d.checkLost(d.hybrid.Ready(context.Background())) })
		return
	}
}

// checkLost says once why the GPU is not used, unless it is.
func (d *device) checkLost(err error) {
	if err != nil && !errors.Is(err, reader.ErrClosed) {
		d.said.Do(func() { fmt.Fprintf(d.stderr, "answering on the CPU: %v\n", err) })
	}
}

// processors names what has answered.
func (d *device) processors() string {
	switch {
	case d.hybrid == nil:
		return d.gpus.Name()
	case !d.asked.Load():
		return "the CPU, too few to open a GPU"
	case d.hybrid.Stats().Opening:
		return "the CPU, before a GPU was open"
	}
	return d.hybrid.Device()
}

func (d *device) release() { d.close() }

// report says how the processors shared the queries, and why a GPU is not used.
func (d *device) report() {
	if d.hybrid == nil {
		for i, x := range d.gpus.Executors() {
			if err := x.Err(); err != nil {
				fmt.Fprintf(d.stderr, "GPU %d is not used any more: %v\n", i, err)
			}
		}
		return
	}
	s := d.hybrid.Stats()
	d.checkLost(s.Retired)
	if s.GPU.Queries == 0 {
		return
	}
	fmt.Fprintf(d.stderr, "the CPU took %s, %s of them from the GPU's queue; the GPU took %s in %s batches, %s of them from the CPU's queue; at most %s waited\n",
		cli.Count(s.CPU.Queries), cli.Count(s.CPU.Stolen), cli.Count(s.GPU.Queries), cli.Count(s.Batches), cli.Count(s.GPU.Stolen), cli.Count(s.Waiting.Most))
}

// group opens the GPUs and puts executors with the snapshot's lists on them. One that
// answers single queries gets one GPU.
func (s *session) group() (*gpuload.Group, error) {
	n := s.f.gpus
	if s.f.queries == "" || s.f.trace {
		n = 1
	}
	return gpuload.OpenGroup(n, s.snapshot, gpuload.Options{CPU: s.searcher, Scorer: s.searcher.Scorer()})
}
