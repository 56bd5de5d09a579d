package parapfor

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

// ahead is how many blocks' exceptions are read before their values.
const ahead = 8

// docsList decodes full blocks in a row, without vectors, and returns how many: the one after
// them is broken, all zeros, or might have gaps that sum to 2^32.
func docsList(dst []uint32, s *codec.Sequence, block, count int) int {
	var r patch.Room
	for done := 0; done < count; done += ahead {
		var low [ahead][]byte
		var width [ahead]uint
		group, most, n := dst[done*BlockLen:], min(ahead, count-done), 0
		ends := s.Ends[block+done:][:most+1]
		bitpack.Ones(group[:most*BlockLen])
		for ; n < most; n++ {
			lo, hi := uint(ends[n])*4, uint(ends[n+1])*4
			if lo+headSize > hi || hi > uint(len(s.Payload)) {
				break
			}
			p := s.Payload[lo:hi]
			word := uint(binary.LittleEndian.Uint32(p))
			h := header{Plan: patch.Plan{Width: word & 0xff, Over: word >> 16 & 0xff, Count: word >> 24}, index: word >> 8 & 0xff}
			size := h.Width * bitpack.VectorSize
			if h.Width+h.Over >= noWrap || h.index > 7 || h.Count > BlockLen || headSize+size+h.exceptions()*4 != uint(len(p)) {
				break
			}
			d := (*[BlockLen]uint32)(group[n*BlockLen:])
			low[n], width[n] = p[headSize:headSize+size], h.Width
			if h.Count > 0 && (h.Over == 0 || !r.AddList(d, p, (headSize+size)*8, h.Plan, h.index)) {
				break
			}
		}
		for i := range n {
			d, at := (*[BlockLen]uint32)(group[i*BlockLen:]), block+done+i
			prev := s.Prev(at)
			bitpack.AddDocs(d, low[i], width[i], prev)
			if codec.CheckLast(d[BlockLen-1], s.Last[at], prev, BlockLen) != nil {
				return done + i
			}
		}
		if n < most {
			return done + n
		}
	}
	return count
}
