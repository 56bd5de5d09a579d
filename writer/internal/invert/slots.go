package invert

// slots is an open-addressing hash table from 32-bit hashes to 32-bit references
// other than 0. Its users compare the keys. A slot is hash<<32 | reference.
type slots struct {
	slot []uint64 // their number is a power of two
	used int
}

const minSlots = 1 << 10

// mask returns the mask that makes a hash the index of the first slot to look at.
func (s *slots) mask() uint32 { return uint32(len(s.slot) - 1) }

// reserve makes room for n more references. It may move slots.
func (s *slots) reserve(n int) {
	size := max(len(s.slot), minSlots)
	for (s.used+n)*4 > size*3 {
		size *= 2
	}
	if size == len(s.slot) {
		return
	}
	old := s.slot
	s.slot = make([]uint64, size)
	mask := s.mask()
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := uint32(e>>32) & mask
		for s.slot[i] != 0 {
			i = (i + 1) & mask
		}
		s.slot[i] = e
	}
}

// reset removes all references and frees memory beyond limit slots.
func (s *slots) reset(limit int) {
	s.used = 0
	if len(s.slot) > limit {
		s.slot = nil
		return
	}
	clear(s.slot)
}

func (s *slots) bytes() int { return 8 * len(s.slot) }
