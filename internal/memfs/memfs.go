// Package memfs is a strict in-memory store.FS for tests: a crash loses any share of
// what was not synced, any operation can be watched or made to fail, space can run
// out, and mapped files can fault.
//
// The content of a file is durable after its Sync, unless one failed before: as on Linux,
// what could not be written then counts as written and later Syncs succeed. Creating,
// renaming and removing files is durable after the directory's Sync. Crash returns the file
// system that a machine would find after a power failure.
//
//	memfs.go  the directory, faults, capacity
//	file.go   files being written and read
//	inode.go  their content
//	crash.go  what a crash leaves
//	map.go    files that are mapped and can fault
package memfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// ErrNoSpace is returned by writes beyond the capacity. It matches syscall.ENOSPC.
var ErrNoSpace = fmt.Errorf("memory file system: %w", syscall.ENOSPC)

// ErrCrashed is returned by operations on an FS after Crash.
var ErrCrashed = errors.New("the memory file system crashed")

// Fault is a failure to inject.
type Fault struct {
	At     int   // number of operations between Inject and the failing one
	Err    error // the error that the operation returns
	Sticky bool  // every later operation fails too
	Effect bool  // the failing operation takes effect nevertheless
}

// Op is an operation about to take place.
type Op struct {
	Kind     string // as in errors: "create", "write", "sync", ...
	Name     string // of the file; empty for the directory
	Off, Len int64  // of a read or write
}

// FS is one directory in memory. Use New to create one. It is safe for concurrent
// use.
type FS struct {
	watch    atomic.Pointer[func(Op)]
	mapDir   string // if not empty, Open maps copies of files in this folder
	mu       sync.Mutex
	entries  map[string]*inode // as the process sees them
	durable  map[string]*inode // as of the last Sync
	changes  []change          // from durable to entries, in order
	locks    map[*inode]bool
	ops      int
	fault    *Fault
	faultAt  int
	capacity int64 // negative: unlimited
	used     int64
	crashed  bool
	temps    int
}

// change is one entry that was set (or removed, if inode is nil), or two for a
// rename.
type change struct {
	names  [2]string
	inodes [2]*inode
}

// New returns an empty file system without limits.
func New() *FS {
	return &FS{entries: map[string]*inode{}, durable: map[string]*inode{}, locks: map[*inode]bool{}, capacity: -1}
}

// Watch calls w before each operation, in the goroutine of the operation; nil ends
// that. w may block or yield; operations of its own are watched too.
func (f *FS) Watch(w func(Op)) {
	if w == nil {
		f.watch.Store(nil)
		return
	}
	f.watch.Store(&w)
}

// begin announces an operation and locks f.
func (f *FS) begin(op Op) {
	if w := f.watch.Load(); w != nil {
		(*w)(op)
	}
	f.mu.Lock()
}

// Inject makes one operation fail. Every call of a method of the FS or of one of
// its files counts as an operation, except Close, ID and String.
func (f *FS) Inject(x Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.faultAt = &x, f.ops+x.At
}

// Heal removes an injected fault.
func (f *FS) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = nil
}

// Ops returns the number of operations so far.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// SetCapacity limits the total size of all files in bytes; a negative limit means
// none.
func (f *FS) SetCapacity(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.capacity = n
}

// Used returns the total size of all files in bytes.
func (f *FS) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// op counts an operation. If it returns an error, the operation must return it:
// without any effect if effect is false, otherwise after taking effect. The caller
// holds f.mu.
func (f *FS) op() (err error, effect bool) {
	n := f.ops
	f.ops++
	switch {
	case f.crashed:
		return ErrCrashed, false
	case f.fault == nil || n < f.faultAt:
		return nil, true
	case n == f.faultAt:
		return f.fault.Err, f.fault.Effect
	case f.fault.Sticky:
		return f.fault.Err, false
	}
	return nil, true
}

// set applies c to the entries. The caller holds f.mu.
func (f *FS) set(c change) {
	c.apply(f.entries)
	f.changes = append(f.changes, c)
}

func (c *change) apply(entries map[string]*inode) {
	for i, name := range c.names {
		if c.inodes[i] != nil {
			entries[name] = c.inodes[i]
		} else if name != "" {
			delete(entries, name)
		}
	}
}

func sortedNames(entries map[string]*inode) []string { return slices.Sorted(maps.Keys(entries)) }

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// ID returns f.
func (f *FS) ID() any { return f }

// String returns "memory".
func (f *FS) String() string { return "memory" }

// List returns the names of all files, sorted, and that of the quarantine folder if
// there is one.
func (f *FS) List() ([]string, error) {
	f.begin(Op{Kind: "list"})
	defer f.mu.Unlock()
	if err, _ := f.op(); err != nil {
		return nil, pathError("list", "", err)
	}
	names := sortedNames(f.entries)
	n := len(names)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, quarantine) })
	if len(names) < n {
		names = append(names, store.QuarantineName)
	}
	return names, nil
}

