package format

import (
	"math"
	"math/bits"
	"unsafe"
)

// Impact metadata bounds BM25 scores independently of k1, b and the average length, which
// change as segments are added. For fixed parameters a score increases with the term
// frequency and decreases with the document length. So a set of (tf, length) pairs bounds
// a block if every posting is dominated by one of them: its tf is at most the pair's, and
// its length at least the pair's.
//
// Both numbers are stored in one byte each: exact below 32, then with sixteen steps per
// doubling.

// MaxImpactLen is the largest length that has a code.
const MaxImpactLen = 31 << 14

// InfiniteTF is the result of DecodeTF for code 255, which bounds every frequency.
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

// EncodeTF returns the code of the smallest representable frequency that is at least tf.
// Code 255 means infinity.
func EncodeTF(tf uint32) uint8 {
	c := floorImpact(tf)
	if c < 255 && decodeImpact(c) < tf {
		c++
	}
	return c
}

// EncodeLen returns the code of the largest representable length that is at most dl.
func EncodeLen(dl uint32) uint8 { return floorImpact(dl) }

// DecodeTF returns the frequency with code c in a Quad.
func DecodeTF(c uint8) uint32 {
	if c == 255 {
		return InfiniteTF
	}
	return decodeImpact(c)
}

// DecodeLen returns the length with code c.
func DecodeLen(c uint8) uint32 { return decodeImpact(c) }

// Quad holds four (tf, length) pairs that together dominate every posting of a block or
// list. Byte 2i is the tf code of pair i, and byte 2i+1 its length code. Both decrease
// from pair to pair; if fewer than four pairs are needed, the last is repeated.
type Quad uint64

// Pair returns pair i, 0 to 3. tf may be InfiniteTF.
func (q Quad) Pair(i int) (tf, dl uint32) {
	c := uint16(q >> (16 * uint(i)))
	return DecodeTF(uint8(c)), DecodeLen(uint8(c >> 8))
}

// Codes returns the tf and length codes of pair i, 0 to 3.
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

// Valid reports whether the first tf code is not 0 and the pairs are in order: both codes
// strictly decrease, except that the last pair may be repeated to the end.
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

// NumKth is the number of KthValues.
const NumKth = 3

// KthValues returns the values of k for which long lists have a KthImpact, in ascending order.
func KthValues() [NumKth]int { return [...]int{10, 100, 1000} }

// KthImpact is a (tf, length) pair such that at least k postings of a list have at least
// this frequency, in documents of at most this length. So the k-th highest score of the
// list, and of any disjunction with it, is at least the pair's score. TF 0 means that no
// such pair is known.
type KthImpact struct {
	TF  uint8 // code, rounded down, at most 254
	Len uint8 // code, rounded up
}

// Pair returns the decoded pair. ok is false if none is known.
func (k KthImpact) Pair() (tf, dl uint32, ok bool) {
	return decodeImpact(k.TF), decodeImpact(k.Len), k.TF != 0
}

// NoKth returns the KthImpact of a list for which no pair is known.
func NoKth() KthImpact { return KthImpact{TF: 0, Len: 255} }

// CeilLen returns the code of the smallest representable length that is at least dl. It
// returns false if dl exceeds MaxImpactLen.
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

// Quads views b as quads without copying. b must be 8-byte aligned.
func Quads(b []byte) []Quad {
	w := Uint64s(b)
	return unsafe.Slice((*Quad)(unsafe.SliceData(w)), len(w))
}

// Maxima are what an extent of weights has in the place of a Quad: in byte i the greatest weight of
// postings i*L/8 up to (i+1)*L/8 of a block of L, 0 if there are none; of a whole list the greatest
// weight in byte 0, and 0 in the others.
type Maxima uint64

// MaximaOf returns the Maxima of a block of up to blockLen postings with these weights, of which none
// is above 255.
func MaximaOf(weights []uint32, blockLen int) (m Maxima) {
	for i, sub := 0, blockLen/8; i < 8 && len(weights) > 0; i++ {
		n := min(sub, len(weights))
		most := uint32(0)
		for _, w := range weights[:n] {
			most = max(most, w)
		}
		m |= Maxima(most&255) << (8 * uint(i))
		weights = weights[n:]
	}
	return m
}

// Sub returns the greatest weight of eighth i of a block.
func (m Maxima) Sub(i int) uint8 { return uint8(m >> (8 * uint(i))) }

// Max returns the greatest of all.
func (m Maxima) Max() (most uint8) {
	for ; m != 0; m >>= 8 {
		most = max(most, uint8(m))
	}
	return most
}
