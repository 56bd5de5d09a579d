package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bitpackPack writes the packers: for each width a function that packs 128 values,
// a row in each 128-bit register.
func bitpackPack(out output) error {
	a := newAssembler()
	for width := range 33 {
		a.pack(width)
	}
	a.text = packEntries()
	return a.write(out, bitpackFolder, "bitpack", "pack_avx2")
}

// pack writes the function of one width: output in CX, values in AX.
func (a *assembler) pack(width int) {
	name := fmt.Sprintf("packAVX2Width%d", width)
	a.private = append(a.private, name)
	a.function(name, kernel)
	if width == 0 {
		a.RET()
		return
	}
	dst, src := reg.RCX, reg.RAX
	row, part, word, mask := reg.X0, reg.X1, reg.X2, reg.X15
	if width < 32 {
		a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), uint32(1<<width-1), 0), mask)
	}
	for j := range 32 {
		at := operand.Mem{Base: src, Disp: 16 * j}
		if width < 32 {
			a.VPAND(at, mask, row)
		} else {
			a.VMOVDQU(at, row)
		}
		shift, v := j*width%32, j*width/32
		if shift == 0 {
			a.VMOVDQA(row, word)
		} else {
			a.VPSLLD(operand.U8(shift), row, part)
			a.VPOR(part, word, word)
		}
		if shift+width >= 32 {
			a.VMOVDQU(word, operand.Mem{Base: dst, Disp: 16 * v})
		}
		if shift+width > 32 {
			a.VPSRLD(operand.U8(32-shift), row, word)
		}
	}
	a.RET()
}
