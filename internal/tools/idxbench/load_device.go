package idxbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// onCPU is the device of a run without a GPU and without a scheduler.
const onCPU = "cpu"

// deviceNames are what --device takes: hybrid.Mode knows them.
var deviceNames = []string{onCPU, "gpu", "hybrid"}

// Shares is what the scheduler of a run did.
type Shares struct {
	CPU       int64   `json:"cpu"` // queries
	GPU       int64   `json:"gpu"`
	Batches   int64   `json:"batches"`
	CPUMissed int64   `json:"cpu_missed"`
	GPUMissed int64   `json:"gpu_missed"`
	Again     int64   `json:"again"`
	Most      int     `json:"most_waiting"`
	CPUTime   float64 `json:"cpu_us"` // of a core for a query
	GPUTime   float64 `json:"gpu_us"` // until the GPU's answer
	Retired   string  `json:"retired,omitempty"`
}

// newShares copies what rows show of the scheduler's counters.
func newShares(s hybrid.Stats) *Shares {
	out := &Shares{CPU: s.CPU.Queries, GPU: s.GPU.Queries, Batches: s.Batches,
		CPUMissed: s.CPU.Missed, GPUMissed: s.GPU.Missed, Again: s.Again, Most: s.Waiting.Most, CPUTime: float64(s.CPU.Time) / 1e3, GPUTime: float64(s.GPU.Time) / 1e3}
	if s.Retired != nil {
		out.Retired = s.Retired.Error()
	}
	return out
}

func (l *Load) sharesText(w io.Writer) {
	t := cli.NewTable("device", ">rate", ">CPU", ">GPU", ">batches", ">CPU late", ">GPU late", ">most waiting", ">CPU us", ">GPU us")
	retired := ""
	for i := range l.Rows {
		r := &l.Rows[i]
		s := r.Shares
		if s == nil {
			continue
		}
		all, rate := float64(max(s.CPU+s.GPU, 1))/100, cli.Float(r.Offered, 3)
		if r.Alone {
			rate = "-"
		}
		t.Row(r.Device, rate, cli.Float(float64(s.CPU)/all, 3)+" %", cli.Float(float64(s.GPU)/all, 3)+" %", int(s.Batches),
			int(s.CPUMissed), int(s.GPUMissed), s.Most, cli.Float(s.CPUTime, 3), cli.Float(s.GPUTime, 3))
		retired = cmp.Or(retired, s.Retired)
	}
	if t.Len() == 0 {
		return
	}
	fmt.Fprintf(w, "\nThe scheduler, warm-up included; what a core takes for a query, and how long the GPU has one, are learned averages\n")
	t.WriteTo(w)
	if retired != "" {
		fmt.Fprintf(w, "the GPU is not used: %s\n", retired)
	}
}

// checkDevices checks the flags for devices.
func (f *loadFlags) checkDevices() error {
	if len(f.devices) == 0 {
		return cli.Usage("--device names at least one")
	}
	for _, d := range f.devices {
		if err := new(hybrid.Mode).UnmarshalText([]byte(d)); err != nil {
			return cli.Usage("no device %q; there are %s%s", d, strings.Join(deviceNames, ", "), cli.DidYouMean(d, deviceNames))
		}
	}
	if f.deadline < 0 {
		return cli.Usage("--deadline is above 0")
	}
	return nil
}

// finds reports whether the highest rate is looked for.
func (f *loadFlags) finds() bool { return f.deadline > 0 && len(f.rates) == 0 && len(f.alone) == 0 }

// usesGPU reports whether a run needs a GPU.
func (f *loadFlags) usesGPU() bool {
	return slices.ContainsFunc(f.devices, func(d string) bool { return d != onCPU })
}

// targets returns what --device and --model name: each model on the CPU, the others once.
func (l *loader) targets() (runs []run) {
	for _, d := range l.f.devices {
		if d != onCPU {
			runs = append(runs, run{device: d})
			continue
		}
		for _, name := range l.f.models {
			m, _ := pool.ParseModel(name) // check has tried
			runs = append(runs, run{device: d, model: m})
		}
	}
	return runs
}

