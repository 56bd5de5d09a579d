package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowSet names the registers of sixteen values on their way: rows 0 and 2 in x,
// rows 1 and 3 in y.
type rowSet struct {
	x, y, spare, spare2 reg.VecPhysical
}

// scan writes prefix sums. It uses Y10 to Y14 and, at AVX-512, K1.
//
// At AVX2 the values are gaps less one. At AVX-512 they are the complement of that,
// which one ternary-logic instruction gives with the rest of the unpacking: the
// complement of gap-1 is -gap, so that subtracting the sums adds the gaps.
type scan struct {
	*assembler
	tier tier
}

var (
	scanOnes   = reg.Y14
	scanSecond = reg.Y12 // byte shuffle: words 2 and 3 of a row get word 1, 0 and 1 nothing
	scanHigh   = reg.Y11 // index of word 3 everywhere
	scanCarry  = reg.Y10 // the last docID everywhere
	scanTop    = reg.Y13 // index of word 7 everywhere
	scanUpper  = reg.K1  // AVX-512: the high half
)

// newScan sets the registers but the carry.
func newScan(a *assembler, t tier) *scan {
	const clear, word1 = 0x80808080, 0x07060504
	a.VBROADCASTI128(a.words("second", clear, clear, word1, word1), scanSecond)
	a.VPBROADCASTD(a.words("index", 3, 7), scanHigh)
	a.VPBROADCASTD(a.words("index", 3, 7).Offset(4), scanTop)
	if t == avx512 {
		a.KMOVB(a.words("half", 0xf0, 0), scanUpper)
	} else {
		a.VPCMPEQD(scanOnes, scanOnes, scanOnes)
	}
	return &scan{a, t}
}

// within turns the words of each row into their running sums.
func (s *scan) within(r rowSet) {
	if s.tier == avx2 {
		s.VPSUBD(scanOnes, r.x, r.x)
		s.VPSUBD(scanOnes, r.y, r.y)
	}
	s.VPSLLQ(operand.U8(32), r.x, r.spare)
	s.VPSLLQ(operand.U8(32), r.y, r.spare2)
	s.VPADDD(r.spare, r.x, r.x)
	s.VPADDD(r.spare2, r.y, r.y)
	s.VPSHUFB(scanSecond, r.x, r.spare)
	s.VPSHUFB(scanSecond, r.y, r.spare2)
	s.VPADDD(r.spare, r.x, r.x)
	s.VPADDD(r.spare2, r.y, r.y)
}

// across adds to each row what is before it and moves the carry on.
func (s *scan) across(r rowSet) {
	s.VPSHUFD(operand.U8(0xff), r.x, r.spare)
	s.VPADDD(r.spare, r.y, r.y)
	// Rows 2 and 3 also have the top of row 1 before them.
	if s.tier == avx512 {
		s.VPERMD_Z(r.y, scanHigh, scanUpper, r.spare)
		s.VPSUBD(r.spare, scanCarry, scanCarry)
		s.VPSUBD(r.y, scanCarry, r.y)
		s.VPSUBD(r.x, scanCarry, r.x)
	} else {
		s.VPERMD(r.y, scanHigh, r.spare)
		s.VPAND(s.words("upper", repeat(4, 0, ^uint32(0))...), r.spare, r.spare)
		s.VPADDD(r.spare, scanCarry, scanCarry)
		s.VPADDD(r.y, scanCarry, r.y)
		s.VPADDD(r.x, scanCarry, r.x)
	}
	s.VPERMD(r.y, scanTop, scanCarry)
}

// store writes the four rows to at.
func (s *scan) store(r rowSet, at operand.Mem) {
	s.VMOVDQU(r.x.AsX(), at)
	s.VMOVDQU(r.y.AsX(), at.Offset(16))
	s.VEXTRACTI128(operand.U8(1), r.x, at.Offset(32))
	s.VEXTRACTI128(operand.U8(1), r.y, at.Offset(48))
}
