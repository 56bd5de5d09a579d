package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// segment reads the head of a segment of package regress with an extra field of so many bits: M,
// and the extra field as a signed number, are returned.
func (r *run512) segment(extraBits uint8) (least, extra reg.GPVirtual) {
	const head = 24
	r.TESTQ(r.length, r.length)
	r.stopIf(r.JEQ)
	sign, m := r.GP64(), r.GP64()
	least = r.GP64()
	r.MOVQ(operand.Mem{Base: r.src}, least)
	r.width, r.count, r.over = r.field(least, 0, 6), r.field(least, 6, 7), r.field(least, 13, 5)
	r.checkWidths()
	r.MOVQ(least, m)
	r.SHRQ(operand.U8(18), m)
	r.ANDQ(operand.U32(63), m)
	r.CMPQ(m, operand.U8(32))
	r.stopIf(r.JHI)
	if extraBits > 0 {
		extra = r.GP64()
		r.MOVQ(least, extra)
		r.SHLQ(operand.U8(64-head-extraBits), extra)
		r.SARQ(operand.U8(64-extraBits), extra)
	}
	r.SHRQ(operand.U8(head+extraBits), least)
	r.BZHIQ(m, least, least)
	r.MOVQ(least, sign) // M is zigzag coded
	r.ANDQ(operand.U32(1), sign)
	r.NEGQ(sign)
	r.SHRQ(operand.U8(1), least)
	r.XORQ(sign, least)
	r.bit = m
	r.ADDQ(operand.U8(head+extraBits), r.bit)
	r.checkLength()
	return least, extra
}

// newFrameLine allocates a line in the frame.
func (r *run512) newFrameLine() (f frameLine) {
	for i := range f {
		f[i] = r.AllocLocal(4)
	}
	return f
}

// from fills the line with that of a slope, an intercept and M as seen from element origin,
// which it changes.
func (r *run512) from(f frameLine, slopeAt, interceptAt operand.Mem, least, origin reg.GPVirtual) {
	slope, x := r.GP64(), r.GP64()
	r.MOVQ(slopeAt, slope)
	r.IMULQ(slope, origin)
	r.MOVL(origin.As32(), x.As32())
	r.SHRL(operand.U8(7), x.As32())
	r.MOVL(x.As32(), f[2])
	r.SHRQ(operand.U8(32), origin)
	r.ADDL(least.As32(), origin.As32())
	r.ADDL(interceptAt, origin.As32())
	r.MOVL(origin.As32(), f[0])
	r.slope(f, slope)
}

// slope fills the line's steps.
func (r *run512) slope(f frameLine, slope reg.GPVirtual) {
	x := r.GP64()
	r.MOVL(slope.As32(), x.As32())
	r.SHRL(operand.U8(7), x.As32())
	r.MOVL(x.As32(), f[3])
	r.SHRQ(operand.U8(32), slope)
	r.MOVL(slope.As32(), f[1])
}

func (a *assembler) listRun512() {
	r := a.newRun512("Line", "listRun512", blocksSignature,
		"decodes full blocks of docIDs in a row, segments without an extra field along the line that the payload begins with.")
	f := r.newFrameLine()
	r.locate()
	least, _ := r.segment(0)
	origin := r.GP64()
	r.MOVQ(r.first, origin)
	head := r.GP64()
	r.MOVQ(r.pay, head)
	r.from(f, operand.Mem{Base: head}, operand.Mem{Base: head, Disp: 8}, least, origin)
	r.lines(f)
}

