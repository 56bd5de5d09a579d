package osdir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// fileLocks reports that the platform has file locks.
const fileLocks = true

// renameFile returns when the new name is on disk, since Windows has no
// counterpart of syncDir.
func renameFile(from, to string) error {
	f, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	t, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	const flags = windows.MOVEFILE_REPLACE_EXISTING | windows.MOVEFILE_WRITE_THROUGH
	if err := windows.MoveFileEx(f, t, flags); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func syncDir(string) error { return nil }

func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrLocked
	}
	return fmt.Errorf("lock: %w", err)
}

// forgetPages does nothing: the system trims working sets by itself.
func forgetPages([]byte) {}

func needPages([]byte) {}

func scatterPages([]byte) {}

func lockPages([]byte) error { return ErrAccess }
