package damage

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pinion-index/pinion/format"
)

// Mutate returns f with one to three changes of its structure, and what they are. Some
// changes take content from other, a file of the same kind. It leaves f as it is. The
// result is nil if it cannot be written as a file.
func Mutate(r *rand.Rand, f, other *File) (b []byte, what string) {
	m := f.Clone()
	for range 1 + r.IntN(3)*r.IntN(2) {
		what += m.change(r, other) + "; "
	}
	if b = m.Bytes(); b != nil && r.IntN(20) == 0 {
		what += header(r, b)
	}
	return b, what
}

// change makes one change.
func (f *File) change(r *rand.Rand, other *File) string {
	if len(f.Sections) == 0 {
		return "nothing"
	}
	i := r.IntN(len(f.Sections))
	s := &f.Sections[i]
	switch {
	case r.IntN(12) == 0:
		return f.sections(r, i, other)
	case len(s.Content) == 0:
		return "nothing"
	case s.ID == format.SectionPostings && r.IntN(8) > 0:
		return "extent: " + extent(r, s.Content)
	}
	var did string
	s.Content, did = elements(r, s.Content, width(r, s.ID))
	return fmt.Sprintf("%v: %s", s.ID, did)
}

// sections changes whole sections.
func (f *File) sections(r *rand.Rand, i int, other *File) string {
	s := &f.Sections[i]
	switch j := r.IntN(len(f.Sections)); r.IntN(7) {
	case 0:
		f.Sections = append(f.Sections[:i], f.Sections[i+1:]...)
		return fmt.Sprintf("no %v", s.ID)
	case 1:
		s.Content, f.Sections[j].Content = f.Sections[j].Content, s.Content
		return fmt.Sprintf("contents of %v and %v swapped", s.ID, f.Sections[j].ID)
	case 2:
		for _, o := range other.Sections {
			if o.ID == s.ID {
				s.Content = append([]byte(nil), o.Content...)
			}
		}
		return fmt.Sprintf("%v of another file", s.ID)
	case 3:
		n := r.IntN(len(s.Content) + 1)
		s.Content = s.Content[:n]
		return fmt.Sprintf("%v cut to %d bytes", s.ID, n)
	case 4:
		n := 1 + r.IntN(100)
		s.Content = append(s.Content, make([]byte, n)...)
		return fmt.Sprintf("%v has %d more bytes", s.ID, n)
	case 5:
		s.Flags ^= 1 << r.IntN(3)
		return fmt.Sprintf("flags of %v are %#x", s.ID, s.Flags)
	default:
		old := s.ID
		s.ID = format.SectionID(r.IntN(26))
		return fmt.Sprintf("%v is now %v", old, s.ID)
	}
}

// width returns the size of the elements of a section, in bytes; 0 means varints.
func width(r *rand.Rand, id format.SectionID) int {
	if r.IntN(8) == 0 {
		return []int{0, 1, 2, 4, 8}[r.IntN(5)]
	}
	switch id {
	case format.SectionTermIndex, format.SectionIDIndex:
		return []int{4, 8, 8}[r.IntN(3)]
	case format.SectionIDHash:
		return []int{1, 4, 8}[r.IntN(3)]
	case format.SectionStoredIndex, format.SectionPostings:
		return []int{4, 8}[r.IntN(2)]
	case format.SectionDocLengths, format.SectionDeletes:
		return 1 + r.IntN(2)
	}
	return r.IntN(2) // of varints and bytes
}

// value returns another value for v, of at most bits bits: a limit, a neighbor, a
// multiple, a flipped bit, anything.
func value(r *rand.Rand, v uint64, bits int) uint64 {
	switch r.IntN(10) {
	case 0:
		v = 0
	case 1:
		v = 1
	case 2:
		v++
	case 3:
		v--
	case 4:
		v *= 2
	case 5:
		v = math.MaxUint64
	case 6:
		v = 1 << r.IntN(bits)
	case 7:
		v = 1<<r.IntN(bits) - 1
	case 8:
		v ^= 1 << r.IntN(bits)
	default:
		v = r.Uint64() >> r.IntN(bits)
	}
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// elements changes elements of size bytes, or varints.
func elements(r *rand.Rand, b []byte, size int) ([]byte, string) {
	if size == 0 {
		i := r.IntN(len(b))
		v, n := binary.Uvarint(b[i:])
		if n <= 0 {
			n = 1
		}
		nv := value(r, v, 64)
		return append(append(append([]byte(nil), b[:i]...), binary.AppendUvarint(nil, nv)...), b[i+n:]...),
			fmt.Sprintf("varint %d at %d is %d", v, i, nv)
	}
	count := len(b) / size
	if count == 0 {
		return b, "nothing"
	}
	i, j := r.IntN(count), r.IntN(count)
	x, y := b[i*size:(i+1)*size], b[j*size:(j+1)*size]
	switch r.IntN(8) {
	case 0:
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
		return b, fmt.Sprintf("elements %d and %d of %d bytes swapped", i, j, size)
	case 1:
		copy(x, y)
		return b, fmt.Sprintf("element %d of %d bytes is that of %d", i, size, j)
	case 2:
		return append(b[:i*size], b[(i+1)*size:]...), fmt.Sprintf("element %d of %d bytes is gone", i, size)
	case 3:
		return append(append(append([]byte(nil), b[:i*size]...), y...), b[i*size:]...), fmt.Sprintf("element %d of %d bytes inserted at %d", j, size, i)
	}
	v := value(r, load(x), 8*size)
	store(x, v)
	return b, fmt.Sprintf("element %d of %d bytes is %d", i, size, v)
}

func load(b []byte) (v uint64) {
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func store(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

// extent changes a field or an element of one extent.
func extent(r *rand.Rand, b []byte) string {
	all := extents(b)
	if len(all) == 0 {
		return "none"
	}
	at := all[r.IntN(len(all))]
	e := b[at : at+int(binary.LittleEndian.Uint32(b[at+8:]))*64]
	if r.IntN(2) == 0 { // the head
		f := [...]struct{ off, size int }{{8, 4}, {12, 4}, {16, 1}, {17, 1}, {18, 1}, {19, 1}, {20, 4}, {24, 1}, {25, 1}, {24, 8}}[r.IntN(10)]
		x := e[f.off : f.off+f.size]
		v := value(r, load(x), 8*f.size)
		store(x, v)
		return fmt.Sprintf("of %d: field at %d is %d", at, f.off, v)
	}
	// The parts in front of the payloads are the first ones.
	body := e[32:]
	if r.IntN(2) == 0 {
		body = body[:min(len(body), 16<<r.IntN(6))]
	}
	_, did := elements(r, body[:len(body):len(body)], []int{1, 2, 4, 8}[r.IntN(4)])
	return fmt.Sprintf("of %d: %s", at, did)
}

// header changes a field of the header or of the table of sections.
func header(r *rand.Rand, b []byte) string {
	f := [...]struct{ off, size int }{{0, 8}, {8, 2}, {10, 2}, {12, 4}, {16, 8}, {32, 8}, {48, 4}, {52, 4},
		{64, 4}, {68, 4}, {72, 8}, {80, 8}, {88, 8}}[r.IntN(13)]
	off := f.off
	if off >= format.HeaderSize {
		off += 32 * r.IntN(4)
	}
	x := b[off : off+f.size]
	v := value(r, load(x), 8*f.size)
	store(x, v)
	StampHeader(b)
	return fmt.Sprintf("header field at %d is %d", off, v)
}
