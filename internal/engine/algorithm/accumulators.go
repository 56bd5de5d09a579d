package algorithm

import (
	"math"

	"github.com/pinion-index/pinion/internal/engine/bitset"
)

// subWindow is how many documents have accumulators: as many as fit in the L1 and L2 caches.
const subWindow = 1 << 14

// window is a range of documents with its members and accumulators.
type window struct {
	lo, hi  uint32
	lists   []stretch
	acc     []float32 // partial scores in a sub-window; all zero between sub-windows
	members bitset.Set
}

// add adds the scores of s in the sub-window that begins at lo to the accumulators.
func (w *window) add(s *stretch, lo uint32) { s.addTo((*[subWindow]float32)(w.acc), lo) }

// addTo adds the scores of s in the sub-window that begins at lo to acc, and sets where they end.
func (s *stretch) addTo(acc *[subWindow]float32, lo uint32) {
	docs := s.docs[s.at:]
	scores := s.scores[s.at:][:len(docs)]
	for i, d := range docs {
		j := d - lo
		if j >= subWindow {
			s.end = s.at + i
			return
		}
		acc[j] += scores[i]
	}
	s.end = len(s.docs)
}

// collect makes the documents of s that are in the sub-window that begins at lo and score above
// pass candidates, and zeroes their accumulators. pass is not negative. It does not branch on which
// documents pass, since that is hard to predict: scores order as their bits do.
func (w *window) collect(s *stretch, lo uint32, pass float32, c *candidates) {
	limit := int64(math.Float32bits(pass))
	part := s.docs[s.at:s.end]
	n := len(c.docs)
	c.reserve(len(part))
	docs, sums := c.docs[:n+len(part)], c.sums[:n+len(part)]
	acc := (*[subWindow]float32)(w.acc)
	for _, d := range part {
		j := (d - lo) % subWindow
		v := acc[j]
		acc[j] = 0
		docs[n], sums[n] = d, v
		n += int(uint64(limit-int64(math.Float32bits(v))) >> 63)
	}
	c.docs, c.sums = docs[:n], sums[:n]
}

// collectMembers makes all members in the sub-window that begins at lo candidates and zeroes their
// accumulators.
func (w *window) collectMembers(lo uint32, c *candidates) {
	acc := (*[subWindow]float32)(w.acc)
	for doc := w.members.Next(lo); doc-lo < subWindow; doc = w.members.Next(doc + 1) {
		c.add(doc, acc[doc-lo])
		acc[doc-lo] = 0
	}
}
