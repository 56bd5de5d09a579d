package schema

import "slices"

// Add returns s with one more field, which gets its id from the writer.
func (s *Schema) Add(f Field) (*Schema, error) {
	s = s.given()
	if f.ID != 0 {
		return nil, f.invalid("it has the id %d; ids are assigned by the writer", f.ID)
	}
	if s.Number(f.Name) >= 0 {
		return nil, f.invalid("there is a field of this name already")
	}
	c := s.Clone()
	c.nameText()
	c.Fields = append(c.Fields, f)
	return c, c.Check()
}

// nameText names the field of the implicit schema, which more fields will stand beside.
func (s *Schema) nameText() {
	if s.IsImplicit() {
		s.Fields[0].Name = implicitName
	}
}

// named returns s, or if that is the implicit schema what an index that began with it has when its field has a name.
func (s *Schema) named() *Schema {
	if s.IsImplicit() {
		s = s.Clone()
		s.nameText()
		s.Fields[0].ID, s.NextID = 1, 2
	}
	return s
}

// textOf returns s, the implicit schema, as it is asked of an index whose fields have names, such as one that began with it.
func (s *Schema) textOf(old *Schema) (*Schema, error) {
	f, ok := old.Field(implicitName)
	if !ok {
		return nil, invalid("documents of one text, and the index has fields, none of which is called %q", implicitName)
	}
	s = s.Clone()
	s.nameText()
	s.Fields[0].Stored = s.Fields[0].Stored || f.Stored // or same says what differs
	return s, nil
}

// Rename returns s with another name for one of its fields. What the index has of the
// field stays.
func (s *Schema) Rename(name, to string) (*Schema, error) {
	i, err := s.existing(name)
	if err != nil {
		return nil, err
	}
	if j := s.Number(to); j >= 0 && j != i {
		return nil, s.Fields[i].invalid("the name %q is that of another field", to)
	}
	if s.IsImplicit() {
		return nil, invalid("the field without a name keeps to it")
	}
	c := s.Clone()
	c.Fields[i].Name = to
	for j := range c.Fields {
		if f := &c.Fields[j]; f.Of == name {
			f.Of = to
		}
	}
	return c, c.Check()
}

// Drop returns s without a field. What the index has of it is out of reach at once and
// goes when its segments are merged. A schema keeps at least one field.
func (s *Schema) Drop(name string) (*Schema, error) {
	i, err := s.existing(name)
	if err != nil {
		return nil, err
	}
	if len(s.Fields) == 1 {
		return nil, s.Fields[i].invalid("it is the only one")
	}
	for j := range s.Fields {
		if f := &s.Fields[j]; f.Of == name {
			return nil, s.Fields[i].invalid("field %q has its values: drop that one first", f.Name)
		}
	}
	c := s.Clone()
	c.Fields = slices.Delete(c.Fields, i, i+1)
	return c, nil
}

// existing returns the number of a field that must exist.
func (s *Schema) existing(name string) (int, error) {
	i := s.given().Number(name)
	if i < 0 {
		return -1, invalid("field %q: there is none of this name", name)
	}
	return i, nil
}

// Extends returns nil if s has every field of old, as it is there but for K1, B, Boost and Clusters, which may be others. An empty Analyzer or empty Options of
// s stand for those that old has; Options do if the analyzers are the same. The error names the
// field, and its property that differs.
func (s *Schema) Extends(old *Schema) error {
	s, old = s.given(), old.given()
	if err := s.agrees(old); err != nil {
		return err
	}
	for i := range old.Fields {
		if o := &old.Fields[i]; s.Number(o.Name) < 0 {
			return o.invalid("the index has it, the schema does not")
		}
	}
	return nil
}

// agrees returns nil if the fields that both s and old have are alike, as Extends says.
func (s *Schema) agrees(old *Schema) error {
	if s.IsImplicit() != old.IsImplicit() && len(old.Fields) > 0 {
		return invalid("one has fields, the other one text without a name, as an index made without fields has; open that with fields, or evolve it, first")
	}
	for i := range old.Fields {
		o := &old.Fields[i]
		n := s.Number(o.Name)
		if n < 0 {
			continue
		}
		f := &s.Fields[n]
		if f.ID != 0 && f.ID != o.ID {
			return f.invalid("its id is %d, in the index %d", f.ID, o.ID)
		}
		if err := f.same(o); err != nil {
			return err
		}
		if f.Of != o.Of {
			return f.otherSource(o)
		}
	}
	return nil
}

// otherSource returns the error of a field that has values of another field than the index's field o.
func (f *Field) otherSource(o *Field) error {
	return f.invalid("it has the values of field %q, in the index of %q; add a new field instead", f.Of, o.Of)
}

// Equal reports whether s and o say the same, ids included, in the same order.
func (s *Schema) Equal(o *Schema) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.Language == o.Language && s.NextID == o.NextID && slices.Equal(s.Fields, o.Fields)
}

