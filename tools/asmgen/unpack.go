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
}

// pair loads vector v of the block into the low half of y and v+by into the high
// half.
func (u *unpacker) pair(v, by int, y reg.VecPhysical) {
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
}

// shift shifts the halves of y by lo and hi bits, to the right or to the left.
func (u *unpacker) shift(y reg.VecPhysical, lo, hi int, right bool) {
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

// rows brings rows j and k, j < k, masked, into the halves of lo; they are
// complemented if not is set, which needs AVX-512. hi is overwritten.
func (u *unpacker) rows(j, k int, not bool, lo, hi reg.VecPhysical) {
	b := u.width
	v, w := j*b/32, k*b/32
	s, t := j*b%32, k*b%32
	u.pair(v, w-v, lo)
	u.shift(lo, s, t, true)
	straddle := s+b > 32 || t+b > 32
	switch {
	case straddle:
		// The vector after w may lie past the block: its bits are masked away, and
		// a pair of loads may read 32 bytes past its first vector.
		u.pair(v+1, w-v, hi)
		u.shift(hi, 32-s, 32-t, false)
		if not {
			u.VPTERNLOGD(operand.U8(ternNotOrAnd), mask, hi, lo)
			return
		}
		u.VPOR(hi, lo, lo)
		u.VPAND(mask, lo, lo)
	case not && s+b == 32 && t+b == 32:
		u.VPTERNLOGD(operand.U8(ternNot), lo, lo, lo)
	case not:
		u.VPTERNLOGD(operand.U8(ternNotAnd), mask, lo, lo)
	case s+b != 32 || t+b != 32:
		u.VPAND(mask, lo, lo)
	}
}

// four brings rows j and j+2 into rowsA and j+1 and j+3 into rowsB. Where two rows
// fit in a word it takes them there together and then parts them.
func (u *unpacker) four(j int) {
	b, not := u.width, u.tier == avx512
	if 2*b > 32 {
		u.rows(j, j+2, not, rowsA, spareA)
		u.rows(j+1, j+3, not, rowsB, spareB)
		return
	}
	v, w := j*b/32, (j+2)*b/32
	s, t := j*b%32, (j+2)*b%32
	u.pair(v, w-v, rowsA)
	u.shift(rowsA, s, t, true)
	if s+2*b > 32 || t+2*b > 32 {
		u.pair(v+1, w-v, spareA)
		u.shift(spareA, 32-s, 32-t, false)
		u.VPOR(spareA, rowsA, rowsA)
	}
	u.VPSRLD(operand.U8(b), rowsA, rowsB)
	if not {
		u.VPTERNLOGD(operand.U8(ternNotAnd), mask, rowsA, rowsA)
		u.VPTERNLOGD(operand.U8(ternNotAnd), mask, rowsB, rowsB)
	} else {
		u.VPAND(mask, rowsA, rowsA)
		u.VPAND(mask, rowsB, rowsB)
	}
}

// Registers of the kernels. Processors rename them: a short supply costs nothing.
var (
	rowsA, rowsB   = reg.Y0, reg.Y1
	spareA, spareB = reg.Y2, reg.Y3
	zero           = reg.Y8
	ones           = reg.Y9
	carry          = reg.Y10
	top            = reg.Y11 // index that brings word 7 everywhere
	high           = reg.Y12 // index that brings word 3 everywhere
	second         = reg.Y13 // byte shuffle: words 2 and 3 of a row get word 1, others 0
	mask           = reg.Y14
	upper          = reg.K1 // the words of the high half
)

// beginScan sets the registers that scan needs, with prev for a carry.
func (a *assembler) beginScan(t tier, prev operand.Op) {
	const clear, word1 = 0x80808080, 0x07060504
	a.VBROADCASTI128(a.words("second", clear, clear, word1, word1), second)
	index := a.words("index", 3, 7)
	a.VPBROADCASTD(index, high)
	a.VPBROADCASTD(index.Offset(4), top)
	a.VPBROADCASTD(prev, carry)
	if t == avx512 {
		r := a.GP32()
		a.MOVL(operand.U32(0xf0), r)
		a.KMOVB(r, upper)
	} else {
		a.VPCMPEQD(ones, ones, ones)
		a.VPXOR(zero, zero, zero)
	}
}

// inRow turns the words of each row of x into their running sums.
func (a *assembler) inRow(x, spare reg.VecPhysical) {
	a.VPSLLQ(operand.U8(32), x, spare)
	a.VPADDD(spare, x, x)
	a.VPSHUFB(second, x, spare)
	a.VPADDD(spare, x, x)
}

// scan turns rowsA, which holds rows 0 and 2 of four, and rowsB, which holds rows 1
// and 3, into docIDs and moves the carry on. At AVX2 they hold gaps less one. At
// AVX-512 they hold the complement of that, whose sum is less than nothing by the
// sum of the gaps: the gaps' one comes free.
func (a *assembler) scan(t tier) {
	if t == avx2 {
		a.VPSUBD(ones, rowsA, rowsA)
		a.VPSUBD(ones, rowsB, rowsB)
	}
	a.inRow(rowsA, spareA)
	a.inRow(rowsB, spareB)
	a.VPSHUFD(operand.U8(0xff), rowsA, spareA)
	a.VPADDD(spareA, rowsB, rowsB)
	// Rows 2 and 3 also have the top of row 1 before them.
	if t == avx512 {
		a.VPERMD_Z(rowsB, high, upper, spareA)
		a.VPSUBD(spareA, carry, carry)
		a.VPSUBD(rowsA, carry, rowsA)
		a.VPSUBD(rowsB, carry, rowsB)
	} else {
		a.VPERMD(rowsB, high, spareA)
		a.VPBLENDD(operand.U8(0xf0), spareA, zero, spareA)
		a.VPADDD(spareA, carry, carry)
		a.VPADDD(rowsA, carry, rowsA)
		a.VPADDD(rowsB, carry, rowsB)
	}
	a.VPERMD(rowsB, top, carry)
}

// store writes the four rows.
func (a *assembler) store(at operand.Mem) {
	a.VMOVDQU(rowsA.AsX(), at)
	a.VMOVDQU(rowsB.AsX(), at.Offset(16))
	a.VEXTRACTI128(operand.U8(1), rowsA, at.Offset(32))
	a.VEXTRACTI128(operand.U8(1), rowsB, at.Offset(48))
}

// newUnpacker begins the function of one width.
func (a *assembler) newUnpacker(t tier, width int) *unpacker {
	u := &unpacker{assembler: a, tier: t, width: width, src: a.arg("src")}
	if width < 32 {
		a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), uint32(1<<width-1), 0), mask)
	}
	return u
}

func (a *assembler) docs(t tier, width int) {
	a.function(fmt.Sprintf("docs%dw%d", t, width), "func(dst *uint32, src *byte, n int, prev uint32)")
	u := a.newUnpacker(t, width)
	dst, n := a.arg("dst"), a.arg("n")
	a.beginScan(t, a.memory("prev"))
	for k := range 8 {
		if k > 0 && false {
			a.CMPQ(n, operand.U8(16*k))
			a.JLE(operand.LabelRef("done"))
		}
		u.four(4 * k)
		a.scan(t)
		a.store(operand.Mem{Base: dst, Disp: 64 * k})
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
