package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The unpackers of package bitpack are one function for each width, straight-line
// code for 128 values. A register holds two rows, one in each 128-bit half. A row
// of width b that begins s bits into vector w is (w >> s | (w+1) << (32-s)) &
// (1<<b - 1); a count of 32 gives 0. The words of both rows come from memory in one
// load where their vectors are the same or neighbours.
const bitpackFolder = "format/codec/internal/bitpack"

// unpacker is the function of one width.
type unpacker struct {
	*assembler
	width int
	not   bool // complement the values: AVX-512 only
	src   reg.Register
	mask  reg.VecPhysical
}

// setMask loads the mask of the width.
func (u *unpacker) setMask() {
	if u.width < 32 {
		u.VPBROADCASTD(u.words(fmt.Sprintf("mask%d", u.width), uint32(1<<u.width-1), 0), u.mask)
	}
}

// pair loads vector v into the low half of y and v+by into the high half.
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
	case lo == 0 && hi == 0:
	case lo == hi && right:
		u.VPSRLD(operand.U8(lo), y, y)
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

// bring brings the bits from row j on into the low half of y and those from row k
// on into the high half. If n of them, from each, do not all lie in one vector,
// the rest is brought into spare, and it returns true.
func (u *unpacker) bring(j, k, n int, y, spare reg.VecPhysical) (two bool) {
	b := u.width
	v, w := j*b/32, k*b/32
	s, t := j*b%32, k*b%32
	u.pair(v, w-v, y)
	u.shift(y, s, t, true)
	if s+n <= 32 && t+n <= 32 {
		return false
	}
	u.pair(v+1, w-v, spare)
	u.shift(spare, 32-s, 32-t, false)
	return true
}

// rows brings the values of rows j and k into the halves of y.
func (u *unpacker) rows(j, k int, y, spare reg.VecPhysical) {
	b := u.width
	two := u.bring(j, k, b, y, spare)
	clean := !two && j*b%32+b == 32 && k*b%32+b == 32
	switch {
	case u.not && two:
		u.VPTERNLOGD(operand.U8(ternNotOrAnd), u.mask, spare, y)
	case u.not && clean:
		u.VPTERNLOGD(operand.U8(ternNot), y, y, y)
	case u.not:
		u.VPTERNLOGD(operand.U8(ternNotAnd), u.mask, y, y)
	case two:
		u.VPOR(spare, y, y)
		u.VPAND(u.mask, y, y)
	case !clean:
		u.VPAND(u.mask, y, y)
	}
}

// four brings rows j and j+2 into x and j+1 and j+3 into y. Where two rows fit in a
// word it brings them together and then parts them.
func (u *unpacker) four(j int, x, y, spare reg.VecPhysical) {
	if 2*u.width > 32 {
		u.rows(j, j+2, x, spare)
		u.rows(j+1, j+3, y, spare)
		return
	}
	if u.bring(j, j+2, 2*u.width, x, spare) {
		u.VPOR(spare, x, x)
	}
	u.VPSRLD(operand.U8(u.width), x, y)
	if u.not {
		u.VPTERNLOGD(operand.U8(ternNotAnd), u.mask, x, x)
		u.VPTERNLOGD(operand.U8(ternNotAnd), u.mask, y, y)
	} else {
		u.VPAND(u.mask, x, x)
		u.VPAND(u.mask, y, y)
	}
}

// The functions of a width are private to their file. They take the block in AX
// and the output in CX, leave those and all other general registers alone, and
// take and leave the docID before, in every word, in Y10.
const kernel = "func()"

// bitpackDocs writes the fused unpack and prefix sum.
func bitpackDocs(out output) error {
	for _, t := range []tier{avx2, avx512} {
		a := newAssembler()
		for width := range 33 {
			a.docs(t, width)
		}
		a.text = docsEntries(t)
		if err := a.write(out, bitpackFolder, "bitpack", "docs_"+lower(t)); err != nil {
			return err
		}
	}
	return nil
}

// docs writes the function of one width. Sixteen values pass three stages: rows,
// sums within rows, sums of rows; each stage is a step behind the one before, so
// that what waits for the sum of all values before does not hold up the rest.
func (a *assembler) docs(t tier, width int) {
	name := fmt.Sprintf("docs%sWidth%d", t, width)
	a.private = append(a.private, name)
	a.function(name, kernel)
	if width == 0 {
		a.rising()
		return
	}
	u := &unpacker{assembler: a, width: width, not: t == avx512, src: reg.RAX, mask: reg.Y15}
	u.setMask()
	s := newScan(a, t)
	sets := [3]rowSet{{reg.Y0, reg.Y1, reg.Y2, reg.Y9}, {reg.Y3, reg.Y4, reg.Y5, reg.Y9}, {reg.Y6, reg.Y7, reg.Y8, reg.Y9}}
	for step := range 8 + 2 {
		if k := step; k < 8 {
			r := sets[k%3]
			u.four(4*k, r.x, r.y, r.spare)
		}
		if k := step - 1; k >= 0 && k < 8 {
			s.within(sets[k%3])
		}
		if k := step - 2; k >= 0 {
			s.across(sets[k%3])
			s.store(sets[k%3], operand.Mem{Base: reg.RCX, Disp: 64 * k})
		}
	}
	a.RET()
}

// rising writes 128 docIDs that follow one another.
func (a *assembler) rising() {
	x, by := reg.Y0, reg.Y1
	a.VPADDD(a.words("ramp", 1, 2, 3, 4, 5, 6, 7, 8), scanCarry, x)
	a.VPBROADCASTD(a.words("eight", 8, 128), by)
	for k := range 16 {
		a.VMOVDQU(x, operand.Mem{Base: reg.RCX, Disp: 32 * k})
		a.VPADDD(by, x, x)
	}
	a.VPBROADCASTD(a.words("eight", 8, 128).Offset(4), by)
	a.VPADDD(by, scanCarry, scanCarry)
	a.RET()
}

// bitpackPlain writes the unpackers of plain values and of frequencies.
func bitpackPlain(out output) error {
	a := newAssembler()
	for _, plus := range []bool{false, true} {
		for width := range 33 {
			a.plain(width, plus)
		}
	}
	a.text = plainEntries()
	return a.write(out, bitpackFolder, "bitpack", "plain_avx2")
}

func (a *assembler) plain(width int, plus bool) {
	name := fmt.Sprintf("plainAVX2Width%d", width)
	if plus {
		name = fmt.Sprintf("freqsAVX2Width%d", width)
	}
	a.private = append(a.private, name)
	a.function(name, kernel)
	if width == 0 {
		a.equal(plus)
		return
	}
	u := &unpacker{assembler: a, width: width, src: reg.RAX, mask: reg.Y15}
	ones := reg.Y14
	u.setMask()
	if plus {
		a.VPCMPEQD(ones, ones, ones)
	}
	for j := 0; j < 32; j += 2 {
		y, spare := reg.Y0, reg.Y1
		u.rows(j, j+1, y, spare)
		if plus {
			a.VPSUBD(ones, y, y)
		}
		a.VMOVDQU(y, operand.Mem{Base: reg.RCX, Disp: 16 * j})
	}
	a.RET()
}

// equal writes 128 zeros, or ones.
func (a *assembler) equal(one bool) {
	x := reg.Y0
	a.VPXOR(x, x, x)
	if one {
		a.VPBROADCASTD(a.words("one", 1, 0), x)
	}
	for k := range 16 {
		a.VMOVDQU(x, operand.Mem{Base: reg.RCX, Disp: 32 * k})
	}
	a.RET()
}
