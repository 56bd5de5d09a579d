//go:build !(emu && cgo) && !(linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static)))

package cuda

import "fmt"

// Open fails: the program was built without support for a GPU.
func Open() (Device, error) {
	return nil, fmt.Errorf("%w: this program was built without support for one, which takes Linux and no build tag static", ErrNoDevice)
}
