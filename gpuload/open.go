package gpuload

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Errors of Devices and of an Executor.
var (
	// ErrNoDevice means that there is no GPU or that this program was built without support for one.
	ErrNoDevice = gpu.ErrNoDevice
	// ErrMemory means that device memory or pinned host memory is exhausted.
	ErrMemory = gpu.ErrMemory
	// ErrDevice means that a copy or a kernel failed. The device is not used any more.
	ErrDevice = gpu.ErrDevice
	// ErrHung means that the GPU was given up because it took longer than Options.Hang.
	ErrHung = hybrid.ErrHung
	// ErrClosed means that an Executor has been closed. It matches store.ErrClosed.
	ErrClosed = hybrid.ErrClosed
)

// Options configure an Executor. The zero value selects the defaults.
type Options struct {
	// Devices is the number of GPUs, from the first on; 0 means all that the process may use.
	Devices int
	// Memory is the most memory for posting lists on each device, in bytes. No more is taken than all lists can need.
	// Lists that do not fit evict those that were used least. 0 means two thirds of the memory that is free when the
	// device is opened or, if other processes have taken some since, of a half, a quarter and so on of that.
	Memory int64
	// FilterBytes is the most device memory, in bytes for each document, for what searches ask for beside lists: a bitmap
	// of the documents that pass a filter takes an eighth of a byte, static scores take four. Those that were used
	// least go first. It is not part of Memory, of which it is at most a quarter. 0 means 16.
	FilterBytes int
	// AsStored keeps lists on the device as they are on disk. Otherwise the lists of a word in several segments are
	// joined there, and most are written in another codec: they take more memory, and searches less time.
	AsStored bool
	// Workers is the number of goroutines that answer on the CPU; 0 means runtime.GOMAXPROCS.
	Workers int
	// Deadline is how soon a search should be answered; one whose context ends earlier has that deadline. Those
	// with half of their time gone go before others. No search is dropped because of it. 0 means none.
	Deadline time.Duration
	// Hang is how long the device may take for a batch of searches before it is given up. The CPU then answers. 0 means 10 s.
	Hang time.Duration
}

// check returns an error matching query.ErrInvalid unless o is valid.
func (o *Options) check() error {
	if o.Devices < 0 || o.Memory < 0 || o.FilterBytes < 0 || o.Deadline < 0 || o.Hang < 0 || o.Workers < 0 || o.Workers > pool.MaxWorkers {
		return fmt.Errorf("%w: gpuload.Options %+v", query.ErrInvalid, *o)
	}
	return nil
}

// Open returns an Executor, which opens devices when it is first asked. The error matches store.ErrInvalid: a size or
// time is below 0, or a number is too great.
func Open(o Options) (*Executor, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	settled := make(chan struct{})
	close(settled)
	x := &Executor{settled: settled, options: hybrid.OpenOptions{
		Options: hybrid.Options{Deadline: o.Deadline, Hang: o.Hang},
		Pool:    pool.Options{Workers: o.Workers},
		GPU:     gpu.Options{Memory: o.Memory, FilterBytes: o.FilterBytes, AsStored: o.AsStored},
		GPUs:    o.Devices,
	}}
	x.open = x.counts.counting(open)
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x, nil
}

// open opens a scheduler over a snapshot and a Searcher of it.
func open(s *reader.Snapshot, q *search.Searcher, o hybrid.OpenOptions) (scheduler, error) {
	x, err := hybrid.Open(s, q, o)
	if err != nil {
		return nil, err
	}
	return hybridScheduler{x}, nil
}

// Devices returns the number of GPUs that the process may use, which CUDA_VISIBLE_DEVICES can restrict. The error
// matches ErrNoDevice if the NVIDIA driver is missing or too old, or if the program was built without support for GPUs:
// that takes Linux on amd64 or arm64, cgo, and no build tag static.
func Devices() (int, error) { return gpu.Devices() }
