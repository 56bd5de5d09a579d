package main

import (
	"github.com/mmcloughlin/avo/operand"
)

func init() { generators = append(generators, regress512) }

// regress512 generates the evaluation of a line at AVX-512: value and fraction grow
// by sixteen steps a vector, so no product is needed but the first.
func regress512(out output) error {
	const fracBits = 25
	a := newAssembler()
	a.function("add512", "func(v *uint32, n uint64, l *uint32, prev uint32) bool",
		"add512 is add for n values, none beyond which is touched; l is a Local.")
	v, n, l := a.arg("v"), a.arg("n"), a.arg("l")
	at, step, frac, fracStep, iota := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	a.VMOVDQU32(a.iota(1), iota)
	a.VPBROADCASTD(operand.Mem{Base: l}, at)
	a.VPBROADCASTD(operand.Mem{Base: l, Disp: 4}, step)
	a.VPBROADCASTD(operand.Mem{Base: l, Disp: 8}, frac)
	a.VPBROADCASTD(operand.Mem{Base: l, Disp: 12}, fracStep)
	x := a.ZMM()
	a.VPMULLD(iota, step, x)
	a.VPADDD(x, at, at)
	a.VPMULLD(iota, fracStep, x)
	a.VPADDD(x, frac, frac)
	a.VPSLLD(operand.U8(4), step, step)
	a.VPSLLD(operand.U8(4), fracStep, fracStep)
	before, bad, ones, y, k := a.broadcast("prev"), a.ZMM(), a.ZMM(), a.ZMM(), a.K()
	a.VPXORD(bad, bad, bad)
	a.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	a.each("add", n, func() {
		a.tail(n, k)
		a.VMOVDQU32_Z(operand.Mem{Base: v}, k, x)
		a.VPSRLD(operand.U8(fracBits), frac, y)
		a.VPADDD(at, x, x)
		a.VPADDD(y, x, x)
		a.VMOVDQU32(x, k, operand.Mem{Base: v})
		a.VALIGND(operand.U8(15), before, x, y)
		a.VMOVDQA32(x, before)
		a.VPSUBD(y, x, y)
		a.VPADDD(ones, y, y) // less what must be at least: the one before and one
		a.VPORD(x, y, y)
		a.VPORD(y, bad, k, bad)
		a.VPADDD(step, at, at)
		a.VPADDD(fracStep, frac, frac)
	}, v)
	a.returnNoSign(bad, k)
	return a.write(out, "format/codec/internal/regress", "regress", "regress512")
}
