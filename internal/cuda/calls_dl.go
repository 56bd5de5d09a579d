//go:build linux && (amd64 || arm64) && !(cuda && cgo) && !emu && !static

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/pinion-index/pinion/internal/kernels"
)

// The driver's calls in libcuda.so.1, which is found at run time.

// library is the file of the driver.
const library = "libcuda.so.1"

// symbol is a function of the driver.
type symbol int

const (
	symInit symbol = iota
	symVersion
	symDeviceCount
	symDeviceGet
	symDeviceName
	symDeviceAttribute
	symPrimaryContext
	symSetContext
	symMemInfo
	symModuleLoad
	symModuleUnload
	symModuleFunction
	symFuncSetAttribute
	symStreamCreate
	symStreamDestroy
	symEventCreate
	symEventDestroy
	symMemAlloc
	symMemFree
	symHostAlloc
	symHostFree
	symHostRegister
	symHostUnregister
	symCopyIn
	symCopyOut
	symCopy
	symFill
	symLaunch
	symRecord
	symAwait
	symStreamDone
	symElapsed
	symErrorString
	symbols
)

// names are the functions' names in the library. Those with a version have 64-bit sizes
// and addresses; the names without it are older functions.
var names = [symbols]string{
	symInit:             "cuInit",
	symVersion:          "cuDriverGetVersion",
	symDeviceCount:      "cuDeviceGetCount",
	symDeviceGet:        "cuDeviceGet",
	symDeviceName:       "cuDeviceGetName",
	symDeviceAttribute:  "cuDeviceGetAttribute",
	symPrimaryContext:   "cuDevicePrimaryCtxRetain",
	symSetContext:       "cuCtxSetCurrent",
	symMemInfo:          "cuMemGetInfo_v2",
	symModuleLoad:       "cuModuleLoadData",
	symModuleUnload:     "cuModuleUnload",
	symModuleFunction:   "cuModuleGetFunction",
	symFuncSetAttribute: "cuFuncSetAttribute",
	symStreamCreate:     "cuStreamCreate",
	symStreamDestroy:    "cuStreamDestroy_v2",
	symEventCreate:      "cuEventCreate",
	symEventDestroy:     "cuEventDestroy_v2",
	symMemAlloc:         "cuMemAlloc_v2",
	symMemFree:          "cuMemFree_v2",
	symHostAlloc:        "cuMemHostAlloc",
	symHostFree:         "cuMemFreeHost",
	symHostRegister:     "cuMemHostRegister_v2",
	symHostUnregister:   "cuMemHostUnregister",
	symCopyIn:           "cuMemcpyHtoDAsync_v2",
	symCopyOut:          "cuMemcpyDtoHAsync_v2",
	symCopy:             "cuMemcpyDtoDAsync_v2",
	symFill:             "cuMemsetD32Async",
	symLaunch:           "cuLaunchKernel",
	symRecord:           "cuEventRecord",
	symAwait:            "cuStreamWaitEvent",
	symStreamDone:       "cuStreamQuery",
	symElapsed:          "cuEventElapsedTime",
	symErrorString:      "cuGetErrorString",
}

var fns [symbols]uintptr // set by find

var find = sync.OnceValue(func() error {
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("%w: the NVIDIA driver is not installed: %w", ErrNoDevice, err)
	}
	for s, name := range names {
		if fns[s], err = purego.Dlsym(lib, name); err != nil {
			return fmt.Errorf("%w: the NVIDIA driver is too old: %w", ErrNoDevice, err)
		}
	}
	return nil
})

// call calls a function of the driver.
//
//go:uintptrescapes
func call(s symbol, args ...uintptr) error {
	r, _, _ := purego.SyscallN(fns[s], args...)
	return result(int(int32(r)))
}

func cuInit() (version, devices int, err error) {
	if err := find(); err != nil {
		return 0, 0, err
	}
	if r, _, _ := purego.SyscallN(fns[symInit], 0); int32(r) != cuSuccess {
		return 0, 0, fmt.Errorf("%w: %s", ErrNoDevice, cuErrorString(int(int32(r))))
	}
	v, n := new(int32), new(int32)
	if err = call(symVersion, uintptr(unsafe.Pointer(v))); err == nil {
		err = call(symDeviceCount, uintptr(unsafe.Pointer(n)))
	}
	return int(*v), int(*n), err
}

func cuDeviceGet(number int) (int, error) {
	dev := new(int32)
	err := call(symDeviceGet, uintptr(unsafe.Pointer(dev)), uintptr(number))
	return int(*dev), err
}

func cuPrimaryContext(dev int) (uintptr, error) { return create(symPrimaryContext, uintptr(dev), 0) }

// create calls a function that sets a handle, its first argument. The conversion must be
// within the call: only then is the handle kept off the stack, which may move.
//
//go:uintptrescapes
func create(s symbol, a, b uintptr) (uintptr, error) {
	h := new(uintptr)
	err := call(s, uintptr(unsafe.Pointer(h)), a, b)
	return *h, err
}

func cuSetContext(ctx uintptr) error { return call(symSetContext, ctx) }

