package columns

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/segment"
)

// place is where documents of a batch are.
type place struct {
	views []view // by column
	block int
	start uint32 // its first document
	docs  int    // how many it has
	whole bool   // they are so many that columns are read by the block
}

func (p *place) view(column int) *view { return &p.views[column] }

// batch is documents of a block, each with the slot that it counts in: one is there several times if it counts in several.
type batch struct {
	docs  []uint32 // behind place.start
	slots []uint32 // of each, or if they are all the same, once
	same  bool
}

func (b *batch) slot(i int) uint32 {
	if b.same {
		return b.slots[0]
	}
	return b.slots[i]
}

func (b *batch) add(doc, slot uint32) {
	b.docs, b.slots = append(b.docs, doc), append(b.slots, slot)
}

// reset empties b, with memory of its own for documents.
func (b *batch) reset(docs []uint32) { b.docs, b.slots, b.same = docs[:0], b.slots[:0], false }

// room returns room for n documents and their slots, of which b becomes those that are used.
func (b *batch) room(n int) (docs, slots []uint32) {
	return slices.Grow(b.docs[:0], n)[:n], slices.Grow(b.slots[:0], n)[:n]
}

// set makes b the documents of p, in slot 0.
func (b *batch) set(p *Part) {
	b.slots, b.same = append(b.slots[:0], 0), true
	if p.Bits != nil {
		b.docs = bitset.AppendDocs(b.docs[:0], p.Bits[:], 0)
		return
	}
	b.docs = b.docs[:0]
	for _, doc := range p.Docs {
		b.docs = append(b.docs, doc%segment.ColumnBlock)
	}
}

// LimitError says of what there are too many.
type LimitError struct {
	What string // such as "buckets"
	Most int
	Way  string // what to do about it
}

// Error says it.
func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s: %s", e.Most, e.What, e.Way) }
