//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// slabBytes is the pinned memory that an Executor begins with: the buffers of its batches and
// loads, and some for lists that cannot be copied from their mapping.
const slabBytes = 26 << 20

// hugePage is the size of pages that are touched and registered sooner, where the system has
// them.
const hugePage = 2 << 20

// slab is pinned memory of a device. To allocate some takes a driver 0.55 ms/MB and at least
// 1 ms, during which nothing can be submitted; to register memory that is resident takes it a
// tenth of that. So the first slabBytes are mapped and touched while the driver starts, and
// registered together.
type slab struct {
	mapped     []byte
	mem        []byte // of mapped
	touched    sync.WaitGroup
	registered bool

	mu   sync.Mutex
	used int              // bytes that have been in use
	free map[int][][]byte // by size
}

// begin maps the memory and begins to touch it.
func (s *slab) begin() {
	mapped, err := syscall.Mmap(-1, 0, slabBytes+hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return // the driver allocates
	}
	at := -uintptr(unsafe.Pointer(unsafe.SliceData(mapped))) % hugePage
	mem := mapped[at:][:slabBytes]
	_ = syscall.Madvise(mem, syscall.MADV_HUGEPAGE)
	s.mapped, s.mem, s.used, s.free = mapped, mem, len(mem), map[int][][]byte{}
	s.touched.Go(func() {
		for at := 0; at < len(mem); at += os.Getpagesize() {
			mem[at] = 0
		}
	})
}

// register makes the memory usable, on the device's thread.
func (s *slab) register() {
	if s.touched.Wait(); s.mem == nil {
		return
	}
	if cuHostRegister(unsafe.Pointer(unsafe.SliceData(s.mem)), len(s.mem), hostPortable) == nil {
		s.used, s.registered = 0, true
	}
}

// end undoes begin and register, on the device's thread if there is one. The device is idle.
func (s *slab) end() error {
	if s.touched.Wait(); s.mem == nil {
		return nil
	}
	if s.registered {
		if err := cuHostUnregister(unsafe.Pointer(unsafe.SliceData(s.mem))); err != nil {
			return err
		}
	}
	return syscall.Munmap(s.mapped)
}

// rounded is the size of a piece of n bytes.
func rounded(n int) int { return (max(n, 1) + 4095) &^ 4095 }

// alloc returns n bytes, or nil if there are none left.
func (s *slab) alloc(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := rounded(n)
	if f := s.free[size]; len(f) > 0 {
		s.free[size] = f[:len(f)-1]
		return f[len(f)-1][:n:n]
	}
	if size > len(s.mem)-s.used {
		return nil
	}
	s.used += size
	return s.mem[s.used-size:][:n:n]
}

// put takes back what alloc returned. It reports false for other memory.
func (s *slab) put(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.mem)))
	if at >= uintptr(len(s.mem)) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := rounded(cap(b))
	s.free[size] = append(s.free[size], s.mem[at:][:size])
	return true
}
