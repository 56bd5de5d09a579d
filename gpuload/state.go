package gpuload

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/store"
)

// maxShort is the number of calls in a row that may run out of memory before the device is
// retired. Each costs an allocation that fails, and its queries go to the CPU.
const maxShort = 8

// exhausted is why a device is retired that has run out of memory maxShort times in a row.
type exhausted struct{ err error }

func (e *exhausted) Error() string {
	return fmt.Sprintf("gpuload: out of memory %d times in a row, so the device is used no more: %v", maxShort, e.err)
}

// Unwrap makes it match ErrDevice, as what has retired a device does, and ErrMemory.
func (e *exhausted) Unwrap() []error { return []error{ErrDevice, e.err} }

// start lets the device answer, which has its memory unless err says why not. Where the driver
// has to compile the kernels, it does so in the background, and the device answers later.
func (x *Executor) start(err error) error {
	if err != nil || !x.dev.Info().Compiles {
		x.started(err)
		if errors.Is(err, ErrUnsupported) && x.options.CPU != nil {
			return nil // it answers
		}
		return err
	}
	go func() {
		err := x.dev.Load(x.allKernels()...) // no query waits for one later
		if err == nil {
			if err = x.enter(); err == nil {
				defer x.leave()
				err = x.prepareAll()
			}
		}
		x.started(err)
	}()
	return nil
}

// loadKernels begins to load the modules that lists of the index and their queries need.
// The first use of one would wait for it otherwise: 26 to 100 ms in all.
func (x *Executor) loadKernels() {
	if x.dev.Info().Compiles {
		return // start does it
	}
	ks := x.kernels()
	go func() {
		if x.enter() == nil {
			defer x.leave()
			_ = x.dev.Load(ks...) // Submit loads what is missing, or says why it cannot
		}
	}()
}

// stored returns the codecs of the lists that are loaded.
func (x *Executor) stored() kernels.CodecSet {
	stored := kernels.CodecsOf(kernels.Raw, kernels.BP128)
	for i := range x.segments {
		if len(x.views) < len(x.segments) {
			break // lists are joined in bp128
		}
		m := x.segments[i].Seg.Meta()
		for c := range uint8(64) {
			if (m.DocsCodecs|m.FreqsCodecs)>>c&1 != 0 && kernels.Decodable(c) {
				stored |= kernels.CodecsOf(c)
			}
		}
	}
	return stored
}

// kernels returns the kernels that loading lists and ranked queries use, but for those of few queries.
func (x *Executor) kernels() []kernels.Kernel {
	stored := x.stored()
	cut, task := kernels.CutTiles, kernels.RankDocs
	if x.fielded() {
		cut, task = kernels.CutTilesFields, kernels.RankInFields
	}
	ks := []kernels.Kernel{kernels.CheckLists, kernels.For(kernels.CheckPostings, stored)}
	resident := stored
	if !x.options.AsStored {
		resident &= kernels.CodecsOf(kernels.Raw, kernels.BP128, kernels.BP256, kernels.VByte1024) // others are recoded
	}
	if resident != stored {
		ks = append(ks, kernels.For(kernels.MeasurePostings, stored))
	}
	if x.impacts != nil {
		ks = append(ks, kernels.AddImpacts, kernels.CheckImpacts)
	}
	return append(ks, cut, kernels.For(task, resident), kernels.SelectBest, kernels.For(kernels.MarkPostings, resident))
}

// allKernels returns one kernel or more of each module that a query may need, also those of few queries, of lists of
// only some of the codecs, and of the Stepper.
func (x *Executor) allKernels() []kernels.Kernel {
	tasks := []kernels.Task{kernels.CheckPostings, kernels.MeasurePostings, kernels.RecodePostings, kernels.MarkPostings, kernels.SetPostings,
		kernels.Intersect, kernels.FindElements, kernels.RankDocs, kernels.AddDocs}
	if x.fielded() {
		tasks = append(tasks[:len(tasks)-2], kernels.RankInFields, kernels.AddInFields)
	}
	ks := append(x.kernels(), kernels.CombineSets, kernels.GatherDocs)
	for _, t := range tasks {
		ks = append(ks, kernels.Variants(t, x.stored())...)
	}
	return ks
}

// prepareAll copies what queries need besides lists.
func (x *Executor) prepareAll() (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if x.docs > mostDocs {
		return fmt.Errorf("%w: %d documents, %d are the most", ErrUnsupported, x.docs, mostDocs)
	}
	for i := range x.views {
		if err := x.prepare(i); err != nil {
			return err
		}
	}
	return x.prepareCodes()
}

// started ends the start, unless it has ended: the device works, or never will because of
// err.
func (x *Executor) started(err error) {
	s := &x.state
	s.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
		s.works.Store(err == nil)
		close(s.ready)
	})
}

// retire makes the device answer no more queries.
func (x *Executor) retire(err error) {
	s := &x.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.works.Store(false)
}

// Ready waits until the device answers queries. That is at once, unless the driver has to
// compile the kernels (Info.Compiles); until it has, Options.CPU answers. The error says
// why the device does not answer: it matches ErrDevice if it has failed, ErrMemory if it
// has too little memory, ErrUnsupported if it cannot answer queries of the snapshot and
// ErrClosed after Close.
func (x *Executor) Ready(ctx context.Context) error {
	if x.zero() {
		return ErrClosed
	}
	if err := x.await(orBackground(ctx)); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	x.leave()
	return nil
}

// await is Ready for callers between enter and leave.
func (x *Executor) await(ctx context.Context) error {
	select {
	case <-x.state.ready:
		return x.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Err returns the error that has ended the use of the device, or nil. It matches ErrDevice
// if the device has failed, has not finished its work in time, or has run out of memory
// time and again, and ErrUnsupported if it cannot answer queries of the snapshot. From then on Options.CPU answers all queries; if it is nil, they fail
// with this error.
func (x *Executor) Err() error {
	x.state.mu.Lock()
	defer x.state.mu.Unlock()
	return x.state.err
}

// works reports whether the device answers. If nothing else does, it waits until the
// device has started.
func (x *Executor) works(ctx context.Context) (bool, error) {
	if x.state.works.Load() {
		return true, nil
	}
	if x.options.CPU != nil {
		return false, nil
	}
	return true, x.await(ctx)
}

// settle ends the work of plans on the device. If the device failed or ran out of memory,
// it marks plans for the CPU, provided that there is one.
func (x *Executor) settle(plans []*plan, err error) error {
	switch {
	case err == nil:
		x.state.short.Store(0)
		return nil
	case errors.Is(err, ErrDevice):
		x.retire(err)
	case errors.Is(err, ErrMemory):
		if x.state.short.Add(1) >= maxShort {
			x.retire(&exhausted{err})
		}
	default:
		return err
	}
	if x.options.CPU == nil {
		return err
	}
	toCPU(plans)
	return nil
}
