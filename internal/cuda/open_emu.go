//go:build emu && cgo && !cuda

package cuda

// Open returns an emulated device.
func Open() (Device, error) { return NewEmulator(), nil }

// Built reports whether this program was built with device support.
const Built = true
