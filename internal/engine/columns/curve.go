package columns

import (
	"math"

	"github.com/pinion-index/pinion/internal/scorer"
	"github.com/pinion-index/pinion/schema"
)

// Curve says how much a value counts as a static score: never less than nothing. The zero Curve counts values of floats as they are. Only
// operations are used that IEEE 754 defines, so that scores do not depend on the machine.
type Curve struct {
	Shape Shape
	Scale float64 // above 0, of the shapes but Plain
	From  int64   // the key from which Decay counts distances
	Float bool    // keys are those of floats; else they are numbers
}

// Shape is what a Curve does.
type Shape uint8

// The shapes.
const (
	Plain      Shape = iota // the value
	Saturation              // value / (value + Scale): half at Scale, and never 1
	Logarithm               // ln(1 + value/Scale)
	Decay                   // Scale / (Scale + distance from From): 1 there, and half at Scale
)

// rises reports whether greater values count more, so that codes of floats bound what they count.
func (c *Curve) rises() bool { return c.Shape != Decay }

// Ranked reports whether Ranks of a column bound what its values count.
func (c *Curve) Ranked() bool { return c.Float && c.rises() }

// number returns what a key stands for.
func (c *Curve) number(key int64) float64 {
	if c.Float {
		return schema.KeyFloat(key)
	}
	return float64(key)
}

// of returns how much the value of a key counts.
func (c *Curve) of(key int64) float64 {
	if c.Shape == Decay {
		return c.Scale / (c.Scale + c.distance(key))
	}
	return c.ofNumber(c.number(key))
}

// ofNumber is of for a value, of a curve that rises.
func (c *Curve) ofNumber(x float64) float64 {
	switch {
	case c.Shape == Plain:
		return x
	case c.Shape == Logarithm:
		return scorer.Logarithm(min(1+x/c.Scale, math.MaxFloat64))
	}
	if x > math.MaxFloat64/2 { // x + Scale may not be finite
		return 1
	}
	return x / (x + c.Scale)
}

// distance returns how far a key is from From.
func (c *Curve) distance(key int64) float64 {
	if c.Float {
		return math.Abs(schema.KeyFloat(key) - schema.KeyFloat(c.From))
	}
	if key < c.From {
		return float64(uint64(c.From) - uint64(key))
	}
	return float64(uint64(key) - uint64(c.From))
}

// best returns which of the values of a document, which ascend, counts most: the greatest, or the one that is nearest to From.
func (c *Curve) best(keys []int64) (most float64) {
	if c.rises() {
		return c.of(keys[len(keys)-1])
	}
	for _, k := range keys {
		most = max(most, c.of(k))
	}
	return most
}

// most returns a bound of what values from least to greatest count.
func (c *Curve) most(least, greatest int64) float64 {
	switch {
	case c.rises():
		return c.of(greatest)
	case least <= c.From && c.From <= greatest:
		return 1
	}
	return max(c.of(least), c.of(greatest))
}

// above returns a float32 that is not below what values in a range score of which x is a bound: a sum is rounded before it divides, so that
// the value of a curve may be a little less than that of a lesser number.
func (c *Curve) above(x float32) float32 {
	if c.Shape == Plain {
		return x
	}
	return math.Nextafter32(x, math.MaxFloat32)
}
