package hybrid

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/reader"
)

// KeyOf describes this machine, a device by its name, and the index of a snapshot.
func KeyOf(s *reader.Snapshot, device string, workers int) Key {
	h := xxhash.New()
	m := s.Manifest()
	for i := range m.Segments {
		h.Write(m.Segments[i].ID[:])
	}
	return Key{
		Machine:    fmt.Sprintf("%s, %d workers", processor(), workers),
		Device:     device,
		Driver:     driver(),
		Index:      fmt.Sprintf("%016x", h.Sum64()),
		Generation: s.Generation(),
		Directory:  s.Directory(),
	}
}

// File returns where the Model for a machine and an index is kept: in the user's folder
// for caches, apart from the index. Its name depends on the machine and the directory alone: a
// Model for a newer index, device or driver replaces an older one, and Stale tells them apart.
// It returns an error if there is no such folder.
func (k Key) File() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("cost-%016x.json", xxhash.Sum64String(k.Machine+"\x00"+k.Directory))
	return filepath.Join(dir, "pinion", name), nil
}

// ModelFor returns the Model that idxbench calibrate has kept for a key, nil if there is
// none. The error says why one that is there cannot be used, for example that it is stale.
func ModelFor(k Key) (*Model, error) {
	file, err := k.File()
	if err != nil {
		return nil, nil // nowhere to keep one
	}
	m, err := ReadModel(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = m.Stale(k)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

var (
	modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)
	kernelMod = regexp.MustCompile(`Kernel Module\S*\s+(?:for \S+\s+)?(\d[\d.]*)`)
)

// processor returns the name of the CPU, or its architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // on Linux
	if m := modelName.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}

// driver returns the version of the NVIDIA driver, or "".
func driver() string {
	text, _ := os.ReadFile("/proc/driver/nvidia/version")
	if m := kernelMod.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
