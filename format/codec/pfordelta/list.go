package pfordelta

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/simd"
)

// list decodes full blocks of a list of level 1 in Go: where gaps cannot sum to 2^32, and
// fields of offsets and overflows are narrow enough to be read eight at a time. All others
// are left to decodeDocs and decodeFreqs.
type list struct {
	s       *codec.Sequence
	vectors bool // where package bitpack has them
	width   uint // b
	size    uint // of low bits, in bytes
	count   field
	// The two coded arrays.
	offsets, overflows coded
	// The numbers in these.
	places, values patch.Bytes
}

// coded is an array of which some values are exceptions.
type coded struct {
	width         uint
	count         field
	offset, value field // of those
}

func (c *coded) open(width, count, offset, value byte) {
	c.width, c.count, c.offset, c.value = uint(width), fieldOf(count), fieldOf(offset), fieldOf(value)
}

// field is a field of bits.
type field struct {
	width uint
	mask  uint64
}

func fieldOf(width byte) field { return field{uint(width), masks[width&63]} }

// masks are those of fields of 0 to 32 bits.
var masks = newMasks()

func newMasks() (m [64]uint64) {
	for w := range bitpack.MaxWidth + 1 {
		m[w] = 1<<w - 1
	}
	return m
}

func (l *list) open(s *codec.Sequence) bool {
	words := headWords(1)
	if len(s.Payload) < words*4 || s.Payload[0] != 1 || s.Ends[0] != uint32(words) {
		return false
	}
	a := (*[14]byte)(s.Payload[1:])
	// A sum has bit 7 where a width is above 32, or that of a count above 8.
	const sound = 0x775f775f775f775f
	first, last := binary.LittleEndian.Uint64(a[:8]), binary.LittleEndian.Uint64(a[6:])
	if (first|last|(first+sound)|(last+sound))&each80 != 0 {
		return false
	}
	l.s, l.vectors = s, simd.Level() > simd.Portable
	l.width, l.size, l.count = uint(a[0]), uint(a[0])*bitpack.VectorSize, fieldOf(a[1])
	l.offsets.open(a[2], a[3], a[4], a[6])
	l.overflows.open(a[8], a[9], a[10], a[12])
	return a[0] <= noWrap && a[2] <= patch.ByteBits && a[8] <= patch.ByteBits
}

// each80 is bit 7 of every byte.
const each80 = 0x8080808080808080

// parts returns the low bits of full block i and what follows them.
func (l *list) parts(i int) (low, rest []byte, ok bool) {
	lo, hi := uint(l.s.Ends[i])*4, uint(l.s.Ends[i+1])*4
	if lo+l.size > hi || hi > uint(len(l.s.Payload)) {
		return nil, nil, false
	}
	return l.s.Payload[lo : lo+l.size], l.s.Payload[lo+l.size : hi], true
}

