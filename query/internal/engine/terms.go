package engine

import (
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// known is what a Searcher keeps of a term: its entries in the dictionaries, by part, and what follows from them. A single
// entry is inline, to save a cache miss.
type known struct {
	entries []terms.Entry
	one     [1]terms.Entry
	info    atomic.Pointer[TermInfo] // nil until it is asked for
}

type term = terms.Term[known]

// keep is terms.Resolver.Keep.
func keep(k *known, _ []byte, entries []terms.Entry) error {
	k.entries = append(k.entries[:0], entries...)
	k.info.Store(nil)
	return nil
}

// copyKnown is terms.Resolver.Copy.
func copyKnown(to, from *known) { to.entries = append(to.one[:0], from.entries...) }

// maxCachedEntries bounds a Searcher's cache: terms times segments.
const maxCachedEntries = 1 << 15

// cacheSets returns the number of sets, of four terms, for that many segments.
func cacheSets(parts int) int {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	return n
}

// dictionaries returns parts as terms are looked up in them.
func dictionaries(parts []posting.Part) []terms.Part {
	all := make([]terms.Part, len(parts))
	for i := range parts {
		all[i] = terms.Part{Views: parts[i].Views(), Deletes: parts[i].Deletes}
	}
	return all
}

// TermInfo is query.TermInfo, which has the same fields.
type TermInfo struct {
	Docs   uint64  // documents that hold the term, without deleted ones
	Share  float32 // Docs as a share of the snapshot's documents, at most 1
	Weight float32 // Scorer.Weight of one occurrence; no posting scores more

	// The rest is of the lists of 128 postings or more, and 0 if there are none.
	Blocks uint64
	Bytes  uint64  // of their docIDs and frequencies
	Bound  float32 // no posting of these lists scores more
	// Kth are the scores that at least k of a list's documents reach, for each k of
	// format.KthValues; 0 if that is not known.
	Kth [format.NumKth]float32
	// Above[i] is the share, in 1/255, of blocks whose bound is at least 1/2+i/16 of Bound.
	Above [8]uint8
	// The codecs of the longest list.
	DocsCodec, FreqsCodec codec.ID
}
