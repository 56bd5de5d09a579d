package segment

import (
	"fmt"
	"io/fs"
)

// Docs is what a segment has of its documents: external ids, lengths, stored texts and values. docIDs count from 0.
type Docs struct{ s *Segment }

// Docs returns what s has of its documents.
func (s *Segment) Docs() Docs { return Docs{s} }

// noDoc returns the error for a docID that the segment does not have. It matches fs.ErrInvalid: the
// caller is wrong, and nothing is damaged.
func (s *Segment) noDoc(doc uint32) error {
	return fmt.Errorf("segment %s: docID %d of %d: %w", s.name, doc, s.meta.Docs, fs.ErrInvalid)
}
