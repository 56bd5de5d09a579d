package query

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/query/internal/engine"
)

// TermInfo is what a Searcher knows of a term without decoding a block: enough to predict
// what a query costs. It is immutable.
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

// AppendTermInfo appends what is known of each term, in the order of terms; equal terms
// have the same TermInfo if the cache of the queries, which it uses and fills, has room.
// It reads the skip headers of terms that it has not seen. A damaged list counts as short.
// The error matches reader.ErrClosed or format.ErrCorrupt.
func (s *Searcher) AppendTermInfo(dst []*TermInfo, terms [][]byte) ([]*TermInfo, error) {
	infos := dst
	if err := s.engine.EachTermInfo(terms, func(x *engine.TermInfo) { infos = append(infos, (*TermInfo)(x)) }); err != nil {
		return dst, err
	}
	return infos, nil
}

// AppendLengths appends the document frequency of each term in the snapshot, in the order
// of terms. It uses and fills the cache of the queries. The error matches reader.ErrClosed
// or format.ErrCorrupt.
func (s *Searcher) AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error) {
	return s.engine.AppendLengths(dst, terms)
}
