package segment

// Lengths returns the lengths of all documents. The first call reads and checks them. Those of
// a segment of several fields are by field: then the error matches errors.ErrUnsupported.
func (ds Documents) Lengths() (LengthTable, error) {
	if v := ds.s.views.lengths.Load(); v != nil && len(ds.s.fields) == 1 {
		return *v, nil
	}
	if err := ds.s.single("lengths"); err != nil {
		return LengthTable{}, err
	}
	return ds.lengthsOf(0)
}

// Length returns the number of tokens of doc in all fields, or 0 if there is no such document.
func (ds Documents) Length(doc uint32) (n uint32, err error) {
	for i := range ds.s.fields {
		if f := &ds.s.fields[i]; f.HasLengths() {
			t, err := ds.lengthsOf(i)
			if err != nil {
				return 0, err
			}
			n += t.Get(doc)
		}
	}
	return n, nil
}

// lengthsOf returns the lengths of field f.
func (ds Documents) lengthsOf(f int) (LengthTable, error) {
	s := ds.s
	view := &s.views.lengths
	if f > 0 {
		view = &s.views.fieldLengths[f-1]
	}
	if v := view.Load(); v != nil {
		return *v, nil
	}
	x := &s.fields[f]
	t := UnitLengths(s.meta.Docs)
	if x.HasLengths() {
		b, err := s.rangeOf(&s.docLengths, x.LengthsAt, int64(s.meta.Docs)*int64(x.LenWidth))
		if err != nil {
			return LengthTable{}, err
		}
		t = LengthTable{b: b, width: x.LenWidth, n: s.meta.Docs, coded: x.Coded()}
	}
	view.Store(&t)
	return t, nil
}

// Lengths returns the lengths of documents in the field: the unit table if it has none. The
// first call reads and checks them, and those of no other field.
func (v FieldView) Lengths() (LengthTable, error) { return v.s.Documents().lengthsOf(v.f) }

// PrefetchLengths begins to read the lengths of documents in fields, numbers of Fields. It is
// only a hint.
func (ds Documents) PrefetchLengths(fields []int) {
	s := ds.s
	a := s.ask()
	for _, i := range fields {
		if f := &s.fields[i]; f.HasLengths() {
			a.need(&s.docLengths, f.LengthsAt, int64(s.meta.Docs)*int64(f.LenWidth))
		}
	}
	a.send()
}

// LengthsOf returns the lengths of documents in the field of e, an entry of the segment: the unit table if
// it has none.
func (ds Documents) LengthsOf(e Entry) (LengthTable, error) { return ds.lengthsOf(ds.s.FieldOf(e)) }
