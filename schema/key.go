package schema

import "github.com/pinion-index/pinion/internal/kind"

// number returns what is particular to k as a kind of numbers, nil for text, keywords and impacts.
func (k Kind) number() *kind.Number { return kind.Of(uint8(k)) }

// Key returns the number that stands for v in a column: an integer itself, a time in units of u
// since 1970, rounded down, and a float as FloatKey has it. Keys are ordered as values are. It
// is 0 for keywords, whose numbers are those of a segment's dictionary, and for text.
func (v Value) Key(u Unit) int64 {
	if n := v.Kind.number(); n != nil {
		return n.Key(v.num, u.Nanoseconds())
	}
	return 0
}

// KeyValue returns the value of a field, given by its number, kind and unit, whose Key is key. A
// key that no time from the year 1678 to 2261 has becomes a value that CheckValue refuses.
func KeyValue(field int, kind Kind, u Unit, key int64) Value {
	v := Value{Field: field, Kind: kind}
	if n := kind.number(); n != nil {
		v.num = n.Bits(key, u.Nanoseconds())
	}
	return v
}

// Bits returns the 64 bits of a number: an integer itself, a float's in IEEE 754, the nanoseconds since 1970 of a time. It is 0 for other kinds.
func (v Value) Bits() uint64 {
	if v.Kind.number() == nil {
		return 0
	}
	return v.num
}

// BitsValue returns the value of a field, and of a kind of numbers, whose Bits are given.
func BitsValue[F FieldRef](field F, kind Kind, bits uint64) Value {
	v := in(field, kind)
	v.num = bits
	return v
}

// Floor returns v as a field with unit u has it: a time is rounded down.
func (v Value) Floor(u Unit) Value {
	n := v.Kind.number()
	if u == UnitNanosecond || n == nil || !n.Units || n.Invalid(v.num) != "" {
		return v
	}
	unit := u.Nanoseconds()
	v.num = n.Bits(n.Key(v.num, unit), unit)
	return v
}

// FloatKey returns a number for x, so that numbers are ordered as floats are. Those of -0 and 0
// are equal. x must not be NaN.
func FloatKey(x float64) int64 { return kind.FloatKey(x) }

// KeyFloat returns the float whose FloatKey is n. It is not a number if that of none is.
func KeyFloat(n int64) float64 { return kind.KeyFloat(n) }
