package osdir

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBehind asks the kernel to start writing n bytes at off of f to disk, so
// that a later Sync has less to do. It is only a hint.
func writeBehind(f *os.File, off, n int64) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	c.Control(func(fd uintptr) {
		unix.SyncFileRange(int(fd), off, n, unix.SYNC_FILE_RANGE_WRITE)
	})
}
