package format

import (
	"math"
	"math/bits"
	"unsafe"
)

// Impact metadata bounds BM25 scores without naming k1, b or the average
// length, which move as segments come. For fixed parameters a score grows with
// the term frequency and falls with the document length, so a set of (tf, length)
// pairs bounds a block when every posting is dominated by one of them: its tf not
// above the pair's and its length not below.
//
// Both numbers are stored as one byte: exact below 32, then sixteen steps to
// each doubling.

// MaxImpactLen is the largest length that a code stands for.
const MaxImpactLen = 31 << 14

// InfiniteTF is what DecodeTF gives for the code that bounds every frequency.
const InfiniteTF = math.MaxUint32

func decodeImpact(c uint8) uint32 {
	if c < 32 {
		return uint32(c)
	}
	e := uint32(c-32) / 16
	return (16 + uint32(c-32)%16) << (e + 1)
}

// floorImpact returns the largest code whose value is at most v.
func floorImpact(v uint32) uint8 {
	if v < 32 {
		return uint8(v)
	}
	e := uint32(bits.Len32(v)) - 5 // v>>e is in [16, 32)
	if e > 14 {
		return 255
	}
	return uint8(32 + (e-1)*16 + (v>>e - 16))
}

// EncodeTF returns the code of the least representable frequency that is at
// least tf; 255 stands for infinity.
func EncodeTF(tf uint32) uint8 {
	c := floorImpact(tf)
	if c < 255 && decodeImpact(c) < tf {
		c++
	}
	return c
}

// EncodeLen returns the code of the greatest representable length that is at
// most dl.
func EncodeLen(dl uint32) uint8 { return floorImpact(dl) }

// DecodeTF returns the frequency that code c of a Quad stands for.
func DecodeTF(c uint8) uint32 {
	if c == 255 {
		return InfiniteTF
	}
	return decodeImpact(c)
}

// DecodeLen returns the length that code c stands for.
func DecodeLen(c uint8) uint32 { return decodeImpact(c) }

// Quad holds four (tf, length) pairs that together dominate every posting of a
// block or list: byte 2i is the tf code of pair i, byte 2i+1 its length code. tf
// and length fall from pair to pair; when fewer are needed the last is repeated.
type Quad uint64

// Pair returns pair i, 0 to 3, decoded. tf may be InfiniteTF.
func (q Quad) Pair(i int) (tf, dl uint32) {
	c := uint16(q >> (16 * uint(i)))
	return DecodeTF(uint8(c)), DecodeLen(uint8(c >> 8))
}

// Codes returns the tf and length codes of pair i.
func (q Quad) Codes(i int) (tf, dl uint8) {
	c := uint16(q >> (16 * uint(i)))
	return uint8(c), uint8(c >> 8)
}

// Dominates reports whether some pair bounds a posting with frequency tf in a
// document of dl tokens.
func (q Quad) Dominates(tf, dl uint32) bool {
	for i := range 4 {
		if t, l := q.Pair(i); t >= tf && l <= dl {
			return true
		}
	}
	return false
}

// Valid reports whether the pairs are in order: tf and length codes both
// strictly falling, or a pair repeated to the end.
func (q Quad) Valid() bool {
	repeated := false
	for i := 1; i < 4; i++ {
		t0, l0 := q.Codes(i - 1)
		t1, l1 := q.Codes(i)
		same := t0 == t1 && l0 == l1
		if !same && (repeated || t1 >= t0 || l1 >= l0) {
			return false
		}
		repeated = repeated || same
	}
	tf, _ := q.Codes(0)
	return tf > 0
}

// KthValues are the k for which long lists carry a KthImpact.
var KthValues = [3]int{10, 100, 1000}

// KthImpact says that at least k postings of a list have at least its frequency
// in documents of at most its length: the k-th best score of the list, and so of
// any union it takes part in, is at least that pair's score. TF 0 means that
// nothing is known.
type KthImpact struct {
	TF  uint8 // code, rounded down, at most 254
	Len uint8 // code, rounded up
}

// Pair returns the decoded pair; ok is false when nothing is known.
func (k KthImpact) Pair() (tf, dl uint32, ok bool) {
	return decodeImpact(k.TF), decodeImpact(k.Len), k.TF != 0
}

// NoKth is the KthImpact that says nothing.
var NoKth = KthImpact{TF: 0, Len: 255}

// FloorTF returns the code, at most 254, of the greatest representable
// frequency not above tf.
func FloorTF(tf uint32) uint8 { return min(floorImpact(tf), 254) }

// CeilLen returns the code of the least representable length not below dl, and
// false when there is none.
func CeilLen(dl uint32) (uint8, bool) {
	if dl > MaxImpactLen {
		return 255, false
	}
	c := floorImpact(dl)
	if decodeImpact(c) < dl {
		c++
	}
	return c, true
}

// Quads views b, 8-byte aligned, as quads without copying.
func Quads(b []byte) []Quad {
	w := Uint64s(b)
	return unsafe.Slice((*Quad)(unsafe.SliceData(w)), len(w))
}
