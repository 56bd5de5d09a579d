package writer

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// sumChunk is how many bytes are summed between looks at the context.
const sumChunk = 4 << 20

// checkSums compares the checksums of all sections but POSTINGS, whose extents
// have their own and are checked as they are read: a merge gives its output new
// checksums, which must not cover up damage of its input.
func (s *liveSegment) checkSums(ctx context.Context) error {
	for _, sec := range s.seg.Header().Sections {
		if sec.ID == format.SectionPostings {
			continue
		}
		place := format.Place{File: s.seg.Name(), Section: sec.ID.String(), Block: format.NoBlock}
		sum := xxhash.New()
		for off, left := sec.Offset, sec.PaddedLength(); left > 0; {
			n := min(left, sumChunk)
			b, err := s.data.Range(off, n)
			if err != nil {
				return format.Locate(err, place)
			}
			sum.Write(b)
			off, left = off+n, left-n
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if sum.Sum64() != sec.Checksum {
			return format.Locate(format.Corrupt("section checksum does not match"), place)
		}
	}
	return nil
}
