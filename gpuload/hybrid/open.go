package hybrid

import (
	"errors"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/reader"
)

// OpenOptions configure Open. The zero value selects the defaults.
type OpenOptions struct {
	Options
	Pool pool.Options
	// GPU configures the executor on the device. Open sets its CPU and Scorer.
	GPU gpuload.Options
}

// Open returns an Executor with a Pool and a device of its own. Without a device, or if it
// has too little memory, the CPU answers everything, and Stats says why in Retired. The
// caller closes the Executor, and may close the snapshot at once. Without Options.Model it
// takes the one that idxbench calibrate has kept for this machine and index, if any. The error matches
// query.ErrInvalid or reader.ErrClosed.
func Open(s *reader.Snapshot, q *query.Searcher, o OpenOptions) (*Executor, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	cpu, err := pool.New(q, o.Pool)
	if err != nil {
		return nil, err
	}
	var gpu *gpuload.Executor
	var missing error
	var name string
	release := func() error { return nil }
	if o.Mode != OnlyCPU {
		gpu, name, release, missing = openGPU(s, q, cpu, o.GPU)
	}
	var x *Executor
	if gpu != nil {
		if o.Model == nil {
			o.Model = ModelFor(KeyOf(s, name, cpu.Workers()))
		}
		x, err = New(cpu, gpu, o.Options)
	} else {
		x, err = New(cpu, nil, o.Options)
	}
	if err != nil {
		cpu.Close()
		return nil, errors.Join(err, release())
	}
	x.why, x.device = missing, name
	x.free = func() error {
		cpu.Close()
		return release()
	}
	return x, nil
}

// Device says which processors answer, for messages: the name of the GPU that Open found
// and the CPU, or the CPU.
func (x *Executor) Device() string {
	if x.device == "" {
		return "the CPU"
	}
	return x.device + " and the CPU"
}

// openGPU opens the device and puts an executor on it.
func openGPU(s *reader.Snapshot, q *query.Searcher, cpu *pool.Pool, o gpuload.Options) (x *gpuload.Executor, name string, release func() error, err error) {
	none := func() error { return nil }
	dev, err := gpuload.OpenDevice()
	if err != nil {
		return nil, "", none, err
	}
	o.CPU, o.Scorer = cpu, q.Scorer()
	g, err := gpuload.New(dev, s, o)
	if err != nil {
		return nil, "", none, errors.Join(err, dev.Close())
	}
	return g, dev.Info().Name, func() error { return errors.Join(g.Close(), dev.Close()) }, nil
}
