package store

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pinion-index/pinion/format"
)

// ArmFault and CatchFault turn a fault on a mapped file into an error. Accessing a
// mapped file that has been truncated, or whose disk fails, raises SIGBUS, which
// would crash the process. A function that reads mapped bytes begins with
//
//	func Search(...) (hits []Hit, err error) {
//		defer store.CatchFault(store.ArmFault(), &err)
//
// which is needed once in each call that enters the engine, and once in every
// goroutine that the call starts. Pairs may nest. A pair takes about 20 ns and does
// not allocate. Faults in assembly are caught too, faults in C are not.
func ArmFault() (before bool) { return debug.SetPanicOnFault(true) }

// Guard runs work between ArmFault and CatchFault.
func Guard(work func() error) (err error) {
	defer CatchFault(ArmFault(), &err)
	return work()
}

// CatchFault must be deferred with the result of ArmFault. If the function panics
// because of a fault within a mapped file, CatchFault sets *err to an error of
// kind format.ErrCorrupt with the file and the offset. An index out of range becomes an
// error of that kind, too: bytes are checked before they are used, so that it takes a file
// that changes while it is read. That error names the mapped files whose modification time
// or length has changed. Other panics continue.
func CatchFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	if f, ok := r.(interface {
		runtime.Error
		Addr() uintptr
	}); ok {
		if name, off, ok := mappingAt(f.Addr()); ok {
			e := format.Corrupt("the file was truncated or could not be read while it was mapped")
			e.File, e.Offset = name, off
			*err = e
			return
		}
	}
	if e, ok := r.(runtime.Error); ok && strings.Contains(e.Error(), "out of range") {
		changed := format.Corrupt("the file changed while it was read: %v", e)
		changed.File = changedFiles()
		*err = changed
		return
	}
	panic(r)
}
