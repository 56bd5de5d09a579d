package osdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/invariants"
)

// smallFile is the length up to which a file is read instead of mapped: that takes no longer,
// and of thousands of small indexes each would take one of the mappings that a process may
// have.
const smallFile = 64 << 10

// Access is store.Access.
type Access struct{ Read, Populate, Lock bool }

// ErrAccess is why an Access is refused.
var ErrAccess = fmt.Errorf("this cannot be done here: %w", errors.ErrUnsupported)

// Mapping is a file mapped read-only, or read.
type Mapping struct {
	name   string
	path   string
	info   fs.FileInfo // of the file when it was mapped
	read   bool        // data is ordinary memory
	data   []byte      // nil for an empty file, which cannot be mapped
	closed atomic.Bool
}

// mapped lists the live mappings. It tells a fault in a mapped file from a bug,
// and finds the file.
var mapped struct {
	sync.Mutex
	live map[*Mapping]struct{}
}

// mapFile maps or reads the file at path; name is its name in errors. It closes the
// file: a mapping needs no descriptor.
func mapFile(path, name string, a Access) (*Mapping, error) {
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
	m := &Mapping{name: name, path: path, info: st}
	if n := st.Size(); n > format.MaxFileSize || n > math.MaxInt {
		return nil, format.Locate(format.Corrupt("impossible file length %d", n), format.Place{File: name, Block: format.NoBlock})
	} else if n > 0 {
		if err := m.fill(f, int(n), a); err != nil {
			return nil, &fs.PathError{Op: "map", Path: path, Err: err}
		}
	}
	invariants.Opened(m, "file "+path)
	if m.read {
		return m, nil
	}
	mapped.Lock()
	if mapped.live == nil {
		mapped.live = make(map[*Mapping]struct{})
	}
	mapped.live[m] = struct{}{}
	mapped.Unlock()
	return m, nil
}

// fill maps or reads f, of n bytes.
func (m *Mapping) fill(f *os.File, n int, a Access) (err error) {
	if m.read = a.Read || !canMap; m.read {
		if a.Populate || a.Lock {
			return ErrAccess
		}
		m.data, err = readFileBytes(f, n)
		return err
	}
	if n <= smallFile && a == (Access{}) {
		// If a part of it cannot be read, it is mapped, for the rest.
		if m.data, err = readFileBytes(f, n); err == nil {
			m.read = true
			return nil
		}
	}
	if err := roomToMap(); err != nil {
		return err
	}
	if m.data, err = mapFileBytes(f, n); err != nil {
		return mapError(err)
	}
	if a.Populate {
		err = populatePages(m.data)
	}
	if err == nil && a.Lock {
		err = lockPages(m.data)
	}
	if err != nil {
		return errors.Join(err, unmapFileBytes(m.data))
	}
	return nil
}

// readFileBytes reads f, of n bytes.
func readFileBytes(f *os.File, n int) ([]byte, error) {
	b := format.AlignedBytes(n)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, int64(n)), b) // pread
	return b, err
}

// Size returns the length of the file.
func (m *Mapping) Size() int64 { return int64(len(m.data)) }

// Range returns n bytes at offset off.
func (m *Mapping) Range(off, n int64) ([]byte, error) {
	if m.closed.Load() {
		return nil, &fs.PathError{Op: "read", Path: m.name, Err: fs.ErrClosed}
	}
	if off < 0 || n < 0 || off > int64(len(m.data))-n {
		return nil, Outside(m.name, off, n, int64(len(m.data)))
	}
	return m.data[off : off+n], nil
}

// Outside returns the error for a Range that is not within its file.
func Outside(name string, off, n, size int64) error {
	e := format.Corrupt("%d bytes wanted, the file ends at %d", n, size)
	e.File, e.Offset = name, off
	return e
}

// Mapped returns the whole file, for users that look for a Data in memory.
func (m *Mapping) Mapped() []byte {
	if m.closed.Load() {
		return nil
	}
	return m.data
}

// ForgetPages hints that the content will not be read for a while: the pages of a
// mapped file no longer count as memory of this process until they are accessed
// again.
func (m *Mapping) ForgetPages() {
	if !m.read && len(m.data) > 0 && !m.closed.Load() {
		forgetPages(m.data)
	}
}

// InPageCache reports whether Mapped is the file's pages in the page cache, not a copy.
func (m *Mapping) InPageCache() bool { return !m.read }

// WillNeed hints that n bytes at off will be read soon: those that are not in memory are
// read from now on, many at once.
func (m *Mapping) WillNeed(off, n int64) { m.advise(needPages, off, n) }

// Scattered hints that n bytes at off will be read here and there: a fault need not read
// the 128 KiB around it, or the megabytes to which a device may be set.
func (m *Mapping) Scattered(off, n int64) { m.advise(scatterPages, off, n) }

func (m *Mapping) advise(how func([]byte), off, n int64) {
	page := int64(os.Getpagesize())
	from, to := off/page*page, min(off+n, int64(len(m.data)))
	if !m.read && 0 <= from && from < to && !m.closed.Load() {
		how(m.data[from:to])
	}
}

// Close unmaps the file, and unlocks it. Bytes that Range returned must no longer be accessed.
func (m *Mapping) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	invariants.Closed(m)
	mapped.Lock()
	delete(mapped.live, m)
	mapped.Unlock()
	if m.data == nil || m.read {
		return nil
	}
	return unmapFileBytes(m.data) // Range may still look at the length of m.data
}

// Changed returns the names of the mapped files that were written since they were mapped.
func Changed() string {
	mapped.Lock()
	defer mapped.Unlock()
	var names []string
	for m := range mapped.live {
		st, err := os.Stat(m.path)
		if errors.Is(err, fs.ErrNotExist) {
			st, err = os.Stat(strings.TrimSuffix(m.path, tempSuffix))
		}
		if err != nil || !os.SameFile(st, m.info) { // removed or replaced: what is mapped stays
			continue
		}
		if !st.ModTime().Equal(m.info.ModTime()) || st.Size() != m.info.Size() {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// MappingAt returns the file and the offset that a memory address belongs to.
func MappingAt(addr uintptr) (name string, off int64, ok bool) {
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
