// Package simd selects the vector instructions to use. Code switches on Level. With the
// build tag purego, and on all architectures except amd64, Portable is the only tier.
package simd

import (
	"fmt"
	"sync/atomic"
)

// Tier is a set of instructions. Each tier includes the lower ones.
type Tier uint32

// The tiers.
const (
	Portable Tier = iota // Go only
	AVX2                 // AVX2, BMI1 and BMI2
	AVX512               // AVX-512 F, BW, DQ and VL
)

// String returns the tier's name in lower case.
func (t Tier) String() string {
	switch t {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("tier(%d)", uint32(t))
}

var level atomic.Uint32

func init() { level.Store(uint32(Best())) }

// Level returns the current tier.
func Level() Tier { return Tier(level.Load()) }

// SetLevel sets the current tier to t, or to Best if that is lower, and returns a
// function that restores the previous one. It is meant for tests and benchmarks;
// concurrent code may see either tier.
func SetLevel(t Tier) (restore func()) {
	old := Level()
	level.Store(uint32(min(t, Best())))
	return func() { level.Store(uint32(old)) }
}

// Tiers returns all tiers of this CPU and build in ascending order, from Portable.
func Tiers() []Tier {
	tiers := make([]Tier, 0, 3)
	for t := Portable; t <= Best(); t++ {
		tiers = append(tiers, t)
	}
	return tiers
}
