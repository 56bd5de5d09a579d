package segment

import (
	"errors"
	"fmt"
	"io/fs"
)

// Lists is what a segment has of terms: its dictionary, with an Entry for each, their posting lists and positions. In a segment of
// several fields a term is one of a field: FieldView looks it up.
type Lists struct{ s *Segment }

// Lists returns what s has of terms.
func (s *Segment) Lists() Lists { return Lists{s} }

// Documents is what a segment has of its documents: external ids, lengths, stored texts and values. docIDs count from 0.
type Documents struct{ s *Segment }

// Documents returns what s has of its documents.
func (s *Segment) Documents() Documents { return Documents{s} }

// noDoc returns the error for a docID that the segment does not have. It matches fs.ErrInvalid: the
// caller is wrong, and nothing is damaged.
func (s *Segment) noDoc(doc uint32) error {
	return fmt.Errorf("segment %s: docID %d of %d: %w", s.name, doc, s.meta.Docs, fs.ErrInvalid)
}

// single returns an error if s has several fields, of which a caller must name one.
func (s *Segment) single(what string) error {
	if len(s.fields) == 1 {
		return nil
	}
	return fmt.Errorf("segment %s: %s of all fields together: %w", s.name, what, errors.ErrUnsupported)
}
