package indexdir

import (
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/store"
)

// Forget hints that the content of d will not be read for a while.
func Forget(d store.Data) {
	if m, ok := d.(*osdir.Mapping); ok {
		m.ForgetPages()
	}
}

// ArmFault and CatchFault turn a fault on a mapped file into an error. Accessing a
// mapped file that has been truncated, or whose disk fails, raises SIGBUS, which
// would crash the process. A function that reads mapped bytes begins with
//
//	func Search(...) (hits []Hit, err error) {
//		defer indexdir.CatchFault(indexdir.ArmFault(), &err)
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
// error of that kind, too, if a mapped file has changed since it was mapped, by its
// modification time or length: what was checked may no longer be so. It names those files.
// Any other runtime error is a fault of the program and becomes a *PanicError.
// Panics with other values continue.
func CatchFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	e, ok := r.(runtime.Error)
	if !ok {
		panic(r)
	}
	if damage := damageOf(e); damage != nil {
		*err = damage
		return
	}
	*err = &store.PanicError{Value: e, Stack: debug.Stack(), Place: panicked()}
}

// damageOf returns what is wrong with a mapped file if that caused e, or nil.
func damageOf(e runtime.Error) error {
	if f, ok := e.(interface{ Addr() uintptr }); ok {
		if name, off, ok := osdir.MappingAt(f.Addr()); ok {
			damage := format.Corrupt("the file was truncated or could not be read while it was mapped")
			damage.File, damage.Offset = name, off
			return damage
		}
	}
	if strings.Contains(e.Error(), "out of range") {
		if names := osdir.Changed(); names != "" {
			damage := format.Corrupt("the file changed while it was read: %v", e)
			damage.File = names
			return damage
		}
	}
	return nil
}

// panicked returns where the panic happened that the caller's caller has recovered from.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for in, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			in = true
		case in && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
		}
	}
	return ""
}
