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
	"embed"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// The build cache knows nothing of files that a C++ file includes, unless they are
// headers or embedded: embedding makes a changed kernel source compile again.
//
//go:embed *.cu
var _ embed.FS

var emuNames = func() (c [Count]*C.char) {
	for k := range c {
		c[k] = C.CString(Kernel(k).String()) // of None: no such kernel
	}
	return c
}()

var emuMutex sync.Mutex // the emulator is one device

// Emulate runs a kernel on the host: grid thread blocks of k.Threads() threads with
// that many bytes of dynamic shared memory. With a seed other than 0 threads and
// thread blocks run in a random order that depends on it. Addresses in params are
// host addresses, of memory that Go's collector does not manage.
func Emulate(k Kernel, grid, shared int, params []byte, seed uint64) error {
	if k == None || k >= Count {
		return fmt.Errorf("no %v", k)
	}
	emuMutex.Lock()
	defer emuMutex.Unlock()
	if want := paramsSize(k); len(params) != want {
		return fmt.Errorf("kernel %v: %d bytes of parameters, not %d", k, len(params), want)
	}
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

// paramsSize returns the size of the struct that a kernel takes.
func paramsSize(k Kernel) int { return int(reflect.TypeOf(table[k].params).Size()) }

func emuSizes() (s []uint32) {
	for i := 0; ; i++ {
		v := uint32(C.emu_sizes(C.uint32_t(i)))
		if v == 0 {
			return s
		}
		s = append(s, v)
	}
}
