//go:build emu && cgo && !cuda

package gpuload

// OpenDevice returns an emulated device.
func OpenDevice() (Device, error) { return NewEmulator(), nil }

// Built says whether this program was built with support for a device.
const Built = true
