package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gather turns positions, sixteen at a time from next, into a bitmap, some vectors
// of sixteen each turn.
func (p *patcher512) gather(vectors int, next func(x reg.VecVirtual)) {
	lower, upper, ones, sixtyFour, before, none := p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM()
	p.VPXORQ(lower, lower, lower)
	p.VPXORQ(upper, upper, upper)
	constants := p.words("one", 1, 0, 64, 0)
	p.VPBROADCASTQ(constants, ones)
	p.VPBROADCASTQ(constants.Offset(8), sixtyFour)
	p.VPTERNLOGD(operand.U8(0xff), before, before, before)
	p.VMOVDQA32(before, none)
	left := p.GP64()
	p.MOVQ(p.count, left)
	p.Label(p.name + "_position")
	for v := range vectors {
		if v > 0 {
			nothing := p.GP64()
			p.XORQ(nothing, nothing)
			p.SUBQ(operand.U8(16), left)
			p.CMOVQLT(nothing, left)
		}
		p.gatherNext(left, next, before, none, ones, sixtyFour, lower, upper)
	}
	p.SUBQ(operand.U8(16), left)
	p.JG(operand.LabelRef(p.name + "_position"))
	// Eight quadwords of lower and upper into one of each.
	a, b := p.YMM(), p.YMM()
	p.VEXTRACTI64X4(operand.U8(1), lower, a)
	p.VPOR(lower.AsY(), a, a)
	p.VEXTRACTI64X4(operand.U8(1), upper, b)
	p.VPOR(upper.AsY(), b, b)
	both := p.YMM()
	p.VPUNPCKLQDQ(b, a, both)
	p.VPUNPCKHQDQ(b, a, a)
	p.VPOR(a, both, both)
	p.VEXTRACTI128(operand.U8(1), both, a.AsX())
	p.VPOR(a.AsX(), both.AsX(), both.AsX())
	p.VMOVQ(both.AsX(), p.lo)
	p.VPEXTRQ(operand.U8(1), both.AsX(), p.hi)
}

// gatherNext adds the next sixteen positions, of which left are there, to the bitmap.
func (p *patcher512) gatherNext(left reg.GPVirtual, next func(x reg.VecVirtual), before, none, ones, sixtyFour, lower, upper reg.VecVirtual) {
	active, falls := p.K(), p.K()
	p.tail(left, active)
	x, y, half := p.ZMM(), p.ZMM(), p.ZMM()
	next(x)
	p.VALIGND(operand.U8(15), before, x, y)
	p.VMOVDQA32(x, before)
	p.VPCMPD(operand.U8(2), y, x, active, falls) // signed: less or equal
	p.VMOVDQA32(none, y)
	p.VMOVDQA32(x, active, y) // 2^32-1 shifts a one out of sight
	p.KORTESTW(falls, falls)
	p.JNE(operand.LabelRef(p.name + "_fail"))
	for h := range 2 {
		if h == 0 {
			p.VPMOVZXDQ(y.AsY(), half)
		} else {
			p.VEXTRACTI64X4(operand.U8(1), y, half.AsY())
			p.VPMOVZXDQ(half.AsY(), half)
		}
		shifted := p.ZMM()
		p.VPSLLVQ(half, ones, shifted)
		p.VPORQ(shifted, lower, lower)
		p.VPSUBQ(sixtyFour, half, half)
		p.VPSLLVQ(half, ones, shifted)
		p.VPORQ(shifted, upper, upper)
	}
}

// fields512 reads sixteen bit fields of one width at a time.
type fields512 struct {
	p                                *patcher512
	width, start, stride             reg.GPVirtual
	step, mask, thirtyTwo, thirtyOne reg.VecVirtual
}

// newFields512 begins at p.bit.
func (p *patcher512) newFields512(width reg.GPVirtual) *fields512 {
	f := &fields512{p, width, p.GP64(), p.GP64(), p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM()}
	p.MOVQ(width, f.stride)
	p.SHLQ(operand.U8(4), f.stride)
	at := p.GP64()
	p.LEAQ(p.multiples(), at)
	p.VMOVDQU32(operand.Mem{Base: at, Index: f.stride, Scale: 4}, f.step)
	r, ones := p.GP64(), p.GP64()
	p.MOVQ(operand.I32(-1), ones)
	p.BZHIQ(width, ones, r)
	p.VPBROADCASTD(r.As32(), f.mask)
	constants := p.words("word", 32, 31)
	p.VPBROADCASTD(constants, f.thirtyTwo)
	p.VPBROADCASTD(constants.Offset(4), f.thirtyOne)
	p.MOVQ(p.bit, f.start)
	return f
}

// multiples returns data that holds 0 to 15 times each width.
func (p *patcher512) multiples() operand.Mem {
	var w []uint32
	for width := range uint32(33) {
		for i := range uint32(16) {
			w = append(w, i*width)
		}
	}
	return p.words("multiples", w...)
}

// next reads the fields at p.bit to lo and moves on.
func (f *fields512) next(lo reg.VecVirtual) {
	const orAnd = 0xa8 // ternary logic: (a|b) & c
	p := f.p
	at := p.GP64()
	bit, index, hi := p.ZMM(), p.ZMM(), p.ZMM()
	p.MOVQ(p.bit, at)
	p.ANDQ(operand.U8(31), at)
	p.VPBROADCASTD(at.As32(), bit)
	p.MOVQ(p.bit, at)
	p.SHRQ(operand.U8(5), at)
	if p.limit != nil {
		p.CMPQ(at, p.limit)
		p.CMOVQGT(p.limit, at)
	} else {
		zero := p.GP64()
		p.XORQ(zero, zero)
		p.TESTQ(f.width, f.width)
		p.CMOVQEQ(zero, at) // fields of no bits may begin past the last word
	}
	p.VPADDD(f.step, bit, bit)
	p.VPSRLD(operand.U8(5), bit, index)
	p.VPANDD(f.thirtyOne, bit, bit)
	p.VPERMD(operand.Mem{Base: p.src, Index: at, Scale: 4}, index, lo)
	p.VPERMD(operand.Mem{Base: p.src, Index: at, Scale: 4, Disp: 4}, index, hi)
	p.VPSRLVD(bit, lo, lo)
	p.VPSUBD(bit, f.thirtyTwo, bit)
	p.VPSLLVD(bit, hi, hi)
	p.VPTERNLOGD(operand.U8(orAnd), f.mask, hi, lo)
	p.ADDQ(f.stride, p.bit)
}
