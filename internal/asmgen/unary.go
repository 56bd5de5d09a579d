package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// unaryPositions writes the search for the ones of a unary part, a byte at a time: a
// table has the positions of the ones in a byte.
func unaryPositions(out output) error {
	a := newAssembler()
	a.function("positionsAVX2", "func(dst *uint32, src *byte, words int, first uint32, from uint32, tab *uint64)",
		"positionsAVX2 writes the positions, minus from, of the ones of words 32-bit words, the first",
		"of which is first. It writes up to eight values past the last.")
	dst, src, words, tab := a.arg("dst"), a.arg("src"), a.arg("words"), a.arg("tab")
	word, at, ones := a.GP64(), a.GP64(), a.GP64()
	base, eight, y := a.YMM(), a.YMM(), a.YMM()
	a.MOVL(a.memory("first"), word.As32())
	a.VPBROADCASTD(a.address("from"), y)
	a.VPXOR(base, base, base)
	a.VPSUBD(y, base, base)
	a.VPBROADCASTD(a.words("eight", 8, 0), eight)
	a.Label("word")
	for i := range 4 {
		a.MOVBLZX(word.As8(), at.As32())
		if i < 3 {
			a.SHRL(operand.U8(8), word.As32())
		}
		a.VPMOVZXBD(operand.Mem{Base: tab, Index: at, Scale: 8}, y)
		a.XORL(ones.As32(), ones.As32())
		a.POPCNTL(at.As32(), ones.As32())
		a.VPADDD(base, y, y)
		a.VMOVDQU(y, operand.Mem{Base: dst})
		a.VPADDD(eight, base, base)
		a.LEAQ(operand.Mem{Base: dst, Index: ones, Scale: 4}, dst)
	}
	a.DECQ(words)
	a.JE(operand.LabelRef("done"))
	a.ADDQ(operand.U8(4), src)
	a.MOVL(operand.Mem{Base: src}, word.As32())
	a.JMP(operand.LabelRef("word"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
	return a.write(out, "internal/codec/internal/unary", "unary", "zpositions")
}
