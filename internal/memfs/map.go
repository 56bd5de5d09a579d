package memfs

import (
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/store"
)

// MapInto makes Open map files instead of copying them: it writes the content to
// files in dir, which must be empty and writable, and maps these. So accesses can
// fault, as those to a file of a failing disk do. Files that dir holds already are
// mapped as they are.
func (f *FS) MapInto(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mapDir = dir
}

// Fault makes every access fault to the mapped pages of file name that begin at or
// after offset off, those of Data opened before included.
func (f *FS) Fault(name string, off int64) error {
	return os.Truncate(filepath.Join(f.mapDir, name), off)
}

// mapped maps a file with this content. The caller holds f.mu.
func (f *FS) mapped(name string, content []byte) (store.Data, error) {
	path := filepath.Join(f.mapDir, name)
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return nil, err
		}
	}
	return store.Dir(f.mapDir).Open(name)
}
