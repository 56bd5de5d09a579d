package kind

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// NoTime is the number of a time that nanoseconds since 1970 in an int64 cannot express: one that is not from the year 1678 to 2261.
const NoTime = math.MinInt64

// Times that can be expressed.
var (
	minTime = time.Unix(0, NoTime+1)
	maxTime = time.Unix(0, math.MaxInt64)
)

// The bits of a time are its nanoseconds since 1970 in UTC, and its key counts units.
func init() {
	Register(timeKind, &Number{
		Name:  "time",
		Takes: `times such as "2026-11-26" and "2026-11-26T09:30:00Z"`,
		Want: func(unit string) string {
			number := ""
			if unit != "" {
				number = fmt.Sprintf(", or number of %ss since 1970 with at least 5 digits", unit)
			}
			return fmt.Sprintf("time such as 2026-01-31, 2026-01-31T12:30 or 2026-01-31T12:30:59Z%s, from the year 1678 to 2261", number)
		},
		Units: true, Whole: true, Durations: true, Quoted: true,

		Key:  func(bits uint64, unit int64) int64 { return floorDiv(int64(bits), unit) },
		Bits: timeBits,
		Invalid: func(bits uint64) string {
			if int64(bits) == NoTime {
				return "the time is not from the year 1678 to 2261"
			}
			return ""
		},

		Any: func(bits uint64) any { return timeOf(bits) },
		OfInteger: func(n, unit int64) (uint64, bool) { // as nanoseconds smaller units would be mistaken
			return timeBits(n, unit), unit > 1
		},
		OfText: func(text string) (uint64, bool) {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t, err = time.Parse(time.DateOnly, text)
			}
			return uint64(Nanoseconds(t)), err == nil
		},

		Append: func(dst []byte, bits uint64) []byte { return timeOf(bits).AppendFormat(dst, time.RFC3339Nano) },
		Parse:  parseTime,
	})
}

func timeOf(bits uint64) time.Time { return time.Unix(0, int64(bits)).UTC() }

// Nanoseconds returns the bits of a time, those of NoTime if it cannot be expressed.
func Nanoseconds(t time.Time) int64 {
	if t.Before(minTime) || t.After(maxTime) {
		return NoTime
	}
	return t.UnixNano()
}

// timeBits returns the time of a key, which is a number of units.
func timeBits(key, unit int64) uint64 {
	none := int64(NoTime)
	switch least := floorDiv(NoTime+1, unit); {
	case key < least || key > math.MaxInt64/unit:
		return uint64(none)
	case key == least: // it may begin before the least time
		return uint64(none + 1)
	}
	return uint64(key * unit)
}

// layouts are the forms of times, in UTC unless they say another zone.
var layouts = []string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"}

// parseTime returns the time that a text says, in one of the layouts or, as in JSON, as a number of units other than
// nanoseconds. A number that could be meant for a year is no time.
func parseTime(text string, unit int64) (bits uint64, ok bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && unit > 1 {
		if n > math.MaxInt64/unit || n < -math.MaxInt64/unit || len(strings.TrimLeft(text, "+-0")) < 5 && n != 0 {
			return 0, false
		}
		return uint64(n * unit), true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			n := Nanoseconds(t)
			return uint64(n), n != NoTime
		}
	}
	return 0, false
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
