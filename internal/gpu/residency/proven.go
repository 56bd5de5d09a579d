package residency

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// held is a segment, and what is known of its lists.
type held struct {
	Segment
	registered []byte     // its mapped file, if the device can copy from it
	lengths    []lengths  // of the documents, by field
	proven     [][]uint64 // by field, the lists that have passed all checks: a bit for each place in POSTINGS where an extent can start
}

// extentAlign divides the offset of every extent.
const extentAlign = 64

func newHeld(s *segment.Segment, fields int) *held {
	h := &held{lengths: make([]lengths, fields), proven: make([][]uint64, fields)}
	sec, _ := s.Header().Section(format.SectionPostings)
	for i := range h.proven {
		h.proven[i] = make([]uint64, sec.Length/(64*extentAlign)+1)
	}
	return h
}

// proven returns the bits of the place of a list.
func (l *Lists) proven(k *ListKey) []uint64 { return l.segments[k.Segment].proven[k.Field] }

// ProveAll takes all lists as proven, for tests.
func (l *Lists) ProveAll() {
	for _, h := range l.segments {
		for _, bits := range h.proven {
			for i := range bits {
				bits[i] = ^uint64(0)
			}
		}
	}
}

// isProven reports whether a list has passed all checks.
func (l *Lists) isProven(k *ListKey) bool {
	bits, bit := l.proven(k), uint64(k.Offset)/extentAlign
	return bit/64 < uint64(len(bits)) && bits[bit/64]>>(bit%64)&1 != 0
}

// prove remembers that a list has, unless it is not one of POSTINGS.
func (l *Lists) prove(k *ListKey) {
	if bits, bit := l.proven(k), uint64(k.Offset)/extentAlign; bit/64 < uint64(len(bits)) {
		bits[bit/64] |= 1 << (bit % 64)
	}
}

// lengths are the lengths of a segment's documents in a field on the device.
type lengths struct {
	at      kernels.Ptr
	width   uint8 // as in kernels.CheckJob
	foreign uint8 // 1: frequencies may exceed them
}
