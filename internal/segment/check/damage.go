package check

import (
	"errors"
	"sort"

	"github.com/pinion-index/pinion/format"
)

// Damage is one damaged place of a segment.
type Damage struct {
	// Err says what is wrong and where: section, list, block and offset in the file.
	Err *format.Error
	// Length is the number of bytes at Err.Offset that are affected, 0 if that is not
	// known.
	Length int64
	// Docs are the documents that the damage touches, from Docs[0] up to, but not
	// including, Docs[1]; none if it touches all or it is not known which.
	Docs [2]uint32
	// Flip, unless nil, is the one bit whose flip explains the damage.
	Flip *Flip
}

// Flip is a single bit of a file.
type Flip struct {
	Offset int64 // of its byte
	Bit    int   // 0 is the lowest
}

// report records a fault. It returns nil if the check is to go on behind it.
func (v *verifier) report(err error, d Damage) error {
	if v.o.Report == nil || !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &d.Err) {
		return err
	}
	if d.Docs[0] >= d.Docs[1] { // the damage is in padding, or in what says where documents are
		d.Docs = [2]uint32{}
	}
	v.mu.Lock()
	v.found = append(v.found, d)
	v.mu.Unlock()
	return nil
}

// flush passes on what a check has found.
func (v *verifier) flush() {
	sort.SliceStable(v.found, func(i, j int) bool { return v.found[i].Err.Offset < v.found[j].Err.Offset })
	for _, d := range v.found {
		if v.first == nil {
			v.first = d.Err
		}
		v.o.Report(d)
	}
	v.found = v.found[:0]
}

// flipIn returns the flip of one bit in the n bytes at off that explains why their CRC-32C
// differs from the stored one by diff, or nil if there is none.
func flipIn(off, n int64, diff uint32) *Flip {
	if bit, ok := format.FlippedBit(diff, int(n)); ok {
		return &Flip{Offset: off + int64(bit/8), Bit: bit % 8}
	}
	return nil
}

// flipInSum returns the flip of one bit of a sum stored at off, or nil if sum and content
// differ by more.
func flipInSum(off int64, diff uint32) *Flip {
	if bit, ok := format.FlippedSumBit(diff); ok {
		return &Flip{Offset: off + int64(bit/8), Bit: bit % 8}
	}
	return nil
}
