//go:build !(emu && cgo) && !(linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static)))

package cuda

import "fmt"

// Open fails: the program was built without support for a GPU.
func Open(int) (Device, error) { return nil, errBuild }

// Count fails too.
func Count() (int, error) { return 0, errBuild }

var errBuild = fmt.Errorf("%w: this program was built without support for one, which takes Linux and no build tag static", ErrNoDevice)
