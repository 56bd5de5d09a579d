//go:build cuda && cgo

package cuda

// Open opens the first GPU.
func Open() (Device, error) { return OpenDriver(0) }

// Built reports whether this program was built with device support.
const Built = true
