package idxquery

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
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

// onDevice answers queries on GPUs. Several goroutines cut queries into terms and print
// answers while the devices work for others.
func (s *session) onDevice(cmd *cobra.Command, l *pipeline, print printer) error {
	d := &device{session: s, stderr: cmd.ErrOrStderr()}
	if err := d.open(); err != nil {
		return err
	}
	defer func() { d.close() }()
	start := time.Now()
	n, err := l.run(max(runtime.GOMAXPROCS(0), 2), onDevices, func(int) func(*share) error {
		w := &worker{s: s, print: print}
		return func(sh *share) error { return w.together(cmd.Context(), d.gpus, sh) }
	})
	took := time.Since(start)
	l.progress.Stop()
	if err == nil && s.f.queries != "" && n > 0 {
		fmt.Fprintf(d.stderr, "%s queries in %s on %s: %s queries/s\n", cli.Count(n), cli.Seconds(took), d.gpus.Name(), cli.Rate(float64(n), took))
	}
	for i, x := range d.gpus.Executors() {
		if err := x.Err(); err != nil {
			fmt.Fprintf(d.stderr, "GPU %d is not used any more: %v\n", i, err)
		}
	}
	return err
}

// device is the GPUs of --device gpu.
type device struct {
	*session
	stderr io.Writer
	gpus   *gpuload.Group
	close  func()
}

func (d *device) open() (err error) {
	if d.gpus, err = d.group(); err != nil {
		return err
	}
	d.close = func() { _ = d.gpus.Close() } // all answers have arrived
	return d.preload()
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
