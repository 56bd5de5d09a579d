//go:build js || wasip1

package store

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/pinion-index/pinion/format"
)

// maxRead is the maximum length of a file, since the address space has 4 GiB.
const maxRead = 1<<31 - 1

// mapFileBytes reads f, of n bytes: this platform cannot map files.
func mapFileBytes(f *os.File, n int) ([]byte, error) {
	if n > maxRead {
		return nil, fmt.Errorf("%d bytes are more than can be read on %s", n, runtime.GOOS)
	}
	b := format.AlignedBytes(n)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	return b, nil
}

func unmapFileBytes([]byte) error { return nil }

func forgetPages([]byte) {}
