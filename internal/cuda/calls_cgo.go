//go:build linux && cuda && cgo && !emu

package cuda

/*
#cgo LDFLAGS: -lcuda
#include "driver_shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/pinion-index/pinion/internal/kernels"
)

// The driver's calls through gorgonia.org/cu and, where that lacks them, C.

func cuInit() (version, devices int, err error) {
	if devices, err = cu.NumDevices(); err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	return cu.Version(), devices, nil
}

func cuDeviceGet(number int) (int, error) {
	dev, err := cu.GetDevice(number)
	return int(dev), failed(err)
}

func cuPrimaryContext(dev int) (uintptr, error) {
	ctx, err := cu.Device(dev).RetainPrimaryCtx()
	return handle(&ctx), failed(err)
}

func cuSetContext(ctx uintptr) error {
	return result(int(C.cuCtxSetCurrent(C.CUcontext(pointer(ctx)))))
}

func cuDeviceName(dev int) (string, error) {
	name, err := cu.Device(dev).Name()
	return name, failed(err)
}

func cuDeviceAttribute(dev, attribute int) (int, error) {
	v, err := cu.Device(dev).Attribute(cu.DeviceAttribute(attribute))
	return v, failed(err)
}

func cuMemFreeBytes() (int64, error) {
	var free, total C.size_t
	err := result(int(C.cuMemGetInfo(&free, &total)))
	return int64(free), err
}

func cuModuleLoad(text string) (uintptr, error) {
	m, err := cu.LoadData(text)
	return handle(&m), failed(err)
}

func cuModuleUnload(m uintptr) error { return failed((*(*cu.Module)(unsafe.Pointer(&m))).Unload()) }

func cuModuleFunction(m uintptr, name string) (uintptr, error) {
	f, err := (*(*cu.Module)(unsafe.Pointer(&m))).Function(name)
	return handle(&f), failed(err)
}

func cuFuncSetAttribute(f uintptr, attribute, value int) error {
	return result(int(C.cuFuncSetAttribute(C.CUfunction(pointer(f)), C.CUfunction_attribute(attribute), C.int(value))))
}

func cuStreamCreate() (uintptr, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	return handle(&s), failed(err)
}

func cuStreamDestroy(s uintptr) error { return failed((*cu.Stream)(unsafe.Pointer(&s)).Destroy()) }

func cuEventCreate() (uintptr, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	return handle(&e), failed(err)
}

func cuEventDestroy(e uintptr) error { return failed(cu.DestroyEvent((*cu.Event)(unsafe.Pointer(&e)))) }

func cuMemAlloc(n int64) (kernels.Ptr, error) {
	p, err := cu.MemAlloc(n)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return kernels.Ptr(p), err
}

func cuMemFree(p kernels.Ptr) error { return failed(cu.MemFree(cu.DevicePtr(p))) }

func cuHostAlloc(n int) (p unsafe.Pointer, err error) {
	err = result(int(C.cuMemHostAlloc(&p, C.size_t(n), hostPortable)))
	return p, err
}

func cuHostFree(p unsafe.Pointer) error { return result(int(C.cuMemFreeHost(p))) }

func cuHostRegister(p unsafe.Pointer, n, flags int) error {
	return result(int(C.cuMemHostRegister(p, C.size_t(n), C.uint(flags))))
}

func cuHostUnregister(p unsafe.Pointer) error { return result(int(C.cuMemHostUnregister(p))) }

// cuStreamDone reports whether the stream has no work left.
func cuStreamDone(stream uintptr) (bool, error) {
	r := int(C.cuStreamQuery(C.CUstream(pointer(stream))))
	return r == cuSuccess, unlessNotReady(r)
}

func cuEventElapsed(from, to uintptr) (float32, error) {
	ms, err := (*(*cu.Event)(unsafe.Pointer(&from))).Elapsed(*(*cu.Event)(unsafe.Pointer(&to)))
	return float32(ms), failed(err)
}

func cuErrorString(code int) string { return C.GoString(C.pinion_error(C.CUresult(code))) }

// submit enqueues a batch in one call of C. at is the operation that failed.
func (d *Driver) submit(b *Batch) (at int, err error) {
	var i C.int
	r := C.pinion_submit(C.CUstream(pointer(d.streams[b.Stream])), (*C.pinion_op)(unsafe.Pointer(&b.ops[0])), C.int(len(b.ops)),
		(*C.uchar)(unsafe.Pointer(unsafe.SliceData(b.params))), (*C.uintptr_t)(unsafe.Pointer(&d.fns[0])),
		(*C.uint32_t)(&d.threads[0]), (*C.uintptr_t)(unsafe.Pointer(&d.events[0])), &i)
	return int(i), result(int(r))
}

// failed marks an error of package cu.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrDevice, err)
}

// handle returns the driver's handle in a value of package cu.
func handle[T cu.CUContext | cu.Module | cu.Function | cu.Stream | cu.Event](v *T) uintptr {
	return *(*uintptr)(unsafe.Pointer(v))
}

// pointer returns a handle of the driver as C has it.
func pointer(handle uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&handle)) }
