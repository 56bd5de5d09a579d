package pfordelta

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bitpack"
	"github.com/pinion-index/pinion/format/codec/patch"
	"github.com/pinion-index/pinion/format/codec/simd"
)

// list decodes full blocks of a list of level 1 in Go: where gaps cannot sum to 2^32, and
// fields of offsets and overflows are narrow enough to be read eight at a time. All others
// are left to decodeDocs and decodeFreqs.
type list struct {
	s       *codec.Sequence
	vectors bool // where package bitpack has them
	size    uint // of low bits, in bytes
	arrays  [7]array
	counts  [7]uint64 // masks of the fields that hold counts
	fields  [7]uint64 // and of the others

	places, overflows patch.Bytes
}

func fieldMask(width uint) uint64 { return 1<<(width&63) - 1 }

func (l *list) open(s *codec.Sequence) bool {
	words := headWords(1)
	if len(s.Payload) < words*4 || s.Payload[0] != 1 || s.Ends[0] != uint32(words) {
		return false
	}
	for i := range l.arrays {
		a := array{uint(s.Payload[1+2*i]), uint(s.Payload[2+2*i])}
		if a.width > bitpack.MaxWidth || a.count > 8 {
			return false
		}
		l.arrays[i], l.fields[i], l.counts[i] = a, fieldMask(a.width), fieldMask(a.count)
	}
	l.s, l.size, l.vectors = s, l.arrays[0].width*bitpack.VectorSize, simd.Level() > simd.Portable
	return l.arrays[0].width <= noWrap && l.arrays[1].width <= patch.ByteBits && l.arrays[4].width <= patch.ByteBits
}

// parts returns the low bits of full block i and what follows them.
func (l *list) parts(i int) (low, rest []byte, ok bool) {
	lo, hi := uint(l.s.Ends[i])*4, uint(l.s.Ends[i+1])*4
	if lo+l.size > hi || hi > uint(len(l.s.Payload)) {
		return nil, nil, false
	}
	return l.s.Payload[lo : lo+l.size], l.s.Payload[lo+l.size : hi], true
}

// add adds the exceptions in src, if there is anything, to the values in dst. It returns
// false if it cannot, or if they sum to 2^31 or more.
func (l *list) add(dst *[BlockLen]uint32, src []byte) bool {
	if len(src) == 0 {
		return true
	}
	b, ok := patch.SourceOf(src)
	end := uint(len(src)) * 8
	n := uint(b.At(0) & l.counts[0])
	if !ok || n-1 >= BlockLen {
		return false
	}
	offsets := inner{at: l.arrays[0].count}
	if !offsets.locate(b, n, end, l.arrays[1:4], l.counts[1]) {
		return false
	}
	overflows := inner{at: offsets.end}
	if !overflows.locate(b, n, end, l.arrays[4:7], l.counts[4]) || patch.Words(overflows.end)*32 != end {
		return false
	}

	l.places.Read(b, offsets.at, l.arrays[1].width, n, 1)
	at := uint(0)
	for range offsets.count {
		at += uint(b.At(offsets.places) & l.fields[2])
		over := (b.At(offsets.overflows)&l.fields[3] + 1) << (l.arrays[1].width & 63)
		if at >= n || over >= BlockLen || !l.places.Add(at, over) {
			return false
		}
		at++
		offsets.places += l.arrays[2].width
		offsets.overflows += l.arrays[3].width
	}
	if !l.places.Places(n) {
		return false
	}

	b0, width := l.arrays[0].width, l.arrays[4].width
	l.overflows.Read(b, overflows.at, width, n, 1)
	l.overflows.AddAt(dst, &l.places, n, b0)
	sum := uint64(n) << (width & 63) // at most
	if b0+width >= noWrap {
		sum = l.overflows.Sum(n)
	}
	at = 0
	for range overflows.count {
		at += uint(b.At(overflows.places) & l.fields[5])
		over := (b.At(overflows.overflows)&l.fields[6] + 1) << (width & 63)
		if at >= n {
			return false
		}
		sum += over
		dst[l.places.At(at)%BlockLen] += uint32(over << (b0 & 63))
		at++
		overflows.places += l.arrays[5].width
		overflows.overflows += l.arrays[6].width
	}
	return sum>>(31-b0) == 0
}

// inner says where a coded array and the exceptions of its values are, in bits.
type inner struct {
	at                uint // the values
	count             uint // of their exceptions
	places, overflows uint // of those
	end               uint
}

// locate finds the exceptions of n values at i.at and the end of it all; false if that is
// behind end or there are more than n.
func (i *inner) locate(b patch.Source, n, end uint, a []array, mask uint64) bool {
	_ = a[2]
	at := i.at + n*a[0].width
	if at+a[0].count > end {
		return false
	}
	i.count = uint(b.At(at) & mask)
	i.places = at + a[0].count
	i.overflows = i.places + i.count*a[1].width
	i.end = i.overflows + i.count*a[2].width
	return i.count <= n && i.end <= end
}

// ahead is how many blocks' exceptions are read before their values: each step of finding
// and reading them waits for the one before, and those of several blocks go on side by side.
const ahead = 8

// docs decodes full blocks in a row and returns how many.
func (l *list) docs(dst []uint32, block, count int) int {
	for done := 0; done < count; done += ahead {
		var low [ahead][]byte
		group, most, n := dst[done*BlockLen:], min(ahead, count-done), 0
		for ; n < most; n++ {
			bits, rest, ok := l.parts(block + done + n)
			if !ok {
				break
			}
			d := (*[BlockLen]uint32)(group[n*BlockLen:])
			if low[n] = bits; l.vectors {
				bitpack.Unpack(d[:], bits, BlockLen, l.arrays[0].width)
			} else {
				bitpack.Ones(d)
			}
			if !l.add(d, rest) {
				break
			}
		}
		for i := range n {
			d, at := (*[BlockLen]uint32)(group[i*BlockLen:]), block+done+i
			prev := l.s.Prev(at)
			if l.vectors {
				bitpack.PrefixSum(d[:], prev)
			} else {
				bitpack.AddDocs(d, low[i], l.arrays[0].width, prev)
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
	bitpack.UnpackFreqs(dst, low, BlockLen, l.arrays[0].width)
	return l.add((*[BlockLen]uint32)(dst), rest)
}
