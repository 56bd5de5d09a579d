package osdir

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// populatePages reads all pages of a mapping. It has the errors of madvise(2): EINVAL
// if the kernel cannot do that, EFAULT if a page cannot be read.
func populatePages(b []byte) error {
	err := unix.Madvise(b, unix.MADV_POPULATE_READ)
	switch {
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("populate: this needs Linux 5.14 or later: %w", errors.ErrUnsupported)
	case err != nil:
		return fmt.Errorf("populate: %w", err)
	}
	return nil
}
