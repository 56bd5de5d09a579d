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

// The go command does not track files included by a C++ file, unless they are headers or
// embedded. Embedding the kernel sources triggers a rebuild when they change.
//
//go:embed *.cu
var _ embed.FS

var (
	emuMutex sync.Mutex // the emulator runs one kernel at a time
	emuNames []*C.char  // by kernel, from the first launch on
)

// Emulate runs a kernel on the host: grid thread blocks of k.Threads() threads with
// shared bytes of dynamic shared memory. If seed is not 0, it determines a random order
// of threads and thread blocks. Addresses in params are host addresses and must not point
// to the Go heap.
func Emulate(k Kernel, grid, shared int, params []byte, seed uint64) error {
	if k == None || int(k) >= len(table) {
		return fmt.Errorf("no %v", k)
	}
	emuMutex.Lock()
	defer emuMutex.Unlock()
	if want := paramsSize(k); len(params) != want {
		return fmt.Errorf("kernel %v: %d bytes of parameters, not %d", k, len(params), want)
	}
	for i := len(emuNames); i < len(table); i++ {
		emuNames = append(emuNames, C.CString(Kernel(i).String())) // for None, a name that is no kernel
	}
	msg := C.emu_launch(emuNames[k], C.uint(grid), C.uint(k.Threads()), C.uint(shared),
		unsafe.Pointer(unsafe.SliceData(params)), C.uint64_t(seed))
	if msg != nil {
		return fmt.Errorf("kernel %v: %s", k, C.GoString(msg))
	}
	return nil
}

// HostAlloc allocates n bytes outside the Go heap, 64-byte aligned, for use by Emulate.
// Each allocation is separate, so that the address sanitizer detects accesses outside it.
func HostAlloc(n int) unsafe.Pointer {
	return C.aligned_alloc(64, C.size_t((n+63)&^63))
}

// HostFree frees memory returned by HostAlloc.
func HostFree(p unsafe.Pointer) { C.free(p) }

// paramsSize returns the size of a kernel's parameter struct.
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
