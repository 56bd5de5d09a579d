package kernels

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/pinion-index/pinion/kernels"
)

// architectures are the compute capabilities that there is code for. Code for X.Y runs on
// X.Y and on later minor versions of X.
var architectures = []struct{ major, minor int }{{8, 0}, {9, 0}}

// Modules returns the names of all modules.
func Modules() []string {
	var names []string
	for _, k := range All() {
		if !slices.Contains(names, k.Module()) {
			names = append(names, k.Module())
		}
	}
	return names
}

// HasCode reports whether there is code for devices of that compute capability. Other
// devices, of 7.0 or higher, need PTX, which the driver compiles.
func HasCode(major, minor int) bool { return suffix(major, minor) != "" }

// suffix returns the end of the names of files with code for a compute capability, or "".
func suffix(major, minor int) string {
	for _, a := range architectures {
		if major == a.major && minor >= a.minor {
			return fmt.Sprintf("sm_%d%d", a.major, a.minor)
		}
	}
	return ""
}

// Code returns the code of a module for devices of that compute capability, an ELF file.
// It returns an error if there is no such module or no code for the device.
func Code(module string, major, minor int) ([]byte, error) {
	s := suffix(major, minor)
	if s == "" {
		return nil, fmt.Errorf("kernels: no code for compute capability %d.%d", major, minor)
	}
	return unpack(module, s)
}

// PTX returns the text of a module, for devices of compute capability 7.0 or higher. It
// returns an error if there is no such module.
func PTX(module string) (string, error) {
	b, err := unpack(module, "ptx")
	return string(b), err
}

func unpack(module, suffix string) ([]byte, error) {
	files := kernels.Code()
	if of := added[path.Dir(module)]; of != nil {
		files = of
	}
	b, err := fs.ReadFile(files, "code/"+path.Base(module)+"."+suffix+".zst")
	if err != nil {
		return nil, fmt.Errorf("kernels: no module %q: %w", module, err)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err == nil {
		defer z.Close()
		b, err = z.DecodeAll(b, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("kernels: module %s.%s: %w", module, suffix, err)
	}
	return b, nil
}
