package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// encode writes what makes codes of dense vectors.
func encode(out output) error {
	a := newAssembler()
	a.move()
	a.permute()
	a.hadamard()
	a.greatest()
	a.quantize()
	a.halves()
	return a.write(out, "internal/vector", "vector", "zencode")
}

// move writes the difference of two vectors.
func (a *assembler) move() {
	a.function("moveAVX2", "func(dst, v, centre *float32, n int)", "moveAVX2 sets dst to v - centre. n is a multiple of 8.")
	dst, v, centre, n := a.arg("dst"), a.arg("v"), a.arg("centre"), a.arg("n")
	x := a.YMM()
	a.loop(n, 8, func() {
		a.VMOVUPS(operand.Mem{Base: v}, x)
		a.VSUBPS(operand.Mem{Base: centre}, x, x)
		a.VMOVUPS(x, operand.Mem{Base: dst})
		for _, p := range []reg.GPVirtual{dst, v, centre} {
			a.ADDQ(operand.U8(32), p)
		}
	})
	a.VZEROUPPER()
	a.RET()
}

// permute writes a permutation: gathers take no less than single loads.
func (a *assembler) permute() {
	a.function("permuteAVX2", "func(dst, src *float32, from *uint16, sign *uint32, n int)",
		"permuteAVX2 sets value i of dst to value from[i] of src, with the sign bit flipped where sign[i]",
		"has it. n is a multiple of 8.")
	dst, src, from, sign, n := a.arg("dst"), a.arg("src"), a.arg("from"), a.arg("sign"), a.arg("n")
	at, x := a.GP64(), a.GP32()
	a.loop(n, 8, func() {
		for i := range 8 {
			a.MOVWQZX(operand.Mem{Base: from, Disp: 2 * i}, at)
			a.MOVL(operand.Mem{Base: src, Index: at, Scale: 4}, x)
			a.XORL(operand.Mem{Base: sign, Disp: 4 * i}, x)
			a.MOVL(x, operand.Mem{Base: dst, Disp: 4 * i})
		}
		a.ADDQ(operand.U8(16), from)
		a.ADDQ(operand.U8(32), sign)
		a.ADDQ(operand.U8(32), dst)
	})
	a.RET()
}

// hadamard writes a Hadamard transform: three levels within registers of 8 values, then levels of registers, two at a time as long as
// there are two. Each sum and difference is the one of the portable code, whose operands it may have the other way round.
func (a *assembler) hadamard() {
	a.function("hadamardAVX2", "func(v *float32, n int, factor float32)",
		"hadamardAVX2 makes n values, a power of two from 8 on, their Hadamard transform, times factor.")
	v, n := a.arg("v"), a.arg("n")
	one, factor := a.XMM(), a.YMM()
	a.Load(a.Param("factor"), one)
	a.VBROADCASTSS(one, factor)
	at, end := a.GP64(), a.GP64()
	a.MOVQ(v, at)
	a.LEAQ(operand.Mem{Base: v, Index: n, Scale: 4}, end)
	signs := []reg.VecVirtual{a.YMM(), a.YMM(), a.YMM()}
	const minus = 1 << 31
	a.VMOVUPS(a.words("minusOdd", 0, minus, 0, minus, 0, minus, 0, minus), signs[0])
	a.VMOVUPS(a.words("minusPairs", 0, 0, minus, minus, 0, 0, minus, minus), signs[1])
	a.VMOVUPS(a.words("minusUpper", 0, 0, 0, 0, minus, minus, minus, minus), signs[2])
	a.Label("eight")
	x, y := a.YMM(), a.YMM()
	a.VMOVUPS(operand.Mem{Base: at}, x)
	for level, sign := range signs {
		switch level {
		case 0:
			a.VPERMILPS(operand.U8(0b10110001), x, y)
		case 1:
			a.VPERMILPS(operand.U8(0b01001110), x, y)
		case 2:
			a.VPERM2F128(operand.U8(1), x, x, y)
		}
		a.VXORPS(sign, x, x)
		a.VADDPS(x, y, x)
	}
	a.VMOVUPS(x, operand.Mem{Base: at})
	a.ADDQ(operand.U8(32), at)
	a.CMPQ(at, end)
	a.JL(operand.LabelRef("eight"))

	step, half := a.GP64(), a.GP64() // bytes between what is added
	a.MOVQ(operand.I32(32), step)
	a.SHLQ(operand.U8(2), n)
	two := a.GP64()
	a.Label("levels")
	a.LEAQ(operand.Mem{Base: step, Index: step, Scale: 1}, two)
	a.CMPQ(two, n)
	a.JGE(operand.LabelRef("level"))
	a.levels(v, end, step, two, 4, "two")
	a.SHLQ(operand.U8(2), step)
	a.JMP(operand.LabelRef("levels"))

	a.Label("level")
	a.CMPQ(step, n)
	a.JGE(operand.LabelRef("scale"))
	a.levels(v, end, step, half, 2, "one")

	a.Label("scale")
	a.VMULPS(operand.Mem{Base: v}, factor, x)
	a.VMOVUPS(x, operand.Mem{Base: v})
	a.ADDQ(operand.U8(32), v)
	a.CMPQ(v, end)
	a.JL(operand.LabelRef("scale"))
	a.VZEROUPPER()
	a.RET()
}

