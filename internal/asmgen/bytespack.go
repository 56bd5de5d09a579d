package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tabPack is the offset, in the tables of bytepack's tables_amd64.go, of 256 shuffles of 16
// bytes that move the bytes of four values together, by their selectors.
const tabPack = 256 * 49

func init() { generators = append(generators, bytepackPack) }

// bytepackPack writes the packer of package bytepack: eight values a step. Of each value
// two bits are made that are its selector: bytes that are not zero become ones, halves
// are packed to bytes, of which one of 0x01 comes from a low byte and one of 0xff from a
// high byte, and then the sign bits are those wanted (as the encoder of Lemire, Kurz and
// Rupp, "Stream VByte", does it).
func bytepackPack(out output) error {
	a := newAssembler()
	a.function("packAVX2", "func(sel, data *byte, v *uint32, n int, tab *byte) (used uintptr)",
		"packAVX2 packs n values, a multiple of 8, at least 8. It writes 16 bytes from where each",
		"four begin.")
	sel, data, v, n, tab := a.arg("sel"), a.arg("data"), a.arg("v"), a.arg("n"), a.arg("tab")
	ones, top, x, y, s := reg.X5, reg.X6, reg.X0, reg.X1, reg.X2
	start, key, low, size := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(data, start)
	a.VPBROADCASTD(a.words("packing", 0x01010101, 0x7f007f00), ones)
	a.VPBROADCASTD(a.words("packing").Offset(4), top)
	a.Label("next")
	a.VMOVDQU(operand.Mem{Base: v}, x)
	a.VMOVDQU(operand.Mem{Base: v, Disp: 16}, y)
	a.VPMINUB(x, ones, s)
	a.VPMINUB(y, ones, reg.X3)
	a.VPACKUSWB(reg.X3, s, s)
	a.VPMINSW(ones, s, s)
	a.VPADDUSW(top, s, s)
	a.VPMOVMSKB(s, key.As32())
	a.MOVW(key.As16(), operand.Mem{Base: sel})
	a.MOVBLZX(key.As8(), low.As32())
	a.SHRL(operand.U8(8), key.As32())
	for i, k := range []reg.GPVirtual{low, key} {
		r := []reg.VecPhysical{x, y}[i]
		a.MOVBLZX(operand.Mem{Base: tab, Index: k, Scale: 1, Disp: tabLength}, size.As32())
		a.SHLL(operand.U8(4), k.As32())
		a.VPSHUFB(operand.Mem{Base: tab, Index: k, Scale: 1, Disp: tabPack}, r, r)
		a.VMOVDQU(r, operand.Mem{Base: data})
		a.ADDQ(size, data)
	}
	a.ADDQ(operand.U8(2), sel)
	a.ADDQ(operand.U8(32), v)
	a.SUBQ(operand.U8(8), n)
	a.JNE(operand.LabelRef("next"))
	a.SUBQ(start, data)
	a.Store(data, a.Return("used"))
	a.RET()
	return a.write(out, "format/codec/internal/bytepack", "bytepack", "pack")
}
