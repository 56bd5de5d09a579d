package query

import (
	"fmt"
)

// Mode selects the documents that match.
type Mode uint8

// The modes.
const (
	ModeOr    Mode = iota // documents that hold at least one of the terms
	ModeAnd               // documents that hold every term
	ModeAndOr             // the result of ModeAnd if it has K hits, otherwise that of ModeOr
)

var modeNames = [...]string{ModeOr: "or", ModeAnd: "and", ModeAndOr: "and-or"}

// String returns the mode's name on the command line: or, and, and-or.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// MarshalText returns the mode's name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the mode of a name that String returns. The error matches ErrInvalid.
func (m *Mode) UnmarshalText(name []byte) error {
	for is, n := range modeNames {
		if n == string(name) {
			*m = Mode(is)
			return nil
		}
	}
	return fmt.Errorf("%w: unknown mode %q (known: or, and, and-or)", ErrInvalid, name)
}

// DefaultK is the maximum number of hits of a Query whose K is 0.
const DefaultK = 10
