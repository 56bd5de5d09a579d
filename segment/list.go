package segment

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// List is a view of one posting list. Lists.Init fills it and may be called again; in
// between it is read-only and safe for concurrent use. Its fields must not be written.
type List struct {
	Kind     Kind
	N        int    // postings
	Blocks   int    // blocks of BlockLen postings, the last one possibly shorter
	BlockLen int    // postings of a full block; 128 for lists without an extent
	First    uint32 // first docID

	// Of extents only.
	DocsCodec, FreqsCodec  uint8 // numbers of the codecs, as in format/CODECS.md: Codecs has their names
	Docs, Freqs            format.Sequence
	Quads                  []format.Quad // bounds of every block
	Quad                   format.Quad   // bounds of the list
	LR                     LinearRegression
	Hash                   HashBuckets
	Kth                    [3]format.KthImpact // for format.KthValues()
	HasLR, HasHash, HasKth bool
	HasImpacts             bool // Quads and Quad are format.Maxima

	s       *Segment
	docsBy  codec.Codec
	freqsBy codec.Codec
	entry   Entry
	extent  []byte
	unsure  bool // some pages of the extent were not checked when it was read
	y       layout.Extent
	docs    [layout.MinExtent]uint32 // decoded postings of a list without an extent
	freqs   [layout.MinExtent]uint32
}

// Entry returns the list's dictionary entry.
func (l *List) Entry() Entry { return l.entry }

// Codecs returns the names of the codecs of a list with an extent, and none of others.
func (l *List) Codecs() (docs, freqs string) {
	if l.extent == nil {
		return "", ""
	}
	return codec.ID(l.DocsCodec).String(), codec.ID(l.FreqsCodec).String()
}

// Small returns the postings of a list without an extent, and none of other lists. They are
// valid until the next Init.
func (l *List) Small() format.Postings {
	if l.extent != nil {
		return format.Postings{}
	}
	return format.Postings{Docs: l.docs[:l.N], Freqs: l.freqs[:l.N]}
}

// Last returns the last docID of a block.
func (l *List) Last(block int) uint32 {
	if l.extent == nil {
		return l.docs[l.N-1]
	}
	return l.Docs.Last[block]
}

// Range returns bounds on the position of the first docID that is at least target: lo <=
// position <= hi. They come from the linear regression and are 0 and N without one. If
// there is no such docID, its position is N.
func (l *List) Range(target uint32) (lo, hi int) {
	if !l.HasLR || target > math.MaxInt32 {
		return 0, l.N
	}
	est := l.LR.Est(target)
	n := int64(l.N)
	lo = int(min(max(est-int64(l.LR.Left), 0), n))
	hi = int(min(max(est+int64(l.LR.Right)+1, int64(lo)), n))
	return lo, hi
}

// Bucket is Range by the hash buckets instead of the linear regression.
func (l *List) Bucket(target uint32) (lo, hi int) {
	if !l.HasHash {
		return 0, l.N
	}
	h := target >> l.Hash.Shift
	if h >= uint32(len(l.Hash.Start)-1) {
		return l.N, l.N
	}
	lo = int(min(l.Hash.Start[h], uint32(l.N)))
	hi = int(min(l.Hash.Start[h+1], uint32(l.N)))
	return lo, max(lo, hi)
}

// Locate adds to an error about the list's bytes or values the file, section, term and
// offset of the list, and the block, unless it is format.NoBlock.
func (l *List) Locate(err error, block int) error { return l.s.Lists().Locate(err, l.entry, block) }
