package idxquery

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// GPUName names the first GPU of this machine and says how many there are.
func GPUName() string {
	n, err := gpu.Devices()
	if err != nil || n == 0 {
		return "no GPU"
	}
	d, err := gpu.OpenDevice()
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
	case f.gpus > 1 && f.trace:
		return cli.Usage("--trace takes one GPU: it answers one query after the other")
	case f.preload != "" && f.device.Value == "hybrid":
		return cli.Usage("--preload takes --device gpu: hybrid opens a GPU only for many queries that wait, and loads their lists then")
	case f.preload != "" && (f.device.Value != "gpu" || f.queries == "" || f.trace):
		return cli.Usage("--preload takes --queries and --device gpu, and no --trace")
	case f.device.Value == "gpu" && f.bounded:
		return cli.Usage("--threads takes --device cpu or hybrid")
	}
	return nil
}

// onDevice answers queries on GPUs. Several goroutines cut queries into terms and print
// answers while the devices work for others.
func (s *session) onDevice(cmd *cobra.Command, l *pipeline, print printer) error {
	d := &device{session: s, stderr: cmd.ErrOrStderr()}
	workers := make([]worker, max(runtime.GOMAXPROCS(0), 2))
	for i := range workers {
		workers[i].s, workers[i].print = s, print
	}
	if err := d.open(l, workers); err != nil {
		return err
	}
	defer func() { _ = d.gpus.Close() }() // all answers have arrived
	stop, err := d.preload()
	if err != nil {
		return err
	}
	defer stop()
	sayCompiling(d.stderr, d.gpus)
	start := time.Now()
	d.load()
	n, err := l.run(len(workers), onDevices, func(i int) func(*share) error {
		w := &workers[i]
		return func(sh *share) error { return w.together(cmd.Context(), d.gpus, sh) }
	})
	took := time.Since(start)
	l.progress.Stop()
	if err == nil && s.f.queries != "" && n > 0 {
		left, on := d.gpus.Stats().OnCPU, d.gpus.Name()
		if left.Sum() == int64(n) {
			on = "the CPU"
		}
		fmt.Fprintf(d.stderr, "%s in %s on %s: %s queries/s\n", cli.Number(n, "query"), cli.Seconds(took), on, cli.Rate(float64(n), took))
		sayLeft(d.stderr, left)
	}
	for i, x := range d.gpus.Executors() {
		if err := x.Err(); err != nil {
			fmt.Fprintf(d.stderr, "GPU %d is not used any more: %v\n", i, err)
		}
	}
	return err
}

// sayCompiling says that the CPU answers until a driver has compiled, if one has to.
func sayCompiling(w io.Writer, gpus *gpu.Group) {
	if gpus.Compiling() {
		fmt.Fprintln(w, "the driver compiles the kernels for this GPU, once on a machine and for up to a minute: the CPU answers meanwhile")
	}
}

// sayLeft says how many queries the CPU has answered, and why.
func sayLeft(w io.Writer, left gpu.Reasoned) {
	for why, n := range left.All() {
		fmt.Fprintf(w, "the CPU answered %s (%v): %s\n", cli.Number(n, "query"), why, why.Clause())
	}
}

// device is the GPUs of --device gpu.
type device struct {
	*session
	stderr io.Writer
	gpus   *gpu.Group
	load   func() // what is expected
}

// open opens the GPUs. Meanwhile workers look at the queries of l that have been read.
func (d *device) open(l *pipeline, workers []worker) error {
	o, err := d.group()
	if err != nil {
		return err
	}
	l.peekFrom(0, expects)
	expecting := expect(o, l, workers[1:]) // one core is for the driver
	d.gpus, err = o.Group()
	l.unpeek()
	expecting.Wait()
	d.load = o.Load
	return err
}

// expects is the number of queries that are looked at while a GPU is opened: more than
// enough for the lists that are loaded then, and not so many that the processor is busy for long.
// They are looked at in pieces that a worker has memory for.
const (
	expects       = 1 << 16
	expectsAtOnce = 256
)

// opening is what opens GPUs, and prepares for queries meanwhile.
type opening interface {
	Expect(queries []search.Query) bool
}

// expect begins to tell o of the queries that l.peek returns, until o is open. The workers must
// not be used until what it returns has been waited for.
func expect(o opening, l *pipeline, workers []worker) *sync.WaitGroup {
	group := new(sync.WaitGroup)
	for i := range workers {
		w := &workers[i]
		group.Go(func() {
			var qs []question
			for qs = l.peek(qs[:0], expectsAtOnce); len(qs) > 0; qs = l.peek(qs[:0], expectsAtOnce) {
				if w.cutAll(qs) != nil || !o.Expect(w.queries) { // who answers them says why
					return
				}
			}
		})
	}
	return group
}

// group begins to open the GPUs and to put executors with the snapshot's lists on them. One
// that answers single queries gets one GPU.
func (s *session) group() (*gpu.Opening, error) {
	n := s.f.gpus
	if s.f.queries == "" || s.f.trace {
		n = 1
	}
	return gpu.StartGroup(n, s.snapshot, gpu.Options{CPU: s.searcher, Scorer: s.searcher.Scorer()})
}
