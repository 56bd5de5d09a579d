package chart

import (
	"math"
	"strconv"
)

// short prints v with four significant digits and without trailing zeros.
func short(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	decimals := max(3-int(math.Floor(math.Log10(math.Abs(v)))), 0)
	p := math.Pow(10, float64(decimals))
	return strconv.FormatFloat(math.Round(v*p)/p, 'f', -1, 64)
}
