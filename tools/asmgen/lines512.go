package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lines512 generates the fused kernels of the linear-regression codecs.
func (a *assembler) lines512() {
	p := &patcher512{assembler: a, name: "unpackLine512", kind: "Line", fused: true}
	a.function(p.name, "func(dst *uint32, src *byte, bit, count, over, width, pos, n uint64, less, prev uint32, low, tab *byte, line *uint32) bool",
		p.name+" is unpack512 and adds a line; false also if the sums do not rise above prev.")
	p.load()
	p.positions()
	p.overflows()
	p.expand()

	a.function("plainLine512", "func(dst *uint32, low, tab *byte, prev uint32, line *uint32) bool",
		"plainLine512 is unpackLine512 for a block without exceptions.")
	dst := a.arg("dst")
	u := &patchUnpacker512{a, a.arg("low"), a.arg("tab"), a.ZMM()}
	a.VPBROADCASTD(operand.Mem{Base: u.tab, Disp: 32}, u.mask)
	l := a.newLine512()
	for k := range 8 {
		a.VMOVDQU32(l.add(u.values(k)), operand.Mem{Base: dst, Disp: 64 * k})
	}
	a.returnNoSign(l.bad, a.K())
}

// line512 holds what adding a line needs.
type line512 struct {
	*assembler
	at, step, frac, fracStep, before, bad, ones reg.VecVirtual
}

func (a *assembler) newLine512() *line512 {
	l := &line512{a, a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.broadcast("prev"), a.ZMM(), a.ZMM()}
	line, iota, x := a.arg("line"), a.ZMM(), a.ZMM()
	a.VMOVDQU32(a.iota(1), iota)
	a.VPBROADCASTD(operand.Mem{Base: line}, l.at)
	a.VPBROADCASTD(operand.Mem{Base: line, Disp: 4}, l.step)
	a.VPBROADCASTD(operand.Mem{Base: line, Disp: 8}, l.frac)
	a.VPBROADCASTD(operand.Mem{Base: line, Disp: 12}, l.fracStep)
	a.VPMULLD(iota, l.step, x)
	a.VPADDD(x, l.at, l.at)
	a.VPMULLD(iota, l.fracStep, x)
	a.VPADDD(x, l.frac, l.frac)
	a.VPSLLD(operand.U8(4), l.step, l.step)
	a.VPSLLD(operand.U8(4), l.fracStep, l.fracStep)
	a.VPXORD(l.bad, l.bad, l.bad)
	a.VPTERNLOGD(operand.U8(0xff), l.ones, l.ones, l.ones)
	return l
}

// add adds the next sixteen values of the line to x.
func (l *line512) add(x reg.VecVirtual) reg.VecVirtual {
	const (
		fracBits = 25
		or3      = 0xfe // ternary logic: a|b|c
	)
	y := l.ZMM()
	l.VPSRLD(operand.U8(fracBits), l.frac, y)
	l.VPADDD(l.at, x, x)
	l.VPADDD(y, x, x)
	l.VALIGND(operand.U8(15), l.before, x, y)
	l.VMOVDQA32(x, l.before)
	l.VPSUBD(y, x, y)
	l.VPADDD(l.ones, y, y) // less what must be at least: the one before and one
	l.VPTERNLOGD(operand.U8(or3), x, y, l.bad)
	l.VPADDD(l.step, l.at, l.at)
	l.VPADDD(l.fracStep, l.frac, l.frac)
	return x
}
