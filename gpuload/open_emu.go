//go:build emu && cgo && !cuda

package gpuload

// OpenDevice returns an emulated device.
func OpenDevice() (Device, error) { return NewEmulator(), nil }
