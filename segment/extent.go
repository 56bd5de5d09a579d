package segment

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// initExtent makes l the list at e.Offset in POSTINGS.
func (ls Lists) initExtent(l *List, e Entry) error {
	s := ls.s
	head, err := s.rangeOf(&s.postings, e.Offset, layout.ExtHeader)
	if err != nil {
		return l.Locate(err, format.NoBlock)
	}
	size := int64(binary.LittleEndian.Uint32(head[layout.ExtLength:])) * layout.ExtentAlign
	b, err := s.peek(&s.postings, e.Offset, size)
	if err != nil {
		return l.Locate(err, format.NoBlock)
	}
	l.extent = b // also on failure: l is then neither small nor an extent
	if err := l.parseExtent(b, e, s.meta.Docs); err != nil {
		return l.Locate(err, format.NoBlock)
	}
	if l.HasImpacts != ls.holdsImpacts(e) {
		return l.Locate(format.Corrupt("extent and field disagree about whether it holds weights"), format.NoBlock)
	}
	at := s.postings.Offset + e.Offset
	end := (at+size-1)/format.PageSize + 1
	l.unsure = s.pages.unchecked(at/format.PageSize, end) < end
	return nil
}

// InitExtent makes l a view of an extent that is in no segment: of b, as package build
// encodes it for docs documents. b must be readable for format.ReadablePadding bytes more.
func (l *List) InitExtent(b []byte, docs uint32) error {
	if len(b) < layout.ExtHeader {
		return format.Corrupt("extent is too short")
	}
	l.s, l.extent, l.unsure = new(Segment), b, false
	l.entry = Entry{Kind: KindExtent, DF: binary.LittleEndian.Uint32(b[layout.ExtN:])}
	return l.parseExtent(b, l.entry, docs)
}

// parseExtent fills l from the extent b of a segment of docs documents. It touches the parts
// before the payloads, and the list headers. It reads what it uses twice once: a mapped
// file may change.
func (l *List) parseExtent(b []byte, e Entry, docs uint32) error {
	if len(b) < layout.ExtentAlign {
		return format.Corrupt("extent is too short")
	}
	n := binary.LittleEndian.Uint32(b[layout.ExtN:])
	if n != e.DF || n < layout.MinExtent || n > docs {
		return format.Corrupt("extent and dictionary disagree about the number of postings")
	}
	dc, ok1 := registry.ByID(codec.ID(b[layout.ExtDocsCodec]))
	fc, ok2 := registry.ByID(codec.ID(b[layout.ExtFreqsCodec]))
	if !ok1 || !ok2 {
		return format.Corrupt("unknown codec")
	}
	blockLen := dc.BlockLen()
	if fc.BlockLen() != blockLen || b[layout.ExtBlockLog] > 16 || 1<<b[layout.ExtBlockLog] != blockLen {
		return format.Corrupt("block length is not that of the codecs")
	}
	blocks, flags := codec.Blocks(int(n), blockLen), b[layout.ExtFlags]
	y, hash, err := l.parts(b, flags, e.Offset, blocks)
	if err != nil {
		return err
	}
	l.docEnds(b, y, blocks)
	docsEnd, freqsEnd := l.Docs.Ends[blocks], l.Freqs.Ends[blocks]
	if y.Docs+4*int64(docsEnd) > int64(len(b)) {
		return format.Corrupt("docID payload leaves the extent")
	}
	y.SetPayload(docsEnd, freqsEnd)
	if y.Size != int64(len(b)) {
		return format.Corrupt("extent has not the length of its parts")
	}
	if err := l.touchHeaders(e.Offset, &y, blocks); err != nil {
		return err
	}
	l.Kind, l.N, l.Blocks, l.BlockLen = KindExtent, int(n), blocks, blockLen
	l.DocsCodec, l.FreqsCodec, l.docsBy, l.freqsBy = b[layout.ExtDocsCodec], b[layout.ExtFreqsCodec], dc, fc
	l.First = binary.LittleEndian.Uint32(b[layout.ExtFirst:])
	l.Quad = format.Quad(binary.LittleEndian.Uint64(b[layout.ExtQuad:]))
	l.Quads = format.Quads(b[y.Quads:y.LR])
	l.Docs.Payload, l.Docs.Last, l.Docs.N = b[y.Docs:y.Docs+4*int64(docsEnd)], format.Uint32s(b[y.Last:y.Last+4*int64(blocks)]), int(n)
	l.Freqs.Payload, l.Freqs.Last, l.Freqs.N = b[y.Freqs:y.End], nil, int(n)
	if l.First > l.Docs.Last[0] || l.Docs.Last[blocks-1] >= docs {
		return format.Corrupt("docIDs are out of range")
	}
	l.HasImpacts = flags&layout.ExtImpacts != 0
	l.HasLR, l.HasHash, l.HasKth = flags&layout.ExtLR != 0, flags&layout.ExtHash != 0, flags&layout.ExtKth != 0
	l.Hash, l.y = hash, y
	l.LR, l.Kth = LinearRegression{}, [3]format.KthImpact{format.NoKth(), format.NoKth(), format.NoKth()}
	if l.HasLR {
		if l.LR, ok1 = parseLR(b[y.LR:y.Hash], n); !ok1 {
			return format.Corrupt("linear regression out of range")
		}
	}
	if l.HasKth {
		for i := range l.Kth {
			l.Kth[i] = format.KthImpact{TF: b[y.Kth+2*int64(i)], Len: b[y.Kth+2*int64(i)+1]}
		}
	}
	return nil
}

