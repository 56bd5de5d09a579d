//go:build emu && cgo && !cuda

package cuda

// Open returns an emulated device.
func Open() (Device, error) { return NewEmulator(), nil }

// Built says whether this program was built with support for a device.
const Built = true
