package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is the kind of a field's values.
type Kind uint8

// The kinds of fields.
const (
	Text    Kind = 1 + iota // text, cut into terms by an analyzer
	Keyword                 // bytes that are one term
	Integer                 // an int64
	Float                   // a finite float64
	Time                    // a time, in the field's Unit since 1970 in UTC
	Impacts                 // terms with weights of 1 to 255, such as learned sparse vectors
	Vector                  // vectors of float32, all of the field's Dims
)

// Index says what of a field is indexed.
type Index uint8

// What is indexed of a field.
const (
	IndexDefault Index = iota // IndexFreqs for text and impacts, IndexDocs for keywords, IndexNone for others
	IndexNone                 // nothing: the field can only be stored or a column
	IndexDocs                 // which documents have a term
	IndexFreqs                // and how often or, of impacts, with which weight
)

// Lengths says how exactly the lengths of a field's texts are kept.
type Lengths uint8

// How lengths are kept. LengthsByte takes a byte per document: a length of 32 or more is
// rounded down, by less than a sixteenth.
const (
	LengthsExact Lengths = iota
	LengthsByte
)

// Unit is the unit of a field's times: they are rounded down to it, and the numbers of a column
// count in it since 1970. So do the numbers that importers take for times, which those of
// nanoseconds, the default, do not take.
type Unit uint8

// The units. The least and greatest time of a field, in 1678 and 2261, do not depend on it.
const (
	UnitNanosecond Unit = iota
	UnitMicrosecond
	UnitMillisecond
	UnitSecond
)

var (
	otherKinds   = []string{Text: "text", Keyword: "keyword", Impacts: "impacts", Vector: "vector"} // than those of numbers
	indexNames   = []string{"default", "none", "docs", "freqs"}
	lengthsNames = []string{"exact", "byte"}
	unitNames    = []string{"nanosecond", "microsecond", "millisecond", "second"}
)

// String returns the name of k, as in JSON.
func (k Kind) String() string {
	if n := k.number(); n != nil {
		return n.Name
	}
	return name(otherKinds, uint8(k), "Kind")
}

// kindNames returns the names of the kinds, beginning with that of Text.
func kindNames() (names []string) {
	for k := Text; k <= Vector || k.number() != nil; k++ {
		names = append(names, k.String())
	}
	return names
}

// String returns the name of i, as in JSON.
func (i Index) String() string { return name(indexNames, uint8(i), "Index") }

// String returns the name of l, as in JSON.
func (l Lengths) String() string { return name(lengthsNames, uint8(l), "Lengths") }

// String returns the name of u, as in JSON.
func (u Unit) String() string { return name(unitNames, uint8(u), "Unit") }

// Nanoseconds returns how many nanoseconds u has.
func (u Unit) Nanoseconds() int64 {
	n := int64(1)
	for range u {
		n *= 1000
	}
	return n
}

// MarshalText returns the name of k.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText returns the name of i.
func (i Index) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// MarshalText returns the name of l.
func (l Lengths) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// MarshalText returns the name of u.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText sets k to the kind of a name that String returns. The error matches ErrInvalid.
func (k *Kind) UnmarshalText(text []byte) error {
	n, err := parse(kindNames(), string(text), "kind")
	if err == nil {
		*k = Kind(n + 1)
	}
	return err
}

// UnmarshalText sets i to the Index of a name that String returns. The error matches ErrInvalid.
func (i *Index) UnmarshalText(text []byte) error {
	n, err := parse(indexNames, string(text), "index")
	if err == nil {
		*i = Index(n)
	}
	return err
}

// UnmarshalText sets l to the Lengths of a name that String returns. The error matches ErrInvalid.
func (l *Lengths) UnmarshalText(text []byte) error {
	n, err := parse(lengthsNames, string(text), "lengths")
	if err == nil {
		*l = Lengths(n)
	}
	return err
}

// UnmarshalText sets u to the Unit of a name that String returns. The error matches ErrInvalid.
func (u *Unit) UnmarshalText(text []byte) error {
	n, err := parse(unitNames, string(text), "unit")
	if err == nil {
		*u = Unit(n)
	}
	return err
}

func name(names []string, n uint8, what string) string {
	if int(n) < len(names) && names[n] != "" {
		return names[n]
	}
	return fmt.Sprintf("%s(%d)", what, n)
}

func parse(names []string, s, what string) (int, error) {
	n := slices.Index(names, s)
	if n < 0 {
		return -1, fmt.Errorf("schema: %w: %s %q: it is one of %s", ErrInvalid, what, s, strings.Join(names, ", "))
	}
	return n, nil
}
