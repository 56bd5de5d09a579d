//go:build emu && cgo

package kernels

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/pinion-index/pinion/kernels"
)

// Emulate runs a kernel on the host: grid thread blocks of k.Threads() threads with
// shared bytes of dynamic shared memory. If seed is not 0, it determines a random order
// of threads and thread blocks. Addresses in params are host addresses and must not point
// to the Go heap.
func Emulate(k Kernel, grid, shared int, params []byte, seed uint64) error {
	if k == None || int(k) >= len(table) {
		return fmt.Errorf("no %v", k)
	}
	if want := int(reflect.TypeOf(table[k].params).Size()); len(params) != want {
		return fmt.Errorf("kernel %v: %d bytes of parameters, not %d", k, len(params), want)
	}
	return kernels.Emulate(k.String(), grid, k.Threads(), shared, params, seed)
}

// HostAlloc allocates n bytes outside the Go heap, 64-byte aligned, for use by Emulate.
func HostAlloc(n int) unsafe.Pointer { return kernels.HostAlloc(n) }

// HostFree frees memory returned by HostAlloc.
func HostFree(p unsafe.Pointer) { kernels.HostFree(p) }
