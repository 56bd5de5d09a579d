//go:build unix

package osdir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// fileLocks reports that the platform has file locks.
const fileLocks = true

// renameFile is os.Rename for files, without its look at what to names.
func renameFile(from, to string) error {
	for {
		err := unix.Rename(from, to)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EINTR):
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
		}
	}
}

// syncDir syncs the directory's entries. File systems that cannot sync a
// directory return EINVAL or ENOTSUP; nothing better can be done there.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); !noDirSync(err) {
		return err
	}
	return nil
}

// noDirSync reports whether an error is that of a file system that cannot sync a directory.
func noDirSync(err error) bool { return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) }

// forgetPages releases the pages of a read-only mapping. It is only a hint.
func forgetPages(b []byte) { unix.Madvise(b, unix.MADV_DONTNEED) }

// needPages begins to read those pages of a mapping that are not in memory. It is only a
// hint, and so is scatterPages: a fault there is to read its own page, not those around it.
func needPages(b []byte) { unix.Madvise(b, unix.MADV_WILLNEED) }

func scatterPages(b []byte) { unix.Madvise(b, unix.MADV_RANDOM) }

// lockPages keeps a mapping in physical memory until it is unmapped.
func lockPages(b []byte) error {
	if err := unix.Mlock(b); err != nil {
		return fmt.Errorf("lock %d bytes in memory (see ulimit -l): %w", len(b), err)
	}
	return nil
}

// lockFile locks the open file description, so that it also excludes other
// writers of the same process.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return fmt.Errorf("lock: %w", err)
		}
	}
}
