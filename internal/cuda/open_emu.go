//go:build emu && cgo

package cuda

// emulated is the number of devices that Open can open. Each is one of its own every time.
const emulated = 2

// Open returns the emulated device with that number, from 0.
func Open(number int) (Device, error) {
	if number < 0 || number >= emulated {
		return nil, noDevice(number, emulated)
	}
	return NewEmulator(), nil
}

// Count returns the number of emulated devices.
func Count() (int, error) { return emulated, nil }