// Open opens a file with its current content; later writes do not show.
func (f *FS) Open(name string) (store.Data, error) {
	f.begin(Op{Kind: "open", Name: name})
	defer f.mu.Unlock()
	if err, _ := f.op(); err != nil {
		return nil, pathError("open", name, err)
	}
	in := f.entries[name]
	if in == nil {
		return nil, pathError("open", name, fs.ErrNotExist)
	}
	if f.mapDir != "" {
		return f.mapped(name, in.freeze())
	}
	return &data{name: name, b: in.freeze()}, nil
}

// Put adds a file with this content, which must not change and is durable. It counts as no
// operation.
func (f *FS) Put(name string, content []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := &inode{size: int64(len(content)), data: content, frozen: true, durable: content}
	if cap(content)-len(content) < format.ReadablePadding || uintptr(unsafe.Pointer(unsafe.SliceData(content)))%64 != 0 {
		in.data = format.AlignedBytes(len(content))
		copy(in.data, content)
	}
	f.entries[name], f.durable[name] = in, in
	f.used += in.size
}

// Create creates a file.
func (f *FS) Create(name string) (store.File, error) {
	f.begin(Op{Kind: "create", Name: name})
	defer f.mu.Unlock()
	err, effect := f.op()
	if f.entries[name] != nil && err == nil {
		return nil, pathError("create", name, fs.ErrExist)
	}
	if effect && f.entries[name] == nil {
		f.set(change{names: [2]string{name}, inodes: [2]*inode{{}}})
	}
	if err != nil {
		return nil, pathError("create", name, err)
	}
	return &file{fs: f, in: f.entries[name], name: name}, nil
}

// Rename renames a file.
func (f *FS) Rename(from, to string) error {
	f.begin(Op{Kind: "rename", Name: from + " " + to})
	defer f.mu.Unlock()
	err, effect := f.op()
	in := f.entries[from]
	if in == nil && err == nil {
		return pathError("rename", from, fs.ErrNotExist)
	}
	if effect && in != nil {
		if old := f.entries[to]; old != nil {
			f.used -= old.size
		}
		f.set(change{names: [2]string{from, to}, inodes: [2]*inode{nil, in}})
	}
	if err != nil {
		return pathError("rename", from, err)
	}
	return nil
}

// Remove removes a file.
func (f *FS) Remove(name string) error {
	f.begin(Op{Kind: "remove", Name: name})
	defer f.mu.Unlock()
	err, effect := f.op()
	in := f.entries[name]
	if in == nil && err == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	if effect && in != nil {
		f.used -= in.size
		f.set(change{names: [2]string{name}})
	}
	if err != nil {
		return pathError("remove", name, err)
	}
	return nil
}

// quarantine begins the names of files in the quarantine folder. Open finds them.
const quarantine = store.QuarantineName + "/"

// Quarantine moves a file into the quarantine folder.
func (f *FS) Quarantine(name string) error {
	f.mu.Lock()
	to := quarantine + name
	for n := 1; f.entries[to] != nil; n++ {
		to = fmt.Sprintf("%s%s.%d", quarantine, name, n)
	}
	f.mu.Unlock()
	return f.Rename(name, to)
}

// Sync makes the content of files durable, one after the other, then the names.
func (f *FS) Sync(files ...store.File) error {
	for _, x := range files {
		if err := x.Sync(); err != nil {
			return err
		}
	}
	f.begin(Op{Kind: "sync"})
	defer f.mu.Unlock()
	err, effect := f.op()
	if effect {
		f.changes = nil
		f.durable = make(map[string]*inode, len(f.entries))
		for name, in := range f.entries {
			f.durable[name] = in
		}
	}
	if err != nil {
		return pathError("sync", "", err)
	}
	return nil
}

// Lock acquires a lock; a crash releases it.
func (f *FS) Lock(name string) (store.FileLock, error) {
	f.begin(Op{Kind: "lock", Name: name})
	defer f.mu.Unlock()
	if err, _ := f.op(); err != nil {
		return nil, pathError("lock", name, err)
	}
	in := f.entries[name]
	if f.locks[in] {
		return nil, pathError("lock", name, store.ErrLocked)
	}
	if in == nil {
		in = &inode{}
		f.set(change{names: [2]string{name}, inodes: [2]*inode{in}})
	}
	f.locks[in] = true
	return &lock{f, name, in}, nil
}

type lock struct {
	fs   *FS
	name string
	in   *inode
}

// Held is not an operation: it does not fail.
func (l *lock) Held() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.fs.entries[l.name] != l.in {
		return pathError("lock", l.name, store.ErrLockLost)
	}
	return nil
}

func (l *lock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	delete(l.fs.locks, l.in)
	return nil
}

// elsewhere is a store.FS with another identity.
type elsewhere struct{ store.FS }

func (e elsewhere) ID() any { return e }

// Elsewhere returns a directory as another process sees it: the two share no indexdir.Dir.
func Elsewhere(fsys store.FS) store.FS { return elsewhere{fsys} }
