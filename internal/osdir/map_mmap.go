//go:build !js && !wasip1

package osdir

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

// canMap reports that the platform maps files.
const canMap = true

// mapFileBytes maps f, of n bytes, read-only.
func mapFileBytes(f *os.File, n int) ([]byte, error) {
	return mmap.MapRegion(f, n, mmap.RDONLY, 0, 0)
}

func unmapFileBytes(b []byte) error {
	m := mmap.MMap(b)
	return m.Unmap()
}
