package chunks

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// The dictionary's parameters. Measured on ../shared/data: pieces of 64 bytes make the text 1 %
// larger, dictionaries of half or twice the size 2 % and 0 %.
const (
	piece    = 128 // bytes of a piece
	gram     = 6   // bytes that are counted together
	gramBits = 16
	share    = 16 // the sample is at least so many times as long as the dictionary
)

// Drawn is the greatest length of a dictionary that Draw makes.
const Drawn = 32 << 10

func gramHash(b []byte) uint64 {
	return (binary.LittleEndian.Uint64(b) << (64 - 8*gram)) * 0x9e3779b97f4a7c15 >> (64 - gramBits)
}

// Draw returns a dictionary for texts like sample: from each of its parts, which are equally
// long, the piece with the most frequent content that no earlier piece has. It is the fast
// cover of Zstandard's dictionary builder, with chunks counted instead of occurrences, since a
// chunk finds in itself what it repeats.
func Draw(sample []byte) []byte {
	pieces := min(len(sample)/share, Drawn) / piece
	end := len(sample) - 8 // of beginnings of grams
	if pieces == 0 || end < piece {
		return nil
	}
	counts, last := make([]uint16, 1<<gramBits), make([]uint16, 1<<gramBits)
	for i := range end {
		h, chunk := gramHash(sample[i:]), uint16(i/Size+1)
		if last[h] != chunk {
			last[h] = chunk
			counts[h]++
		}
	}
	for i, n := range counts {
		counts[i] = max(n, 1) - 1 // once is of no use
	}
	dict := make([]byte, 0, pieces*piece)
	part := len(sample) / pieces
	for p := range pieces {
		lo := p * part
		if at := heaviest(sample, counts, lo, min(lo+part, end)-piece); at >= 0 {
			dict = append(dict, sample[at:at+piece]...)
			for i := at; i < at+piece-gram; i++ {
				counts[gramHash(sample[i:])] = 0
			}
		}
	}
	return dict
}

// heaviest returns where, from lo to hi, the piece begins whose grams count most, or -1 if
// none counts.
func heaviest(sample []byte, counts []uint16, lo, hi int) int {
	if lo > hi {
		return -1
	}
	sum, best, at := 0, 0, -1
	for i := lo; i < lo+piece-gram; i++ {
		sum += int(counts[gramHash(sample[i:])])
	}
	for i := lo; ; i++ {
		if sum > best {
			best, at = sum, i
		}
		if i == hi {
			return at
		}
		sum += int(counts[gramHash(sample[i+piece-gram:])]) - int(counts[gramHash(sample[i:])])
	}
}

// tooSmall reports whether compressed is too small for a block of text, which readers refuse.
func tooSmall(text, compressed int) bool {
	return text > layout.MaxInflated && text > 2*compressed
}
