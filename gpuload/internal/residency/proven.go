package residency

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
)

// proven says which lists have passed all checks: for each segment, a bit for each place
// in POSTINGS where an extent can start.
type proven [][]uint64

// extentAlign divides the offset of every extent.
const extentAlign = 64

func newProven(segs []Segment) proven {
	p := make(proven, len(segs))
	for i, s := range segs {
		sec, _ := s.Seg.Header().Section(format.SectionPostings)
		p[i] = make([]uint64, sec.Length/(64*extentAlign)+1)
	}
	return p
}

func (p proven) has(k Key) bool {
	bit := uint64(k.Offset) / extentAlign
	return bit/64 < uint64(len(p[k.Segment])) && p[k.Segment][bit/64]>>(bit%64)&1 != 0
}

// add adds a list, unless it is not one of POSTINGS.
func (p proven) add(k Key) {
	if bit := uint64(k.Offset) / extentAlign; bit/64 < uint64(len(p[k.Segment])) {
		p[k.Segment][bit/64] |= 1 << (bit % 64)
	}
}

// lengths are the lengths of a segment's documents on the device.
type lengths struct {
	at      kernels.Ptr
	width   uint8 // bytes each
	foreign uint8 // 1: frequencies may exceed them
}
