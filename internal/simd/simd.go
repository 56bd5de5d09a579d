// Package simd says which vector instructions may be used. Code switches on Level.
// With the build tag purego, and on every architecture but amd64, Portable is the
// only tier.
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
)

// String returns the tier's name in lower case.
func (t Tier) String() string {
	switch t {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	}
	return fmt.Sprintf("tier(%d)", uint32(t))
}

var level atomic.Uint32

func init() { level.Store(uint32(Best())) }

// Level returns the current tier.
func Level() Tier { return Tier(level.Load()) }

// SetLevel makes t the current tier, or the highest tier of the CPU if that is lower,
// and returns a function that restores the previous one. It is meant for tests and
// benchmarks; concurrent code may see either tier.
func SetLevel(t Tier) (restore func()) {
	old := Level()
	level.Store(uint32(min(t, Best())))
	return func() { level.Store(uint32(old)) }
}

// Tiers returns every tier that this CPU and build have, Portable first.
func Tiers() []Tier {
	tiers := make([]Tier, 0, 2)
	for t := Portable; t <= Best(); t++ {
		tiers = append(tiers, t)
	}
	return tiers
}
