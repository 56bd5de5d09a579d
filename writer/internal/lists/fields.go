package lists

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Field is a field of the segment that is written, and where the segments have it.
type Field struct {
	schema.Field
	Parts []Part
}

// Part is a field of a segment.
type Part struct {
	Source int // number of the segment
	Number int // of the field there
}

// FieldsOf returns the fields of a segment that is written from others: those of s, in bytewise
// order of their names, as builders take them. A segment of another index has the fields that its
// own schema in of has; nil there stands for s. Texts of the implicit schema are stored if one of the segments has them.
func FieldsOf(s *schema.Schema, segments []*segment.Segment, of []*schema.Schema) []Field {
	fields := make([]Field, len(s.Fields))
	for i, f := range s.Fields {
		fields[i].Field = f
		for source, seg := range segments {
			number, ok := seg.FieldByID(f.ID)
			if isText(seg) && !s.IsImplicit() {
				number, ok = 0, f.ID == textID
			}
			if ok && has(of[source], f.ID) {
				fields[i].Parts = append(fields[i].Parts, Part{source, number})
			}
		}
	}
	if s.IsImplicit() {
		fields[0].Stored = slices.ContainsFunc(segments, func(s *segment.Segment) bool { return s.Meta().Stored })
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].Name < fields[j].Name })
	return fields
}

// textID is the id that the field of the implicit schema gets with its name (schema.Schema.Adopt).
const textID = 1

// isText reports whether s is a segment of the implicit schema, whose documents have a text instead of a record.
func isText(s *segment.Segment) bool { return s.Meta().Fields == 0 }

// has reports whether s, if there is one, has the field with an id.
func has(s *schema.Schema, id uint32) bool {
	if s == nil {
		return true
	}
	_, ok := s.ByID(id)
	return ok
}

// Number returns the number of f in a segment, and false if that does not have it.
func (f *Field) Number(source int) (int, bool) {
	i, ok := slices.BinarySearchFunc(f.Parts, source, func(p Part, source int) int { return cmp.Compare(p.Source, source) })
	if !ok {
		return 0, false
	}
	return f.Parts[i].Number, true
}

// Dropped reports whether records of s, a source, are not as fields want them: it has a field that is not among them, or has texts.
func Dropped(s *segment.Segment, source int, fields []Field) bool {
	return slices.ContainsFunc(s.Fields(), func(x segment.Field) bool { return !kept(fields, source, x.ID) })
}

// kept reports whether the field with an id of a source is among fields.
func kept(fields []Field, source int, id uint32) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		_, ok := f.Number(source)
		return ok && f.ID == id
	})
}

// AppendRecord appends to dst what a record, or a text, the stored values of a document of s, a source, has of
// fields.
func AppendRecord(dst, rec []byte, s *segment.Segment, doc uint32, source int, fields []Field) ([]byte, error) {
	if isText(s) {
		if kept(fields, source, textID) {
			dst = record.Append(dst, textID, schema.TextValue(0, rec))
		}
		return dst, nil
	}
	for len(rec) > 0 {
		v, rest, err := record.Next(rec)
		if err != nil {
			return dst, s.Raw().Corrupt(format.SectionStored, 0, "document %d: %v", doc, err)
		}
		if kept(fields, source, v.ID) {
			dst = append(dst, rec[:len(rec)-len(rest)]...)
		}
		rec = rest
	}
	return dst, nil
}

// fieldSums are what the lists of each field of each segment add up to.
type fieldSums [][]*segment.ListSums

// newFieldSums returns room for the sums of segments.
func newFieldSums(segments []*segment.Segment) fieldSums {
	all := make(fieldSums, len(segments))
	for i, s := range segments {
		all[i] = make([]*segment.ListSums, len(s.Fields()))
	}
	return all
}

// compare compares the sums with what META of each segment says. It leaves out those with a
// field that was not walked.
func (x fieldSums) compare(segments []*segment.Segment) error {
	for i, s := range segments {
		var all segment.ListSums
		for number, sums := range x[i] {
			if sums == nil {
				if s.Fields()[number].Terms == 0 {
					continue
				}
				return nil
			}
			if err := all.Join(s.Raw(), sums); err != nil {
				return err
			}
		}
		if err := all.Compare(s.Raw()); err != nil {
			return err
		}
	}
	return nil
}

// compareTokens compares the frequencies of the lists in b with the lengths of documents.
func compareTokens(b *build.Builder) error {
	for _, f := range b.Fields() {
		if f.HasLengths() && !f.Coded() && f.Tokens != f.LengthSum {
			return fmt.Errorf("%w: field %q: %d tokens in lists, %d in documents", ErrTokens, f.Name, f.Tokens, f.LengthSum)
		}
	}
	return nil
}
