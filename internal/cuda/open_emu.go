//go:build emu && cgo

package cuda

// Open returns an emulated device.
func Open() (Device, error) { return NewEmulator(), nil }
