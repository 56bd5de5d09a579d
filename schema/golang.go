package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/pinion-index/pinion/internal/structs"
)

// AppendValues appends what a value of Go is in a field, which is given by its number: none if it is nil, and several if it is
// a slice or an array. The error, for a value that does not fit the field's kind, names field, type and value and matches
// ErrInvalid. The kinds take:
//
//	text, keyword   string, []byte, fmt.Stringer; keyword also bool, as true and false, and json.Number as it is written
//	integer         integers; float64, float32 and json.Number that are one exactly
//	float           floats, json.Number; integers that a float64 has exactly
//	time            time.Time; string and []byte in RFC 3339, or a date, such as 2026-11-26, in UTC; what integer takes, as units of the
//	                field since 1970, unless these are nanoseconds, as which smaller units would be mistaken
//	impacts         []Impact; maps of terms to numbers, by Field.Quantize
//	vector          []float32, and other slices of numbers; slices of these are several vectors
//
// Types derived from these count as they do, and pointers as what they point to. Text is not copied.
func (s *Schema) AppendValues(dst []Value, field int, x any) ([]Value, error) {
	s = s.given()
	if field < 0 || field >= len(s.Fields) {
		return dst, invalid("there is no field %d", field)
	}
	f := &s.Fields[field]
	switch x := x.(type) {
	case nil:
		return dst, nil
	case string:
		if v, ok := f.ofText(field, x); ok {
			return append(dst, v), nil
		}
	case []string:
		for _, text := range x {
			v, ok := f.ofText(field, text)
			if !ok {
				return dst, f.misfit(text)
			}
			dst = append(dst, v)
		}
		return dst, nil
	case float64:
		if v, ok := f.ofFloat(field, x); ok {
			return append(dst, v), nil
		}
	case time.Time:
		if f.Kind == Time {
			return append(dst, TimeValue(field, x)), nil
		}
	case reflect.Value:
		return f.appendOf(dst, field, x, false)
	}
	return f.appendOf(dst, field, reflect.ValueOf(x), false)
}

