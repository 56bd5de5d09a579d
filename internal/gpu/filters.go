package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// Set is a set of documents: those with a term if Term is not nil, those of a bitmap if Bitmap is not nil, those that
// pass a filter of columns if Where is not nil, and otherwise a range of docIDs.
type Set struct {
	Field      string         // of Term; "" in an index without a schema
	Term       []byte         // of the field's dictionary: a keyword as it is, a word as the analyzer makes it
	Bitmap     *docset.Global // of docIDs of the snapshot
	Where      query.Node     // the CPU evaluates it
	First, End uint32         // the range has the docIDs from First up to End
	Not        bool           // all other documents
}

// Filter is passed by the documents that are in at least one set of each of its elements: so {{a}, {b, c}} is a and (b
// or c), {{a, b}} is a or b, and a Filter without elements is passed by all documents. Deleted documents pass none.
type Filter [][]Set

// FilterBits are the results of Executor.Filters: a bitmap of the documents that pass, for each filter, in device
// memory. They stay there until Close of the FilterBits or of the Executor. FilterBits are safe for concurrent use.
type FilterBits struct {
	x      *Executor
	at     kernels.Ptr
	stride int // bytes of a bitmap
	counts []uint32

	mu     sync.RWMutex // held for reading while bits are copied
	closed bool
}

// Filters makes bitmaps of the documents that pass filters. Each takes an eighth of a byte for each document of the
// snapshot, rounded up to 256 bytes, outside of Options.Memory. The lists of the terms are loaded like those of queries.
// The CPU reads those that do not fit or that are in a codec other than bp128 and bp256, which the device has only with
// Options.AsStored and of vbyte1024. Options.CPU is not used. The error matches ErrMemory if the device has no room,
// query.ErrInvalid for a set that is none, and is that of Ready if the device does not answer.
func (x *Executor) Filters(ctx context.Context, filters []Filter) (_ *FilterBits, err error) {
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.state.await(ctx); err != nil {
		return nil, err
	}
	f := &filtering{x: x}
	if err := f.read(filters); err != nil {
		return nil, err
	}
	if f.st, err = x.stages.Take(ctx); err != nil {
		return nil, err
	}
	defer x.stages.Give(f.st)
	b := &FilterBits{x: x, stride: f.stride(), counts: make([]uint32, len(filters))}
	if x.docs.N == 0 || len(filters) == 0 {
		return b, nil
	}
	if b.at, err = x.stages.Alloc(int64(b.stride) * int64(len(filters))); err != nil {
		return nil, fmt.Errorf("gpuload: bitmaps of %d filters, %d bytes each: %w", len(filters), b.stride, err)
	}
	if err := f.run(ctx, b); err != nil {
		if errors.Is(err, ErrDevice) {
			x.state.retire(err)
		}
		return nil, errors.Join(err, x.dev.Free(b.at))
	}
	x.mu.Lock()
	x.conjunctions[b] = true
	x.mu.Unlock()
	return b, nil
}

// Len returns the number of filters.
func (b *FilterBits) Len() int { return len(b.counts) }

// Count returns how many documents pass filter i.
func (b *FilterBits) Count(i int) uint32 { return b.counts[i] }

// Device returns the address of the bitmaps in device memory, and how many bytes there are from one to the next: a
// multiple of 256. Bit d%32 of the little-endian 32-bit word d/32 of a bitmap says whether document d passes; bits of
// docIDs that the snapshot does not have are 0. The address is a CUdeviceptr of the GPU's primary context, which other
// code of the process shares if it uses the CUDA runtime, and is valid until Close. Nothing writes there any more, so
// any stream may read it.
func (b *FilterBits) Device() (address uintptr, stride int) { return uintptr(b.at), b.stride }

// AppendWords appends the bitmap of filter i to dst: bit d%64 of word d/64 says whether document d passes.
func (b *FilterBits) AppendWords(ctx context.Context, dst []uint64, i int) ([]uint64, error) {
	if err := b.enter(i); err != nil {
		return dst, err
	}
	defer b.leave()
	return b.appendWords(orBackground(ctx), dst, i)
}

// enter begins a call for filter i; leave ends it.
func (b *FilterBits) enter(i int) error {
	if b.x == nil {
		return ErrClosed
	}
	if i < 0 || i >= len(b.counts) {
		return fmt.Errorf("%w: gpuload: no filter %d of %d", query.ErrInvalid, i, len(b.counts))
	}
	if err := b.x.enter(); err != nil {
		return err
	}
	b.mu.RLock()
	if b.closed {
		b.leave()
		return ErrClosed
	}
	return nil
}

func (b *FilterBits) leave() {
	b.mu.RUnlock()
	b.x.leave()
}

