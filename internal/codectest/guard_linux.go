package codectest

import (
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
)

// guarded is memory between two inaccessible pages.
type guarded struct {
	all, usable []byte
}

func newGuarded(n int) (*guarded, error) {
	page := unix.Getpagesize()
	size := (n + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	g := &guarded{all, all[page : page+size : page+size]}
	for _, p := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			g.free()
			return nil, err
		}
	}
	return g, nil
}

func (g *guarded) free() { unix.Munmap(g.all) }

// guard moves the payload of s next to a guard page: with its readable padding before
// one, or the payload after one. A decoder that reads elsewhere crashes the process.
func (g *guarded) guard(s *format.Sequence, low bool) {
	n := len(s.Payload) + format.ReadablePadding
	if g == nil || n > len(g.usable) {
		return
	}
	p := g.atEnd(n)
	if low {
		p = g.usable[:n:n]
	}
	copy(p, s.Payload[:n])
	s.Payload = p[:len(s.Payload)]
}

// atEnd returns n bytes that end at the guard page.
func (g *guarded) atEnd(n int) []byte { return g.usable[len(g.usable)-n:] }

// testGuarded decodes from memory that ends with the readable padding into memory
// that ends with the block, and the same at the low end.
func testGuarded(t *testing.T, c codec.Codec) {
	size := c.BlockLen()
	in, err := newGuarded(3*size*8 + 4096)
	if err != nil {
		t.Skipf("no guard pages: %v", err)
	}
	defer in.free()
	out, err := newGuarded(3 * size * 4)
	if err != nil {
		t.Skipf("no guard pages: %v", err)
	}
	defer out.free()
	for width := uint(0); width <= 32; width++ {
		for _, n := range []int{1, 4, 5, 16, 17, 33, 100, 127, 128, size - 1, size, size + 1, size + 16, 2*size - 3, 2 * size} {
			guardedList(t, c, encode(t, c, wide(n, min(width, 31)), wideFreqs(n, width)), in, out)
		}
	}
	// A few outliers, so that patched codecs have exceptions at the end.
	for top := uint(1); top < 24; top++ {
		for often := 3; often < 70; often += 6 {
			l := encode(t, c, outliers(2*size, often, top), outliers(2*size, often, top))
			guardedList(t, c, l, in, out)
		}
	}
}

func guardedList(t *testing.T, c codec.Codec, l *List, in, out *guarded) {
	t.Helper()
	for _, s := range []*format.Sequence{&l.DocSeq, &l.TFSeq} {
		payload := s.Payload
		p := in.atEnd(len(payload) + format.ReadablePadding)
		copy(p, payload)
		s.Payload = p[:len(payload)]
		guardedBlocks(t, c, l, s, out.atEnd)
		p = in.usable[:len(payload)+format.ReadablePadding]
		copy(p, payload)
		s.Payload = p[:len(payload)]
		guardedBlocks(t, c, l, s, func(n int) []byte { return out.usable[:n] })
		s.Payload = payload
	}
}

// outliers returns n ascending values whose distances have 2 bits, but top bits at every
// often-th.
func outliers(n, often int, top uint) []uint32 {
	v := make([]uint32, n)
	next := uint32(1)
	for i := range v {
		if i%often == often-1 {
			next += 1 << top >> (i % 3)
		}
		v[i] = next
		next += 1 + uint32(i)%4
	}
	return v
}

// guardedBlocks decodes s block by block, and in a row from every block on, to memory
// returned by out.
func guardedBlocks(t *testing.T, c codec.Codec, l *List, s *format.Sequence, out func(n int) []byte) {
	t.Helper()
	size := c.BlockLen()
	blocks := codec.Blocks(s.N, size)
	values := l.Docs
	if s.Last == nil {
		values = l.Freqs
	}
	for i := range blocks {
		for _, count := range []int{1, blocks - i} {
			mem := out(4 * size * count)
			dst := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), size*count)
			n, err := decodeRow(c, dst, s, i, count)
			want := values[i*size : min((i+count)*size, len(values))]
			if err != nil || !slices.Equal(dst[:n], want) {
				t.Fatalf("blocks %d to %d of %d values: error %v, %s", i, i+count, s.N, err, difference(dst, want))
			}
		}
	}
}
