//go:build js || wasip1

package store

import (
	"io"
	"os"

	"github.com/pinion-index/pinion/format"
)

// mapFileBytes reads f, of n bytes: nothing can be mapped here.
func mapFileBytes(f *os.File, n int) ([]byte, error) {
	b := format.AlignedBytes(n)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	return b, nil
}

func unmapFileBytes([]byte) error { return nil }

func forgetPages([]byte) {}
