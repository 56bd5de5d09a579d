package gpuload

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Set is a set of documents: those with a term if Term is not nil, those that pass a filter of columns if Where is not nil,
// and otherwise a range of docIDs.
type Set struct {
	Field      string     // of Term; "" in an index without a schema
	Term       []byte     // of the field's dictionary: a keyword as it is, a word as the analyzer makes it
	Where      query.Node // the CPU evaluates it
	First, End uint32     // the range has the docIDs from First up to End
	Not        bool       // all other documents
}

// Filter is passed by the documents that are in at least one set of each of its elements: so {{a}, {b, c}} is a and (b
// or c), {{a, b}} is a or b, and a Filter without elements is passed by all documents. Deleted documents pass none.
type Filter [][]Set

// Filters makes bitmaps of the documents of a snapshot that pass filters, in the memory of a GPU, for what else the process
// does there: an exact search of vectors, say. It is safe for concurrent use. The caller closes it.
type Filters struct{ x *gpu.Executor }

// OpenFilters opens the GPU with a number from 0 to Devices-1 for a snapshot, which may be closed at any time. Of the options
// Memory and AsStored count. The error matches store.ErrInvalid, store.ErrClosed, ErrNoDevice or ErrMemory.
func OpenFilters(s *reader.Snapshot, device int, o Options) (*Filters, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("%w: gpuload.OpenFilters without a snapshot", query.ErrInvalid)
	}
	dev, err := gpu.OpenDeviceNumber(device)
	if err != nil {
		return nil, err
	}
	x, err := gpu.New(dev, s, gpu.Options{Memory: o.Memory, AsStored: o.AsStored})
	if err := errors.Join(err, dev.Close()); err != nil { // it stays open for x
		return nil, err
	}
	return &Filters{x}, nil
}

// Make makes the bitmaps of filters. Each takes an eighth of a byte for each document of the snapshot, rounded up to 256
// bytes, outside of Options.Memory. The lists of the terms are loaded as far as they fit; the CPU reads others. The error
// matches ErrMemory if the device has no room, store.ErrInvalid for a set that is none, store.ErrClosed after Close, and ErrDevice.
func (f *Filters) Make(ctx context.Context, filters []Filter) (*FilterBits, error) {
	own := make([]gpu.Filter, len(filters))
	for i, clauses := range filters {
		for _, sets := range clauses {
			clause := make([]gpu.Set, len(sets))
			for k, s := range sets {
				clause[k] = gpu.Set{Field: s.Field, Term: s.Term, Where: s.Where, First: s.First, End: s.End, Not: s.Not}
			}
			own[i] = append(own[i], clause)
		}
	}
	b, err := f.x.Filters(ctx, own)
	if err != nil {
		return nil, err
	}
	return &FilterBits{b}, nil
}

// Close frees all device memory, bitmaps included. Further calls do nothing.
func (f *Filters) Close() error { return f.x.Close() }

// FilterBits are bitmaps in device memory, one for each filter. They stay there until Close of the FilterBits or of the
// Filters. FilterBits are safe for concurrent use.
type FilterBits struct{ b *gpu.FilterBits }

// Count returns how many documents pass filter i.
func (b *FilterBits) Count(i int) uint32 { return b.b.Count(i) }

// Device returns the address of the bitmaps in device memory, and how many bytes there are from one to the next: a
// multiple of 256. Bit d%32 of the little-endian 32-bit word d/32 of a bitmap says whether document d passes; bits of
// docIDs that the snapshot does not have are 0. The address is a CUdeviceptr of the GPU's primary context, which other
// code of the process shares if it uses the CUDA runtime, and is valid until Close. Nothing writes there any more, so
// any stream may read it.
func (b *FilterBits) Device() (address uintptr, stride int) { return b.b.Device() }

// AppendWords appends the bitmap of filter i to dst: bit d%64 of word d/64 says whether document d passes.
func (b *FilterBits) AppendWords(ctx context.Context, dst []uint64, i int) ([]uint64, error) {
	return b.b.AppendWords(ctx, dst, i)
}

// Close frees the device memory. Further calls do nothing.
func (b *FilterBits) Close() error { return b.b.Close() }
