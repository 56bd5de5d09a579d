package invert

import (
	"slices"

	"github.com/pinion-index/pinion/analysis"
)

// A token is at a place: the sum of the increments up to it, from beforeFirst on, and at least 0.
const beforeFirst = int64(-1)

// valueGap is added to the place before each further value of a field.
const valueGap = 99

// places are where terms are in the documents of a batch. A place is kept as a gap: that of a
// term's first place in a document is the place, that of another the number of places between it
// and the one before.
type places struct {
	on     bool     // of is set
	of     []uint32 // for each token of a piece which posting it is in
	last   []int64  // of each posting its last place, beforeFirst if it has none
	gaps   []gap    // of the batch, in the order of tokens
	rank   []uint32 // of each posting where it is among the sorted ones
	starts []uint32 // of the gaps of each sorted posting
	sorted []uint32 // gaps in the order of the sorted postings
}

type gap struct{ posting, gap uint32 }

func (x *places) reset() {
	x.last, x.gaps, x.rank, x.sorted = x.last[:0], x.gaps[:0], x.rank[:0], x.sorted[:0]
}

// isStacked reports whether tokens may share places.
func isStacked(t *analysis.Tokens) bool { return slices.Contains(t.Increments(), 0) }

// place finds the places of a piece of tokens, the first of which has number first in v.tokens, and
// keeps them if keep is set. It returns how many tokens it took back, which a term has at a place
// where it is already.
func (v *Inverter) place(first int, keep bool, at *int64) (again uint32) {
	x := &v.places
	for len(x.last) < len(v.postings) {
		x.last = append(x.last, beforeFirst)
	}
	increments := v.tokens.Increments()
	increments = increments[min(first, len(increments)):]
	here := *at
	for i, p := range x.of {
		step := int64(1)
		if i < len(increments) {
			step = int64(increments[i])
		}
		here = max(here+step, 0)
		if x.last[p] == here {
			v.postings[p].tf--
			again++
			continue
		}
		if keep {
			x.gaps = append(x.gaps, gap{p, uint32(here - x.last[p] - 1)})
		}
		x.last[p] = here
	}
	*at = here
	return again
}

// sortPlaces brings the gaps in the order of the sorted postings.
func (v *Inverter) sortPlaces(b *Batch) {
	x := &v.places
	x.starts = slices.Grow(x.starts[:0], len(v.sorted))[:len(v.sorted)]
	sum, from := uint32(0), 0
	for i := range b.terms {
		t := &b.terms[i]
		to := from + int(t.df)
		if v.fields.keepsPlaces(t.n >> fieldShift) {
			for j, p := range v.sorted[from:to] {
				x.starts[from+j] = sum
				sum += uint32(p)
			}
		}
		from = to
	}
	x.sorted = slices.Grow(x.sorted[:0], int(sum))[:sum]
	for _, g := range x.gaps {
		at := &x.starts[x.rank[g.posting]]
		x.sorted[*at] = g.gap
		*at++
	}
}

// keepsPlaces reports whether places in the field of a rank are kept.
func (x *Fields) keepsPlaces(rank uint32) bool { return x.places != nil && x.places[rank] }

// cutGaps returns the gaps of the postings of run, the first ones, and the others.
func cutGaps(gaps []uint32, run []uint64) (of, rest []uint32) {
	n := 0
	for _, p := range run {
		n += int(uint32(p))
	}
	return gaps[:n], gaps[n:]
}

// maxGapWords is how many words of gaps are kept with a run. More are kept apart, in Batch.gaps and
// then Accumulator.gaps.
const maxGapWords = pageWords - 3*maxBatchDocs - 16

// Gaps of a run are words: a gap below gapEscape is one, another two, the high half plus gapEscape
// first.
const gapEscape = 1 << 15

// gapWords returns the number of words that gaps take.
func gapWords(gaps []uint32) int {
	n := len(gaps)
	for _, g := range gaps {
		if g >= gapEscape {
			n++
		}
	}
	return n
}

// packGaps writes gaps to dst, which has room, and returns the number of words.
func packGaps(dst []uint16, gaps []uint32) int {
	n := 0
	for _, g := range gaps {
		if g >= gapEscape {
			dst[n] = uint16(g>>16) | gapEscape
			n++
		}
		dst[n] = uint16(g)
		n++
	}
	return n
}

// unpackGaps sets dst to the gaps at the beginning of words.
func unpackGaps(dst []uint32, words []uint16) {
	at := 0
	for i := range dst {
		g := uint32(words[at])
		if at++; g >= gapEscape {
			g = g&(gapEscape-1)<<16 | uint32(words[at])
			at++
		}
		dst[i] = g
	}
}
