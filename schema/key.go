package schema

import "math"

// Key returns the number that stands for v in a column: an integer itself, a time in units of u
// since 1970, rounded down, and a float as FloatKey has it. Keys are ordered as values are. It
// is 0 for keywords, whose numbers are those of a segment's dictionary, and for text.
func (v Value) Key(u Unit) int64 {
	switch v.Kind {
	case Integer:
		return v.Int()
	case Float:
		return FloatKey(v.Float())
	case Time:
		return floorDiv(v.Int(), u.Nanoseconds())
	}
	return 0
}

// KeyValue returns the value of a field, given by its number, kind and unit, whose Key is key. A
// key that no time from the year 1678 to 2261 has becomes a value that CheckValue refuses.
func KeyValue(field int, kind Kind, u Unit, key int64) Value {
	switch kind {
	case Integer:
		return IntegerValue(field, key)
	case Float:
		return FloatValue(field, KeyFloat(key))
	case Time:
		n := u.Nanoseconds()
		switch least := floorDiv(noTime+1, n); {
		case key < least || key > math.MaxInt64/n:
			return NanosValue(field, noTime)
		case key == least: // it may begin before the least time
			return NanosValue(field, noTime+1)
		}
		return NanosValue(field, key*n)
	}
	return Value{Field: field, Kind: kind}
}

// Floor returns v as a field with unit u has it: a time is rounded down.
func (v Value) Floor(u Unit) Value {
	if v.Kind != Time || u == UnitNanosecond || v.Int() == noTime {
		return v
	}
	floor := KeyValue(v.Field, Time, u, v.Key(u))
	floor.Name = v.Name
	return floor
}

// FloatKey returns a number for x, so that numbers are ordered as floats are. Those of -0 and 0
// are equal. x must not be NaN.
func FloatKey(x float64) int64 {
	n := int64(math.Float64bits(x + 0)) // -0 + 0 is 0
	return n ^ int64(uint64(n>>63)>>1)
}

// KeyFloat returns the float whose FloatKey is n. It is not a number if that of none is.
func KeyFloat(n int64) float64 {
	return math.Float64frombits(uint64(n ^ int64(uint64(n>>63)>>1)))
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
