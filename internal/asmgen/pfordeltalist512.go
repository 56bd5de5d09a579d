package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Every number of a register: one, or the highest bit.
const (
	wordOnes  = 0x0001000100010001
	byteOnes  = 0x0101010101010101
	byteHighs = 0x8080808080808080
)

// nestedList512 keeps in its frame what holds for a list of level 1.
type nestedList512 struct {
	*run512
	widths [arrays1]operand.Mem // of the arrays' fields
	counts [arrays1]operand.Mem // of their counts, where they have one
	masks  [arrays1]operand.Mem // of fields, as numbers, of the arrays of exceptions' exceptions
	later  [arrays1]operand.Mem // exceptions among their values that are read together, at most
	tall   operand.Mem          // bits of numbers that overflows of overflows must not have
	most   operand.Mem          // which they must be below
	end    operand.Mem          // of the block: bits of its exceptions, in whole words
}

// list reads the list's header and stops where its widths are rare. Numbers are as far apart as ones.
func (r *nestedList512) list(ones uint64, later uint32) {
	const words = (1 + 2*arrays1 + 3) / 4
	head, x, y := r.GP64(), r.GP64(), r.GP64()
	r.CMPQ(r.limit, operand.U8(words))
	r.stopIf(r.JCS)
	r.Load(r.Param("s"), head)
	r.MOVQ(operand.Mem{Base: head, Disp: seqEnds}, head)
	r.CMPL(operand.Mem{Base: head}, operand.U8(words))
	r.stopIf(r.JNE)
	r.MOVQ(r.pay, head)
	r.CMPB(operand.Mem{Base: head}, operand.U8(1))
	r.stopIf(r.JNE)

	// A value has less than 2^(width+8): 128 docIDs do not wrap, nor does a frequency.
	widest := [arrays1]uint8{16, 7, 7, 7, 7, 7, 32}
	if r.kind == "Freqs" {
		widest[arrValues] = 23
	}
	for array := range arrays1 {
		r.widths[array] = r.AllocLocal(8)
		r.MOVBQZX(operand.Mem{Base: head, Disp: 1 + 2*array}, x)
		r.CMPQ(x, operand.U8(widest[array]))
		r.stopIf(r.JHI)
		r.MOVQ(x, r.widths[array])
		switch array {
		case arrValues, arrOffsets, arrOverflows:
			r.counts[array] = r.AllocLocal(8)
			r.MOVBQZX(operand.Mem{Base: head, Disp: 2 + 2*array}, y)
			r.CMPQ(y, operand.U8(8))
			r.stopIf(r.JHI)
			r.MOVQ(y, r.counts[array])
		default:
			r.masks[array] = r.AllocLocal(8)
			r.MOVQ(operand.I32(-1), y)
			r.BZHIQ(x, y, y)
			r.IMULQ(r.word(ones), y)
			r.MOVQ(y, r.masks[array])
		}
	}
	// Offsets are at most 2^7 + 2^7 - 1.
	r.MOVQ(r.widths[arrOffsets], x)
	r.ADDQ(r.widths[arrOffsetOverflows], x)
	r.CMPQ(x, operand.U8(7))
	r.stopIf(r.JHI)
	for _, array := range []int{arrOffsets, arrOverflows} {
		r.later[array] = r.AllocLocal(8)
		r.MOVQ(operand.U32(later), r.later[array])
	}
	// Of the overflows above w bits, less one, the highest are left out: with them, an
	// overflow plus one would be no byte.
	r.tall, r.most, r.end = r.AllocLocal(8), r.AllocLocal(8), r.AllocLocal(8)
	r.MOVQ(r.widths[arrOverflows], x)
	r.LEAQ(operand.Mem{Base: x, Disp: 7}, y)
	r.TESTQ(x, x)
	r.CMOVQNE(r.word(8), y)
	r.CMPQ(y, r.widths[arrOverflowOverflows]) // 8, or 7 where w is 0
	r.JCC(r.label("narrow"))
	r.MOVQ(operand.U32(0), r.later[arrOverflows])
	r.Label(r.name + "_narrow")
	r.MOVQ(operand.U32(8), y)
	r.SUBQ(x, y)
	r.MOVQ(operand.U32(255), x)
	r.SHLXQ(y, x, x)
	r.ANDQ(operand.U32(255), x)
	r.IMULQ(r.word(ones), x)
	r.MOVQ(x, r.tall)
	r.MOVQ(operand.U32(1), x)
	r.SHLXQ(y, x, x)
	r.SUBQ(operand.U8(2), x)
	r.MOVQ(x, r.most)
}

// word returns a register with a number.
func (r *nestedList512) word(number uint64) reg.GPVirtual {
	x := r.GP64()
	r.MOVQ(operand.U64(number), x)
	return x
}

// peek reads 57 bits at bit.
func (r *nestedList512) peek(bit reg.GPVirtual) reg.GPVirtual {
	at, shift := r.GP64(), r.GP64()
	r.MOVQ(bit, at)
	r.MOVQ(bit, shift)
	r.SHRQ(operand.U8(3), at)
	r.ANDQ(operand.U8(7), shift)
	x := r.GP64()
	r.SHRXQ(shift, operand.Mem{Base: r.src, Index: at, Scale: 1}, x)
	return x
}

// within stops unless bit lies in the block.
func (r *nestedList512) within(bit reg.GPVirtual) {
	r.CMPQ(bit, r.end)
	r.stopIf(r.JHI)
}

// skip moves over a number of fields.
func (r *nestedList512) skip(bit, count reg.GPVirtual, array int) {
	x := r.GP64()
	r.MOVQ(count, x)
	r.IMULQ(r.widths[array], x)
	r.ADDQ(x, bit)
}

// byteOnes returns bytes of one. Offsets are at most 255: plus one, saturated, that is still beyond
// any block.
func (r *nestedList512) byteOnes() operand.Mem {
	return r.words("byteOnes", repeat(16, 0x01010101)...)
}
