package algorithm

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
)

// stretch is the postings of a list in a window.
type stretch struct {
	docs   []uint32
	places []uint64 // where they are in the list, or
	scores []float32
	at     int // first posting in the sub-window
	end    int // first posting after it
}

func (s *stretch) reset() {
	s.docs, s.places, s.scores, s.at = s.docs[:0], s.places[:0], s.scores[:0], 0
}

// addPlaces adds the places of the postings that have none yet, of which the first is in place pos.
func (s *stretch) addPlaces(pos int) {
	n := len(s.places)
	s.places = slices.Grow(s.places, len(s.docs)-n)[:len(s.docs)]
	for i := range s.places[n:] {
		s.places[n+i] = uint64(pos + i)
	}
}

// extend returns v with n more elements, followed by Slack elements of capacity.
func extend(v []float32, n int) []float32 {
	if cap(v) < len(v)+n+bm25.Slack {
		v = append(make([]float32, 0, 2*(len(v)+n+bm25.Slack)), v...)
	}
	return v[:len(v)+n]
}

var errRow = format.Corrupt("block does not hold the docIDs of the skip header")

// checkRow checks what a Cursor checks of a block, for a row of blocks of size docIDs that starts
// at block b and document least. last holds their last docIDs. The segment has limit documents. It
// reads last once, since the file may change.
func checkRow(docs, last []uint32, least uint32, size, b int, limit uint32) error {
	for i, to := range last {
		block := docs[min(i*size, len(docs)):min((i+1)*size, len(docs))]
		if len(block) == 0 || block[0] < least || block[len(block)-1] != to || to >= limit {
			return format.Locate(errRow, format.Place{Block: b + i})
		}
		least = to + 1
	}
	return nil
}
