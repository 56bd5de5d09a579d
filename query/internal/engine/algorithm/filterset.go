package algorithm

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/query/internal/engine/bitset"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// filterSet is a query's filter in the current segment.
type filterSet struct {
	given  *roaring.Bitmap // of the query, in global docIDs; nil if none
	all    *roaring.Bitmap // given, unless own says it too
	own    *docset.Set     // of the segment; if it and all are nil, all documents are in the filter
	docs   uint64          // how many of the segment's documents it has
	count  uint64          // how many of the documents to consider it has
	sifted bool            // it lacks some of these

	// For reading it window by window, in global docIDs.
	it    roaring.ManyIntIterator
	buf   [256]uint32
	at, n int    // what is left of buf
	next  uint64 // all documents before next have been read; 0: reading has not begun
	set   bitset.Set
	some  []uint32 // scratch
}

// enter makes f the filter in a segment.
func (f *filterSet) enter(sets []*docset.Set, segment int) {
	f.all, f.own = f.given, nil
	if sets != nil {
		f.all, f.own = nil, sets[segment]
	}
}

// load makes the documents of the filter from lo to last members of the set.
func (f *filterSet) load(filter *roaring.Bitmap, lo, last uint32) {
	if f.next == 0 {
		f.it.Initialize(filter)
		f.at, f.n = 0, 0
	}
	f.next = uint64(last) + 1
	f.set.Reset(lo, last)
	for {
		part := f.buf[f.at:f.n]
		if len(part) > 0 && part[len(part)-1] > last {
			part = part[:posting.LowerBound(part, last+1)]
		}
		f.set.Add(part[posting.LowerBound(part, lo):])
		if f.at += len(part); f.at < f.n {
			return
		}
		if f.at, f.n = 0, f.it.NextMany(f.buf[:]); f.n == 0 {
			return
		}
	}
}
