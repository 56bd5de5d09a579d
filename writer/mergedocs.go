package writer

import (
	"context"
	"math/bits"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// renumbering gives live documents their docIDs once deleted ones are left out:
// one and a half bits for each document.
type renumbering struct {
	deleted []uint64 // bitmap
	before  []uint32 // deleted documents before each word of it
}

func newRenumbering(deletes *roaring.Bitmap, docs uint32) *renumbering {
	words := (int(docs) + 63) / 64
	r := &renumbering{make([]uint64, words), make([]uint32, words)}
	for it := deletes.Iterator(); it.HasNext(); {
		d := it.Next()
		r.deleted[d/64] |= 1 << (d % 64)
	}
	n := uint32(0)
	for i, w := range r.deleted {
		r.before[i] = n
		n += uint32(bits.OnesCount64(w))
	}
	return r
}

// isDeleted reports whether doc is deleted.
func (r *renumbering) isDeleted(doc uint32) bool {
	return r != nil && r.deleted[doc/64]>>(doc%64)&1 != 0
}

// to returns the new number of a live document.
func (r *renumbering) to(doc uint32) uint32 {
	if r == nil {
		return doc
	}
	w := doc / 64
	return doc - r.before[w] - uint32(bits.OnesCount64(r.deleted[w]&(1<<(doc%64)-1)))
}

// apply renumbers postings in place, adds base, drops the deleted ones and returns
// how many are left.
func (r *renumbering) apply(docs, freqs []uint32, base uint32) int {
	k := 0
	for i, d := range docs {
		if !r.isDeleted(d) {
			docs[k], freqs[k] = r.to(d)+base, freqs[i]
			k++
		}
	}
	return k
}

// mergeLengths is the segment.LengthSource of a merge: the tables of the sources
// side by side. Tables of sources with deleted documents are copies.
type mergeLengths struct {
	docs  int
	parts []lengthPart
}

type lengthPart struct {
	base, end uint32 // docIDs
	width     int
	b         []byte // little-endian
}

func (m *merger) lengths() (*mergeLengths, error) {
	l := &mergeLengths{docs: int(m.docs)}
	for _, src := range m.sources {
		t, err := src.seg.DocLens()
		if err != nil {
			return nil, err
		}
		if src.live == 0 {
			continue
		}
		p := lengthPart{src.base, src.base + src.live, t.Width(), t.Bytes()}
		if src.gone != nil {
			p.b = make([]byte, 0, int(src.live)*p.width)
			for d := range src.seg.Meta().Docs {
				if !src.gone.isDeleted(d) {
					at := int(d) * p.width
					p.b = append(p.b, t.Bytes()[at:at+p.width]...)
				}
			}
		}
		l.parts = append(l.parts, p)
	}
	return l, nil
}

// Len returns the number of documents.
func (l *mergeLengths) Len() int { return l.docs }

// GatherLengths sets dst[i] to the length of docs[i].
func (l *mergeLengths) GatherLengths(dst, docs []uint32) {
	dst = dst[:len(docs)]
	for len(docs) > 0 {
		i := 0
		if len(l.parts) > 1 {
			i = sort.Search(len(l.parts), func(i int) bool { return docs[0] < l.parts[i].end })
		}
		p := &l.parts[i]
		n := len(docs)
		if docs[n-1] >= p.end {
			n = sort.Search(n, func(i int) bool { return docs[i] >= p.end })
		}
		p.gather(dst[:n], docs[:n])
		dst, docs = dst[n:], docs[n:]
	}
}

func (p *lengthPart) gather(dst, docs []uint32) {
	b, base := p.b, p.base
	dst = dst[:len(docs)]
	switch p.width {
	case 1:
		for i, d := range docs {
			dst[i] = uint32(b[d-base])
		}
	case 2:
		lens := format.Uint16s(b)
		for i, d := range docs {
			dst[i] = uint32(lens[d-base])
		}
	default:
		lens := format.Uint32s(b)
		for i, d := range docs {
			dst[i] = lens[d-base]
		}
	}
}

// documents adds the live documents of all sources.
func (m *merger) documents(ctx context.Context, b *segment.Builder) error {
	for _, src := range m.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		if src.gone == nil && src.seg.Meta().Stored == m.stored {
			if err := b.CopyDocs(src.seg); err != nil {
				return err
			}
			continue
		}
		texts, err := src.seg.Texts()
		if err != nil {
			return err
		}
		err = src.seg.EachID(func(doc uint32, id []byte) error {
			if src.gone.isDeleted(doc) {
				return nil
			}
			text, err := texts.At(doc)
			if err != nil {
				return err
			}
			return b.AddDoc(id, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
