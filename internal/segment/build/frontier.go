package build

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

// noLength marks a frequency that no posting has.
const noLength = ^uint32(0)

// frontier collects postings and returns the Quad that dominates them. Use newFrontier; the
// zero value is not ready.
type frontier struct {
	model *impactModel
	// Least length by exact frequency below 32. Successive postings mostly have the same
	// frequency; with two copies they do not wait for each other's stores.
	low   [2][32]uint32
	or    uint32      // bitwise OR of the frequencies below 32
	high  [256]uint32 // least length by tf code from 32 on
	seen  [4]uint64   // codes with an entry in high
	above bool        // Add has met a frequency above its length; those below 32 are found by Quad
	tf    [256]uint8
	len   [256]uint8
}

// newFrontier returns an empty frontier that reduces pairs by model.
func newFrontier(model *impactModel) *frontier {
	f := &frontier{model: model}
	for i := range f.low[0] {
		f.low[0][i], f.low[1][i] = noLength, noLength
	}
	return f
}

// Add collects postings: frequency freqs[i] in a document of lens[i] tokens.
func (f *frontier) Add(freqs, lens []uint32) {
	lens = lens[:len(freqs)]
	or := uint32(0)
	for i, tf := range freqs {
		dl := lens[i]
		if tf >= 32 {
			f.above = f.above || tf > dl
			f.addHigh(format.EncodeTF(tf), dl)
			continue
		}
		or |= tf
		p := &f.low[i&1][tf]
		*p = min(*p, dl, noLength-1) // a length may be noLength; both have the same code
	}
	f.or |= or
}

// AddQuad collects everything that q dominates.
func (f *frontier) AddQuad(q format.Quad) {
	for i := range 4 {
		t, l := q.Codes(i)
		dl := format.DecodeLen(l)
		if t >= 32 {
			f.addHigh(t, dl)
			continue
		}
		f.low[0][t] = min(f.low[0][t], dl)
		f.or |= uint32(t)
	}
}

func (f *frontier) addHigh(code uint8, dl uint32) {
	if w, bit := code/64, uint64(1)<<(code%64); f.seen[w]&bit == 0 {
		f.seen[w] |= bit
		f.high[code] = dl
		return
	}
	f.high[code] = min(f.high[code], dl)
}

// Quad returns the Quad of what was collected since the last call, and empties the
// frontier. If nothing was collected, the Quad is not Valid.
func (f *frontier) Quad() format.Quad {
	n := 0
	least := uint32(noLength) // of all pairs kept so far, which have a higher tf
	keep := func(tf uint8, dl uint32) {
		if n > 0 && format.EncodeLen(dl) >= f.len[n-1] {
			return
		}
		f.tf[n], f.len[n] = tf, format.EncodeLen(dl)
		least = dl
		n++
	}
	for w := 3; w >= 0; w-- {
		for s := f.seen[w]; s != 0; {
			b := 63 - bits.LeadingZeros64(s)
			s &^= 1 << b
			keep(uint8(w*64+b), f.high[w*64+b])
		}
		f.seen[w] = 0
	}
	for t := 1<<bits.Len32(f.or) - 1; t >= 0; t-- {
		dl := min(f.low[0][t], f.low[1][t])
		f.low[0][t], f.low[1][t] = noLength, noLength
		f.above = f.above || dl < uint32(t)
		if dl < least {
			keep(uint8(t), dl)
		}
	}
	f.or = 0
	for n > 4 {
		n = f.mergeNeighbours(n)
	}
	var q format.Quad
	for i := range 4 {
		if n > 0 {
			j := min(i, n-1)
			q |= format.Quad(uint64(f.tf[j])|uint64(f.len[j])<<8) << (16 * uint(i))
		}
	}
	return q
}

// mergeNeighbours replaces two neighboring pairs by the pair that dominates both, choosing
// those that lose least. Raising the bound of the whole set counts most.
func (f *frontier) mergeNeighbours(n int) int {
	var best float32
	for i := range n {
		best = max(best, f.model.score(f.tf[i], f.len[i]))
	}
	at, least := 0, float32(4)
	a := f.model.score(f.tf[0], f.len[0])
	for i := range n - 1 {
		b := f.model.score(f.tf[i+1], f.len[i+1])
		merged := f.model.score(f.tf[i], f.len[i+1])
		loss := merged - max(a, b)
		if merged > best {
			loss += merged - best + 1
		}
		if loss < least {
			at, least = i, loss
		}
		a = b
	}
	copy(f.tf[at+1:n-1], f.tf[at+2:n])
	copy(f.len[at:n-1], f.len[at+1:n])
	return n - 1
}
