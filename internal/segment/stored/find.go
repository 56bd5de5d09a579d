package stored

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// find looks for the offset where STOREDINDEX begins: its entries say where it ends, and how
// long STORED is.
func find(v format.Version, read func(off, n int64) ([]byte, error), end int64, n format.Counts) []int64 {
	for start := end - v.PadSection(layout.StoredEntry); start > 0; start -= v.Align() {
		next := int64(0) // the least document that the next block may begin with
		for at := start; at < end-format.ReadablePadding; at += layout.StoredEntry {
			b, err := read(at, layout.StoredEntry)
			if err != nil {
				return nil
			}
			first, form := int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
			if first < next || first > n.Docs || at == start && first > 0 {
				break
			}
			length := at + layout.StoredEntry - start
			if first == n.Docs && form == 0 && v.PadSection(length) == end-start {
				return []int64{int64(min(binary.LittleEndian.Uint64(b[8:]), format.MaxFileSize)), length}
			}
			next = first + 1
		}
	}
	return nil
}
