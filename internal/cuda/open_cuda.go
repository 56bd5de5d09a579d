//go:build cuda && cgo

package cuda

// Open opens the first GPU.
func Open() (Device, error) { return OpenDriver(0) }

// Built says whether this program was built with support for a device.
const Built = true
