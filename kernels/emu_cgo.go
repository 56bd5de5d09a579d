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
	"sync"
	"unsafe"
)

// The go command does not track files included by a C++ file, unless they are headers or
// embedded. Embedding the kernel sources triggers a rebuild when they change.
//
//go:embed *.cu
var _ embed.FS

var emuMutex sync.Mutex // the emulator runs one kernel at a time

// Emulate runs the kernel with that name on the host: grid thread blocks of so many threads with
// shared bytes of dynamic shared memory. If seed is not 0, it determines a random order of threads
// and thread blocks. params is the kernel's parameter struct. Addresses in it are host addresses
// and must not point to the Go heap.
func Emulate(name string, grid, threads, shared int, params []byte, seed uint64) error {
	emuMutex.Lock()
	defer emuMutex.Unlock()
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	if msg := C.emu_launch(cname, C.uint(grid), C.uint(threads), C.uint(shared), unsafe.Pointer(unsafe.SliceData(params)), C.uint64_t(seed)); msg != nil {
		return fmt.Errorf("kernel %s: %s", name, C.GoString(msg))
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

// Sizes returns sizes and offsets of the parameter structs, with which a test compares those in Go.
func Sizes() (s []uint32) {
	for i := 0; ; i++ {
		v := uint32(C.emu_sizes(C.uint32_t(i)))
		if v == 0 {
			return s
		}
		s = append(s, v)
	}
}
