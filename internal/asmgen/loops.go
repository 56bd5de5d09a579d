package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bitpackLoops writes the functions on unpacked values. The number of values must be a
// multiple of their step; Go code processes the rest.
func bitpackLoops(out output) error {
	a := newAssembler()
	a.orLoop()
	a.gapsLoop()
	a.lessOneLoop()
	a.sumLoop()
	return a.write(out, bitpackFolder, "bitpack", "zloops")
}

// loop runs body, which advances the pointers, while n is above 0, step at a time.
func (a *assembler) loop(n reg.GPVirtual, step int, body func()) {
	a.Label("next")
	a.SUBQ(operand.U8(step), n)
	a.JL(operand.LabelRef("done"))
	body()
	a.JMP(operand.LabelRef("next"))
	a.Label("done")
}

// fold combines the words of y into a 32-bit result by bitwise or. It uses x as scratch.
func (a *assembler) fold(y, spare reg.VecPhysical, result string) {
	a.VEXTRACTI128(operand.U8(1), y, spare.AsX())
	a.VPOR(spare.AsX(), y.AsX(), y.AsX())
	a.VPSHUFD(operand.U8(0x4e), y.AsX(), spare.AsX())
	a.VPOR(spare.AsX(), y.AsX(), y.AsX())
	a.VPSHUFD(operand.U8(0xb1), y.AsX(), spare.AsX())
	a.VPOR(spare.AsX(), y.AsX(), y.AsX())
	r := a.GP32()
	a.VMOVD(y.AsX(), r)
	a.Store(r, a.Return(result))
}

func (a *assembler) orLoop() {
	a.function("orAVX2", "func(v *uint32, n int) (or uint32)",
		"orAVX2 returns the bitwise or of n values. n is a multiple of 16.")
	v, n := a.arg("v"), a.arg("n")
	x, y := reg.Y0, reg.Y1
	a.VPXOR(x, x, x)
	a.VPXOR(y, y, y)
	a.loop(n, 16, func() {
		a.VPOR(operand.Mem{Base: v}, x, x)
		a.VPOR(operand.Mem{Base: v, Disp: 32}, y, y)
		a.ADDQ(operand.U8(64), v)
	})
	a.VPOR(y, x, x)
	a.fold(x, y, "or")
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) gapsLoop() {
	a.function("gapsAVX2", "func(gaps, docs *uint32, n int) (or, bad uint32)",
		"gapsAVX2 writes docs[i]-docs[i-1]-1 for n docIDs. It reads docs[-1]; n is a multiple",
		"of 8. or is the bitwise or of all gaps, bad that of all docIDs and gaps.")
	gaps, docs, n := a.arg("gaps"), a.arg("docs"), a.arg("n")
	ones, or, bad, d, g := reg.Y5, reg.Y0, reg.Y1, reg.Y2, reg.Y3
	a.VPCMPEQD(ones, ones, ones)
	a.VPXOR(or, or, or)
	a.VPXOR(bad, bad, bad)
	a.loop(n, 8, func() {
		a.VMOVDQU(operand.Mem{Base: docs}, d)
		a.VPSUBD(operand.Mem{Base: docs, Disp: -4}, d, g)
		a.VPADDD(ones, g, g)
		a.VPOR(d, bad, bad)
		a.VPOR(g, or, or)
		a.VMOVDQU(g, operand.Mem{Base: gaps})
		a.ADDQ(operand.U8(32), docs)
		a.ADDQ(operand.U8(32), gaps)
	})
	a.VPOR(or, bad, bad)
	a.fold(or, d, "or")
	a.fold(bad, d, "bad")
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) lessOneLoop() {
	a.function("lessOneAVX2", "func(dst, v *uint32, n int) (or, zero uint32)",
		"lessOneAVX2 writes v[i]-1 for n values. n is a multiple of 8. or is the bitwise or of",
		"all results; zero is not 0 if a value is 0.")
	dst, v, n := a.arg("dst"), a.arg("v"), a.arg("n")
	ones, none, or, zero, x, y := reg.Y5, reg.Y6, reg.Y0, reg.Y1, reg.Y2, reg.Y3
	a.VPCMPEQD(ones, ones, ones)
	a.VPXOR(none, none, none)
	a.VPXOR(or, or, or)
	a.VPXOR(zero, zero, zero)
	a.loop(n, 8, func() {
		a.VMOVDQU(operand.Mem{Base: v}, x)
		a.VPCMPEQD(none, x, y)
		a.VPOR(y, zero, zero)
		a.VPADDD(ones, x, x)
		a.VPOR(x, or, or)
		a.VMOVDQU(x, operand.Mem{Base: dst})
		a.ADDQ(operand.U8(32), v)
		a.ADDQ(operand.U8(32), dst)
	})
	a.fold(or, x, "or")
	a.fold(zero, x, "zero")
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) sumLoop() {
	a.function("sumAVX2", "func(v *uint32, n int, prev uint32)",
		"sumAVX2 turns n gaps minus one into docIDs in place. n is a multiple of 16.")
	v, n := a.arg("v"), a.arg("n")
	s := newScan(a)
	a.VPBROADCASTD(a.address("prev"), scanCarry)
	r := rowSet{reg.Y0, reg.Y1, reg.Y2, reg.Y9}
	a.loop(n, 16, func() {
		at := operand.Mem{Base: v}
		a.VMOVDQU(at, r.x.AsX())
		a.VMOVDQU(at.Offset(16), r.y.AsX())
		a.VINSERTI128(operand.U8(1), at.Offset(32), r.x, r.x)
		a.VINSERTI128(operand.U8(1), at.Offset(48), r.y, r.y)
		s.within(r)
		s.across(r)
		s.store(r, at)
		a.ADDQ(operand.U8(64), v)
	})
	a.VZEROUPPER()
	a.RET()
}
