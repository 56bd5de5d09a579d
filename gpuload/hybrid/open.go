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
	// GPU configures the executors on the devices. Open sets its CPU and Scorer.
	GPU gpuload.Options
	// GPUs is the number of GPUs; 0 means all of them.
	GPUs int
}

// Open returns an Executor with a Pool and a Group of its own. Without a device, or if it
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
	var gpu *gpuload.Group
	var missing error
	var name string
	release := func() error { return nil }
	if o.Mode != OnlyCPU {
		gpu, name, release, missing = openGPU(s, q, cpu, &o)
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
	if gpu != nil && o.Mode == Parallel && o.Pool.Model == pool.Inter {
		x.stepper, err = gpuload.NewStepper(gpu.Executors()[0], q, gpuload.StepOptions{Rule: x.options.Model.Steps})
	}
	x.free = func() error {
		var failed error
		if x.stepper != nil {
			failed = x.stepper.Close()
		}
		cpu.Close()
		return errors.Join(failed, release())
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
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

// openGPU opens the devices and puts executors on them.
func openGPU(s *reader.Snapshot, q *query.Searcher, cpu *pool.Pool, o *OpenOptions) (x *gpuload.Group, name string, release func() error, err error) {
	o.GPU.CPU, o.GPU.Scorer = cpu, q.Scorer()
	g, err := gpuload.OpenGroup(o.GPUs, s, o.GPU)
	if err != nil {
		return nil, "", func() error { return nil }, err
	}
	return g, g.Name(), g.Close, nil
}
