package schema

import "slices"

// Add returns s with one more field, which gets its id from the writer.
func (s *Schema) Add(f Field) (*Schema, error) {
	if s == nil {
		return nil, f.invalid("the index has no schema")
	}
	if f.ID != 0 {
		return nil, f.invalid("it has the id %d; ids are assigned by the writer", f.ID)
	}
	if s.Number(f.Name) >= 0 {
		return nil, f.invalid("there is a field of this name already")
	}
	c := s.Clone()
	c.Fields = append(c.Fields, f)
	return c, c.Check()
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
	c := s.Clone()
	c.Fields[i].Name = to
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
	c := s.Clone()
	c.Fields = slices.Delete(c.Fields, i, i+1)
	return c, nil
}

// existing returns the number of a field that must exist.
func (s *Schema) existing(name string) (int, error) {
	if s == nil {
		return -1, invalid("field %q: the index has no schema", name)
	}
	i := s.Number(name)
	if i < 0 {
		return -1, invalid("field %q: there is none of this name", name)
	}
	return i, nil
}

// Extends returns nil if s has every field of old, as it is there. The error names the
// field, and its property that differs.
func (s *Schema) Extends(old *Schema) error {
	if s == nil || old == nil {
		if s == old {
			return nil
		}
		return invalid("the one has fields, the other is an index's without a schema")
	}
	for i := range old.Fields {
		o := &old.Fields[i]
		f, ok := s.Field(o.Name)
		if !ok {
			return o.invalid("the index has it, the schema does not")
		}
		if f.ID != 0 && f.ID != o.ID {
			return f.invalid("its id is %d, in the index %d", f.ID, o.ID)
		}
		if err := f.same(o); err != nil {
			return err
		}
	}
	return nil
}

// same returns nil if f and the index's field have the same properties, except for name and id.
func (f *Field) same(o *Field) error {
	if f.Column != o.Column {
		return f.invalid("column is %v, in the index %v; add a new field instead", f.Column, o.Column)
	}
	name, options := f.Analysis()
	oldName, oldOptions := o.Analysis()
	for _, p := range []struct {
		name     string
		new, old any
	}{
		{"kind", f.Kind, o.Kind},
		{"analyzer", name, oldName},
		{"options", options, oldOptions},
		{"index", f.Indexing(), o.Indexing()},
		{"stored", f.Stored, o.Stored},
		{"unit", f.Unit, o.Unit},
		{"lengths", f.Lengths, o.Lengths},
		{"k1", f.K1, o.K1},
		{"b", f.B, o.B},
		{"weight", f.Boost(), o.Boost()},
		{"scale", f.Step(), o.Step()},
	} {
		if p.new != p.old {
			return f.invalid("%s is %v, in the index %v", p.name, p.new, p.old)
		}
	}
	return nil
}

// Adopt returns s with the ids of the index's fields, and new ones for fields that the
// index does not have; old is the index's schema. A schema without ids must extend
// old. One that Add, Rename and Drop made of old, and so has its NextID, may lack
// fields of old and name them differently: a field is then known by its id. For the
// first schema of an index, old is a Schema without fields. What a field says by default
// of its index and analyzer the result says in full.
func (s *Schema) Adopt(old *Schema) (*Schema, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s == nil || old == nil || s.NextID == 0 {
		if err := s.Extends(old); err != nil {
			return nil, err
		}
		if s == nil {
			return nil, nil
		}
	} else if s.NextID != old.NextID {
		return nil, invalid("the index's schema has changed since this one was made of it (next field %d, now %d)", s.NextID, old.NextID)
	} else if err := s.Follows(old); err != nil {
		return nil, err
	}
	c := s.Clone()
	c.NextID = max(old.NextID, 1)
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Index = f.Indexing()
		f.Analyzer, f.Options = f.Analysis()
		if f.ID == 0 && s.NextID == 0 {
			if o, ok := old.Field(f.Name); ok {
				f.ID = o.ID
			}
		}
		if f.ID != 0 {
			continue
		}
		if c.NextID == maxID {
			return nil, f.invalid("the index has had too many fields")
		}
		f.ID = c.NextID
		c.NextID++
	}
	return c, nil
}

// Follows returns nil if s may have come from old, a schema of the same index, by changes that
// Add, Rename and Drop make: fields with the same id are alike except for their names.
func (s *Schema) Follows(old *Schema) error {
	if s == nil || old == nil {
		return s.Extends(old)
	}
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
	}
	return nil
}
