package kind

import "strconv"

func init() {
	Register(integerKind, &Number{
		Name:  "integer",
		Takes: "integers of 64 bits",
		Want:  func(string) string { return "integer from -2^63 to 2^63-1" },
		Whole: true,

		Key:  func(bits uint64, _ int64) int64 { return int64(bits) },
		Bits: func(key, _ int64) uint64 { return uint64(key) },

		Any:       func(bits uint64) any { return int64(bits) },
		Integer:   func(bits uint64) int64 { return int64(bits) },
		OfInteger: func(n, _ int64) (uint64, bool) { return uint64(n), true },

		Append: func(dst []byte, bits uint64) []byte { return strconv.AppendInt(dst, int64(bits), 10) },
		Parse: func(text string, _ int64) (uint64, bool) {
			n, err := strconv.ParseInt(text, 10, 64)
			return uint64(n), err == nil
		},
	})
}
