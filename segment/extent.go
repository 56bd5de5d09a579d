package segment

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
)

// An extent is a posting list as it lies on disk, in memory and on a device:
// contiguous, position-independent, a multiple of extentAlign long.
const extentAlign = 64

// Field offsets in an extent's header.
const (
	extSum        = 0
	extLength     = 8
	extN          = 12
	extDocsCodec  = 16
	extFreqsCodec = 17
	extBlockLog   = 18
	extFlags      = 19
	extFirst      = 20
	extQuad       = 24
	extHeader     = 32
)

// Flags of an extent.
const (
	extLR    = 1 << 0 // linear regression
	extHash  = 1 << 1 // hash buckets
	extKth   = 1 << 2 // k-th impacts
	extKnown = extLR | extHash | extKth
)

// Sizes of an extent's optional parts.
const (
	lrSize   = 24
	kthSize  = 8
	hashHead = 4 // then 2^m+1 starts
)

// layout gives the offsets of an extent's parts. A part that is missing has the
// offset of the next one.
type layout struct {
	docEnds, freqEnds, last, quads, lr, hash, kth, docs, freqs, end, size int64
}

// layoutOf returns the layout of an extent up to the docs payload: blocks, flags
// and 2^m hash buckets. setPayload completes it.
func layoutOf(blocks int64, flags uint8, m uint) layout {
	var l layout
	l.docEnds = extHeader
	l.freqEnds = l.docEnds + 4*(blocks+1)
	l.last = l.freqEnds + 4*(blocks+1)
	l.quads = (l.last + 4*blocks + 7) &^ 7
	l.lr = l.quads + 8*blocks
	l.hash = l.lr
	if flags&extLR != 0 {
		l.hash += lrSize
	}
	l.kth = l.hash
	if flags&extHash != 0 {
		l.kth = (l.hash + hashHead + 4*(1<<m+1) + 7) &^ 7
	}
	l.docs = l.kth
	if flags&extKth != 0 {
		l.docs += kthSize
	}
	l.docs = (l.docs + 15) &^ 15
	return l
}

// setPayload sets the offsets behind payloads of the given numbers of words.
func (l *layout) setPayload(docWords, freqWords uint32) {
	l.freqs = (l.docs + 4*int64(docWords) + 15) &^ 15
	l.end = l.freqs + 4*int64(freqWords)
	l.size = (l.end + extentAlign - 1) &^ (extentAlign - 1)
}

// initExtent makes l the list at e.Offset of POSTINGS.
func (s *Segment) initExtent(l *List, e Entry) error {
	head, err := s.rangeOf(&s.postings, e.Offset, extHeader)
	if err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(head[extLength:])) * extentAlign
	b, err := s.rangeOf(&s.postings, e.Offset, size)
	if err != nil {
		return err
	}
	l.extent = b // also on failure: the list has neither form then
	if msg := l.parseExtent(b, e, s.meta.Docs); msg != "" {
		return s.corrupt(&s.postings, e.Offset, "%s", msg)
	}
	return nil
}

