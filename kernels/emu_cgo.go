//go:build emu && cgo

package kernels

/*
#cgo CXXFLAGS: -std=c++17 -O2 -DPINION_EMU -Wno-unknown-pragmas -Wno-unused-function
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
const char *emu_launch(const char *name, unsigned grid, unsigned block, unsigned shared, const void *params, uint64_t seed);
uint32_t emu_sizes(uint32_t i);
*/
import "C"

import (
	_ "embed" // so that a changed kernel source is compiled again
	"fmt"
	"sync"
	"unsafe"
)

// The build cache knows nothing of files that a C++ file includes, unless they are
// headers or embedded.
//
//go:embed check.cu
var _ string

//go:embed decode.cu
var _ string

//go:embed patched.cu
var _ string

//go:embed unary.cu
var _ string

//go:embed lines.cu
var _ string

//go:embed disjunct.cu
var _ string

//go:embed intersect.cu
var _ string

//go:embed rank.cu
var _ string

//go:embed packed.cu
var _ string

//go:embed newpfd.cu
var _ string

//go:embed merge.cu
var _ string

//go:embed element.h
var _ string

//go:embed accumulate.cu
var _ string

//go:embed topk.cu
var _ string

//go:embed presence.cu
var _ string

var emuNames = func() (c [Count]*C.char) {
	for k := range c {
		c[k] = C.CString(Kernel(k).String())
	}
	return c
}()

var emuMutex sync.Mutex // the emulator is one device

// Emulate runs a kernel on the host: grid thread blocks of k.Threads() threads with
// that many bytes of dynamic shared memory. With a seed other than 0 threads and
// thread blocks run in a random order that depends on it. Addresses in params are
// host addresses, of memory that Go's collector does not manage.
func Emulate(k Kernel, grid, shared int, params []byte, seed uint64) error {
	emuMutex.Lock()
	defer emuMutex.Unlock()
	msg := C.emu_launch(emuNames[k], C.uint(grid), C.uint(k.Threads()), C.uint(shared),
		unsafe.Pointer(unsafe.SliceData(params)), C.uint64_t(seed))
	if msg != nil {
		return fmt.Errorf("kernel %v: %s", k, C.GoString(msg))
	}
	return nil
}

// HostAlloc returns n bytes outside Go's heap, 64-byte aligned, which a launch may
// refer to. Each allocation stands alone, so that the address sanitizer sees
// accesses beyond it.
func HostAlloc(n int) unsafe.Pointer {
	return C.aligned_alloc(64, C.size_t((n+63)&^63))
}

// HostFree frees what HostAlloc returned.
func HostFree(p unsafe.Pointer) { C.free(p) }

func emuSizes() (s []uint32) {
	for i := 0; ; i++ {
		v := uint32(C.emu_sizes(C.uint32_t(i)))
		if v == 0 {
			return s
		}
		s = append(s, v)
	}
}
