package check

import (
	"cmp"
	"errors"
	"hash/crc32"
	"math/bits"
	"slices"
	"sync"

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
	slices.SortStableFunc(v.found, func(a, b Damage) int { return cmp.Compare(a.Err.Offset, b.Err.Offset) })
	for _, d := range v.found {
		if v.first == nil {
			v.first = d.Err
		}
		v.o.Report(d)
	}
	v.found = v.found[:0]
}

// syndromes maps the difference that one flipped bit makes to a CRC-32C to the bit's
// distance from the end. The CRC is linear, so the difference does not depend on the rest.
var syndromes = sync.OnceValue(func() map[uint32]int {
	table := crc32.MakeTable(crc32.Castagnoli)
	m := make(map[uint32]int, 8*format.PageSize)
	zeros := make([]byte, format.PageSize)
	for bit := range 8 {
		// The difference of a flip in the last byte, and then of one a byte earlier, which
		// is that of the later one after another zero byte.
		diff := crc32.Update(0, table, []byte{1 << bit}) ^ crc32.Update(0, table, zeros[:1])
		for distance := range format.PageSize {
			m[diff] = 8*distance + bit
			diff = ^crc32.Update(^diff, table, zeros[:1]) // without the inversions of both ends
		}
	}
	return m
})

// flipIn returns the flip of one bit in the n bytes at off that explains why their CRC-32C
// differs from the stored one by diff, or nil if there is none.
func flipIn(off, n int64, diff uint32) *Flip {
	at, ok := syndromes()[diff]
	if distance := int64(at / 8); ok && distance < n {
		return &Flip{Offset: off + n - 1 - distance, Bit: at % 8}
	}
	return nil
}

// flipInSum returns the flip of one bit of a sum stored at off, or nil if sum and content
// differ by more.
func flipInSum(off int64, diff uint32) *Flip {
	if bits.OnesCount32(diff) != 1 {
		return nil
	}
	bit := bits.TrailingZeros32(diff)
	return &Flip{Offset: off + int64(bit/8), Bit: bit % 8}
}
