package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The AVX-512 unpackers take a block in eight steps of sixteen values, four rows,
// one row in each 128-bit lane of a register. Nothing depends on the width but a
// table, so that a list of many widths costs no mispredicted branch. bitpack's
// table512.go builds the table; these are its offsets.
const (
	tabOffsets = 0  // 8 words: byte offset of each step's first vector
	tabMask    = 32 // word: 2^width-1
	tabSteps   = 64
	stepIndex  = 0   // permutation of quadwords: first vector of each row into its lane
	stepRight  = 64  // right shift of each word
	stepLeft   = 128 // left shift of each word in the vector after
	stepSize   = 192
)

// Ternary-logic functions f(a, b, c), a being the destination.
const (
	ternOrAnd    = 0xa8 // (a|b) & c
	ternNotOrAnd = 0x57 // ^((a|b) & c)
	ternNotAnd   = 0x5f // ^(a&c)
)

// unpacker512 holds the registers of one function.
type unpacker512 struct {
	*assembler
	src, tab, dst reg.GPVirtual
	mask          reg.VecVirtual
}

func (a *assembler) newUnpacker512() *unpacker512 {
	u := &unpacker512{a, a.arg("src"), a.arg("tab"), a.arg("dst"), a.ZMM()}
	u.VPBROADCASTD(operand.Mem{Base: u.tab, Disp: tabMask}, u.mask)
	return u
}

// values leaves the values of step k, complemented or not, in a new register.
func (u *unpacker512) values(k int, straight bool, tern uint8) reg.VecVirtual {
	at := u.GP64()
	u.MOVL(operand.Mem{Base: u.tab, Disp: tabOffsets + 4*k}, at.As32())
	u.ADDQ(u.src, at)
	step := operand.Mem{Base: u.tab, Disp: tabSteps + k*stepSize}
	idx, lo := u.ZMM(), u.ZMM()
	u.VMOVDQU32(step.Offset(stepIndex), idx)
	u.VPERMQ(operand.Mem{Base: at}, idx, lo)
	u.VPSRLVD(step.Offset(stepRight), lo, lo)
	if straight {
		u.VPTERNLOGD(operand.U8(tern), u.mask, lo, lo)
		return lo
	}
	hi := u.ZMM()
	u.VPERMQ(operand.Mem{Base: at, Disp: 16}, idx, hi)
	u.VPSLLVD(step.Offset(stepLeft), hi, hi)
	u.VPTERNLOGD(operand.U8(tern), u.mask, hi, lo)
	return lo
}

// scan512 holds what a prefix sum of sixteen words needs.
type scan512 struct {
	*assembler
	pairs, row, rows, top reg.VecVirtual
	odd, high             reg.OpmaskVirtual
	carry                 reg.VecVirtual
}

func (a *assembler) newScan512(prev operand.Op) *scan512 {
	s := &scan512{a, a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.K(), a.K(), a.ZMM()}
	const zero, second = 0x80808080, 0x07060504
	// Words 2 and 3 of a row get word 1.
	a.VBROADCASTI32X4(a.words("pairs", zero, zero, second, second), s.pairs)
	// Rows 1 and 3 get the top of the row before, rows 2 and 3 that of row 1.
	a.VMOVDQU32(a.words("row", repeat(4, 0, 3, 0, 11)...), s.row)
	tops := a.words("tops", 7, 15)
	a.VPBROADCASTD(tops, s.rows)
	a.VPBROADCASTD(tops.Offset(4), s.top)
	r := a.GP32()
	a.MOVL(operand.U32(0xf0f0), r)
	a.KMOVW(r, s.odd)
	a.MOVL(operand.U32(0xff00), r)
	a.KMOVW(r, s.high)
	a.VPBROADCASTD(prev, s.carry)
	return s
}

// docs turns x, which holds ^gap, into docIDs: the sum of ^gap is less than nothing
// by the sum of gap+1. The carry moves on to the last of them.
func (s *scan512) docs(x reg.VecVirtual) reg.VecVirtual {
	y, out := s.ZMM(), s.ZMM()
	s.VPSLLQ(operand.U8(32), x, y)
	s.VPADDD(y, x, x)
	s.VPSHUFB(s.pairs, x, y)
	s.VPADDD(y, x, x)
	s.VPERMD_Z(x, s.row, s.odd, y)
	s.VPADDD(y, x, x)
	s.VPERMD_Z(x, s.rows, s.high, y)
	s.VPADDD(y, x, x)
	s.VPSUBD(x, s.carry, out)
	s.VPERMD(out, s.top, s.carry)
	return out
}

func unpack512(out output) error {
	a := newAssembler()
	for _, straight := range []bool{false, true} {
		name, tern := "unpackDocs512", uint8(ternNotOrAnd)
		if straight {
			name, tern = "unpackDocsStraight512", ternNotAnd
		}
		a.function(name, "func(dst *uint32, src, tab *byte, prev uint32)", name+" is unpackDocs for 128 values.")
		u := a.newUnpacker512()
		s := a.newScan512(a.memory("prev"))
		for k := range 8 {
			a.VMOVDQU32(s.docs(u.values(k, straight, tern)), operand.Mem{Base: u.dst, Disp: 64 * k})
		}
		a.VZEROUPPER()
		a.RET()
	}
	return a.write(out, "format/codec/bitpack", "bitpack", "unpack512")
}