// add adds the exceptions in src to the values in dst. It returns false if it cannot, or if
// they sum to 2^31 or more.
func (l *list) add(dst *[BlockLen]uint32, src []byte) bool {
	b, ok := patch.SourceOf(src)
	end := uint(len(src)) * 8
	n := uint(b.At(0) & l.count.mask)
	if !ok || n-1 >= BlockLen {
		return false
	}
	// Where the values of both arrays and the exceptions of these are, in bits.
	offsets := l.count.width
	at := offsets + n*l.offsets.width
	if at+l.offsets.count.width > end {
		return false
	}
	n1 := uint(b.At(at) & l.offsets.count.mask)
	places1 := at + l.offsets.count.width
	over1 := places1 + n1*l.offsets.offset.width
	overflows := over1 + n1*l.offsets.value.width
	at = overflows + n*l.overflows.width
	if n1 > n || at+l.overflows.count.width > end {
		return false
	}
	n4 := uint(b.At(at) & l.overflows.count.mask)
	places4 := at + l.overflows.count.width
	over4 := places4 + n4*l.overflows.offset.width
	if n4 > n || patch.Words(over4+n4*l.overflows.value.width)*32 != end {
		return false
	}

	l.places.Read(b, offsets, l.offsets.width, n, 1)
	at = 0
	for range n1 {
		at += uint(b.At(places1) & l.offsets.offset.mask)
		over := (b.At(over1)&l.offsets.value.mask + 1) << (l.offsets.width & 63)
		if at >= n || over >= BlockLen || !l.places.Add(at, over) {
			return false
		}
		at++
		places1 += l.offsets.offset.width
		over1 += l.offsets.value.width
	}
	if !l.places.Places(n) {
		return false
	}

	l.values.Read(b, overflows, l.overflows.width, n, 1)
	l.values.AddAt(dst, &l.places, n, l.width)
	sum := uint64(n) << (l.overflows.width & 63) // at most
	if l.width+l.overflows.width >= noWrap {
		sum = l.values.Sum(n)
	}
	at = 0
	for range n4 {
		at += uint(b.At(places4) & l.overflows.offset.mask)
		over := (b.At(over4)&l.overflows.value.mask + 1) << (l.overflows.width & 63)
		if at >= n {
			return false
		}
		sum += over
		dst[l.places.At(at)%BlockLen] += uint32(over << (l.width & 63))
		at++
		places4 += l.overflows.offset.width
		over4 += l.overflows.value.width
	}
	return sum>>((31-l.width)&63) == 0
}

// ahead is how many blocks' exceptions are read before their values: each step of finding
// and reading them waits for the one before, and those of several blocks go on side by side.
const ahead = 8

// begin writes to dst, of ones, what is known of gaps before they are summed: exceptions, and low
// bits if those are not unpacked with the sums.
func (l *list) begin(dst *[BlockLen]uint32, low, rest []byte) bool {
	if l.vectors {
		bitpack.Unpack(dst[:], low, BlockLen, l.width)
	}
	return len(rest) == 0 || l.add(dst, rest)
}

// docs decodes full blocks in a row and returns how many.
func (l *list) docs(dst []uint32, block, count int) int {
	for done := 0; done < count; done += ahead {
		var low [ahead][]byte
		group, most, n := dst[done*BlockLen:], min(ahead, count-done), 0
		if !l.vectors {
			bitpack.Ones(group[:most*BlockLen])
		}
		for ; n < most; n++ {
			bits, rest, ok := l.parts(block + done + n)
			if !ok {
				break
			}
			d := (*[BlockLen]uint32)(group[n*BlockLen:])
			low[n] = bits
			if !l.begin(d, bits, rest) {
				break
			}
		}
		for i := range n {
			d, at := (*[BlockLen]uint32)(group[i*BlockLen:]), block+done+i
			prev := l.s.Prev(at)
			if l.vectors {
				bitpack.PrefixSum(d[:], prev)
			} else {
				bitpack.AddDocs(d, low[i], l.width, prev)
			}
			if codec.CheckLast(d[BlockLen-1], l.s.Last[at], prev, BlockLen) != nil {
				return done + i
			}
		}
		if n < most {
			return done + n
		}
	}
	return count
}

// docsList decodes full blocks in a row and returns how many.
func docsList(dst []uint32, s *codec.Sequence, block, count int) int {
	var l list
	if count = min(count, s.N/BlockLen-block); count <= 0 || !l.open(s) {
		return 0
	}
	return l.docs(dst, block, count)
}

// freqsList decodes a full block.
func freqsList(dst []uint32, s *codec.Sequence, block int) bool {
	var l list
	if block >= s.N/BlockLen || !l.open(s) {
		return false
	}
	low, rest, ok := l.parts(block)
	if !ok {
		return false
	}
	bitpack.UnpackFreqs(dst, low, BlockLen, l.width)
	return len(rest) == 0 || l.add((*[BlockLen]uint32)(dst), rest)
}
