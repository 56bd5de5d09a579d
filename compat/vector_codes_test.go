package compat

import (
	"encoding/binary"
	"math"
	"slices"
)

// codeAlone returns what a code stands for that is all that is kept of a vector (4.15), and checks what is beside it.
func codeAlone(dims int, meta, upper, lower []byte, centre []float32) []float32 {
	need(!slices.ContainsFunc(centre, func(x float32) bool { return x != 0 }), "codes alone, from a centre")
	step := math.Float32frombits(uint32(u32(meta, 0)))
	need(step >= 0 && step < 0x1p60 && u16(meta, 0) == 0, "a step of %v", step)
	y, greatest, squares, rest := make([]float32, dims), 0.0, 0.0, 0.0
	for i := range 2 * len(upper) {
		at, shift := 32*(i/64)+i%32, i%64/32*4
		code := int(upper[at]>>shift&15)*16 + int(lower[at]>>shift&15)
		if i >= dims {
			need(code == 0, "a code behind the dimensions")
			continue
		}
		y[i] = step * float32(code-128)
		greatest = max(greatest, math.Abs(float64(code-128)))
		squares += float64((code - 128) * (code - 128))
		rest += (float64(code%16) - 7.5) * (float64(code%16) - 7.5)
	}
	need(greatest == 127 || step == 0 && greatest == 0, "codes up to %v from 128, with a step of %v", greatest, step)
	length := math.Float32bits(float32(float64(step) * math.Sqrt(squares)))
	need(uint32(u32(meta, 4)) == length && uint32(u32(meta, 8)) == length, "the length of a code")
	r4 := math.Float32bits(float32(float64(step) * math.Sqrt(rest) * (1 + 0x1p-21)))
	need(u16(meta, 12) == int((r4+0xffff)>>16), "r4 of a code")
	x := turnBack(turnBack(y, 1), 0)
	again, high, low := codeOf(x, centre)
	own := math.Float32frombits(binary.LittleEndian.Uint32(again))
	need(math.Abs(float64(own-step)) <= 0x1p-15*float64(step), "the step of what a code stands for is %v, not %v", own, step)
	need(slices.Equal(high, upper) && slices.Equal(low, lower), "the code of what a code stands for")
	return x
}

// coded returns what the code of x stands for, where codes are all that is kept.
func coded(x []float32) []float32 {
	y, greatest := turn(turn(x, 0), 1), 0.0
	for _, v := range y {
		greatest = max(greatest, math.Abs(float64(v)))
	}
	step := math.Float32bits(float32(greatest) / 127)
	step = (step + 0x7fff + step/0x10000%2) / 0x10000 * 0x10000
	for i, v := range y {
		y[i] = math.Float32frombits(step) * float32(math.Round(float64(v)/float64(math.Float32frombits(step))))
	}
	return turnBack(turnBack(y, 1), 0)
}

// turnBack is the opposite of turn.
func turnBack(y []float32, round uint64) []float32 {
	y = slices.Clone(y)
	transform(y)
	numbers := make([]float32, len(y)) // where turn takes each value from, and its sign
	for i := range numbers {
		numbers[i] = float32(i + 1)
	}
	from := order(numbers, round)
	x := make([]float32, len(y))
	for i, at := range from {
		if at < 0 {
			x[int(-at)-1] = -y[i]
		} else {
			x[int(at)-1] = y[i]
		}
	}
	return x
}
