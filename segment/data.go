package segment

import (
	"context"
	"unsafe"

	"github.com/pinion-index/pinion/format"
)

// Data provides byte ranges of a segment file. It must be safe for concurrent use.
//
// Data that is entirely in memory also has a method Mapped() []byte that returns the file,
// 64-byte aligned; then Range is not called. Data that caches what it reads has a method
// Forget(off, n int64): a range that is damaged is to be read again, which happens once before the damage is reported.
// Each use of its pages is compared with their checksums, since it may have read them anew.
type Data interface {
	// Size returns the length of the file in bytes.
	Size() int64
	// Range returns the n bytes at off, which are within the file. Unless the file
	// ends, the slice's capacity includes at least format.ReadablePadding more readable
	// bytes. If off is a multiple of 64, the slice is 64-byte aligned. The bytes stay
	// valid until the Data is closed.
	Range(off, n int64) ([]byte, error)
}

// Bytes is Data in 64-byte aligned memory, such as a mapping.
type Bytes []byte

// Size returns the number of bytes.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Mapped returns all bytes.
func (b Bytes) Mapped() []byte { return b }

// Range returns a slice of b.
func (b Bytes) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(b))-n {
		return nil, format.Corrupt("range of %d bytes at %d leaves the file", n, off)
	}
	return b[off : off+n], nil
}

// Aligned returns b if it is 64-byte aligned, and an aligned copy otherwise.
func Aligned(b []byte) Bytes {
	if aligned(b, 64) {
		return b
	}
	c := format.AlignedBytes(len(b))
	copy(c, b)
	return c
}

func aligned(b []byte, to uintptr) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%to == 0
}

// section is one section of an open file.
type section struct {
	format.Section
	mem []byte // content, capacity to the end of its padding; nil when read on demand
}

// ahead is a mapped file that can be told what is read next: hints whose failure does no
// harm.
type ahead interface {
	WillNeed(off, n int64)  // n bytes at off are read soon
	Scattered(off, n int64) // n bytes at off are read here and there
}

// Range is a range of bytes of a file.
type Range struct {
	Off, Len int64
	Guess    bool // Len may be an estimate: what lies beside the range may be used too
}

// OnDemand is Data that is read when it is needed, as from an object store, where a read takes
// long but many at once take hardly longer.
type OnDemand interface {
	Data
	// WithContext returns the same Data for one task: its reads end with ctx, and it keeps
	// what it fetches.
	WithContext(ctx context.Context) OnDemand
	// Fetch begins to read ranges, which are within the file, all at once. Range waits for
	// those that are on their way, and returns their errors. Fetch itself may wait only for
	// ranges that an earlier call has asked for.
	Fetch(ranges []Range)
}
