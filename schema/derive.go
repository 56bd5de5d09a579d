package schema

import (
	"reflect"

	"github.com/pinion-index/pinion/internal/structs"
)

// For returns the schema of a struct, for Options of package pinion; what a type of Go cannot say, such as which fields are text and
// in which language, Set adds. Every exported field of the struct becomes a field, with the name in its tag, such as
// `pinion:"title"`, or otherwise its own in lower case. The one that is named id is the document's id, and has no field;
// `pinion:"-"` leaves one out. The fields of an embedded struct count as the struct's own. Fields are stored and columns, of a kind by their type:
//
//	string, []byte, bool, and what has String and UnmarshalText    keyword
//	integers                                                       integer
//	float64, float32, json.Number                                  float
//	time.Time                                                      time
//	map[string]float64, []Impact                                   impacts, which are indexed alone
//
// Slices, arrays and pointers are of the kind of what they have. What is wrong with the type is the error of Check, and so
// of what opens an index with the schema.
func For[T any]() *Schema {
	plan, err := structs.Of(reflect.TypeFor[T]())
	if err != nil {
		return &Schema{err: invalid("%w", err)}
	}
	s := &Schema{}
	for _, f := range plan.Fields {
		kind := kindOf(f.Type, false)
		switch kind {
		case 0:
			return &Schema{err: invalid("%v, field %s: no kind of field takes the type %v", plan.Type, f.Go, f.Type)}
		case Impacts:
			s.Fields = append(s.Fields, Field{Name: f.Name, Kind: kind})
		default:
			s.Fields = append(s.Fields, Field{Name: f.Name, Kind: kind, Stored: true, Column: true})
		}
	}
	return s
}

// kindOf returns the kind of the fields that a type becomes, or 0.
func kindOf(t reflect.Type, within bool) Kind {
	switch {
	case t == structs.Time:
		return Time
	case t == structs.Number:
		return Float
	case t == reflect.TypeFor[map[string]float64](), t == reflect.TypeFor[[]Impact]():
		return Impacts
	case t.Kind() == reflect.Pointer:
		if t.Implements(structs.Stringer) && !t.Elem().Implements(structs.Stringer) {
			return Keyword
		}
		return kindOf(t.Elem(), within)
	case t.Kind() == reflect.String, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8, t.Kind() == reflect.Bool:
		return Keyword
	case t.Implements(structs.Stringer) && reflect.PointerTo(t).Implements(structs.Unmarshaler):
		return Keyword
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Integer
	case reflect.Float32, reflect.Float64:
		return Float
	case reflect.Slice, reflect.Array:
		if !within {
			return kindOf(t.Elem(), true)
		}
	}
	return 0
}

// Set returns s with a field: the one that s has of the name is replaced, and otherwise it is the last. What replaces a field whose
// values can be shown is stored, and a column if that was one, as far as its kind allows; and it keeps the id.
func (s *Schema) Set(f Field) *Schema {
	c := s.Clone()
	if c == nil {
		c = &Schema{}
	}
	i := c.Number(f.Name)
	if i < 0 {
		c.nameText()
		c.Fields = append(c.Fields, f)
		return c
	}
	old := &c.Fields[i]
	if f.ID == 0 {
		f.ID = old.ID
	}
	f.Column = f.Column || old.Column && f.Kind != Text && f.Kind != Impacts
	f.Stored = f.Stored || (old.Stored || old.Column && !f.Column) && f.Kind != Impacts
	c.Fields[i] = f
	return c
}
