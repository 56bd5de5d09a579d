//go:build !cgo || !(cuda || emu)

package cuda

import "fmt"

// Open fails: the program was built without support for a GPU.
func Open() (Device, error) {
	return nil, fmt.Errorf("%w: this program was built without it (build with -tags cuda)", ErrNoDevice)
}

// Built says whether this program was built with support for a device.
const Built = false
