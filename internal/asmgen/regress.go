package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// regressAdd writes the evaluation of a line, eight values at a time: value and fraction
// advance by eight steps.
func regressAdd(out output) error {
	const fracBits = 25
	a := newAssembler()
	a.function("addAVX2", "func(v *uint32, n int, l *uint32, prev uint32) bool",
		"addAVX2 is Local.Add for n values, a multiple of 8, at least 8; l is the Local.")
	v, n, line := a.arg("v"), a.arg("n"), a.arg("l")
	x, y, index, bad, before, ones := a.YMM(), a.YMM(), a.YMM(), a.YMM(), a.YMM(), a.YMM()
	at, step, frac, fracStep := a.YMM(), a.YMM(), a.YMM(), a.YMM()
	for i, r := range []reg.VecVirtual{at, step, frac, fracStep} {
		a.VPBROADCASTD(operand.Mem{Base: line, Disp: 4 * i}, r)
	}
	a.VMOVDQU(a.words("numbers", 0, 1, 2, 3, 4, 5, 6, 7), index)
	a.VPMULLD(index, step, x)
	a.VPADDD(x, at, at)
	a.VPMULLD(index, fracStep, x)
	a.VPADDD(x, frac, frac)
	a.VPSLLD(operand.U8(3), step, step)
	a.VPSLLD(operand.U8(3), fracStep, fracStep)
	a.VPCMPEQD(ones, ones, ones)
	a.VPXOR(bad, bad, bad)
	a.VPBROADCASTD(a.address("prev"), before)
	a.Label("loop")
	a.VMOVDQU(operand.Mem{Base: v}, x)
	a.VPSRLD(operand.U8(fracBits), frac, y)
	a.VPADDD(at, x, x)
	a.VPADDD(y, x, x)
	a.VMOVDQU(x, operand.Mem{Base: v})
	a.Comment("The preceding values: the top of the previous vector and all except the top of this one.")
	a.VPERM2I128(operand.U8(0x21), x, before, y)
	a.VPALIGNR(operand.U8(12), y, x, y)
	a.VMOVDQA(x, before)
	a.VPSUBD(y, x, y)
	a.VPADDD(ones, y, y)
	a.VPOR(x, y, y)
	a.VPOR(y, bad, bad)
	a.VPADDD(step, at, at)
	a.VPADDD(fracStep, frac, frac)
	a.ADDQ(operand.U8(32), v)
	a.SUBQ(operand.U8(8), n)
	a.JNE(operand.LabelRef("loop"))
	signs := a.GP32()
	a.VMOVMSKPS(bad, signs)
	a.TESTL(signs, signs)
	ok := a.GP8()
	a.SETEQ(ok)
	a.Store(ok, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
	return a.write(out, "internal/codec/internal/regress", "regress", "zadd")
}
