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
	KindText    Kind = 1 + iota // text, cut into terms by an analyzer
	KindKeyword                 // bytes that are one term
	KindInteger                 // an int64
	KindFloat                   // a finite float64
	KindTime                    // a time, in the field's Unit since 1970 in UTC
	KindImpacts                 // terms with weights of 1 to 255, such as learned sparse vectors
)

// Index says what of a field is indexed.
type Index uint8

// What is indexed of a field.
const (
	IndexDefault   Index = iota // IndexFreqs for text and impacts, IndexDocs for keywords, IndexNone for others
	IndexNone                   // nothing: the field can only be stored or a column
	IndexDocs                   // which documents have a term
	IndexFreqs                  // and how often or, of impacts, with which weight
	IndexPositions              // and where, of text, for phrases; several values lie 100 positions apart
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
	kindNames    = []string{"", "text", "keyword", "integer", "float", "time", "impacts"}
	indexNames   = []string{"default", "none", "docs", "freqs", "positions"}
	lengthsNames = []string{"exact", "byte"}
	unitNames    = []string{"nanosecond", "microsecond", "millisecond", "second"}
)

// String returns the name of k, as in JSON.
func (k Kind) String() string { return name(kindNames, uint8(k), "Kind") }

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

// ParseKind returns the kind of a name that Kind.String returns.
func ParseKind(s string) (Kind, error) {
	n, err := parse(kindNames[1:], s, "kind")
	return Kind(n + 1), err
}

// ParseIndex returns the Index of a name that Index.String returns.
func ParseIndex(s string) (Index, error) {
	n, err := parse(indexNames, s, "index")
	return Index(n), err
}

// ParseLengths returns the Lengths of a name that Lengths.String returns.
func ParseLengths(s string) (Lengths, error) {
	n, err := parse(lengthsNames, s, "lengths")
	return Lengths(n), err
}

// ParseUnit returns the Unit of a name that Unit.String returns.
func ParseUnit(s string) (Unit, error) {
	n, err := parse(unitNames, s, "unit")
	return Unit(n), err
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
