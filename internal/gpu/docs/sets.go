package docs

import (
	"context"
	"math/bits"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
)

// ReadBitmap sets the bits of the documents of a set. Docs that the snapshot does not have are left out.
func (d *Docs) ReadBitmap(bits []uint64, docs *docset.Global) {
	docs.Slice(0, uint32(min(d.N, uint64(docset.End)))).Or(bits, 0)
}

// ReadWhere sets the bits of the documents that pass a filter of columns, whose sets the CPU may have kept.
func (d *Docs) ReadWhere(ctx context.Context, bits []uint64, c *filter.Compiled) error {
	var found []uint32
	for i := range d.Segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &d.Segments[i]
		set, err := c.Cached(s.Seg, 0)
		if err != nil {
			return err
		}
		if s.Base%64 == 0 {
			set.Or(bits[s.Base/64:], 0)
			continue
		}
		found = set.AppendDocs(found[:0], 0, s.Seg.Meta().Docs)
		for _, doc := range found {
			doc += s.Base
			bits[doc/64] |= 1 << (doc % 64)
		}
	}
	return nil
}

// ClearDeleted clears the bits of the documents that are deleted.
func (d *Docs) ClearDeleted(words []uint64) {
	for i := range d.Segments {
		s := &d.Segments[i]
		if s.Deletes.Count() == 0 {
			continue
		}
		for j, w := range s.Deletes.Bits() {
			for ; w != 0; w &= w - 1 {
				at := s.Base + uint32(64*j+bits.TrailingZeros64(w))
				words[at/64] &^= 1 << (at % 64)
			}
		}
	}
}

// Stride returns the size of a bitmap of all documents.
func (d *Docs) Stride() int64 { return int64((d.N+2047)/2048) * 256 }
