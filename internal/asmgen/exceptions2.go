package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, patchAVX2) }

// patchAVX2 generates the patching of a block one exception at a time, for
// processors that have no better: shifts by a register without flags are what it has
// over the portable code.
func patchAVX2(out output) error {
	a := newAssembler()
	const name = "applyAVX2"
	a.function(name, "func(dst *uint32, src *byte, bit, count, over, width, pos, n, less uint64) bool",
		name+" is apply. Positions are fields of pos bits, or a bitmap where pos is 64. 8 bytes past",
		"the words of the exceptions are readable.")
	dst, src, bit, count := a.arg("dst"), a.arg("src"), a.arg("bit"), a.arg("count")
	over, width, pos, n, less := a.arg("over"), a.arg("width"), a.arg("pos"), a.arg("n"), a.arg("less")
	// field leaves the field of so many bits at bit at in x.
	field := func(at, bits, x reg.GPVirtual) {
		from, shift := a.GP64(), a.GP64()
		a.MOVQ(at, from)
		a.MOVQ(at, shift)
		a.SHRQ(operand.U8(3), from)
		a.ANDQ(operand.U8(7), shift)
		a.SHRXQ(shift, operand.Mem{Base: src, Index: from, Scale: 1}, x)
		a.BZHIQ(bits, x, x)
		a.ADDQ(bits, at)
	}
	// patch adds an exception's overflow to value i.
	patch := func(at, i reg.GPVirtual) {
		x := a.GP64()
		field(at, over, x)
		a.ADDQ(less, x)
		a.SHLXQ(width, x, x)
		a.ADDL(x.As32(), operand.Mem{Base: dst, Index: i, Scale: 4})
	}
	i, at := a.GP64(), a.GP64()
	a.CMPQ(pos, operand.U32(64))
	a.JGE(operand.LabelRef("bitmap"))

	next := a.GP64()
	a.XORQ(next, next)
	a.MOVQ(pos, at)
	a.IMULQ(count, at)
	a.ADDQ(bit, at)
	a.Label("position")
	field(bit, pos, i)
	a.CMPQ(i, next)
	a.JLT(operand.LabelRef("fail"))
	a.CMPQ(i, n)
	a.JGE(operand.LabelRef("fail"))
	a.LEAQ(operand.Mem{Base: i, Disp: 1}, next)
	patch(at, i)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("position"))
	a.JMP(operand.LabelRef("done"))

	a.Label("bitmap")
	base, word, of32, more, ones := a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: bit, Disp: 128}, at)
	a.XORQ(base, base)
	a.MOVQ(operand.U32(32), of32)
	a.Label("word")
	field(bit, of32, word)
	a.POPCNTQ(word, ones)
	a.SUBQ(ones, count)
	a.JL(operand.LabelRef("fail"))
	a.TESTQ(word, word)
	a.JE(operand.LabelRef("next"))
	a.Label("bit")
	a.TZCNTQ(word, i)
	a.ADDQ(base, i)
	a.CMPQ(i, n)
	a.JGE(operand.LabelRef("fail"))
	patch(at, i)
	a.BLSRQ(word, word)
	a.JNZ(operand.LabelRef("bit"))
	a.Label("next")
	a.ADDQ(operand.U8(32), base)
	a.CMPQ(base, operand.U32(128))
	a.JLT(operand.LabelRef("word"))
	a.MOVQ(count, more)
	a.TESTQ(more, more)
	a.JNZ(operand.LabelRef("fail"))
	a.Label("done")
	a.MOVB(operand.U8(1), a.result())
	a.RET()
	a.Label("fail")
	a.MOVB(operand.U8(0), a.result())
	a.RET()
	return a.write(out, "format/codec/internal/patch", "patch", "patch_avx2")
}
