package columns

import (
	"cmp"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/segment"
)

// Of blocks whose values are sorted few are read.
func TestSortedBlocks(t *testing.T) {
	for _, falling := range []bool{false, true} {
		for _, desc := range []bool{false, true} {
			c := &memory{}
			for i := range 3 * segment.ColumnBlock {
				if falling {
					i = -i
				}
				c.docs = append(c.docs, []int64{int64(i / 3)})
			}
			var r Ranking
			r.Reset(Order{By: []SortBy{{Desc: desc}}, K: 10})
			var s Sorter
			if err := s.Begin(&r, 0, uint32(len(c.docs)), []Column{c}); err != nil {
				t.Fatal(err)
			}
			all := make([]int, len(c.docs))
			for d := range all {
				all[d] = d
			}
			w := &world{bases: []uint32{0}, values: make([][][]any, len(all))}
			for _, b := range s.Blocks(nil, 0, uint32(len(all))) {
				if err := w.part(all, 0, b, s.Add); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.End(); err != nil {
				t.Fatal(err)
			}
			if c.appended > 3*few || c.read > 0 {
				t.Errorf("falling %v, descending %v: values of %d documents and %d blocks are read", falling, desc, c.appended, c.read)
			}
			best := slices.Clone(all)
			slices.SortStableFunc(best, func(a, b int) int {
				if desc {
					return cmp.Compare(c.docs[b][0], c.docs[a][0])
				}
				return cmp.Compare(c.docs[a][0], c.docs[b][0])
			})
			for i, h := range r.Hits() {
				if int(h.Doc) != best[i] {
					t.Errorf("falling %v, descending %v: hit %d is %d, want %d", falling, desc, i, h.Doc, best[i])
				}
			}
		}
	}
}
