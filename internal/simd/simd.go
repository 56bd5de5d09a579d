// Package simd says which vector instructions the codecs may use. Code switches
// on Level; the build tag purego, and every architecture but amd64, leaves
// Portable alone.
package simd

import (
	"fmt"
	"sync/atomic"
)

// Tier is a set of instructions; each includes those below it.
type Tier uint32

// The tiers.
const (
	Portable Tier = iota // Go only
	AVX2                 // AVX2, BMI1 and BMI2
	AVX512               // AVX-512 F, BW, DQ, CD and VL
	VBMI2                // AVX-512 VBMI and VBMI2
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
	case VBMI2:
		return "vbmi2"
	}
	return fmt.Sprintf("tier(%d)", uint32(t))
}

var level atomic.Uint32

func init() { level.Store(uint32(Best())) }

// Level returns the tier in force.
func Level() Tier { return Tier(level.Load()) }

// SetLevel lowers the tier in force to t, or to what the CPU has if that is less,
// and returns what puts the former one back. It is meant for tests and
// benchmarks; code that runs meanwhile may see either tier.
func SetLevel(t Tier) (restore func()) {
	old := Level()
	level.Store(uint32(min(t, Best())))
	return func() { level.Store(uint32(old)) }
}

// Tiers returns every tier that this CPU and build have, Portable first.
func Tiers() []Tier {
	tiers := make([]Tier, 0, 4)
	for t := Portable; t <= Best(); t++ {
		tiers = append(tiers, t)
	}
	return tiers
}