// levels writes one level of a transform, or two, of what is n = 2 or 4 steps of bytes apart. spare is the double step of two.
func (a *assembler) levels(v, end, step, spare reg.GPVirtual, n int, name string) {
	at, half, third := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(v, at)
	a.Label(name + "Block")
	a.LEAQ(operand.Mem{Base: at, Index: step, Scale: 1}, half)
	if n == 4 {
		a.LEAQ(operand.Mem{Base: at, Index: spare, Scale: 1}, third)
	}
	a.Label(name + "Value")
	places := []operand.Mem{{Base: at}, {Base: at, Index: step, Scale: 1}, {Base: third}, {Base: third, Index: step, Scale: 1}}[:n]
	x := make([]reg.VecVirtual, n)
	for i, p := range places {
		x[i] = a.YMM()
		a.VMOVUPS(p, x[i])
	}
	for apart := 1; apart < n; apart *= 2 {
		for i := range x {
			if i&apart == 0 {
				sum := a.YMM()
				a.VADDPS(x[i+apart], x[i], sum)
				a.VSUBPS(x[i+apart], x[i], x[i+apart])
				x[i] = sum
			}
		}
	}
	for i, p := range places {
		a.VMOVUPS(x[i], p)
	}
	a.ADDQ(operand.U8(32), at)
	if n == 4 {
		a.ADDQ(operand.U8(32), third)
	}
	a.CMPQ(at, half)
	a.JL(operand.LabelRef(name + "Value"))
	a.ADDQ(step, at)
	if n == 4 {
		a.ADDQ(spare, at)
	}
	a.CMPQ(at, end)
	a.JL(operand.LabelRef(name + "Block"))
}

// greatest writes a maximum of magnitudes.
func (a *assembler) greatest() {
	a.function("greatestAVX2", "func(v *float32, n int) float32", "greatestAVX2 returns the greatest magnitude of n values, a multiple of 8.")
	v, n := a.arg("v"), a.arg("n")
	x, most, magnitude := a.YMM(), a.YMM(), a.YMM()
	a.VMOVUPS(a.words("magnitude", repeat(8, 1<<31-1)...), magnitude)
	a.VXORPS(most, most, most)
	a.loop(n, 8, func() {
		a.VANDPS(operand.Mem{Base: v}, magnitude, x)
		a.VMAXPS(x, most, most)
		a.ADDQ(operand.U8(32), v)
	})
	y := a.XMM()
	a.VEXTRACTF128(operand.U8(1), most, y)
	a.VMAXPS(y, most.AsX(), most.AsX())
	a.VPERMILPS(operand.U8(0b1110), most.AsX(), y)
	a.VMAXPS(y, most.AsX(), most.AsX())
	a.VPERMILPS(operand.U8(1), most.AsX(), y)
	a.VMAXSS(y, most.AsX(), most.AsX())
	a.VZEROUPPER()
	a.Store(most.AsX(), a.ReturnIndex(0))
	a.RET()
}

