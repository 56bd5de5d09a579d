package gpu

import (
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/reader"
)

// segmentsOf returns a snapshot's segments, with what they have of fields unless the index has no schema: then fields is
// nil or one without a name.
func segmentsOf(s *reader.Snapshot, fields []docs.Field) ([]residency.Segment, error) {
	var segs []residency.Segment
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		own := residency.Segment{Seg: seg.Views(), Of: seg, Base: seg.Base(), Deletes: d}
		if fields != nil && (len(fields) != 1 || fields[0].Name != "") {
			own.Fields = make([]int, 0, len(fields))
		}
		for _, f := range fields {
			if n, ok := own.Seg.FieldByID(f.ID); !ok {
				own.Fields = append(own.Fields, -1)
			} else if f.Name != "" {
				own.Fields = append(own.Fields, n)
			}
		}
		segs = append(segs, own)
	}
	return segs, nil
}