func cuDeviceName(dev int) (string, error) {
	name := new([256]byte)
	err := call(symDeviceName, uintptr(unsafe.Pointer(name)), uintptr(len(name)), uintptr(dev))
	return text(&name[0]), err
}

func cuDeviceAttribute(dev, attribute int) (int, error) {
	v := new(int32)
	err := call(symDeviceAttribute, uintptr(unsafe.Pointer(v)), uintptr(attribute), uintptr(dev))
	return int(*v), err
}

func cuMemFreeBytes() (int64, error) {
	v := new([2]uint64) // free, total
	err := call(symMemInfo, uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1])))
	return int64(v[0]), err
}

func cuModuleLoad(text string) (uintptr, error) {
	b := append([]byte(text), 0)
	return create(symModuleLoad, uintptr(unsafe.Pointer(&b[0])), 0)
}

func cuModuleUnload(m uintptr) error { return call(symModuleUnload, m) }

func cuModuleFunction(m uintptr, name string) (uintptr, error) {
	b := append([]byte(name), 0)
	return create(symModuleFunction, m, uintptr(unsafe.Pointer(&b[0])))
}

func cuFuncSetAttribute(f uintptr, attribute, value int) error {
	return call(symFuncSetAttribute, f, uintptr(attribute), uintptr(value))
}

func cuStreamCreate() (uintptr, error) { return create(symStreamCreate, 1, 0) } // CU_STREAM_NON_BLOCKING

func cuStreamDestroy(s uintptr) error { return call(symStreamDestroy, s) }

func cuEventCreate() (uintptr, error) { return create(symEventCreate, 0, 0) }

func cuEventDestroy(e uintptr) error { return call(symEventDestroy, e) }

func cuMemAlloc(n int64) (kernels.Ptr, error) {
	p, err := create(symMemAlloc, uintptr(n), 0)
	return kernels.Ptr(p), err
}

func cuMemFree(p kernels.Ptr) error { return call(symMemFree, uintptr(p)) }

func cuHostAlloc(n int) (unsafe.Pointer, error) {
	p := new(unsafe.Pointer)
	err := call(symHostAlloc, uintptr(unsafe.Pointer(p)), uintptr(n), hostPortable)
	return *p, err
}

func cuHostFree(p unsafe.Pointer) error { return call(symHostFree, uintptr(p)) }

func cuHostRegister(p unsafe.Pointer, n, flags int) error {
	return call(symHostRegister, uintptr(p), uintptr(n), uintptr(flags))
}

func cuHostUnregister(p unsafe.Pointer) error { return call(symHostUnregister, uintptr(p)) }

// cuStreamDone reports whether the stream has no work left.
func cuStreamDone(stream uintptr) (bool, error) {
	r, _, _ := purego.SyscallN(fns[symStreamDone], stream)
	return int32(r) == cuSuccess, unlessNotReady(int(int32(r)))
}

func cuEventElapsed(from, to uintptr) (float32, error) {
	ms := new(float32)
	err := call(symElapsed, uintptr(unsafe.Pointer(ms)), from, to)
	return *ms, err
}

func cuErrorString(code int) string {
	p := new(*byte)
	if r, _, _ := purego.SyscallN(fns[symErrorString], uintptr(code), uintptr(unsafe.Pointer(p))); r != cuSuccess || *p == nil {
		return "unknown error"
	}
	return text(*p)
}

// text returns the string at p, which ends with a zero byte.
func text(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// launch is what cuLaunchKernel reads while it runs. It lies in the heap, which does not move,
// and is kept alive until the call returns; the parameters do, too.
type launch struct {
	extra [5]uintptr
	size  uint64
}

var launches = sync.Pool{New: func() any { return new(launch) }}

// submit enqueues a batch. at is the operation that failed.
func (d *Driver) submit(b *Batch) (at int, err error) {
	s := d.streams[b.Stream]
	l := launches.Get().(*launch)
	defer launches.Put(l)
	for i := range b.ops {
		o := &b.ops[i]
		switch o.kind {
		case opCopyIn:
			err = call(symCopyIn, uintptr(o.a), uintptr(o.b), uintptr(o.c), s)
		case opCopyOut:
			err = call(symCopyOut, uintptr(o.a), uintptr(o.b), uintptr(o.c), s)
		case opMove:
			err = call(symCopy, uintptr(o.a), uintptr(o.b), uintptr(o.c), s)
		case opFill:
			err = call(symFill, uintptr(o.a), uintptr(o.b), uintptr(o.c/4), s)
		case opLaunch:
			l.size = o.e
			l.extra = [5]uintptr{ // CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE, _END
				1, uintptr(unsafe.Pointer(unsafe.SliceData(b.params))) + uintptr(o.d), 2, uintptr(unsafe.Pointer(&l.size)), 0,
			}
			err = call(symLaunch, d.fns[o.a], uintptr(o.b), 1, 1, uintptr(d.threads[o.a]), 1, 1, uintptr(o.c), s, 0,
				uintptr(unsafe.Pointer(&l.extra)))
		case opRecord:
			err = call(symRecord, d.events[o.a], s)
		case opAwait:
			err = call(symAwait, s, d.events[o.a], 0)
		}
		if err != nil {
			return i, err
		}
	}
	runtime.KeepAlive(b.params)
	return 0, nil
}
