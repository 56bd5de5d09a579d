package indexdir

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// FieldsOf returns the statistics of the fields of s that have lengths, by ascending id, with
// nothing deleted: nil of the implicit schema, of which the segment has them itself.
func FieldsOf(s *segment.Segment) []FieldStats { return StatsOf(s.Fields()) }

// StatsOf is FieldsOf for the fields of a segment.
func StatsOf(fields []segment.Field) (all []FieldStats) {
	for _, f := range fields {
		if f.ID != 0 && f.HasLengths() {
			all = append(all, FieldStats{ID: f.ID, Docs: f.Docs, Tokens: f.LengthSum})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

// Field returns the statistics of the field with an id, and false if the segment does not have
// it or it has no lengths. In the implicit schema, whose field has id 0, documents without a token count too.
func (s *SegmentInfo) Field(id uint32) (FieldStats, bool) {
	if id == 0 {
		return FieldStats{Docs: s.Docs, Tokens: s.Tokens, Deleted: s.Deleted, DeletedTokens: s.DeletedTokens}, true
	}
	i := sort.Search(len(s.Fields), func(i int) bool { return s.Fields[i].ID >= id })
	if i == len(s.Fields) || s.Fields[i].ID != id {
		return FieldStats{}, false
	}
	return s.Fields[i], true
}

// CountDeleted sets the statistics of deleted documents of info, which is the entry of s:
// DeletedTokens, or those of the fields. deleted is a bitmap of local docIDs, as
// docset.Bits.Words returns it. On an error info is as before.
func (info *SegmentInfo) CountDeleted(s *segment.Segment, deleted []uint64) error {
	if s.Meta().Fields == 0 {
		lens, err := s.Documents().Lengths()
		if err == nil {
			info.DeletedTokens = DeletedTokens(lens, deleted)
		}
		return err
	}
	fields := FieldsOf(s)
	for i := range fields {
		f := &fields[i]
		number, _ := s.FieldByID(f.ID)
		lens, err := s.Field(number).Lengths()
		if err != nil {
			return err
		}
		f.Deleted, f.DeletedTokens = countDeleted(lens, deleted)
	}
	info.Fields = fields
	return nil
}

// DeletedTokens returns the sum of the lengths of the documents in deleted, a
// bitmap of local docIDs as docset.Bits.Words returns it.
func DeletedTokens(lens segment.LengthTable, deleted []uint64) (tokens uint64) {
	_, tokens = countDeleted(lens, deleted)
	return tokens
}

// countDeleted returns the number of the documents in deleted with a length above 0, and the sum
// of their lengths.
func countDeleted(lens segment.LengthTable, deleted []uint64) (docs uint32, tokens uint64) {
	for i, w := range deleted {
		for ; w != 0; w &= w - 1 {
			if n := lens.Get(uint32(i*64 + bits.TrailingZeros64(w))); n > 0 {
				docs, tokens = docs+1, tokens+uint64(n)
			}
		}
	}
	return docs, tokens
}

// checkFields returns an error unless the fields of s are those of m and of its entry info. A
// field that has been dropped may be left in s, and names there may be older.
func (m *Manifest) checkFields(info *SegmentInfo, s *segment.Segment) *format.Error {
	if (s.Meta().Fields == 0) != m.Schema.IsImplicit() {
		return format.Corrupt("%d fields in a segment of an index of which it is %t that its fields have names", s.Meta().Fields, !m.Schema.IsImplicit())
	}
	for _, f := range s.Fields() {
		is, ok := m.Schema.ByID(f.ID)
		switch {
		case f.ID > 0 && f.ID >= m.Schema.NextID:
			return format.Corrupt("field %q has id %d, the next one of the index is %d", f.Name, f.ID, m.Schema.NextID)
		case ok && !sameField(&f.Field, is):
			return format.Corrupt("field %q, with id %d, is not as the schema says", f.Name, f.ID)
		}
	}
	want := FieldsOf(s)
	if !slices.EqualFunc(want, info.Fields, func(a, b FieldStats) bool {
		return a.ID == b.ID && a.Docs == b.Docs && a.Tokens == b.Tokens
	}) {
		return format.Corrupt("statistics of fields are %v, the manifest says %v", want, info.Fields)
	}
	return nil
}

// sameField reports whether two fields have the same properties, except for name and scoring. Texts of the implicit schema are
// stored where the segment says so.
func sameField(a, b *schema.Field) bool {
	an, ao := a.Analysis()
	bn, bo := b.Analysis()
	return a.Kind == b.Kind && an == bn && ao == bo && a.Indexing() == b.Indexing() && a.Positions == b.Positions && (a.Stored == b.Stored || a.ID == 0) &&
		a.Lengths == b.Lengths && a.Column == b.Column && a.Unit == b.Unit
}
