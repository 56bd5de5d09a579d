//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

// Open opens the first GPU.
func Open() (Device, error) { return OpenDriver(0) }
