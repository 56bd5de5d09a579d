package schema

import (
	"fmt"
	"math"
	"time"
)

// MaxKeyword is the length in bytes of the longest keyword that can be indexed or in a column.
const MaxKeyword = 65535

// Value is what a document has in one field. A field may have several values, which are
// kept in order. A Value does not copy the bytes it is made of, unless it is one of impacts.
type Value struct {
	// Field is the number of the field in Schema.Fields.
	Field int
	// Kind is the kind of the value, which must be that of the field.
	Kind  Kind
	num   uint64
	bytes []byte
}

// TextValue returns a value of kind text.
func TextValue(field int, text []byte) Value {
	return Value{Field: field, Kind: KindText, bytes: text}
}

// KeywordValue returns a value of kind keyword.
func KeywordValue(field int, keyword []byte) Value {
	return Value{Field: field, Kind: KindKeyword, bytes: keyword}
}

// IntegerValue returns a value of kind integer.
func IntegerValue(field int, n int64) Value {
	return Value{Field: field, Kind: KindInteger, num: uint64(n)}
}

// FloatValue returns a value of kind float. Fields take finite ones.
func FloatValue(field int, x float64) Value {
	return Value{Field: field, Kind: KindFloat, num: math.Float64bits(x)}
}

// noTime is the number of a time that nanoseconds since 1970 in an int64 cannot express.
const noTime = math.MinInt64

// Times that can be expressed.
var (
	minTime = time.Unix(0, noTime+1)
	maxTime = time.Unix(0, math.MaxInt64)
)

// TimeValue returns a value of kind time, in UTC and to the nanosecond. Fields take times
// from the year 1678 to 2261.
func TimeValue(field int, t time.Time) Value {
	n := int64(noTime)
	if !t.Before(minTime) && !t.After(maxTime) {
		n = t.UnixNano()
	}
	return NanosValue(field, n)
}

// NanosValue returns a value of kind time: n nanoseconds since 1970 in UTC.
func NanosValue(field int, n int64) Value {
	return Value{Field: field, Kind: KindTime, num: uint64(n)}
}

// Bytes returns a text or keyword. It is nil for other kinds.
func (v Value) Bytes() []byte {
	if v.Kind == KindImpacts {
		return nil
	}
	return v.bytes
}

// Int returns an integer, or the nanoseconds since 1970 of a time. It is 0 for other kinds.
func (v Value) Int() int64 {
	if v.Kind != KindInteger && v.Kind != KindTime {
		return 0
	}
	return int64(v.num)
}

// Float returns a float. It is 0 for other kinds.
func (v Value) Float() float64 {
	if v.Kind != KindFloat {
		return 0
	}
	return math.Float64frombits(v.num)
}

// Time returns a time, in UTC. It is the zero Time for other kinds.
func (v Value) Time() time.Time {
	if v.Kind != KindTime {
		return time.Time{}
	}
	return time.Unix(0, int64(v.num)).UTC()
}

// String returns the value in a form to read.
func (v Value) String() string {
	switch v.Kind {
	case KindText, KindKeyword:
		return string(v.bytes)
	case KindInteger:
		return fmt.Sprint(v.Int())
	case KindFloat:
		return fmt.Sprint(v.Float())
	case KindTime:
		return v.Time().Format(time.RFC3339Nano)
	case KindImpacts:
		return v.impactsText()
	}
	return ""
}

// CheckValue returns why a document cannot have v. The error names the field and matches
// ErrInvalid.
func (s *Schema) CheckValue(v Value) error {
	if s == nil {
		return invalid("field %d: the index has no schema", v.Field)
	}
	if v.Field < 0 || v.Field >= len(s.Fields) {
		return invalid("field %d: the schema has fields 0 to %d", v.Field, len(s.Fields)-1)
	}
	f := &s.Fields[v.Field]
	switch {
	case v.Kind != f.Kind:
		return f.invalid("a value of kind %v in a field of kind %v", v.Kind, f.Kind)
	case v.Kind == KindKeyword && (f.Indexing() != IndexNone || f.Column) && len(v.bytes) > MaxKeyword:
		return f.invalid("a keyword of %d bytes; at most %d are possible", len(v.bytes), MaxKeyword)
	case v.Kind == KindFloat && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return f.invalid("the value %v is not finite", v.Float())
	case v.Kind == KindTime && v.Int() == noTime:
		return f.invalid("the time is not from the year 1678 to 2261")
	case v.Kind == KindImpacts:
		return f.checkImpactsOf(v)
	}
	return nil
}
