package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (a *assembler) newpfdRun512(kind string) {
	const headBits = 18
	r := a.newRun512(kind, lower1(kind)+"Run512", blocksSignature, "decodes full blocks of "+kind+" in a row.")
	r.locate()
	r.head(headBits)
	r.blocks(r.find)
}

// headWord reads the first word of a block. One of no words is one of low bits of no width.
func (r *run512) headWord() reg.GPVirtual {
	head, none := r.GP64(), r.GP64()
	r.MOVL(operand.Mem{Base: r.src}, head.As32())
	r.XORQ(none, none)
	r.TESTQ(r.length, r.length)
	r.CMOVQEQ(none, head)
	r.SETEQ(none.As8())
	r.ADDQ(none, r.length) // the word that is not there
	return head
}

// head reads the head of a block of newpfd.
func (r *run512) head(headBits uint32) {
	head := r.headWord()
	r.width, r.count, r.over = r.field(head, 0, 6), r.field(head, 6, 7), r.field(head, 13, 5)
	r.checkWidths()
	r.bit = r.GP64()
	r.MOVQ(operand.U32(headBits), r.bit)
	r.checkLength()
}

func (a *assembler) parapforRun512(kind string) {
	r := a.newRun512(kind, lower1(kind)+"Run512", blocksSignature, "decodes full blocks of "+kind+" in a row.")
	r.listed = true
	r.locate()
	head, none := r.headWord(), r.GP64()
	r.width = r.field(head, 0, 8)
	index := r.field(head, 8, 8)
	r.over = r.field(head, 16, 8)
	r.SHRQ(operand.U8(24), head)
	r.count = head
	r.CMPQ(index, operand.U8(7))
	r.stopIf(r.JHI)
	r.CMPQ(r.count, operand.U8(16))
	r.stopIf(r.JHI)
	r.CMPQ(r.over, operand.U8(1)) // exceptions have overflows
	r.SBBQ(none, none)
	r.TESTQ(r.count, none)
	r.stopIf(r.JNE)
	r.checkWidths()
	// 1 + 4*width words, then those of the exceptions, from bit on.
	r.bit, r.low = r.GP64(), r.GP64()
	bits := r.GP64()
	r.MOVQ(r.width, r.bit)
	r.SHLQ(operand.U8(7), r.bit)
	r.ADDQ(operand.U8(32), r.bit)
	r.LEAQ(operand.Mem{Base: index, Index: r.over, Scale: 1}, bits)
	r.IMULQ(r.count, bits)
	r.LEAQ(operand.Mem{Base: bits, Index: r.bit, Scale: 1, Disp: 31}, bits)
	r.SHRQ(operand.U8(5), bits)
	r.CMPQ(bits, r.length)
	r.stopIf(r.JNE)
	r.LEAQ(operand.Mem{Base: r.src, Disp: 4}, r.low)
	r.blocks(func() {
		r.lo, r.hi = r.GP64(), r.GP64()
		r.list(index)
	})
}
