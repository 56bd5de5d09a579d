package query

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/reader"
)

// NewSearcher returns a Searcher over a snapshot, which must stay open meanwhile.
func NewSearcher(s *reader.Snapshot, o Options) (*Searcher, error) {
	var parts []part
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		p := part{seg: seg.Segment, base: seg.Base, docs: seg.Docs()}
		if d.Count() > 0 {
			p.deletes = bitmap(d.Bits())
		}
		parts = append(parts, p)
	}
	return newSearcher(parts, o)
}

// bitmap returns the set whose member i is bit i%64 of word i/64.
func bitmap(words []uint64) *roaring.Bitmap {
	b := roaring.New()
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			b.Add(uint32(64*i + bits.TrailingZeros64(w)))
		}
	}
	return b
}