// parts returns the offsets of the parts of extent b, up to the docID payload, and the
// hash buckets. It touches them; b begins at off of POSTINGS.
func (l *List) parts(b []byte, flags uint8, off int64, blocks int) (y layout.Extent, hash HashBuckets, err error) {
	if flags&^layout.ExtKnown != 0 {
		return y, hash, format.Corrupt("unknown extent flags")
	}
	if flags&(layout.ExtImpacts|layout.ExtKth) == layout.ExtImpacts|layout.ExtKth {
		return y, hash, format.Corrupt("an extent of weights has k-th impacts")
	}
	y = layout.ExtentOf(int64(blocks), flags&^layout.ExtHash, 0)
	if y.Docs > int64(len(b)) {
		return y, hash, format.Corrupt("extent is too short for its blocks")
	}
	if err := l.s.touch(&l.s.postings, off, y.Docs); err != nil || flags&layout.ExtHash == 0 {
		return y, hash, err
	}
	if y.Hash+layout.HashHead > int64(len(b)) {
		return y, hash, format.Corrupt("extent is too short for its hash buckets")
	}
	m := b[y.Hash+1]
	if m > 31 {
		return y, hash, format.Corrupt("too many hash buckets")
	}
	shift := b[y.Hash]
	at := y.Hash + layout.HashHead
	y = layout.ExtentOf(int64(blocks), flags, uint(m))
	if y.Docs > int64(len(b)) || shift > 31 {
		return y, hash, format.Corrupt("extent is too short for its hash buckets")
	}
	hash = HashBuckets{Shift: shift, Start: format.Uint32s(b[at : at+4*(1<<m+1)])}
	return y, hash, l.s.touch(&l.s.postings, off, y.Docs)
}

// touchHeaders touches the list headers of the codecs.
func (l *List) touchHeaders(off int64, y *layout.Extent, blocks int) error {
	for _, p := range [...]struct {
		at   int64
		ends []uint32
	}{{y.Docs, l.Docs.Ends}, {y.Freqs, l.Freqs.Ends}} {
		if n := min(p.ends[0], p.ends[blocks]); n > 0 {
			if err := l.s.touch(&l.s.postings, off+p.at, 4*int64(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *List) docEnds(b []byte, y layout.Extent, blocks int) {
	n := 4 * int64(blocks+1)
	l.Docs.Ends = format.Uint32s(b[y.DocEnds : y.DocEnds+n])
	l.Freqs.Ends = format.Uint32s(b[y.FreqEnds : y.FreqEnds+n])
}

// VerifyChecksum reads the whole extent and verifies its checksum. Lists without an extent
// are covered by the checksum of their section only.
func (l *List) VerifyChecksum() error {
	if l.extent == nil || xxhash.Sum64(l.extent[layout.ExtLength:]) == binary.LittleEndian.Uint64(l.extent) {
		return nil
	}
	return l.Locate(format.Corrupt("extent checksum does not match"), format.NoBlock)
}

// VerifyBytes compares the extent with the checksums of its pages, which are then known to
// be good, or, if the segment's pages are not checked, with its own.
func (l *List) VerifyBytes() error {
	if l.extent == nil {
		return nil
	}
	if l.s.pages.good == nil {
		return l.VerifyChecksum()
	}
	if err := l.s.touch(&l.s.postings, l.entry.Offset, int64(len(l.extent))); err != nil {
		return l.Locate(err, format.NoBlock)
	}
	return nil
}

// Extent returns the bytes of the extent, or nil for lists without one.
func (l *List) Extent() []byte { return l.extent }

// Part is one part of an extent.
type Part struct {
	Name   string
	Offset int64 // offset in the extent
	Length int64 // length without padding
}

// Layout returns the parts of the extent in order, or nil for lists without one.
func (l *List) Layout() []Part {
	if l.extent == nil {
		return nil
	}
	y, nb := &l.y, int64(l.Blocks)
	p := append(make([]Part, 0, 11),
		Part{"header", 0, layout.ExtHeader}, Part{"doc-ends", y.DocEnds, 4*nb + 4}, Part{"freq-ends", y.FreqEnds, 4*nb + 4},
		Part{"skip", y.Last, 4 * nb}, Part{"quads", y.Quads, 8 * nb})
	if l.HasLR {
		p = append(p, Part{"linear-regression", y.LR, layout.LRSize})
	}
	if l.HasHash {
		p = append(p, Part{"hash-buckets", y.Hash, layout.HashHead + 4*int64(len(l.Hash.Start))})
	}
	if l.HasKth {
		p = append(p, Part{"kth-impacts", y.Kth, layout.KthSize})
	}
	p = append(p, Part{"docs", y.Docs, int64(len(l.Docs.Payload))}, Part{"freqs", y.Freqs, int64(len(l.Freqs.Payload))})
	if y.End < y.Size {
		p = append(p, Part{"padding", y.End, y.Size - y.End})
	}
	return p
}
