//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"testing"
	"unsafe"
)

// TestSlab hands out all memory of a slab, in pieces that do not overlap, and again what has
// come back.
func TestSlab(t *testing.T) {
	var s slab
	if s.alloc(1) != nil || s.put([]byte{1}) || s.end() != nil {
		t.Error("a slab without memory has some")
	}
	s.begin()
	s.touched.Wait()
	if s.alloc(1) != nil {
		t.Error("memory that is not registered is handed out")
	}
	s.used = 0 // as if the driver had registered it
	owner := make([]int, slabBytes/4096)
	var pieces [][]byte
	for n, size := 1, 1; ; n, size = n+1, size*3%(1<<20) {
		b := s.alloc(size)
		if b == nil {
			break
		}
		if len(b) != size || cap(b) != size {
			t.Fatalf("%d bytes of %d for %d", len(b), cap(b), size)
		}
		first := int(uintptr(unsafe.Pointer(&b[0]))-uintptr(unsafe.Pointer(&s.mem[0]))) / 4096
		for i := first; i <= first+(size-1)/4096; i++ {
			if owner[i] != 0 {
				t.Fatalf("piece %d has a page of piece %d", n, owner[i])
			}
			owner[i] = n
		}
		pieces = append(pieces, b)
	}
	if len(pieces) < 20 {
		t.Errorf("%d pieces in %d bytes", len(pieces), slabBytes)
	}
	used := s.used
	for _, b := range pieces {
		if !s.put(b) {
			t.Fatalf("%d bytes do not come back", len(b))
		}
	}
	for _, b := range pieces {
		if s.alloc(len(b)) == nil {
			t.Fatalf("%d bytes have come back and are not there", len(b))
		}
	}
	if s.used != used {
		t.Errorf("%d bytes are in use, %d before", s.used, used)
	}
	if s.put(make([]byte, 1)) {
		t.Error("other memory is taken")
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
