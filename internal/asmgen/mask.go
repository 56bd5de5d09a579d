package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bitpackMask writes what compares packed values with a range as it unpacks them.
func bitpackMask(out output) error {
	a := newAssembler()
	a.maskRows()
	return a.write(out, bitpackFolder, "bitpack", "zmask")
}

// maskRows unpacks two rows at a time, a row in each half of a register: 32 bits of each lane from
// the row's bit on, from the vector with that bit and the next one.
func (a *assembler) maskRows() {
	a.function("maskAVX2", "func(dst *uint64, src *byte, blocks int, width uint, first, span uint32)",
		"maskAVX2 is Mask for values from first to first+span. It reads up to 16 bytes past the",
		"last block. blocks is above 0.")
	dst, src, blocks, width := a.arg("dst"), a.arg("src"), a.arg("blocks"), a.arg("width")
	start, places, thirty1, thirty2, low, first, span, step := reg.Y15, reg.Y14, reg.Y13, reg.Y12, reg.Y11, reg.Y10, reg.Y9, reg.Y8
	x, y, left := reg.Y0, reg.Y1, reg.Y2
	a.VPBROADCASTD(a.words("thirty", 31, 32), thirty1)
	a.VPBROADCASTD(a.words("thirty", 31, 32).Offset(4), thirty2)
	a.VPBROADCASTD(a.address("first"), first)
	a.VPBROADCASTD(a.address("span"), span)
	// The bits of the first two rows, 0 and width; by how much those of the next two are
	// above; and the bits of a value.
	a.VMOVQ(width, step.AsX())
	a.VPBROADCASTD(step.AsX(), step)
	a.VPAND(a.words("upper", repeat(4, 0, ^uint32(0))...), step, start)
	a.VPCMPEQD(low, low, low)
	a.VPSUBD(step, thirty2, y)
	a.VPSRLVD(y, low, low)
	a.VPADDD(step, step, step)
	bit, at, at2, size, acc, byteOf := a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(width, size)
	a.SHLQ(operand.U8(4), size)

	a.Label("block")
	a.VMOVDQA(start, places)
	a.XORQ(bit, bit)
	words := a.GP64()
	a.MOVQ(operand.U32(2), words)
	a.Label("word")
	a.XORQ(acc, acc)
	for i := range 8 {
		for _, to := range []reg.GPVirtual{at, at2} {
			a.MOVQ(bit, to)
			a.SHRQ(operand.U8(5), to)
			a.SHLQ(operand.U8(4), to)
			a.ADDQ(width, bit)
		}
		one, two := operand.Mem{Base: src, Index: at, Scale: 1}, operand.Mem{Base: src, Index: at2, Scale: 1}
		a.VMOVDQU(one, x.AsX())
		a.VINSERTI128(operand.U8(1), two, x, x)
		a.VMOVDQU(one.Offset(16), y.AsX())
		a.VINSERTI128(operand.U8(1), two.Offset(16), y, y)
		right := reg.Y3
		a.VPAND(places, thirty1, right)
		a.VPADDD(step, places, places)
		a.VPSUBD(right, thirty2, left)
		a.VPSRLVD(right, x, x)
		a.VPSLLVD(left, y, y)
		a.VPOR(x, y, x)
		a.VPAND(low, x, x)
		a.VPSUBD(first, x, x)
		a.VPMINUD(span, x, y)
		a.VPCMPEQD(x, y, x)
		a.VMOVMSKPS(x, byteOf.As32())
		if i > 0 {
			a.SHLQ(operand.U8(8*i), byteOf)
		}
		a.ORQ(byteOf, acc)
	}
	a.MOVQ(acc, operand.Mem{Base: dst})
	a.ADDQ(operand.U8(8), dst)
	a.DECQ(words)
	a.JNE(operand.LabelRef("word"))
	a.ADDQ(size, src)
	a.DECQ(blocks)
	a.JNE(operand.LabelRef("block"))
	a.VZEROUPPER()
	a.RET()
}
