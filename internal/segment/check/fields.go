package check

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// fieldLengths are the lengths of documents in a field, none if they are damaged.
type fieldLengths struct {
	lens    segment.LengthTable
	least   uint32 // the least of lens
	loose   bool   // frequencies may be above lengths
	weights bool   // frequencies are weights, which lengths say nothing of
}

// lengths compares DOCLENGTHS with META or, in a segment with fields, FIELDS.
func (v *verifier) lengths() error {
	s, m := v.s, v.s.Meta()
	v.fields = make([]fieldLengths, len(s.Fields()))
	end := int64(0) // of the lengths before
	for i := range s.Fields() {
		f, x := &s.Fields()[i], &v.fields[i]
		lens, err := s.Field(i).Lengths()
		if err != nil {
			if err := v.report(err, Damage{}); err != nil {
				return err
			}
			continue
		}
		x.lens, x.loose = lens, m.ForeignLengths || lens.Coded()
		x.weights = f.HasImpacts()
		sum := measure(lens)
		x.least = sum.MinLen
		if !f.HasLengths() {
			continue
		}
		if err := v.between(end, f.LengthsAt); err != nil {
			return err
		}
		end = f.LengthsAt + int64(m.Docs)*int64(f.LenWidth)
		if err := v.report(v.compareLengths(f, &sum), Damage{}); err != nil {
			return err
		}
	}
	return nil
}

// measure returns the statistics of lengths.
func measure(lens segment.LengthTable) (f segment.Field) {
	f.MinLen = math.MaxUint32
	for doc := range uint32(lens.Len()) {
		n := lens.Get(doc)
		f.LengthSum, f.MinLen, f.MaxLen = f.LengthSum+uint64(n), min(f.MinLen, n), max(f.MaxLen, n)
		if n > 0 {
			f.Docs++
		}
	}
	f.MinLen = min(f.MinLen, f.MaxLen)
	return f
}

// compareLengths compares the statistics of the lengths of f with those that the segment has.
func (v *verifier) compareLengths(f, got *segment.Field) error {
	r := v.s.Raw()
	if got.LengthSum == f.LengthSum && got.MinLen == f.MinLen && got.MaxLen == f.MaxLen && (f.ID == 0 || got.Docs == f.Docs) {
		return nil
	}
	if f.ID == 0 {
		return r.Corrupt(format.SectionDocLengths, 0, "%d tokens, lengths %d to %d; META says %d, %d to %d",
			got.LengthSum, got.MinLen, got.MaxLen, f.LengthSum, f.MinLen, f.MaxLen)
	}
	return r.Corrupt(format.SectionDocLengths, f.LengthsAt, "field %q: %d documents with %d tokens, lengths %d to %d; FIELDS says %d with %d, %d to %d",
		f.Name, got.Docs, got.LengthSum, got.MinLen, got.MaxLen, f.Docs, f.LengthSum, f.MinLen, f.MaxLen)
}

// between checks that DOCLENGTHS is zero from end to at, where the lengths of a field begin.
func (v *verifier) between(end, at int64) error {
	b, err := v.s.Raw().SectionBytes(format.SectionDocLengths, end, at-end)
	if err != nil {
		return v.report(err, Damage{})
	}
	i := format.NonZero(b)
	if i < 0 {
		return nil
	}
	return v.report(v.s.Raw().Corrupt(format.SectionDocLengths, end+int64(i), "padding is not zero"), Damage{Length: at - end - int64(i)})
}

// enter makes the field of block i of the dictionary the current one, whose tokens it counts
// from now on. The block may be the first of its field.
func (lv *listVerifier) enter(i int) {
	f := lv.s.FieldOf(segment.Entry{Ordinal: uint64(i) * termsPerBlock})
	if lv.s.Fields()[f].FirstBlock == i {
		lv.term = lv.term[:0]
	}
	if f != lv.field {
		lv.leave()
		lv.setField(f)
	}
}

// setField makes f the current field.
func (lv *listVerifier) setField(f int) {
	lv.field, lv.fieldLengths = f, fieldLengths{}
	if f < len(lv.v.fields) {
		lv.fieldLengths = lv.v.fields[f]
	}
}

// leave adds the tokens of the current field to those of the verifier.
func (lv *listVerifier) leave() {
	if lv.field >= 0 {
		lv.v.tokens[lv.field].Add(lv.tokens - lv.counted)
	}
	lv.counted = lv.tokens
}

// compareTokens compares the frequencies with FIELDS.
func (v *verifier) compareTokens() error {
	for i := range v.s.Fields() {
		f := &v.s.Fields()[i]
		if got := v.tokens[i].Load(); f.ID != 0 && f.HasLengths() && got != f.Tokens {
			return v.s.Raw().Corrupt(format.SectionFields, 0, "field %q: frequencies add up to %d, FIELDS says %d tokens", f.Name, got, f.Tokens)
		}
	}
	return nil
}

// exceeds reports whether a frequency is above what its document's length allows.
func (lv *listVerifier) exceeds(freqs, dls []uint32) bool {
	for i, f := range freqs {
		if f > dls[i] && !(lv.lens.Coded() && segment.CodedAllows(f, dls[i])) {
			return true
		}
	}
	return false
}
