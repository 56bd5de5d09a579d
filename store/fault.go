package store

import (
	"runtime"
	"runtime/debug"

	"github.com/pinion-index/pinion/format"
)

// ArmFault and CatchFault turn a fault on a mapped file into an error. A file
// that is truncated, or whose disk fails, while it is mapped raises SIGBUS on
// access, which would end the process. A function that reads mapped bytes begins
//
//	func Search(...) (hits []Hit, err error) {
//		defer store.CatchFault(store.ArmFault(), &err)
//
// once for each call that enters the engine and once in every goroutine that such a
// call starts. Pairs may nest. A pair takes some 20 ns and allocates nothing. It
// works in assembly too, but not in C.
func ArmFault() (before bool) { return debug.SetPanicOnFault(true) }

// CatchFault must be deferred with the result of ArmFault. It sets *err, kind
// format.ErrCorrupt with file and offset, if the function panics because of a
// fault within a mapped file. Every other panic goes on.
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
	panic(r)
}