// gpuGroup are the devices of a loader.
type gpuGroup struct {
	x   *gpu.Group
	cpu *pool.Pool // answers what the devices cannot
}

// openGPU opens the device if a run needs it; if there is none, only runs on the CPU are left, if any
// were asked for.
func (l *loader) openGPU() (release func(), err error) {
	release = func() {}
	if !l.f.usesGPU() {
		return release, nil
	}
	if l.gpu, err = newGPU(l.whole, l.snapshot, l.f.gpuNumber); err != nil {
		if !errors.Is(err, gpu.ErrNoDevice) || !slices.Contains(l.f.devices, onCPU) {
			return nil, err
		}
		l.out.missing, l.f.devices = err, []string{onCPU}
		return release, nil
	}
	l.out.GPU = l.gpu.x.Name()
	return l.gpu.close, nil
}

// allGPUs is the number of a device that stands for all of them.
const allGPUs = -1

// newGPU opens the device with a number, or allGPUs.
func newGPU(s *search.Searcher, snapshot *reader.Snapshot, number int) (*gpuGroup, error) {
	p, err := pool.New(s, pool.Options{})
	if err != nil {
		return nil, err
	}
	x, err := openGPUs(number, snapshot, gpu.Options{CPU: p, Scorer: s.Scorer()})
	if err != nil {
		p.Close()
		return nil, err
	}
	return &gpuGroup{x, p}, nil
}

func openGPUs(number int, snapshot *reader.Snapshot, o gpu.Options) (*gpu.Group, error) {
	if number == allGPUs {
		return gpu.OpenGroup(0, snapshot, o)
	}
	dev, err := gpu.OpenDeviceNumber(number)
	if err != nil {
		return nil, err
	}
	x, err := gpu.NewGroup([]*gpu.Device{dev}, snapshot, o)
	return x, errors.Join(err, dev.Close()) // it stays open for x
}

func (g *gpuGroup) close() {
	_ = g.x.Close() // every answer has arrived
	g.cpu.Close()
}

// target is what answers the queries of a run.
type target interface {
	loadtest.Target
	Close()
	backlog() int
	report(row *LoadRow)
}

// target returns what answers the queries of r.
func (l *loader) target(r run) (target, error) {
	s := l.whole
	if r.model == pool.Partitions {
		s = l.cut
	}
	p, err := pool.New(s, pool.Options{Workers: r.workers, Model: r.model, Threshold: r.threshold, TaskPostings: l.f.postings, SpinFor: l.f.spin})
	if err != nil || r.device == "" || r.device == onCPU {
		return cpuTarget{p}, err
	}
	var mode hybrid.Mode
	if err = mode.UnmarshalText([]byte(r.device)); err != nil {
		return nil, err
	}
	x, err := hybrid.New(p, l.gpu.x, hybrid.Options{Mode: mode, Deadline: l.f.deadline, Queue: l.f.queue})
	if err != nil {
		p.Close()
		return nil, err
	}
	return &hybridTarget{x, p, l.f.backlog(), min(l.f.backlog(), saturatedGroup)}, nil
}

// saturatedGroup is how many queries a goroutine asks at a time at saturation with a GPU.
const saturatedGroup = 2048

// backlog returns how many queries are kept waiting at saturation with a GPU.
func (f *loadFlags) backlog() int {
	if f.queue > 0 {
		return min(deviceBacklog, max(f.queue/2, 1))
	}
	return deviceBacklog
}

type cpuTarget struct{ *pool.Pool }

func (cpuTarget) backlog() int    { return backlog }
func (cpuTarget) report(*LoadRow) {}

type hybridTarget struct {
	*hybrid.Executor
	pool  *pool.Pool
	most  int
	group int // queries asked at a time at saturation
}

func (t *hybridTarget) backlog() int        { return t.most }
func (t *hybridTarget) report(row *LoadRow) { row.Shares = newShares(t.Stats()) }

// AppendHits answers one query.
func (t *hybridTarget) AppendHits(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error) {
	r, err := t.Search(ctx, *q)
	return append(dst, r.Hits...), err
}

// Close closes the scheduler and its pool. The GPU stays open.
func (t *hybridTarget) Close() {
	_ = t.Executor.Close() // every answer has arrived
	t.pool.Close()
}
