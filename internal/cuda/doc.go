// Package cuda runs batches of copies and kernels on a device: on an NVIDIA GPU
// through the driver, or on the host emulator (build tag emu).
//
//	device.go    the Device interface and its errors
//	batch.go     operations for one Submit
//	driver.go    the GPU; modules.go: its kernels; wait_linux.go: waiting for it
//	slab.go      pinned memory; pins.go: registered mappings
//	calls_dl.go  the driver's functions, found at run time in libcuda.so.1
//	calls_cgo.go the same through gorgonia.org/cu and driver_shim.h (build tag cuda)
//	emulator.go  the emulator, which runs the kernels' sources on the host
//	open_*.go    Open, by build tag
//
// A program that finds the driver at run time is linked with the C library, which the
// build tag static avoids: it has no GPU. Importing gorgonia.org/cu exits the process if
// there is no GPU, so only files with the tag cuda import it. Packages internal/gpu and
// papers/internal/gpubench use this package; users see gpu.Device.
package cuda