func (a *assembler) chordRun512() {
	const turnBits = 5
	r := a.newRun512("Line", "chordRun512", blocksSignature,
		"decodes full blocks of docIDs in a row, segments with an extra field that turns the chord.")
	f := r.newFrameLine()
	r.locate()
	least, turn := r.segment(turnBits)
	base, slope, part := r.GP64(), r.GP64(), r.GP64()
	r.MOVL(r.before, base.As32())
	r.INCL(base.As32())
	r.MOVQ(r.last, slope)
	r.MOVL(operand.Mem{Base: slope}, slope.As32())
	r.SUBL(base.As32(), slope.As32())
	r.ADDL(least.As32(), base.As32())
	r.MOVL(base.As32(), f[0])
	r.MOVQ(slope, part)
	r.SHRQ(operand.U8(6), part)
	r.IMULQ(turn, part)
	r.ADDQ(part, slope)
	r.MOVQ(slope, part)
	r.SHRQ(operand.U8(7), part)
	r.MOVL(part.As32(), f[1])
	r.MOVL(operand.U32(0), f[2])
	r.ANDL(operand.U32(127), slope.As32())
	r.SHLL(operand.U8(18), slope.As32())
	r.MOVL(slope.As32(), f[3])
	r.lines(f)
}

// bucketRun512 has two lines for a block of two buckets, the second from the first element of
// its bucket on.
func (a *assembler) bucketRun512() {
	r := a.newRun512("Line", "bucketRun512", "func(dst *uint32, s *byte, block, count uint64, tab *byte, shift, buckets uint64) uint64",
		"decodes full blocks of docIDs in a row, segments without an extra field along the lines of the buckets, at most two, which the payload begins with.")
	f, g := r.newFrameLine(), r.newFrameLine()
	turnAt := r.AllocLocal(8)
	r.locate()
	least, _ := r.segment(0)
	lower, upper, shift := r.GP64(), r.GP64(), r.GP64()
	r.Load(r.Param("shift"), shift)
	r.MOVL(r.before, lower.As32())
	r.INCL(lower.As32())
	r.MOVQ(r.last, upper)
	r.MOVL(operand.Mem{Base: upper}, upper.As32())
	r.SHRXQ(shift, lower, lower)
	r.SHRXQ(shift, upper, upper)
	r.CMPQ(upper, r.memory("buckets"))
	r.stopIf(r.JCC)
	apart := shift
	r.MOVQ(upper, apart)
	r.SUBQ(lower, apart)
	r.CMPQ(apart, operand.U8(1))
	r.stopIf(r.JHI)
	r.SHLQ(operand.U8(4), upper)
	r.SHLQ(operand.U8(4), lower)
	r.ADDQ(r.pay, upper)
	r.ADDQ(r.pay, lower)

	// The block is of one bucket, or turns to the next where that begins.
	turn, whole := r.GP64(), r.GP64()
	r.MOVL(operand.Mem{Base: upper}, turn.As32())
	r.SUBQ(r.first, turn)
	r.MOVQ(operand.U32(128), whole)
	r.TESTQ(apart, apart)
	r.CMOVQEQ(whole, turn)
	r.CMPQ(turn, whole)
	r.stopIf(r.JHI)
	r.MOVQ(turn, turnAt)

	start, origin := r.GP64(), r.GP64()
	r.MOVL(operand.Mem{Base: lower}, start.As32())
	r.MOVQ(r.first, origin)
	r.SUBQ(start, origin)
	r.stopIf(r.JCS)
	r.from(f, operand.Mem{Base: lower, Disp: 8}, operand.Mem{Base: lower, Disp: 4}, least, origin)
	r.ADDL(operand.Mem{Base: upper, Disp: 4}, least.As32())
	r.MOVL(least.As32(), g[0])
	r.MOVL(operand.U32(0), g[2])
	slope := r.GP64()
	r.MOVQ(operand.Mem{Base: upper, Disp: 8}, slope)
	r.slope(g, slope)
	r.line = r.newLine512(f, r.before)
	r.MOVQ(turnAt, turn)
	r.line.turnTo(g, turn)
	r.blocks(r.find)
}

// lines writes the values along the line.
func (r *run512) lines(f frameLine) {
	r.line = r.newLine512(f, r.before)
	r.blocks(r.find)
}
