package kind

import (
	"fmt"
	"math"
	"strconv"
)

func init() {
	Register(floatKind, &Number{
		Name:  "float",
		Takes: "numbers",
		Want:  func(string) string { return "finite number" },
		Fixed: true,

		Key:     func(bits uint64, _ int64) int64 { return FloatKey(math.Float64frombits(bits)) },
		Bits:    func(key, _ int64) uint64 { return math.Float64bits(KeyFloat(key)) },
		Invalid: func(bits uint64) string { return invalidFloat(math.Float64frombits(bits)) },

		Any:   func(bits uint64) any { return math.Float64frombits(bits) },
		Float: math.Float64frombits,
		OfInteger: func(n, _ int64) (uint64, bool) {
			x := float64(n)
			return math.Float64bits(x), x < 1<<63 && int64(x) == n
		},
		OfFloat: func(x float64) (uint64, bool) { return math.Float64bits(x), !math.IsNaN(x) && !math.IsInf(x, 0) },

		Append: func(dst []byte, bits uint64) []byte {
			return strconv.AppendFloat(dst, math.Float64frombits(bits), 'g', -1, 64)
		},
		Parse: func(text string, _ int64) (uint64, bool) {
			x, err := strconv.ParseFloat(text, 64)
			return math.Float64bits(x), err == nil
		},
	})
}

func invalidFloat(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprintf("the value %v is not finite", x)
	}
	return ""
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
