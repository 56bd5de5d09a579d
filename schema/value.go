package schema

import (
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/internal/kind"
)

// MaxKeyword is the length in bytes of the longest keyword that can be indexed or in a column.
const MaxKeyword = 65535

// Value is what a document has in one field. A field may have several values, which are
// kept in order. A Value does not copy the text it is made of. It does copy impacts and vectors.
type Value struct {
	// Name is the name of the field. It is "" in a value that was made with a number.
	Name string
	// Field is the number of the field in Schema.Fields, or -1 if only its name is known:
	// Schema.Resolve sets the number.
	Field int
	// Kind is the kind of the value, which must be that of the field.
	Kind Kind
	num  uint64
	text string // or the form of impacts, or the bytes of a vector
}

// FieldRef says which field a value is in: by its number in Schema.Fields, or by its name.
type FieldRef interface{ int | string }

// in returns a value in a field.
func in[F FieldRef](field F, kind Kind) Value {
	if n, ok := any(field).(int); ok {
		return Value{Field: n, Kind: kind}
	}
	name, _ := any(field).(string)
	return Value{Name: name, Field: -1, Kind: kind}
}

// asString returns b as a string without a copy.
func asString[T string | []byte](b T) string {
	if b, ok := any(b).([]byte); ok {
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	s, _ := any(b).(string)
	return s
}

// TextValue returns a value of kind text. The bytes of a text must not change while the value is in use.
func TextValue[F FieldRef, T string | []byte](field F, text T) Value {
	v := in(field, Text)
	v.text = asString(text)
	return v
}

// KeywordValue returns a value of kind keyword, as TextValue does.
func KeywordValue[F FieldRef, T string | []byte](field F, keyword T) Value {
	v := in(field, Keyword)
	v.text = asString(keyword)
	return v
}

// IntegerValue returns a value of kind integer.
func IntegerValue[F FieldRef](field F, n int64) Value {
	v := in(field, Integer)
	v.num = uint64(n)
	return v
}

// FloatValue returns a value of kind float. Fields take finite ones.
func FloatValue[F FieldRef](field F, x float64) Value {
	v := in(field, Float)
	v.num = math.Float64bits(x)
	return v
}

// TimeValue returns a value of kind time, in UTC and to the nanosecond. Fields take times
// from the year 1678 to 2261.
func TimeValue[F FieldRef](field F, t time.Time) Value {
	return NanosValue(field, kind.Nanoseconds(t))
}

// NanosValue returns a value of kind time: n nanoseconds since 1970 in UTC.
func NanosValue[F FieldRef](field F, n int64) Value {
	v := in(field, Time)
	v.num = uint64(n)
	return v
}

// Bytes returns a text or keyword, which must not be modified. It is nil for other kinds.
func (v Value) Bytes() []byte {
	switch {
	case v.Kind != Text && v.Kind != Keyword:
		return nil
	case v.text == "":
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(v.text), len(v.text))
}

// Int returns an integer, or the nanoseconds since 1970 of a time. It is 0 for other kinds.
func (v Value) Int() int64 {
	if v.Kind != Integer && v.Kind != Time {
		return 0
	}
	return int64(v.num)
}

// Float returns a float. It is 0 for other kinds.
func (v Value) Float() float64 {
	if v.Kind != Float {
		return 0
	}
	return math.Float64frombits(v.num)
}

// Time returns a time, in UTC. It is the zero Time for other kinds.
func (v Value) Time() time.Time {
	if v.Kind != Time {
		return time.Time{}
	}
	return time.Unix(0, int64(v.num)).UTC()
}

// Any returns the value as one of Go: a string, an int64, a float64, a time.Time in UTC, an []Impact or a []float32. It is nil for the zero Value.
func (v Value) Any() any {
	switch v.Kind {
	case Text, Keyword:
		return strings.Clone(v.text)
	case Impacts:
		impacts := make([]Impact, 0, v.num)
		for term, weight := range v.Impacts() {
			impacts = append(impacts, Impact{Term: strings.Clone(term), Weight: weight})
		}
		return impacts
	case Vector:
		return v.Vector()
	}
	if n := v.Kind.number(); n != nil {
		return n.Any(v.num)
	}
	return nil
}

// String returns the value in a form to read.
func (v Value) String() string {
	switch v.Kind {
	case Text, Keyword:
		return strings.Clone(v.text)
	case Impacts:
		return v.impactsText()
	case Vector:
		return v.vectorText()
	}
	if n := v.Kind.number(); n != nil {
		return string(n.Append(nil, v.num))
	}
	return ""
}

// CheckValue returns why a document cannot have v, which has the number of its field. The error names the
// field and matches ErrInvalid.
func (s *Schema) CheckValue(v Value) error {
	s = s.given()
	switch {
	case v.Field < 0 && v.Name != "":
		return invalid("field %q: the value has only its name; Schema.Resolve finds the number", v.Name)
	case v.Field < 0 || v.Field >= len(s.Fields):
		return invalid("field %d: the schema has fields 0 to %d", v.Field, len(s.Fields)-1)
	case v.Name != "" && v.Name != s.Fields[v.Field].Name && s.Number(v.Name) != v.Field:
		return invalid("field %q: the value has the number of field %q; Schema.Resolve finds that of this schema", v.Name, s.Fields[v.Field].Name)
	}
	f := &s.Fields[v.Field]
	switch {
	case f.Of != "":
		return f.invalid("it has the values of field %q, and none of its own", f.Of)
	case v.Kind != f.Kind:
		return f.invalid("a value of kind %v in a field of kind %v", v.Kind, f.Kind)
	case v.Kind == Keyword && (f.Indexing() != IndexNone || f.Column) && len(v.text) > MaxKeyword:
		return f.invalid("a keyword of %d bytes; at most %d are possible", len(v.text), MaxKeyword)
	case v.Kind == Impacts:
		return f.checkImpactsOf(v)
	case v.Kind == Vector:
		if err := f.CheckVector(v.floats()); err != nil {
			return err
		}
		return f.checkKept(v.floats())
	}
	if n := f.Kind.number(); n != nil && n.Invalid != nil {
		if why := n.Invalid(v.num); why != "" {
			return f.invalid("%s", why)
		}
	}
	return nil
}
