package query

import "time"

// Scalar is a value of Go that nodes compare with those of a field.
type Scalar interface {
	~string | ~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | time.Time
}

// Equal returns the node that is matched by the documents with a value in a field, which must have a column: an In. The value
// is compared with the field's kind when the query is built: an integer fits a field of floats, a float that is an integer one
// of integers, a time in RFC 3339 one of times, and true is the keyword "true".
func Equal[T Scalar](field string, value T) Node { return In{Field: field, Values: []any{value}} }

// Between returns the Range of values from least to greatest, these two included. Values are as in Equal.
func Between[T Scalar](field string, least, greatest T) Node {
	return Range{Field: field, Min: least, Max: greatest}
}

// AtLeast returns the Range of least and the values above it. Values are as in Equal.
func AtLeast[T Scalar](field string, least T) Node { return Range{Field: field, Min: least} }

// AtMost returns the Range of greatest and the values below it. Values are as in Equal.
func AtMost[T Scalar](field string, greatest T) Node { return Range{Field: field, Max: greatest} }

// Above returns the Range of the values above one. Values are as in Equal.
func Above[T Scalar](field string, value T) Node {
	return Range{Field: field, Min: value, AboveMin: true}
}

// Below returns the Range of the values below one. Values are as in Equal.
func Below[T Scalar](field string, value T) Node {
	return Range{Field: field, Max: value, BelowMax: true}
}