// appendOf is AppendValues by reflection. Within a slice there is no other.
func (f *Field) appendOf(dst []Value, field int, r reflect.Value, within bool) ([]Value, error) {
	for r.IsValid() && (r.Kind() == reflect.Pointer || r.Kind() == reflect.Interface) {
		if r.IsNil() {
			return dst, nil
		}
		if v, ok := f.ofStringer(field, r); ok && r.Kind() == reflect.Pointer && !r.Elem().Type().Implements(structs.Stringer) {
			return append(dst, v), nil
		}
		r = r.Elem()
	}
	switch {
	case !r.IsValid(), r.Kind() == reflect.Map && r.IsNil():
		return dst, nil
	case r.Kind() == reflect.Slice && (r.IsNil() || r.Len() == 0 && r.Type().Elem().Kind() != reflect.Uint8):
		return dst, nil
	}
	switch f.Kind {
	case Impacts:
		return f.appendImpacts(dst, field, r)
	case Vector:
		return f.appendVectors(dst, field, r, false)
	}
	if v, ok := f.scalar(field, r); ok {
		return append(dst, v), nil
	}
	if within || r.Kind() != reflect.Slice && r.Kind() != reflect.Array || r.Type().Elem().Kind() == reflect.Uint8 {
		return dst, f.misfit(r.Interface())
	}
	for i := range r.Len() {
		var err error
		if dst, err = f.appendOf(dst, field, r.Index(i), true); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// scalar returns the one value that r is.
func (f *Field) scalar(field int, r reflect.Value) (Value, bool) {
	switch t := r.Type(); {
	case t == structs.Time:
		if f.Kind != Time {
			return Value{}, false
		}
		return TimeValue(field, r.Interface().(time.Time)), true
	case t == structs.Number:
		return f.ofNumber(field, json.Number(r.String()))
	case r.Kind() == reflect.String:
		return f.ofText(field, r.String())
	}
	if v, ok := f.ofStringer(field, r); ok {
		return v, true
	}
	switch {
	case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		return f.ofText(field, asString(r.Bytes()))
	case r.Kind() == reflect.Bool && f.Kind == Keyword:
		return KeywordValue(field, strconv.FormatBool(r.Bool())), true
	case f.Kind == Time && r.Type() == reflect.TypeFor[time.Duration]():
		return Value{}, false
	case r.CanInt():
		return f.ofInteger(field, r.Int())
	case r.CanUint():
		return f.ofUnsigned(field, r.Uint())
	case r.CanFloat():
		return f.ofFloat(field, r.Float())
	}
	return Value{}, false
}

// ofStringer returns the text of an fmt.Stringer, in fields of text and keywords. A time is none, as it is not text.
func (f *Field) ofStringer(field int, r reflect.Value) (Value, bool) {
	if f.Kind != Text && f.Kind != Keyword || !r.CanInterface() || !r.Type().Implements(structs.Stringer) {
		return Value{}, false
	}
	switch s := r.Interface().(type) {
	case time.Time, json.Number, reflect.Value:
		return Value{}, false
	case fmt.Stringer:
		return f.ofText(field, s.String())
	}
	return Value{}, false
}

func (f *Field) ofText(field int, text string) (Value, bool) {
	switch f.Kind {
	case Text:
		return TextValue(field, text), true
	case Keyword:
		return KeywordValue(field, text), true
	}
	if n := f.Kind.number(); n != nil && n.OfText != nil {
		bits, ok := n.OfText(text)
		return BitsValue(field, f.Kind, bits), ok
	}
	return Value{}, false
}

func (f *Field) ofInteger(field int, x int64) (Value, bool) {
	n := f.Kind.number()
	if n == nil {
		return Value{}, false
	}
	bits, ok := n.OfInteger(x, f.Unit.Nanoseconds())
	return BitsValue(field, f.Kind, bits), ok
}

func (f *Field) ofUnsigned(field int, x uint64) (Value, bool) {
	if x <= math.MaxInt64 {
		return f.ofInteger(field, int64(x))
	}
	y := float64(x)
	if y >= 1<<64 || uint64(y) != x {
		return Value{}, false
	}
	return f.ofFloat(field, y)
}

func (f *Field) ofFloat(field int, x float64) (Value, bool) {
	n := f.Kind.number()
	switch {
	case n != nil && n.OfFloat != nil:
		bits, ok := n.OfFloat(x)
		return BitsValue(field, f.Kind, bits), ok
	case x == math.Trunc(x) && x >= -1<<63 && x < 1<<63:
		return f.ofInteger(field, int64(x))
	}
	return Value{}, false
}

func (f *Field) ofNumber(field int, x json.Number) (Value, bool) {
	y, err := x.Float64()
	if f.Kind == Keyword {
		return KeywordValue(field, string(x)), err == nil || errors.Is(err, strconv.ErrRange)
	}
	n := f.Kind.number()
	if n != nil && n.Whole {
		if i, err := x.Int64(); err == nil {
			return f.ofInteger(field, i)
		}
	}
	if err != nil || n == nil || n.OfFloat == nil && math.Abs(y) >= 1<<53 { // which integer it is has been lost
		return Value{}, false
	}
	return f.ofFloat(field, y)
}

// appendImpacts is appendOf for a field of impacts.
func (f *Field) appendImpacts(dst []Value, field int, r reflect.Value) ([]Value, error) {
	if x, ok := r.Interface().([]Impact); ok {
		return append(dst, ImpactsValue(field, x)), nil
	}
	if r.Kind() != reflect.Map || r.Type().Key().Kind() != reflect.String {
		return dst, f.misfit(r.Interface())
	}
	number := Field{Kind: Float}
	impacts := make([]Impact, 0, r.Len())
	for i := r.MapRange(); i.Next(); {
		x := i.Value()
		if x.Kind() == reflect.Interface {
			x = x.Elem()
		}
		if !x.IsValid() {
			return dst, f.misfit(r.Interface())
		}
		weight, ok := number.scalar(0, x)
		if !ok {
			return dst, f.misfit(r.Interface())
		}
		w, err := f.Quantize(weight.Float())
		if err != nil {
			return dst, err
		}
		if w > 0 {
			impacts = append(impacts, Impact{Term: i.Key().String(), Weight: w})
		}
	}
	return append(dst, ImpactsValue(field, impacts)), nil
}

// misfit returns the error for a value of Go that does not fit f.
func (f *Field) misfit(x any) error {
	text := fmt.Sprintf("%v", x)
	if s, ok := x.(string); ok {
		text = strconv.Quote(s)
	}
	if len(text) > 80 {
		text = fmt.Sprintf("%.80s...", text)
	}
	return f.invalid("the value %s of type %T does not fit a field of kind %v", text, x, f.Kind)
}
