package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowSet names the registers of sixteen values: rows 0 and 2 in x, rows 1 and 3 in y.
type rowSet struct {
	x, y, spare, spare2 reg.VecPhysical
}

// scan writes prefix sums of gaps minus one. It uses Y10 to Y14.
type scan struct{ *assembler }

var (
	scanOnes   = reg.Y14
	scanSecond = reg.Y12 // byte shuffle: words 2 and 3 of a row get word 1, 0 and 1 nothing
	scanHigh   = reg.Y11 // index of word 3 everywhere
	scanCarry  = reg.Y10 // the last docID everywhere
	scanTop    = reg.Y13 // index of word 7 everywhere
)

// newScan sets the registers except the carry.
func newScan(a *assembler) *scan {
	const clear, word1 = 0x80808080, 0x07060504
	a.VBROADCASTI128(a.words("second", clear, clear, word1, word1), scanSecond)
	a.VPBROADCASTD(a.words("index", 3, 7), scanHigh)
	a.VPBROADCASTD(a.words("index", 3, 7).Offset(4), scanTop)
	a.VPCMPEQD(scanOnes, scanOnes, scanOnes)
	return &scan{a}
}

// within turns the words of each row into their running sums.
func (s *scan) within(r rowSet) {
	s.VPSUBD(scanOnes, r.x, r.x)
	s.VPSUBD(scanOnes, r.y, r.y)
	s.VPSLLQ(operand.U8(32), r.x, r.spare)
	s.VPSLLQ(operand.U8(32), r.y, r.spare2)
	s.VPADDD(r.spare, r.x, r.x)
	s.VPADDD(r.spare2, r.y, r.y)
	s.VPSHUFB(scanSecond, r.x, r.spare)
	s.VPSHUFB(scanSecond, r.y, r.spare2)
	s.VPADDD(r.spare, r.x, r.x)
	s.VPADDD(r.spare2, r.y, r.y)
}

// across adds the preceding values to each row and updates the carry.
func (s *scan) across(r rowSet) {
	s.VPSHUFD(operand.U8(0xff), r.x, r.spare)
	s.VPADDD(r.spare, r.y, r.y)
	// Rows 2 and 3 also have the top of row 1 before them.
	s.VPERMD(r.y, scanHigh, r.spare)
	s.VPAND(s.words("upper", repeat(4, 0, ^uint32(0))...), r.spare, r.spare)
	s.VPADDD(r.spare, scanCarry, scanCarry)
	s.VPADDD(r.y, scanCarry, r.y)
	s.VPADDD(r.x, scanCarry, r.x)
	s.VPERMD(r.y, scanTop, scanCarry)
}

// store writes the four rows to at.
func (s *scan) store(r rowSet, at operand.Mem) {
	s.VMOVDQU(r.x.AsX(), at)
	s.VMOVDQU(r.y.AsX(), at.Offset(16))
	s.VEXTRACTI128(operand.U8(1), r.x, at.Offset(32))
	s.VEXTRACTI128(operand.U8(1), r.y, at.Offset(48))
}
