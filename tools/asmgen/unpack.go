package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The unpackers are one function for each width, straight-line code with exits
// after every 16 values. A register holds two rows, one in each 128-bit half. A
// row of width b that begins s bits into vector w is (w >> s | (w+1) << (32-s)) &
// (1<<b - 1); its words come from memory in one load where the two vectors are the
// same or neighbours. 256-bit registers do as well as 512-bit ones here: 3 ports
// and a higher clock against 2 ports.
const folder = "format/codec/bitpack"

// tier names the instruction set of a function.
type tier int

const (
	avx2   tier = 2
	avx512 tier = 512 // with 256-bit registers: VL
)

// unpacker holds the registers and the width of one function.
type unpacker struct {
	*assembler
	tier  tier
	width int
	src   reg.GPVirtual
	mask  reg.VecVirtual
}

// pair loads vector v of the block into the low half and v+by into the high half
// of a new register.
func (u *unpacker) pair(v, by int) reg.VecVirtual {
	y := u.YMM()
	at := operand.Mem{Base: u.src, Disp: 16 * v}
	switch by {
	case 0:
		u.VBROADCASTI128(at, y)
	case 1:
		u.VMOVDQU(at, y)
	default:
		u.VMOVDQU(at, y.AsX())
		u.VINSERTI128(operand.U8(1), at.Offset(16*by), y, y)
	}
	return y
}

// shift shifts the halves of y by lo and hi bits, to the right or to the left.
func (u *unpacker) shift(y reg.VecVirtual, lo, hi int, right bool) {
	switch {
	case lo == hi && right:
		if lo != 0 {
			u.VPSRLD(operand.U8(lo), y, y)
		}
	case lo == hi:
		u.VPSLLD(operand.U8(lo), y, y)
	default:
		by := u.words(fmt.Sprintf("shift%dand%d", lo, hi), repeat(4, uint32(lo), uint32(hi))...)
		if right {
			u.VPSRLVD(by, y, y)
		} else {
			u.VPSLLVD(by, y, y)
		}
	}
}

// Ternary-logic functions f(a, b, c), a being the destination.
const (
	ternNotOrAnd = 0x57 // ^((a|b) & c)
	ternNotAnd   = 0x5f // ^(a&c)
	ternNot      = 0x0f // ^a
)

// rows returns rows j and k, j < k, in the halves of a new register, masked; they
// are complemented if not is set, which needs AVX-512.
func (u *unpacker) rows(j, k int, not bool) reg.VecVirtual {
	b := u.width
	v, w := j*b/32, k*b/32
	s, t := j*b%32, k*b%32
	lo := u.pair(v, w-v)
	u.shift(lo, s, t, true)
	straddle := s+b > 32 || t+b > 32
	switch {
	case straddle:
		// The vector after w may lie past the block: its bits are masked away, and
		// a pair of loads may read 32 bytes past its first vector.
		hi := u.pair(v+1, w-v)
		u.shift(hi, 32-s, 32-t, false)
		if not {
			u.VPTERNLOGD(operand.U8(ternNotOrAnd), u.mask, hi, lo)
			return lo
		}
		u.VPOR(hi, lo, lo)
		u.VPAND(u.mask, lo, lo)
	case not && s+b == 32 && t+b == 32:
		u.VPTERNLOGD(operand.U8(ternNot), lo, lo, lo)
	case not:
		u.VPTERNLOGD(operand.U8(ternNotAnd), u.mask, lo, lo)
	case s+b != 32 || t+b != 32:
		u.VPAND(u.mask, lo, lo)
	}
	return lo
}

// scan holds what prefix sums of 16 values in two registers need.
type scan struct {
	*assembler
	tier              tier
	second, high, top reg.VecVirtual
	odd               reg.OpmaskVirtual
	ones              reg.VecVirtual
	carry             reg.VecVirtual
}

