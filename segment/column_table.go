package segment

import (
	"github.com/pinion-index/pinion/internal/segment/colblock"
)

// columnTable is what COLUMNBOUNDS has of a column, checked.
type columnTable struct {
	head colblock.Head
	rows []byte
}

// entry returns the entry of block b.
func (t *columnTable) entry(b int) colblock.Entry {
	return colblock.ParseEntry(t.rows[b*colblock.EntrySize:])
}

// next returns where block b ends in COLUMNS.
func (t *columnTable) next(b int) uint64 {
	if (b+1)*colblock.EntrySize == len(t.rows) {
		return t.head.End
	}
	return t.entry(b + 1).Offset
}
