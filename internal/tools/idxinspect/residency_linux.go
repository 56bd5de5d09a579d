package idxinspect

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func pageSize() int { return os.Getpagesize() }

// residentPages returns a byte for each page of b, a mapping: its lowest bit says whether
// the page is in the page cache (mincore(2)).
func residentPages(b []byte) (filePages, error) {
	size := pageSize()
	out := make(filePages, (len(b)+size-1)/size)
	if len(out) == 0 {
		return out, nil
	}
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(unsafe.Pointer(unsafe.SliceData(out))))
	if errno != 0 {
		return nil, os.NewSyscallError("mincore", errno)
	}
	return out, nil
}
