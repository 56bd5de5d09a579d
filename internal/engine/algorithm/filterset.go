package algorithm

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
)

// filterSet is a query's filter in the current segment.
type filterSet struct {
	own    *docset.Set // of the segment; nil if all documents are in the filter
	docs   uint64      // how many of the segment's documents it has
	count  uint64      // how many of the documents to consider it has
	sifted bool        // it lacks some of these

	// Scratch.
	set    bitset.Set
	docsIn []uint32
}

// enter makes f the filter in a segment.
func (f *filterSet) enter(sets []*docset.Set, segment int) {
	if f.own = nil; sets != nil {
		f.own = sets[segment]
	}
}

// some reports whether the filter may lack documents of the segment.
func (f *filterSet) some() bool { return f.own != nil }

// has reports whether a document is in the filter.
func (f *filterSet) has(doc uint32) bool { return f.own == nil || f.own.Contains(doc) }

// next returns the first document from doc on that is in the filter, or end.
func (f *filterSet) next(doc uint32) uint32 { return f.own.Next(doc) }

// keep keeps those of docs, which ascend, that are in the filter.
func (f *filterSet) keep(docs []uint32) []uint32 { return f.own.Keep(docs, false) }

// and removes the documents that are not in the filter from words, which have documents from lo on.
func (f *filterSet) and(words []uint64, lo uint32) { f.own.And(words, lo) }
