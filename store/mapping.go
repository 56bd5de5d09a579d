package store

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
)

// mapping is a file mapped read-only, or read where files cannot be mapped. It
// implements Data.
type mapping struct {
	name   string
	data   []byte // nil for an empty file, which cannot be mapped
	closed atomic.Bool
}

// mapped lists the live mappings. It tells a fault in a mapped file from a bug,
// and finds the file.
var mapped struct {
	sync.Mutex
	live map[*mapping]struct{}
}

// mapFile maps the file at path; name is its name in errors. It closes the file:
// a mapping needs no descriptor.
func mapFile(path, name string) (Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "map", Path: path, Err: fmt.Errorf("not a regular file")}
	}
	m := &mapping{name: name}
	if n := st.Size(); n > format.MaxFileSize || n > math.MaxInt {
		return nil, format.Locate(format.Corrupt("impossible file length %d", n), format.Place{File: name, Block: format.NoBlock})
	} else if n > 0 {
		if m.data, err = mapFileBytes(f, int(n)); err != nil {
			return nil, &fs.PathError{Op: "map", Path: path, Err: err}
		}
	}
	mapped.Lock()
	if mapped.live == nil {
		mapped.live = make(map[*mapping]struct{})
	}
	mapped.live[m] = struct{}{}
	mapped.Unlock()
	return m, nil
}

func (m *mapping) Size() int64 { return int64(len(m.data)) }

func (m *mapping) Range(off, n int64) ([]byte, error) {
	if m.closed.Load() {
		return nil, &fs.PathError{Op: "read", Path: m.name, Err: fs.ErrClosed}
	}
	if off < 0 || n < 0 || off > int64(len(m.data))-n {
		return nil, outside(m.name, off, n, int64(len(m.data)))
	}
	return m.data[off : off+n], nil
}

// outside returns the error for a Range that is not within its file.
func outside(name string, off, n, size int64) error {
	e := format.Corrupt("%d bytes wanted, the file ends at %d", n, size)
	e.File, e.Offset = name, off
	return e
}

// Mapped returns the whole file, for users that look for a Data in memory. It
// begins at a page boundary.
func (m *mapping) Mapped() []byte {
	if m.closed.Load() {
		return nil
	}
	return m.data
}

// Forget hints that the content of d will not be read for a while: the pages of a
// mapped file no longer count as memory of this process until they are accessed
// again.
func Forget(d Data) {
	if m, ok := d.(*mapping); ok && len(m.data) > 0 && !m.closed.Load() {
		forgetPages(m.data)
	}
}

// Close unmaps the file. Bytes that Range returned must no longer be accessed.
func (m *mapping) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	mapped.Lock()
	delete(mapped.live, m)
	mapped.Unlock()
	if m.data == nil {
		return nil
	}
	return unmapFileBytes(m.data) // Range may still look at the length of m.data
}

// mappingAt returns the file and the offset that a memory address belongs to.
func mappingAt(addr uintptr) (name string, off int64, ok bool) {
	mapped.Lock()
	defer mapped.Unlock()
	for m := range mapped.live {
		base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
		if addr >= base && addr-base < uintptr(len(m.data)) {
			return m.name, int64(addr - base), true
		}
	}
	return "", 0, false
}
