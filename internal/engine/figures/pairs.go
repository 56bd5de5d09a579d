package figures

import (
	"math/bits"
	"math/rand/v2"
)

// Pair is a number within a slot.
type Pair struct {
	Slot   uint32
	Number int64
}

// Pairs number what is added to them, from 0, in the order in which it comes. The zero value has none.
type Pairs struct {
	All   []Pair   // by their numbers
	table []uint32 // numbers + 1 by hash; a power of two of them
}

// seeds keep those who choose values from choosing their hashes.
var seeds = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func hash(slot uint32, number int64) uint64 {
	hi, lo := bits.Mul64(uint64(number)^seeds[0], uint64(slot)*0x9e3779b97f4a7c15^seeds[1])
	return hi ^ lo
}

// Add returns the number of a pair, which it adds if it is new.
func (p *Pairs) Add(slot uint32, number int64) uint32 {
	if 2*len(p.All) >= len(p.table) {
		p.grow()
	}
	mask := uint64(len(p.table) - 1)
	for at := hash(slot, number) & mask; ; at = (at + 1) & mask {
		n := p.table[at]
		if n == 0 {
			p.All = append(p.All, Pair{slot, number})
			p.table[at] = uint32(len(p.All))
			return uint32(len(p.All) - 1)
		}
		if x := &p.All[n-1]; x.Number == number && x.Slot == slot {
			return n - 1
		}
	}
}

func (p *Pairs) grow() {
	p.table = make([]uint32, max(32, 2*len(p.table)))
	mask := uint64(len(p.table) - 1)
	for i, x := range p.All {
		at := hash(x.Slot, x.Number) & mask
		for p.table[at] != 0 {
			at = (at + 1) & mask
		}
		p.table[at] = uint32(i + 1)
	}
}

// Size returns how many bytes p takes.
func (p *Pairs) Size() int { return 16*cap(p.All) + 4*len(p.table) }
