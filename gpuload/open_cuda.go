//go:build cuda && cgo

package gpuload

// OpenDevice opens the first GPU.
func OpenDevice() (Device, error) { return OpenCuda(0) }

// Built says whether this program was built with support for a device.
const Built = true
