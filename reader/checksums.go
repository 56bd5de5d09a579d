package reader

import (
	"context"

	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
)

// VerifyChecksums compares all pages and sections of a segment's file with their checksums, as for a copy that has just been made.
// The error is of kind format.ErrCorrupt, or that of ctx. Snapshot.Verify checks content too.
func VerifyChecksums(ctx context.Context, s *segment.Segment) error {
	return check.Segment(ctx, s, check.Options{Level: check.Checksums})
}
