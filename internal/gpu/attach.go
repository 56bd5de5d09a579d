package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/search"
)

// leastMemory is the least Options.Memory that attach tries where the caller has set none.
const leastMemory = 32 << 20

// attach makes dev, which is held, the device. If Options.Memory is 0 and memory that was free
// when dev was opened has been taken since, it tries again with the defaults for half as much,
// and so on, as long as these leave leastMemory for lists. reserve, unless nil, allocates the
// buffers of the first batches, which the lists must leave room for.
func (x *Executor) attach(dev cuda.Device, reserve func() error) error {
	x.dev = dev
	x.loadKernels() // while memory is allocated and copied
	memory, threshold, info := x.options.Memory, x.options.Threshold, dev.Info()
	for {
		x.options.setDefaults(info)
		last := memory > 0 || defaultMemory(info.Memory/2) < leastMemory
		err := x.open()
		if err == nil && !info.Compiles { // otherwise start does it
			err = x.docs.Load(x.dev, x.lists)
		}
		if err == nil && reserve != nil {
			if err = reserve(); last && errors.Is(err, ErrMemory) {
				err = nil // batches try again, and say why it fails
			}
		}
		if !errors.Is(err, ErrMemory) {
			return x.start(err)
		}
		if last {
			return x.start(fmt.Errorf("gpuload: lists and documents need at least %d bytes of device memory; %d were free when the device was opened: %w",
				x.shape().least(), dev.Info().Memory, err))
		}
		x.free()
		info.Memory /= 2
		x.options.Memory, x.options.Threshold = memory, threshold
	}
}

// free frees the device memory of the Executor, except that of stages and conjunctions.
func (x *Executor) free() {
	if x.lists != nil {
		x.lists.Close() // its counters stay
	}
	x.tables.Shed()
	x.docs.Free()
	x.stages.Free()
}

// openTables makes the tables those of x.docs. There is none yet.
func (x *Executor) openTables() {
	x.tables.Open(x.dev, x.docs, x.stages)
	x.tables.Alone = x.options.CPU == nil
	x.tables.Budget = min(int64(cmp.Or(x.options.FilterBytes, search.DefaultFilterBytes))*int64(x.docs.N), x.options.Memory/4)
	if x.options.NoFilters {
		x.tables.Budget = -1
	}
}

// Forget evicts all lists of x, which must be idle: for benchmarks.
func (x *Executor) Forget() { x.lists.Forget() }

// open allocates the device memory that does not depend on queries.
func (x *Executor) open() (err error) {
	slots := x.shape().slots()
	if x.lists, err = residency.New(x.dev, x.docs.Segments, x.docs.Views, x.shape().arena(), slots, stages.Zones); err != nil {
		return err
	}
	x.lists.AsStored = x.options.AsStored
	x.openTables()
	if x.lists.Least = layout.LeastPresent(x.options.Presence); x.options.NoPresence {
		x.lists.Least = math.MaxUint32
	}
	x.stages.Open(x.dev, slots)
	return nil
}
