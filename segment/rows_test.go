package segment_test

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

func rowsModel() *segtest.Model {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 20_000), IDs: nil}
	for i := range m.Lens {
		m.IDs = append(m.IDs, string(rune('a'+i%26))+string(rune(0x4e00+i)))
	}
	for term, n := range map[string]int{"one": 1, "few": 9, "block": 128, "row": segment.RowPostings, "more": segment.RowPostings + 1, "long": 9999} {
		var ps []segtest.Posting
		for i := range n {
			ps = append(ps, segtest.P(uint32(2*i), uint32(1+i%7)))
		}
		m.AddList(term, ps)
	}
	return m
}

// Rows returns every posting of a list from any block on and, for a damaged list, those
// before the damage.
func TestRows(t *testing.T) {
	m := rowsModel()
	for _, name := range []string{"bp128", "vbyte1024", "newpfd", "lrc"} {
		s := segtest.Open(t, m.Build(t, segtest.With{Docs: segtest.Codec(name), Freqs: segtest.Codec(name)}))
		var rows segment.Rows
		for term, ps := range m.Lists {
			e, _, err := s.Lists().Lookup([]byte(term))
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.Lists().List(e)
			if err != nil {
				t.Fatal(err)
			}
			want := segtest.Split(ps)
			for _, from := range []int{0, l.Blocks / 2, l.Blocks - 1} {
				var got format.Postings
				for rows.ResetAt(l, from); rows.Next(); {
					if rows.Block*l.BlockLen != from*l.BlockLen+got.Len() {
						t.Fatalf("%s, %s: row of block %d after %d postings", name, term, rows.Block, got.Len())
					}
					got = got.Append(rows.Postings)
				}
				at := from * l.BlockLen
				if rows.Err() != nil || !slices.Equal(got.Docs, want.Docs[at:]) || !slices.Equal(got.Freqs, want.Freqs[at:]) {
					t.Fatalf("%s, %s from block %d: postings differ, %v", name, term, from, rows.Err())
				}
			}
			if l.Blocks < 3 {
				continue
			}
			l.Docs.Last[1]++ // in memory that the test owns
			n := 0
			for rows.Reset(l); rows.Next(); {
				n += rows.Len()
			}
			if n != l.BlockLen || !segtest.IsIndexError(rows.Err()) {
				t.Errorf("%s, %s with block 1 damaged: %d postings, %v", name, term, n, rows.Err())
			}
			l.Docs.Last[1]--
		}
	}
}
