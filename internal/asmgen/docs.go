package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Package bitpack has a function for each width of docIDs. A register holds two rows, one
// in each 128-bit half. A row of width b that starts s bits into vector w is (w >> s |
// (w+1) << (32-s)) & (1<<b - 1); a shift by 32 gives 0. The words of both rows are read
// in one load if their vectors are the same or adjacent.
const bitpackFolder = "internal/bitpack"

// unpacker is the function of one width.
type unpacker struct {
	*assembler
	width int
	src   reg.Register
	mask  reg.VecPhysical
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

// bring loads the bits from row j on into the low half of y and those from row k on into
// the high half. If n bits of either are not within one vector, it loads the rest into
// spare and returns true.
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

// rows loads the values of rows j and k into the halves of y.
func (u *unpacker) rows(j, k int, y, spare reg.VecPhysical) {
	b := u.width
	two := u.bring(j, k, b, y, spare)
	if two {
		u.VPOR(spare, y, y)
	}
	if two || j*b%32+b != 32 || k*b%32+b != 32 {
		u.VPAND(u.mask, y, y)
	}
}

// four loads rows j and j+2 into x and j+1 and j+3 into y. If two rows fit in a word, it
// loads them together and then separates them.
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
	u.VPAND(u.mask, x, x)
	u.VPAND(u.mask, y, y)
}

// widest is the greatest width, in bits, with a function, as in package bitpack. 128 gaps
// of that width cannot sum to more than 2^31; wider ones are rare.
const widest = 24

// bitpackDocs writes the fused unpack and prefix sum, a function for each width, and a
// table of the functions. The package's unpack_amd64.s calls them with the block in AX,
// the output in CX and its end in R13. They advance AX and CX and preserve all other
// general registers. Y10 to Y14 must be as set by newScan; Y10 is set to the last docID.
func bitpackDocs(out output) error {
	a := newAssembler()
	for width := range widest + 1 {
		a.docs(width)
	}
	a.text = docsTable()
	return a.write(out, bitpackFolder, "bitpack", "zdocs_avx2")
}

// docs writes the function of one width, a loop over the rows until the shifts repeat.
// Sixteen values pass three stages: rows, sums within rows, sums of rows. Each stage runs
// one step after the previous one, so that the chain of sums does not delay the rest.
func (a *assembler) docs(width int) {
	name := fmt.Sprintf("docsWidth%dAVX2", width)
	a.private = append(a.private, name)
	a.function(name, "func()")
	if width == 0 {
		a.rising()
		return
	}
	u := &unpacker{assembler: a, width: width, src: reg.RAX, mask: reg.Y15}
	a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), uint32(1<<width-1), 0), u.mask)
	s := &scan{a}
	sets := [3]rowSet{{reg.Y0, reg.Y1, reg.Y2, reg.Y9}, {reg.Y3, reg.Y4, reg.Y5, reg.Y9}, {reg.Y6, reg.Y7, reg.Y8, reg.Y9}}
	rows := 32
	for rows > leastRows && rows/2*width%32 == 0 {
		rows /= 2
	}
	a.Label("next")
	for step := range rows/4 + 2 {
		if k := step; k < rows/4 {
			r := sets[k%3]
			u.four(4*k, r.x, r.y, r.spare)
		}
		if k := step - 1; k >= 0 && k < rows/4 {
			s.within(sets[k%3])
		}
		if k := step - 2; k >= 0 {
			s.across(sets[k%3])
			s.store(sets[k%3], operand.Mem{Base: reg.RCX, Disp: 64 * k})
		}
	}
	a.ADDQ(operand.I32(rows*width/2), reg.RAX)
	a.ADDQ(operand.I32(16*rows), reg.RCX)
	a.CMPQ(reg.RCX, reg.R13)
	a.JNE(operand.LabelRef("next"))
	a.RET()
}

// leastRows is the minimum number of rows per iteration of the loop. 8 rows save 350
// lines but slow wide docIDs by 5 %.
const leastRows = 16

// rising writes consecutive docIDs, 16 per iteration.
func (a *assembler) rising() {
	x, y, by := reg.Y0, reg.Y1, reg.Y2
	a.VPADDD(a.words("ramp", 1, 2, 3, 4, 5, 6, 7, 8), scanCarry, x)
	a.VPBROADCASTD(a.words("eight", 8, 16), by)
	a.VPADDD(by, x, y)
	a.VPADDD(by, by, by)
	a.Label("next")
	a.VMOVDQU(x, operand.Mem{Base: reg.RCX})
	a.VMOVDQU(y, operand.Mem{Base: reg.RCX, Disp: 32})
	a.VPERMD(y, scanTop, scanCarry)
	a.VPADDD(by, x, x)
	a.VPADDD(by, y, y)
	a.ADDQ(operand.I32(64), reg.RCX)
	a.CMPQ(reg.RCX, reg.R13)
	a.JNE(operand.LabelRef("next"))
	a.RET()
}

// docsTable returns the table of the functions by width.
func docsTable() string {
	var b strings.Builder
	for width := range widest + 1 {
		fmt.Fprintf(&b, "\nDATA ·docsWidths+%d(SB)/8, $docsWidth%dAVX2<>(SB)", 8*width, width)
	}
	fmt.Fprintf(&b, "\nGLOBL ·docsWidths(SB), RODATA, $%d\n", 8*(widest+1))
	return b.String()
}
