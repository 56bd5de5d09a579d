package residency

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
)

// proven says which lists have passed all checks: for each segment and field, a bit for each place
// in POSTINGS where an extent can start.
type proven [][]uint64

// extentAlign divides the offset of every extent.
const extentAlign = 64

func newProven(segs []Segment, fields int) proven {
	p := make(proven, len(segs)*fields)
	for i := range p {
		sec, _ := segs[i/fields].Seg.Header().Section(format.SectionPostings)
		p[i] = make([]uint64, sec.Length/(64*extentAlign)+1)
	}
	return p
}

// proven returns the bits of the place of a list.
func (l *Lists) proven(k *ListKey) []uint64 { return l.Proven[k.Segment*l.fields+int(k.Field)] }

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
