// Package kind has the kinds of fields whose values are numbers of 64 bits, such as integers, floats and times: how each
// is read, printed and ordered. A kind is a file with a row that its init adds by Register; packages schema, filter, record and
// exchange ask the row. Texts, keywords, impacts and vectors are no such kinds.
//
// A value is 64 bits, which segments store (format/FORMAT.md, section 4.8). Columns store its key, an integer: keys are ordered as
// values are.
package kind

import "fmt"

// Number is a kind of numbers. A unit is that of a field, in nanoseconds: 1 unless Units is set and the field says
// another. All funcs are safe for concurrent use; those that may be nil say so.
type Number struct {
	// Name is the name of the kind in schemas.
	Name string
	// Takes names what fields of the kind take, in the plural, as in "which takes integers of 64 bits".
	Takes string
	// Want names what Parse reads, as in "is no finite number". Unit is the name of the field's unit, or "" for nanoseconds.
	Want func(unit string) string

	// Units says that fields have a unit, which values are rounded down to.
	Units bool
	// Whole says that values count in whole numbers: a number of JSON is read as an integer first, and buckets have a whole width.
	Whole bool
	// Durations says that values are counted in buckets of some duration, not of some width.
	Durations bool
	// Quoted says that JSON has values as strings, which Append makes without what they would escape.
	Quoted bool
	// Fixed says that stored values take 8 bytes. Without it, those near 0 take fewer.
	Fixed bool

	// Key returns the number of a column that stands for bits: keys are ordered as values are.
	Key func(bits uint64, unit int64) int64
	// Bits is the inverse of Key. Bits for a key that no value has are Invalid.
	Bits func(key, unit int64) uint64
	// Invalid returns why documents cannot have a value, such as "the value NaN is not finite", or "" if they can. Nil means that all can.
	Invalid func(bits uint64) string

	// Any returns a value as one of Go.
	Any func(bits uint64) any
	// Integer returns a value as an integer of Go; nil if the kind has none.
	Integer func(bits uint64) int64
	// Float returns a value as a float of Go; nil if the kind is none of fractions.
	Float func(bits uint64) float64
	// OfInteger returns the value that an integer of Go stands for; ok is false if it stands for none.
	OfInteger func(n, unit int64) (bits uint64, ok bool)
	// OfFloat returns the value that a float of Go stands for; nil if those that are whole are as OfInteger has it, and others are none.
	OfFloat func(x float64) (bits uint64, ok bool)
	// OfText returns the value that a string of Go stands for; nil if none does.
	OfText func(text string) (bits uint64, ok bool)

	// Append appends a value in a form that Parse reads.
	Append func(dst []byte, bits uint64) []byte
	// Parse reads a value as people write it in queries and filters.
	Parse func(text string, unit int64) (bits uint64, ok bool)
}

// rows has the kinds of numbers by what schema.Kind is of them.
var rows [16]*Number

// Register adds a kind of numbers, whose schema.Kind is k: 1 to 15. An init calls it.
func Register(k uint8, n *Number) {
	if int(k) >= len(rows) || k == 0 || rows[k] != nil {
		panic(fmt.Sprintf("kind: %s: %d is no free kind", n.Name, k))
	}
	rows[k] = n
}

// Of returns the kind of numbers whose schema.Kind is k, or nil if k is another kind or none.
func Of(k uint8) *Number {
	if int(k) < len(rows) {
		return rows[k]
	}
	return nil
}

// Units reports whether fields of a kind have a unit.
func Units(k uint8) bool {
	n := Of(k)
	return n != nil && n.Units
}

// Durations reports whether values of a kind are counted in buckets of some duration.
func Durations(k uint8) bool {
	n := Of(k)
	return n != nil && n.Durations
}

// The kinds of numbers, as package schema counts kinds.
const (
	integerKind = 3
	floatKind   = 4
	timeKind    = 5
)
