//go:build cuda && cgo

package gpuload

// OpenDevice opens the first GPU.
func OpenDevice() (Device, error) { return OpenCuda(0) }
