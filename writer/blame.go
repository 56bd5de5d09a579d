package writer

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// checkSums returns an error that names the first document of s whose frequencies do not
// add up to its length. Verification compares the sum over all documents only, which a
// posting that moved from one document to another leaves as it was. It takes 8 bytes of
// memory a document.
func checkSums(s *segment.Segment) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if s.Meta().ForeignLengths {
		return nil
	}
	for i := range s.Fields() {
		if err := checkSumsOf(s, s.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkSumsOf is checkSums for a field of s.
func checkSumsOf(s *segment.Segment, f segment.FieldView) error {
	if !f.Info().HasLengths() {
		return nil
	}
	lens, err := f.Lengths()
	if err != nil {
		return err
	}
	sums := make([]uint64, lens.Len())
	var l segment.List
	var rows segment.Rows
	it := f.Terms(nil)
	for it.Next() {
		if err := s.Lists().Init(&l, it.Entry()); err != nil {
			return err
		}
		for rows.Reset(&l); rows.Next(); {
			for i, doc := range rows.Docs {
				sums[doc] += uint64(rows.Freqs[i])
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	for doc, sum := range sums {
		if lens.Coded() {
			sum = uint64(format.DecodeLen(format.EncodeLen(uint32(min(sum, math.MaxUint32)))))
		}
		if n := lens.Get(uint32(doc)); sum != uint64(n) {
			return s.Raw().Corrupt(format.SectionDocLengths, 0, "document %d has %d tokens; its frequencies add up to %d", doc, n, sum)
		}
	}
	return nil
}
