//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

// Open opens the GPU with that number, from 0.
func Open(number int) (Device, error) {
	d, err := OpenDriver(number)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Count returns the number of GPUs. The error says why there are none.
func Count() (int, error) {
	_, n, err := cuInit()
	return n, err
}