// parseExtent fills l from the extent b of a segment of docs documents, or says
// what is wrong with it.
func (l *List) parseExtent(b []byte, e Entry, docs uint32) string {
	if len(b) < extentAlign {
		return "extent is too short"
	}
	n := binary.LittleEndian.Uint32(b[extN:])
	if n != e.DF || n < minExtent || n > docs {
		return "extent and dictionary disagree about the number of postings"
	}
	dc, ok1 := codecByID(codec.ID(b[extDocsCodec]))
	fc, ok2 := codecByID(codec.ID(b[extFreqsCodec]))
	if !ok1 || !ok2 {
		return "unknown codec"
	}
	blockLen := dc.BlockLen()
	if fc.BlockLen() != blockLen || b[extBlockLog] > 16 || 1<<b[extBlockLog] != blockLen {
		return "block length is not that of the codecs"
	}
	flags := b[extFlags]
	if flags&^extKnown != 0 {
		return "unknown extent flags"
	}
	blocks := codec.Blocks(int(n), blockLen)
	y := layoutOf(int64(blocks), flags&^extHash, 0)
	if y.docs > int64(len(b)) {
		return "extent is too short for its blocks"
	}
	var hash HashBuckets
	if flags&extHash != 0 {
		m := b[y.hash+1]
		if m > 31 {
			return "too many hash buckets"
		}
		shift := b[y.hash]
		at := y.hash + hashHead
		y = layoutOf(int64(blocks), flags, uint(m))
		if y.docs > int64(len(b)) || shift > 31 {
			return "extent is too short for its hash buckets"
		}
		hash = HashBuckets{Shift: shift, Start: format.Uint32s(b[at : at+4*(1<<m+1)])}
	}
	l.docEnds(b, y, blocks)
	if y.docs+4*int64(l.Docs.Ends[blocks]) > int64(len(b)) {
		return "docID payload leaves the extent"
	}
	y.setPayload(l.Docs.Ends[blocks], l.Freqs.Ends[blocks])
	if y.size != int64(len(b)) {
		return "extent has not the length of its parts"
	}
	l.Kind, l.N, l.Blocks, l.BlockLen = KindExtent, int(n), blocks, blockLen
	l.DocsCodec, l.FreqsCodec = dc, fc
	l.First = binary.LittleEndian.Uint32(b[extFirst:])
	l.Quad = format.Quad(binary.LittleEndian.Uint64(b[extQuad:]))
	l.Quads = format.Quads(b[y.quads:y.lr])
	l.Docs.Payload, l.Docs.Last, l.Docs.N = b[y.docs:y.docs+4*int64(l.Docs.Ends[blocks])], format.Uint32s(b[y.last:y.last+4*int64(blocks)]), int(n)
	l.Freqs.Payload, l.Freqs.Last, l.Freqs.N = b[y.freqs:y.end], nil, int(n)
	if l.First > l.Docs.Last[0] || l.Docs.Last[blocks-1] >= docs {
		return "docIDs are out of range"
	}
	l.HasLR, l.HasHash, l.HasKth = flags&extLR != 0, flags&extHash != 0, flags&extKth != 0
	l.Hash, l.y = hash, y
	l.LR, l.Kth = LinearRegression{}, [3]format.KthImpact{format.NoKth, format.NoKth, format.NoKth}
	if l.HasLR {
		if l.LR, ok1 = parseLR(b[y.lr:y.hash], n); !ok1 {
			return "linear regression out of range"
		}
	}
	if l.HasKth {
		for i := range l.Kth {
			l.Kth[i] = format.KthImpact{TF: b[y.kth+2*int64(i)], Len: b[y.kth+2*int64(i)+1]}
		}
	}
	return ""
}

func (l *List) docEnds(b []byte, y layout, blocks int) {
	n := 4 * int64(blocks+1)
	l.Docs.Ends = format.Uint32s(b[y.docEnds : y.docEnds+n])
	l.Freqs.Ends = format.Uint32s(b[y.freqEnds : y.freqEnds+n])
}

// VerifyChecksum compares the extent with its checksum; lists without an extent
// are covered by the checksum of their section only. It reads the whole extent.
func (l *List) VerifyChecksum() error {
	if l.extent == nil || xxhash.Sum64(l.extent[extLength:]) == binary.LittleEndian.Uint64(l.extent) {
		return nil
	}
	return l.locate(format.Corrupt("extent checksum does not match"), format.NoBlock)
}

// Extent returns the bytes of the extent, nil for lists that have none.
func (l *List) Extent() []byte { return l.extent }

// Part is one part of an extent.
type Part struct {
	Name   string
	Offset int64 // in the extent
	Length int64 // without padding to the next part
}

// Layout returns the parts of the extent in order, nil for lists that have none.
func (l *List) Layout() []Part {
	if l.extent == nil {
		return nil
	}
	y, nb := &l.y, int64(l.Blocks)
	p := []Part{
		{"header", 0, extHeader}, {"doc-ends", y.docEnds, 4*nb + 4}, {"freq-ends", y.freqEnds, 4*nb + 4},
		{"skip", y.last, 4 * nb}, {"quads", y.quads, 8 * nb},
	}
	if l.HasLR {
		p = append(p, Part{"linear-regression", y.lr, lrSize})
	}
	if l.HasHash {
		p = append(p, Part{"hash-buckets", y.hash, hashHead + 4*int64(len(l.Hash.Start))})
	}
	if l.HasKth {
		p = append(p, Part{"kth-impacts", y.kth, kthSize})
	}
	p = append(p, Part{"docs", y.docs, int64(len(l.Docs.Payload))}, Part{"freqs", y.freqs, int64(len(l.Freqs.Payload))})
	if y.end < y.size {
		p = append(p, Part{"padding", y.end, y.size - y.end})
	}
	return p
}