// same returns nil if f and the index's field have the same properties, except for name and id, and for K1, B, Boost and Clusters, which
// nothing in an index depends on.
func (f *Field) same(o *Field) error {
	if f.Column != o.Column {
		return f.invalid("column is %v, in the index %v; add a new field instead", f.Column, o.Column)
	}
	name, options := f.analysis(o)
	oldName, oldOptions := o.Analysis()
	for _, p := range []struct {
		name     string
		new, old any
	}{
		{"kind", f.Kind, o.Kind},
		{"analyzer", name, oldName},
		{"options", options, oldOptions},
		{"index", f.Indexing(), o.Indexing()},
		{"positions", f.Positions, o.Positions},
		{"stored", f.Stored || f.Name == "", o.Stored || f.Name == ""}, // without a name, the segments say it
		{"unit", f.Unit, o.Unit},
		{"lengths", f.Lengths, o.Lengths},
		{"scale", f.Step(), o.Step()},
	} {
		if p.new != p.old {
			return f.invalid("%s is %v, in the index %v", p.name, p.new, p.old)
		}
	}
	if what, own, old := f.sameVectors(o); what != "" {
		return f.invalid("%s is %v, in the index %v", what, own, old)
	}
	return nil
}

// analysis is Analysis of f, which stands for the index's field o: where it says nothing, what o has.
func (f *Field) analysis(o *Field) (name, options string) {
	name, options = f.Analysis()
	oldName, oldOptions := o.Analysis()
	if f.Kind == Text && f.Options == "" && (f.Analyzer == "" || f.Analyzer == oldName) {
		return oldName, oldOptions
	}
	return name, options
}

// Adopt returns s with the ids of the index's fields, and new ones for fields that the
// index does not have; old is the index's schema. A schema without ids, such as one that
// a program has, must agree with old on the fields that both have; those that it lacks, since it is
// of an earlier version of the program, stay behind its own. The field of the implicit schema is that called "text" where s or old has
// others. One that Add, Rename and Drop made of old, and so has its NextID, may lack
// fields of old and name them differently: a field is then known by its id. For the
// first schema of an index, old is a Schema without fields. What a field says by default
// of its index and analyzer the result says in full: of the analyzer what the index has, where it has
// the field (Extends).
func (s *Schema) Adopt(old *Schema) (*Schema, error) {
	if s == nil && old == nil {
		return nil, nil
	}
	s, old = s.given(), old.given()
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Language != "" {
		return nil, invalid("language %q: it is for those who open an index to make it the analyzers of fields", s.Language)
	}
	switch {
	case len(old.Fields) == 0:
	case s.IsImplicit() && !old.IsImplicit():
		var err error
		if s, err = s.textOf(old); err != nil {
			return nil, err
		}
	case !s.IsImplicit():
		old = old.named()
	}
	if s.NextID == 0 {
		if err := s.agrees(old); err != nil {
			return nil, err
		}
	} else if s.NextID != old.NextID {
		return nil, invalid("the index's schema has changed since this one was made of it (next field %d, now %d)", s.NextID, old.NextID)
	} else if err := s.Follows(old); err != nil {
		return nil, err
	}
	c := s.Clone()
	if !c.IsImplicit() {
		c.NextID = max(old.NextID, 1)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Index = f.Indexing()
		if f.ID == 0 && s.NextID == 0 {
			if o, ok := old.Field(f.Name); ok {
				f.ID = o.ID
			}
		}
		if o, ok := old.ByID(f.ID); ok {
			f.Analyzer, f.Options = f.analysis(o)
		} else {
			f.Analyzer, f.Options = f.Analysis()
		}
		if f.ID != 0 || f.Name == "" {
			continue
		}
		if c.NextID == maxID {
			return nil, f.invalid("the index has had too many fields")
		}
		f.ID = c.NextID
		c.NextID++
	}
	if s.NextID == 0 {
		for _, o := range old.Fields {
			if s.Number(o.Name) < 0 {
				c.Fields = append(c.Fields, o)
			}
		}
		if err := c.Check(); err != nil { // too many fields
			return nil, err
		}
	}
	return c, nil
}

// Follows returns nil if s may have come from old, a schema of the same index, by changes that
// Add, Rename and Drop make: fields with the same id are alike except for their names.
func (s *Schema) Follows(old *Schema) error {
	s, old = s.given(), old.given()
	if s.IsImplicit() {
		return s.Extends(old)
	}
	old = old.named()
	if s.NextID < old.NextID {
		return invalid("the schema is an older one (next field %d, before %d)", s.NextID, old.NextID)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.ID == 0 || f.ID >= old.NextID {
			continue
		}
		o, ok := old.ByID(f.ID)
		if !ok {
			return f.invalid("the index has dropped it")
		}
		if err := f.same(o); err != nil {
			return err
		}
		if (f.Of == "") != (o.Of == "") || s.sourceID(f) != old.sourceID(o) {
			return f.otherSource(o)
		}
	}
	return nil
}

// sourceID returns the id of the field whose values f has, 0 if it has its own.
func (s *Schema) sourceID(f *Field) uint32 {
	if f.Of == "" {
		return 0
	}
	of, ok := s.Field(f.Of)
	if !ok {
		return 0
	}
	return of.ID
}