func (a *assembler) newScan(t tier, prev operand.Op) *scan {
	s := &scan{assembler: a, tier: t, second: a.YMM(), high: a.YMM(), top: a.YMM(), carry: a.YMM()}
	const zero, second = 0x80808080, 0x07060504
	a.VBROADCASTI128(a.words("second", zero, zero, second, second), s.second)
	index := a.words("index", 3, 7)
	a.VPBROADCASTD(index, s.high)
	a.VPBROADCASTD(index.Offset(4), s.top)
	a.VPBROADCASTD(prev, s.carry)
	if t == avx512 {
		s.odd = a.K()
		r := a.GP32()
		a.MOVL(operand.U32(0xf0), r)
		a.KMOVB(r, s.odd)
	} else {
		s.ones = a.YMM()
		a.VPCMPEQD(s.ones, s.ones, s.ones)
	}
	return s
}

// inRow turns the words of each row into their running sums.
func (s *scan) inRow(x reg.VecVirtual) {
	y := s.YMM()
	s.VPSLLQ(operand.U8(32), x, y)
	s.VPADDD(y, x, x)
	s.VPSHUFB(s.second, x, y)
	s.VPADDD(y, x, x)
}

// docs turns a, which holds rows 0 and 2 of four, and b, which holds rows 1 and 3,
// into docIDs and moves the carry on. At AVX2 they hold gaps less one. At AVX-512
// they hold the complement of that, whose sum is less than nothing by the sum of
// the gaps: the gaps' one comes free.
func (s *scan) docs(a, b reg.VecVirtual) {
	if s.tier == avx2 {
		s.VPSUBD(s.ones, a, a)
		s.VPSUBD(s.ones, b, b)
	}
	s.inRow(a)
	s.inRow(b)
	t := s.YMM()
	s.VPSHUFD(operand.U8(0xff), a, t)
	s.VPADDD(t, b, b)
	// What goes before rows 2 and 3: the top of row 1.
	u := s.YMM()
	if s.tier == avx512 {
		s.VPERMD_Z(b, s.high, s.odd, u)
		s.VPSUBD(u, s.carry, s.carry)
		s.VPSUBD(a, s.carry, a)
		s.VPSUBD(b, s.carry, b)
	} else {
		zero := s.YMM()
		s.VPXOR(zero, zero, zero)
		s.VPERMD(b, s.high, u)
		s.VPBLENDD(operand.U8(0xf0), u, zero, u)
		s.VPADDD(u, s.carry, s.carry)
		s.VPADDD(a, s.carry, a)
		s.VPADDD(b, s.carry, b)
	}
	s.VPERMD(b, s.top, s.carry)
}

// newUnpacker begins the function of one width.
func (a *assembler) newUnpacker(t tier, width int) *unpacker {
	u := &unpacker{assembler: a, tier: t, width: width, src: a.arg("src")}
	if width < 32 {
		u.mask = a.YMM()
		a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), uint32(1<<width-1), 0), u.mask)
	}
	return u
}

func (a *assembler) docs(t tier, width int) {
	a.function(fmt.Sprintf("docs%dw%d", t, width), "func(dst *uint32, src *byte, n int, prev uint32)")
	u := a.newUnpacker(t, width)
	dst, n := a.arg("dst"), a.arg("n")
	s := a.newScan(t, a.memory("prev"))
	for k := range 8 {
		if k > 0 {
			a.CMPQ(n, operand.U8(16*k))
			a.JLE(operand.LabelRef("done"))
		}
		x, y := u.rows(4*k, 4*k+2, t == avx512), u.rows(4*k+1, 4*k+3, t == avx512)
		s.docs(x, y)
		a.VMOVDQU(x.AsX(), operand.Mem{Base: dst, Disp: 64 * k})
		a.VMOVDQU(y.AsX(), operand.Mem{Base: dst, Disp: 64*k + 16})
		a.VEXTRACTI128(operand.U8(1), x, operand.Mem{Base: dst, Disp: 64*k + 32})
		a.VEXTRACTI128(operand.U8(1), y, operand.Mem{Base: dst, Disp: 64*k + 48})
	}
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}

func unpackDocs(out output) error {
	for _, t := range []tier{avx2, avx512} {
		a := newAssembler()
		for width := 1; width <= 32; width++ {
			a.docs(t, width)
		}
		if err := a.write(out, folder, "bitpack", fmt.Sprintf("docs%d", t)); err != nil {
			return err
		}
	}
	return nil
}
