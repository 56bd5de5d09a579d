package records

import (
	"math/rand/v2"
	"sort"
)

// zipf draws ranks below a number: rank r in proportion to 1/(r+shift).
type zipf []float64

func newZipf(n int, shift float64) zipf {
	z := make(zipf, n)
	sum := 0.0
	for r := range z {
		sum += 1 / (float64(r) + shift)
		z[r] = sum
	}
	return z
}

func (z zipf) draw(rng *rand.Rand) int {
	at := rng.Float64() * z[len(z)-1]
	return min(sort.SearchFloat64s(z, at), len(z)-1)
}

const (
	consonants = "bdfgjklmnprstvwz"
	vowels     = "aeio"
	wordBits   = 18 // three syllables
)

// appendWord appends word i of a language: six letters, whose order has nothing to do with i.
// Words of different languages, or different i below 1<<wordBits, differ.
func appendWord(dst []byte, language, i int) []byte {
	h := uint64(i) * 0x9e3779b9 & (1<<wordBits - 1) // odd, so each i has its own
	for at := wordBits - 6; at >= 0; at -= 6 {
		s := h >> at & 63
		dst = append(dst, consonants[s>>2], vowels[s&3])
	}
	return append(dst, ends[language]...)
}

// ends tells the words of languages apart.
var ends = [...]string{langWord: "", langService: "d", langBrand: "x", langCategory: "ry"}

const (
	langWord = iota
	langService
	langBrand
	langCategory
)

func word(language, i int) string { return string(appendWord(nil, language, i)) }

// words returns the first n words of a language.
func words(language, n int) []string {
	w := make([]string, n)
	for i := range w {
		w[i] = word(language, i)
	}
	return w
}
