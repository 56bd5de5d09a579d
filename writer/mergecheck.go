package writer

import (
	"context"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/check"
)

// checkSums compares the checksums of all sections but POSTINGS, whose extents
// have their own and are checked as they are read: a merge gives its output new
// checksums, which must not cover up damage of its input.
func (s *liveSegment) checkSums(ctx context.Context) error {
	return check.Sections(ctx, s.seg, func(id format.SectionID) bool { return id != format.SectionPostings })
}
