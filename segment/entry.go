package segment

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Kind is the form in which a posting list is stored.
type Kind uint8

// The forms of a list.
const (
	KindSingleton Kind = iota // one posting, in the dictionary entry
	KindCompact               // 2 to 127 postings, bit-coded in the dictionary entry
	KindExtent                // 128 postings or more, an extent in section POSTINGS
)

// String returns the form's name.
func (k Kind) String() string { return [...]string{"singleton", "compact", "extent", "?"}[min(k, 3)] }

// Entry is the dictionary entry of a term. It is a plain value that is valid only for its
// segment.
type Entry struct {
	// Ordinal is 32 times the number of the term's block in the dictionary, plus the
	// term's position there (format/FORMAT.md, section 4.2). It grows with the fields and
	// their terms and stays the same as long as the segment exists, so that data beside a
	// list can refer to it. Between fields numbers are left out.
	Ordinal uint64

	Kind   Kind
	DF     uint32 // postings
	Doc    uint32 // singleton: its docID
	TF     uint32 // singleton: its frequency
	Length uint32 // compact: length of its bit stream in bytes
	Offset int64  // compact: offset of the bit stream in TERMS; extent: its offset in POSTINGS
}

// Size returns the number of bytes of the entry in its block, including the bit stream of a
// compact list.
func (e Entry) Size() int64 {
	switch {
	case e.Kind == KindExtent:
		return varintLen(uint64(e.Offset)/layout.ExtentAlign<<2) + varintLen(uint64(e.DF))
	case e.Kind == KindCompact:
		return varintLen(uint64(e.DF)<<2) + varintLen(uint64(e.Length)) + int64(e.Length)
	case e.TF == 1:
		return varintLen(uint64(e.Doc) << 2)
	}
	return varintLen(uint64(e.Doc)<<2) + varintLen(uint64(e.TF-2))
}

func varintLen(v uint64) int64 { return int64(bits.Len64(v|1)+6) / 7 }
