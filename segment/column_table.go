package segment

import (
	"math"

	"github.com/pinion-index/pinion/internal/segment/colblock"
)

// columnTable is what COLUMNBOUNDS has of a column, checked, and what was changed in place.
type columnTable struct {
	head  colblock.Head
	rows  []byte
	patch *columnPatch // nil: nothing was changed
}

// columnPatch are blocks in the place of those of a segment.
type columnPatch struct {
	name   string // of their file
	at     []uint32
	blocks []changedBlock // of block b number at[b] - 1, unless that is negative
}

// changed returns what is in the place of block b, or nil.
func (t *columnTable) changed(b int) *changedBlock {
	if t.patch == nil || t.patch.at[b] == 0 {
		return nil
	}
	return &t.patch.blocks[t.patch.at[b]-1]
}

// entry returns the entry of block b.
func (t *columnTable) entry(b int) colblock.Entry {
	if x := t.changed(b); x != nil {
		return x.entry
	}
	return t.written(b)
}

// written returns the entry of block b that COLUMNBOUNDS has.
func (t *columnTable) written(b int) colblock.Entry {
	return colblock.ParseEntry(t.rows[b*colblock.EntrySize:])
}

// size returns the number of bytes of block b.
func (t *columnTable) size(b int) int64 {
	if x := t.changed(b); x != nil {
		return int64(len(x.bytes))
	}
	return int64(t.next(b) - t.written(b).Offset)
}

// change returns the table of a column of so many documents in which x is changed, by a file of that name.
func (t *columnTable) change(name string, x *ChangedColumn, docs uint32) *columnTable {
	blocks := colblock.Blocks(docs)
	c := &columnTable{head: t.head, rows: t.rows, patch: &columnPatch{name: name, at: make([]uint32, blocks), blocks: x.blocks}}
	for i := range x.blocks {
		c.patch.at[x.blocks[i].number] = uint32(i + 1)
	}
	h := &c.head
	h.Docs, h.Values, h.Min, h.Max = 0, 0, math.MaxInt64, math.MinInt64
	for b := range blocks {
		if e := c.entry(b); e.Docs > 0 {
			h.Docs, h.Values = h.Docs+uint32(e.Docs), h.Values+uint64(e.Values)
			h.Min, h.Max = min(h.Min, e.Min), max(h.Max, e.Max)
		}
	}
	if h.Docs == 0 {
		h.Min, h.Max = 0, 0
	}
	return c
}

// next returns where block b ends in COLUMNS, if it is not changed.
func (t *columnTable) next(b int) uint64 {
	if (b+1)*colblock.EntrySize == len(t.rows) {
		return t.head.End
	}
	return t.written(b + 1).Offset
}