// appendWords is AppendWords between enter and leave.
func (b *FilterBits) appendWords(ctx context.Context, dst []uint64, i int) ([]uint64, error) {
	if b.at == 0 {
		return dst, nil
	}
	st, err := b.x.stages.Take(ctx)
	if err != nil {
		return dst, err
	}
	defer b.x.stages.Give(st)
	st.Reset(st.Stream)
	if err := st.ReserveOut(b.stride); err != nil {
		return dst, err
	}
	st.Batch.CopyOut(st.Out[:b.stride], b.at+kernels.Ptr(i*b.stride))
	if err := errors.Join(b.x.dev.Submit(&st.Batch), b.x.dev.Wait(st.Stream)); err != nil {
		return dst, err
	}
	return append(dst, format.Uint64s(st.Out[:(b.x.docs.N+63)/64*8])...), nil
}

// Bitmap returns the documents that pass filter i.
func (b *FilterBits) Bitmap(ctx context.Context, i int) (*docset.Global, error) {
	words, err := b.AppendWords(ctx, nil, i)
	if err != nil {
		return nil, err
	}
	return docset.NewGlobal(docset.FromWords(words)), nil
}

// Close frees the device memory. Further calls do nothing.
func (b *FilterBits) Close() error {
	if b.x == nil || b.x.enter() != nil {
		return nil
	}
	defer b.x.leave()
	b.x.mu.Lock()
	delete(b.x.conjunctions, b)
	b.x.mu.Unlock()
	b.free()
	return nil
}

// free frees the device memory, once.
func (b *FilterBits) free() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.at != 0 {
		_ = b.x.dev.Free(b.at)
	}
	b.closed = true
}

// run makes the bitmaps of b, whose memory is allocated.
func (f *filtering) run(ctx context.Context, b *FilterBits) (err error) {
	defer func() { err = errors.Join(err, f.free()) }()
	err = indexdir.Guard(func() error { return f.prepare(ctx) })
	if err == nil {
		err = f.launch(b)
	}
	if err != nil {
		return errors.Join(err, f.x.dev.Wait(f.st.Stream)) // work enqueued before may use the buffers
	}
	if err := f.x.dev.Wait(f.st.Stream); err != nil {
		return err
	}
	f.x.stages.Ran(f.st)
	copy(b.counts, format.Uint32s(f.st.Out[:4*len(b.counts)]))
	return nil
}

// launch lays everything out and submits it: for some windows of documents at a time, the bitmaps of the sets of terms,
// which then are in L2, and what the filters make of them.
func (f *filtering) launch(b *FilterBits) error {
	x, st, sets, n := f.x, f.st, len(f.lists), len(b.counts)
	windows := int((x.docs.N + kernels.WindowDocs - 1) / kernels.WindowDocs)
	slice := min(max(markedAtOnce/(max(sets, 1)*windowBytes), 1), windows)
	if err := x.stages.Room(st, f.size(), int64(sets)*int64(slice)*windowBytes+64, 4*n); err != nil {
		return err
	}
	lists, starts := f.putLists()
	mark := kernels.MarkSetParams{Lists: lists, Starts: starts, Out: st.Scratch(int64(sets) * int64(slice) * windowBytes), NSets: uint32(sets)}
	combine := kernels.CombineParams{Starts: layout.Put(st.Buffers, f.starts), Operands: layout.Put(st.Buffers, f.operands), Marked: mark.Out, Live: x.docs.Live,
		Out: b.at, Counts: st.OutDev, NFilters: uint32(n), Docs: uint32(x.docs.N), Stride: uint32(b.stride / 4)}
	st.CopyIn()
	st.Batch.Fill(st.OutDev, int64(4*n))
	st.Batch.Record(st.Timer())
	for w := 0; w < windows; w += slice {
		slice = min(slice, windows-w)
		mark.Window, mark.Windows = uint32(w), uint32(slice)
		combine.Window, combine.Windows = uint32(w), uint32(slice)
		st.Batch.Launch(kernels.MarkSets, sets*slice, 0, kernels.Bytes(&mark))
		st.Batch.Launch(kernels.CombineSets, n*slice, 0, kernels.Bytes(&combine))
	}
	st.Batch.Record(st.Timer() + 1)
	st.Batch.CopyOut(st.Out[:4*n], st.OutDev)
	return x.dev.Submit(&st.Batch)
}

// windowBytes is the size of a bitmap of a window, and markedAtOnce how many bytes of them are made before they are read:
// about half of the L2 of the GPUs with the largest.
const windowBytes, markedAtOnce = kernels.WindowDocs / 8, 24 << 20

// Filters is Executor.Filters on one of the devices that answer: the one with the least to do or, if that has no room,
// another.
func (g *Group) Filters(ctx context.Context, filters []Filter) (*FilterBits, error) {
	if len(g.members) == 0 {
		return nil, ErrClosed
	}
	use := g.working()
	if len(use) == 0 {
		use = g.members[:1] // it says why
	}
	slices.SortStableFunc(use, func(a, b *member) int { return cmp.Compare(a.load.Load(), b.load.Load()) })
	var errs []error
	for _, m := range use {
		b, err := m.x.Filters(ctx, filters)
		if err == nil || !errors.Is(err, ErrMemory) && !errors.Is(err, ErrDevice) {
			return b, err
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
