package layout

// ExtentAlign is the alignment and the unit of length of extents, in bytes. An extent is a
// posting list in the form that disk, memory and device share: contiguous and
// position-independent.
const ExtentAlign = 64

// MinExtent is the minimum number of postings of an extent; shorter lists are stored in the
// dictionary.
const MinExtent = 128

// Field offsets in an extent's header.
const (
	ExtSum        = 0
	ExtLength     = 8
	ExtN          = 12
	ExtDocsCodec  = 16
	ExtFreqsCodec = 17
	ExtBlockLog   = 18
	ExtFlags      = 19
	ExtFirst      = 20
	ExtQuad       = 24
	ExtHeader     = 32 // size of the header
)

// Flags of an extent.
const (
	ExtLR      = 1 << 0 // linear regression
	ExtHash    = 1 << 1 // hash buckets
	ExtKth     = 1 << 2 // k-th impacts
	ExtImpacts = 1 << 3 // weights in the place of frequencies, maxima in that of quads
	ExtKnown   = ExtLR | ExtHash | ExtKth | ExtImpacts
)

// Sizes of an extent's optional parts.
const (
	LRSize   = 24
	KthSize  = 8
	HashHead = 4 // followed by 2^m+1 starts
)

// Extent holds the offsets of an extent's parts. A missing part has the offset of the next
// one. End is the end of the frequency payload, Size the padded length.
type Extent struct {
	DocEnds, FreqEnds, Last, Quads, LR, Hash, Kth, Docs, Freqs, End, Size int64
}

// ExtentOf returns the layout of an extent up to the docID payload, for the given blocks,
// flags and 2^m hash buckets. SetPayload completes it.
func ExtentOf(blocks int64, flags uint8, m uint) Extent {
	var x Extent
	x.DocEnds = ExtHeader
	x.FreqEnds = x.DocEnds + 4*(blocks+1)
	x.Last = x.FreqEnds + 4*(blocks+1)
	x.Quads = (x.Last + 4*blocks + 7) &^ 7
	x.LR = x.Quads + 8*blocks
	x.Hash = x.LR
	if flags&ExtLR != 0 {
		x.Hash += LRSize
	}
	x.Kth = x.Hash
	if flags&ExtHash != 0 {
		x.Kth = (x.Hash + HashHead + 4*(1<<m+1) + 7) &^ 7
	}
	x.Docs = x.Kth
	if flags&ExtKth != 0 {
		x.Docs += KthSize
	}
	x.Docs = (x.Docs + 15) &^ 15
	return x
}

// SetPayload sets the offsets after the payloads, whose lengths are given in words.
func (x *Extent) SetPayload(docWords, freqWords uint32) {
	x.Freqs = (x.Docs + 4*int64(docWords) + 15) &^ 15
	x.End = x.Freqs + 4*int64(freqWords)
	x.Size = (x.End + ExtentAlign - 1) &^ (ExtentAlign - 1)
}