// quantize writes codes, four values at a time in float64, and three sums: value by value, as the format has their order. They are lanes
// of one register, so that it is three sums that take the time of one.
func (a *assembler) quantize() {
	a.function("quantizeAVX2", "func(codes *uint8, turned, moved *float32, n int, step float32, sums *float64)",
		"quantizeAVX2 sets codes to those of n turned values, a multiple of 8, in steps, and adds to sums the",
		"squares of what the upper plane leaves out, of what both leave out, and of moved.")
	codes, turned, moved, n, sums := a.arg("codes"), a.arg("turned"), a.arg("moved"), a.arg("n"), a.arg("sums")
	one, step := a.XMM(), a.YMM()
	a.Load(a.Param("step"), one)
	a.VCVTSS2SD(one, one, one)
	a.VBROADCASTSD(one, step)
	doubles := func(name string, low, high uint32) reg.VecVirtual {
		x := a.YMM()
		a.VMOVUPD(a.words(name, low, high, low, high, low, high, low, high), x)
		return x
	}
	sign, half := doubles("signs64", 0, 1<<31), doubles("half64", 0xffffffff, 0x3fdfffff) // the number before 0.5
	add, upper := doubles("middle64", 0, 0x401e0000), a.XMM()                             // 7.5
	a.VMOVDQU(a.words("upper", repeat(4, 0xfffffff0)...), upper)
	zero := a.XMM()
	a.VMOVDQU(a.words("zeroCode", repeat(4, 0x80808080)...), zero)
	sum := a.YMM()
	a.VMOVUPD(operand.Mem{Base: sums}, sum)
	a.loop(n, 8, func() {
		var numbers [2]reg.VecVirtual
		for i := range numbers {
			y, k, k4 := a.YMM(), a.XMM(), a.XMM()
			a.VCVTPS2PD(operand.Mem{Base: turned, Disp: 16 * i}, y)
			q, away := a.YMM(), a.YMM()
			a.VDIVPD(step, y, q)
			a.VANDPD(sign, q, away)
			a.VORPD(half, away, away)
			a.VADDPD(away, q, q)
			a.VCVTTPD2DQY(q, k)
			numbers[i] = k
			a.VPAND(upper, k, k4)
			e4, e8, f := a.YMM(), a.YMM(), a.YMM()
			a.VCVTDQ2PD(k4, e4)
			a.VADDPD(add, e4, e4)
			a.VCVTDQ2PD(k, e8)
			for _, e := range []reg.VecVirtual{e4, e8} {
				a.VMULPD(step, e, e)
				a.VSUBPD(e, y, e)
				a.VMULPD(e, e, e)
			}
			a.VCVTPS2PD(operand.Mem{Base: moved, Disp: 16 * i}, f)
			a.VMULPD(f, f, f)
			even, odd, fOdd, next := a.YMM(), a.YMM(), a.YMM(), a.YMM()
			a.VUNPCKLPD(e8, e4, even)
			a.VUNPCKHPD(e8, e4, odd)
			a.VUNPCKHPD(f, f, fOdd)
			a.VUNPCKLPD(f, f, f)
			a.VINSERTF128(operand.U8(1), f.AsX(), even, next)
			a.VADDPD(next, sum, sum)
			a.VINSERTF128(operand.U8(1), fOdd.AsX(), odd, next)
			a.VADDPD(next, sum, sum)
			a.VPERM2F128(operand.U8(0x31), f, even, even)
			a.VADDPD(even, sum, sum)
			a.VPERM2F128(operand.U8(0x31), fOdd, odd, odd)
			a.VADDPD(odd, sum, sum)
		}
		a.VPACKSSDW(numbers[1], numbers[0], numbers[0])
		a.VPACKSSWB(numbers[0], numbers[0], numbers[0])
		a.VPXOR(zero, numbers[0], numbers[0])
		a.VMOVQ(numbers[0], operand.Mem{Base: codes})
		a.ADDQ(operand.U8(8), codes)
		a.ADDQ(operand.U8(32), turned)
		a.ADDQ(operand.U8(32), moved)
	})
	a.VMOVUPD(sum, operand.Mem{Base: sums})
	a.VZEROUPPER()
	a.RET()
}

// halves writes the conversions of float16, and whether the CPU has them, which few with AVX2 lack.
func (a *assembler) halves() {
	a.function("hasF16C", "func() bool", "hasF16C reports whether the CPU converts float16.")
	a.MOVL(operand.U32(1), reg.EAX)
	a.XORL(reg.ECX, reg.ECX)
	a.CPUID()
	a.SHRL(operand.U8(29), reg.ECX)
	a.ANDL(operand.U8(1), reg.ECX)
	a.Store(reg.CL, a.ReturnIndex(0))
	a.RET()

	a.function("widenF16C", "func(dst *float32, src *uint16, n int)", "widenF16C is widenPortable of n values, a multiple of 8.")
	dst, src, n := a.arg("dst"), a.arg("src"), a.arg("n")
	x := a.YMM()
	a.loop(n, 8, func() {
		a.VCVTPH2PS(operand.Mem{Base: src}, x)
		a.VMOVUPS(x, operand.Mem{Base: dst})
		a.ADDQ(operand.U8(16), src)
		a.ADDQ(operand.U8(32), dst)
	})
	a.VZEROUPPER()
	a.RET()

	a.function("narrowF16C", "func(dst *uint16, src *float32, n int)", "narrowF16C is narrowPortable of n values, a multiple of 8.")
	dst, src, n = a.arg("dst"), a.arg("src"), a.arg("n")
	y := a.YMM()
	a.loop(n, 8, func() {
		a.VMOVUPS(operand.Mem{Base: src}, y)
		a.VCVTPS2PH(operand.U8(0), y, operand.Mem{Base: dst}) // to the nearest, and to even
		a.ADDQ(operand.U8(32), src)
		a.ADDQ(operand.U8(16), dst)
	})
	a.VZEROUPPER()
	a.RET()
}
