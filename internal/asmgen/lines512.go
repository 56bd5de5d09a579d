package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// line512 holds what adding a line needs.
type line512 struct {
	*assembler
	at, step, frac, fracStep reg.VecVirtual
	first, before            reg.VecVirtual // docIDs, of which the last is that before the first and the next value
	rises                    reg.OpmaskVirtual

	second *line512 // from element turn on; nil if there is none
	turn   reg.VecVirtual
	steps  int // vectors gone by
}

// newLine512 begins with element 0 of the line in memory, which must come to lie above prev.
func (a *assembler) newLine512(l [4]operand.Mem, prev operand.Mem) *line512 {
	v := &line512{assembler: a, first: a.ZMM(), rises: a.K()}
	iota := a.ZMM()
	a.VMOVDQU32(a.iota(1), iota)
	v.begin(l, iota)
	a.VPBROADCASTD(prev, v.first)
	v.before = v.first
	a.KXNORW(v.rises, v.rises, v.rises)
	return v
}

// begin sets the line in memory, of which iota holds the first elements.
func (v *line512) begin(l [4]operand.Mem, iota reg.VecVirtual) {
	a, x := v.assembler, v.ZMM()
	v.at, v.step, v.frac, v.fracStep = a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	a.VPBROADCASTD(l[0], v.at)
	a.VPBROADCASTD(l[1], v.step)
	a.VPBROADCASTD(l[2], v.frac)
	a.VPBROADCASTD(l[3], v.fracStep)
	a.VPMULLD(iota, v.step, x)
	a.VPADDD(x, v.at, v.at)
	a.VPMULLD(iota, v.fracStep, x)
	a.VPADDD(x, v.frac, v.frac)
	a.VPSLLD(operand.U8(4), v.step, v.step)
	a.VPSLLD(operand.U8(4), v.fracStep, v.fracStep)
}

// turnTo adds a second line whose element 0 is element turn of the values.
func (v *line512) turnTo(l [4]operand.Mem, turn reg.GPVirtual) {
	v.second = &line512{assembler: v.assembler}
	v.turn = v.ZMM()
	x := v.ZMM()
	v.VPBROADCASTD(turn.As32(), v.turn)
	v.VMOVDQU32(v.iota(1), x)
	v.VPSUBD(v.turn, x, x)
	v.second.begin(l, x)
}

// numbers returns data that holds 0 to 127.
func (l *line512) numbers() operand.Mem {
	w := make([]uint32, 128)
	for i := range w {
		w[i] = uint32(i)
	}
	return l.words("numbers", w...)
}

// again makes the next values the first again, on another path through the code.
func (l *line512) again() { l.before, l.steps = l.first, 0 }

// next moves on by sixteen elements.
func (l *line512) next() {
	l.VPADDD(l.step, l.at, l.at)
	l.VPADDD(l.fracStep, l.frac, l.frac)
}

// add adds the next sixteen values of the line to x. rises stays all ones as long as
// each is above the one before it, as signed numbers.
func (l *line512) add(x reg.VecVirtual) reg.VecVirtual {
	const (
		fracBits = 25
		above    = 6 // comparison: not less or equal
	)
	y, z := l.ZMM(), l.ZMM()
	if l.second == nil {
		l.VPSRLD(operand.U8(fracBits), l.frac, y)
		l.VPADDD(l.at, x, z)
	} else {
		k := l.K()
		l.VPCMPUD(operand.U8(above), l.numbers().Offset(64*l.steps), l.turn, k)
		l.steps++
		l.VPSRLD(operand.U8(fracBits), l.second.frac, y)
		l.VPSRLD(operand.U8(fracBits), l.frac, k, y)
		l.VPADDD(l.second.at, x, z)
		l.VPADDD(l.at, x, k, z)
		l.second.next()
	}
	x = z
	l.VPADDD(y, x, x)
	l.VALIGND(operand.U8(15), l.before, x, y)
	l.before = x
	l.VPCMPD(operand.U8(above), y, x, l.rises, l.rises)
	l.next()
	return x
}
