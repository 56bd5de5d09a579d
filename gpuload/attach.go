package gpuload

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
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
			err = x.prepareAll()
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
				x.leastBytes(), dev.Info().Memory, err))
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
	if x.pinned != nil {
		_ = x.dev.HostFree(x.pinned)
	}
	x.tables.shed(x.dev)
	for _, p := range slices.Concat([]kernels.Ptr{x.codes, x.lent}, x.norms, x.lengths, x.live) {
		if p != 0 {
			_ = x.dev.Free(p)
		}
	}
	x.pinned, x.codes, x.lent, x.norms, x.lengths, x.live = nil, 0, 0, nil, nil, nil
}

// arenaBytes returns the size of the device memory for lists.
func (x *Executor) arenaBytes() int64 { return min(x.options.Memory, x.mostBytes()) }

// slots returns the size of the table of descriptors.
func (x *Executor) slots() uint32 {
	return uint32(min(tableSlots, x.options.Memory/512+1024)) + zones
}

// mostBytes returns more than all lists take on the device, however they are stored there,
// with presence words and with what a load needs for a while. To allocate 100 GB takes a
// driver 3 ms, and to free it 63.
func (x *Executor) mostBytes() int64 {
	const recoded, present, others = 8, 4, 16 << 20 // bytes of a posting in bp128, and in presence words; heads and such
	most := int64(others)
	for i := range x.segments {
		s := x.segments[i].Seg
		n := min(s.Meta().Postings, 1<<40)
		postings, _ := s.Header().Section(format.SectionPostings)
		most += 2*postings.Length + (recoded+present)*int64(n)
	}
	return most
}

// leastBytes returns what the Executor allocates on the device before any query: lists, their
// table, what loads need, and lengths and norms of all documents.
func (x *Executor) leastBytes() int64 {
	size := x.arenaBytes() + int64(layout.DescSize)*int64(x.slots()) + int64(residency.Loaders*residency.PinnedSize)
	for _, f := range x.fields {
		switch {
		case f.coded:
			size += int64(x.docs)
		case !f.even:
			size += 5 * int64(x.docs) // or more, if lengths take more than a byte
		}
	}
	return size
}

// firstIn, firstOut and firstWork are bytes that suffice for the buffers of most batches of
// leastQueries conjunctions.
const firstIn, firstOut, firstWork = 2 << 20, 128 << 10, 2 << 20

// reserve allocates the buffers of the first batches, in two calls of the driver. It returns an
// error if the device has no room for them. If the host has none, batches try again, and say why it
// fails.
func (x *Executor) reserve() (err error) {
	const host, device = firstIn + firstOut, firstIn + 256 + firstOut + firstWork
	n := len(x.stages)
	if x.lent, err = x.dev.Alloc(int64(n) * device); err != nil {
		return err
	}
	if x.pinned, err = x.dev.HostAlloc(n * host); err != nil {
		return nil
	}
	for i := range n {
		pinned, at := x.pinned[i*host:][:host:host], x.lent+kernels.Ptr(i*device)
		st := <-x.idle
		st.Lend(layout.Loan{In: pinned[:firstIn:firstIn], Out: pinned[firstIn:], InDev: at, OutDev: at + firstIn + 256, Work: at + firstIn + 256 + firstOut, WorkSize: firstWork})
		x.idle <- st
	}
	return nil
}

// init gives the repository's own benchmarks and tests access to eviction.
func init() { cuda.Forget = func(x any) { x.(*Executor).lists.Forget() } }

// open allocates the device memory that does not depend on queries.
func (x *Executor) open() (err error) {
	slots := x.slots()
	if x.lists, err = residency.New(x.dev, x.segments, x.views, x.arenaBytes(), slots, zones); err != nil {
		return err
	}
	x.lists.AsStored = x.options.AsStored
	x.tables.budget = min(int64(cmp.Or(x.options.FilterBytes, query.DefaultFilterBytes))*int64(x.docs), x.options.Memory/4)
	x.lists.Least = layout.LeastPresent(x.options.Presence)
	x.idle = make(chan *stage, len(x.stages))
	for i := range x.stages {
		st := &x.stages[i]
		*st = stage{Buffers: layout.NewBuffers(x.dev, &x.peak), stream: i, zoneFirst: slots - uint32(len(x.stages)-i)*zoneSlots}
		x.idle <- st
	}
	return nil
}
