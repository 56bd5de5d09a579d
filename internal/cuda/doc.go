// Package cuda runs batches of copies and kernels on a device: on an NVIDIA GPU
// through the driver (build tag cuda) or on the host emulator (build tag emu).
//
//	device.go    the Device interface and its errors
//	batch.go     operations for one Submit
//	driver.go    the GPU: gorgonia.org/cu, supplemented by driver_shim.h
//	emulator.go  the emulator, which runs the kernels' sources on the host
//	open_*.go    Open, by build tag
//
// Importing gorgonia.org/cu exits the process if there is no GPU, so only files with the
// tag cuda import it. Packages gpuload and internal/gpubench use this package; users see
// gpuload.Device.
package cuda
