//go:build !cgo || !(cuda || emu)

package cuda

import "fmt"

// Open fails: the program was built without support for a GPU.
func Open() (Device, error) {
	return nil, fmt.Errorf("%w: this program was built without it (build with -tags cuda)", ErrNoDevice)
}

// Built reports whether this program was built with device support.
const Built = false
