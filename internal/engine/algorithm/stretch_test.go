package algorithm

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// A row of blocks is checked the way a Cursor checks each block.
func TestCheckRow(t *testing.T) {
	last := []uint32{14, 30, 35}
	for _, c := range []struct {
		name  string
		docs  []uint32
		limit uint32
		block int // the damaged block, -1 if none
	}{
		{"good", []uint32{10, 12, 14, 20, 25, 30, 31, 35}, 36, -1},
		{"last docID beyond the segment", []uint32{10, 12, 14, 20, 25, 30, 31, 35}, 35, 9},
		{"first docID in the block before", []uint32{9, 12, 14, 20, 25, 30, 31, 35}, 36, 7},
		{"last docID unlike the skip header", []uint32{10, 12, 14, 20, 25, 29, 31, 35}, 36, 8},
		{"block missing", []uint32{10, 12, 14, 20, 25, 30}, 36, 9},
		{"nothing", nil, 36, 7},
	} {
		err := checkRow(c.docs, last, 10, 3, 7, c.limit)
		var e *format.Error
		if c.block < 0 && err != nil || c.block >= 0 && (!errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) || e.Block != c.block) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
