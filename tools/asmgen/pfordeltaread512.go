package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// read is the pass that reads the exceptions of the blocks of a part.
func (r *nestedRun512) read() {
	k, from := r.GP64(), r.GP64()
	r.exceptions()
	r.MOVQ(r.ready, k)
	r.MOVQ(r.low, r.lows.Idx(k, 8))
	r.MOVQ(r.starts.Idx(k, 8), from)
	r.ADDQ(r.count, from)
	r.INCQ(k)
	r.MOVQ(from, r.starts.Idx(k, 8))
	r.MOVQ(k, r.ready)
	r.ADDQ(operand.U8(4), r.ends)
	r.CMPQ(k, r.left)
	r.JEQ(r.label("broken"))
	r.CMPQ(k, operand.U8(partBlocks))
	r.JNE(r.label("next"))
}

// exceptions reads those of a block.
func (r *nestedRun512) exceptions() {
	bit := r.GP64()
	r.width, r.low, r.count = r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.widths[arrValues], r.width)
	r.MOVQ(r.src, r.low)
	r.MOVQ(r.width, bit)
	r.SHLQ(operand.U8(4), bit)
	r.ADDQ(bit, r.src)
	r.SHRQ(operand.U8(2), bit)
	r.CMOVQEQ(r.tab, r.low) // low bits of no width may lie where memory ends
	r.MOVQ(operand.U32(0), r.count)
	r.SUBQ(bit, r.length)
	r.stopIf(r.JCS)
	r.JEQ(r.label("read"))
	r.SHLQ(operand.U8(5), r.length)
	r.MOVQ(r.length, r.end)
	r.MOVQ(r.counts[arrValues], bit)
	r.BZHIQ(bit, operand.Mem{Base: r.src}, r.count)
	r.TESTQ(r.count, r.count)
	r.stopIf(r.JEQ)
	r.CMPQ(r.count, operand.U32(128))
	r.stopIf(r.JHI)

	low, nested := r.AllocLocal(8), r.GP64()
	r.MOVQ(r.low, low) // registers are short
	r.MOVQ(r.nested, nested)
	from := r.GP64()
	r.MOVQ(r.ready, from)
	r.MOVQ(r.starts.Idx(from, 8), from)
	r.array(arrOffsets, bit, nested, from)
	r.within(bit)
	r.array(arrOverflows, bit, nested, from)
	r.ADDQ(operand.U8(31), bit)
	r.ANDQ(operand.I8(-32), bit)
	r.CMPQ(bit, r.end)
	r.stopIf(r.JNE)
	r.MOVQ(nested, r.nested)
	r.MOVQ(low, r.low)

	unit, k := r.GP64(), r.GP64()
	r.MOVQ(r.units, unit)
	r.MOVQ(r.ready, k)
	r.IMUL3Q(operand.U32(128|128<<16), k, k)
	r.MOVQ(from, r.unitFrom.Idx(unit, 8))
	r.MOVQ(r.count, r.unitCount.Idx(unit, 8))
	r.MOVQ(k, r.unitBase.Idx(unit, 8))
	r.INCQ(unit)
	r.CMPQ(r.count, operand.U8(64))
	r.JHI(r.label("halves"))
	r.Label(r.name + "_unit")
	r.MOVQ(unit, r.units)
	r.late = append(r.late, func() {
		r.Label(r.name + "_halves")
		more := r.GP64()
		r.MOVQ(operand.U32(64), r.unitCount.Offset(-8).Idx(unit, 8))
		r.ADDQ(operand.U8(64), from)
		r.LEAQ(operand.Mem{Base: r.count, Disp: unitMore - 64}, more)
		r.MOVQ(from, r.unitFrom.Idx(unit, 8))
		r.MOVQ(more, r.unitCount.Idx(unit, 8))
		r.MOVQ(k, r.unitBase.Idx(unit, 8))
		r.INCQ(unit)
		r.JMP(r.label("unit"))
	})
	r.Label(r.name + "_read")
}

// array reads count values of an array at bit to bytes, and the exceptions among them, of which
// there are then nested. Bits of which 64 bytes are read lie in the block.
func (r *nestedRun512) array(array int, bit, nested, to reg.GPVirtual) {
	label := fmt.Sprintf("%d", array)
	bytes := r.bytes
	if array == arrOverflows {
		bytes = bytes.Offset(partBytes)
	}
	first, width, row := r.GP64(), r.GP64(), r.GP64()
	index, shift, x := r.ZMM(), r.ZMM(), r.ZMM()
	r.MOVQ(r.widths[array], width)
	r.MOVQ(bit, first)
	at := r.address512(first)
	r.LEAQ(operand.Mem{Base: first, Index: width, Scale: 8}, first)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: first, Scale: 8, Disp: runShifts}, shift)
	r.MOVQ(width, row)
	r.SHLQ(operand.U8(6), row)
	r.VMOVDQU64(operand.Mem{Base: r.tab, Index: row, Scale: 1, Disp: runIndex}, index)
	r.skip(bit, r.count, array)
	r.within(bit)
	fields := func(from, offset operand.Mem) {
		r.VPERMB(from, index, x)
		r.VPMULTISHIFTQB(x, shift, x)
		r.VPANDQ_BCST(operand.Mem{Base: r.tab, Index: width, Scale: 8, Disp: runMasks}, x, x)
		if array == arrOverflows {
			r.VPSUBB(r.ones, x, x)
		}
		r.VMOVDQU64(x, offset.Idx(to, 1))
	}
	fields(operand.Mem{Base: at}, bytes)
	r.CMPQ(r.count, operand.U8(64))
	r.JHI(r.label("upper" + label))
	r.Label(r.name + "_lower" + label)

	word, n, counts := r.peek(bit), r.GP64(), r.GP64()
	r.MOVQ(r.counts[array], counts)
	r.BZHIQ(counts, word, n)
	r.ADDQ(counts, bit)
	r.CMPQ(n, r.later[array])
	r.JHI(r.label("many" + label))
	r.SHRXQ(counts, word, word)
	r.few(array, word, bit, n, nested, to)
	r.Label(r.name + "_added" + label)
	r.late = append(r.late, func() {
		r.Label(r.name + "_upper" + label)
		fields(operand.Mem{Base: at, Index: width, Scale: 8}, bytes.Offset(64))
		r.JMP(r.label("lower" + label))
		r.Label(r.name + "_many" + label)
		r.many(array, bytes, bit, n, to)
		r.JMP(r.label("added" + label))
	})
}

// few reads the n exceptions, at most four, of an array's values, which begin with byte to. Their
// offsets are the low bits of sum.
func (r *nestedRun512) few(array int, sum, bit, n, nested, to reg.GPVirtual) {
	bits, ones := r.GP64(), r.word(wordOnes)
	r.MOVQ(n, bits)
	r.SHLQ(operand.U8(4), bits)
	r.PDEPQ(r.masks[array+1], sum, sum)
	r.ADDQ(ones, sum)
	r.BZHIQ(bits, sum, sum)
	r.IMULQ(ones, sum) // of all up to each
	last, base := r.GP64(), r.GP64()
	r.MOVQ(sum, last)
	r.SHRQ(operand.U8(48), last)
	r.CMPQ(last, r.count)
	r.stopIf(r.JHI)
	disp := -1
	if array == arrOverflows {
		disp += partBytes
	}
	r.LEAQ(operand.Mem{Base: to, Disp: disp}, base)
	r.IMULQ(ones, base)
	r.ADDQ(base, sum)
	r.MOVQ(sum, r.at.Idx(nested, 2))

	r.skip(bit, n, array+1)
	over := r.peek(bit)
	r.skip(bit, n, array+2)
	r.PDEPQ(r.masks[array+2], over, over)
	if array == arrOverflows {
		tall := r.GP64()
		r.MOVQ(r.word(2*wordOnes), tall)
		r.ADDQ(over, tall)
		r.ORQ(over, tall)
		r.BZHIQ(bits, tall, tall)
		r.TESTQ(tall, r.tall)
		r.stopIf(r.JNE)
	}
	width := r.GP64()
	r.MOVQ(r.widths[array], width)
	r.ADDQ(ones, over)
	r.SHLXQ(width, over, over)
	r.MOVQ(over, r.by.Idx(nested, 2))
	r.ADDQ(n, nested)
}

// many reads and adds any number of exceptions of an array's values.
func (r *nestedRun512) many(array int, bytes operand.Mem, bit, n, to reg.GPVirtual) {
	label := fmt.Sprintf("many%d_next", array)
	offset, base, place := r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(bit, offset)
	r.skip(bit, n, array+1)
	end := r.GP64()
	r.MOVQ(bit, end)
	r.skip(end, n, array+2)
	r.within(end)
	r.LEAQ(bytes, base)
	r.ADDQ(to, base)
	r.XORQ(place, place)
	r.Label(r.name + "_" + label)
	x, width := r.peek(offset), r.GP64()
	r.MOVQ(r.widths[array+1], width)
	r.BZHIQ(width, x, x)
	r.ADDQ(width, offset)
	r.ADDQ(x, place)
	r.CMPQ(place, r.count)
	r.stopIf(r.JCC)
	over := r.peek(bit)
	r.MOVQ(r.widths[array+2], width)
	r.BZHIQ(width, over, over)
	r.ADDQ(width, bit)
	if array == arrOverflows {
		r.CMPQ(over, r.most)
		r.stopIf(r.JCC)
	}
	r.INCQ(over)
	r.MOVQ(r.widths[array], width)
	r.SHLXQ(width, over, over)
	r.ADDB(over.As8(), operand.Mem{Base: base, Index: place, Scale: 1})
	r.INCQ(place)
	r.DECQ(n)
	r.JNE(r.label(label))
}

// patch is the pass that adds the exceptions among offsets and overflows.
func (r *nestedRun512) patch() {
	i, to, by, bytes := r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.nested, i)
	r.LEAQ(r.bytes, bytes)
	r.SUBQ(operand.U8(1), i)
	r.JCS(r.label("patched"))
	r.Label(r.name + "_patch")
	r.MOVWQZX(r.at.Idx(i, 2), to)
	r.MOVBLZX(r.by.Idx(i, 2), by.As32())
	r.ADDB(by.As8(), operand.Mem{Base: bytes, Index: to, Scale: 1})
	r.SUBQ(operand.U8(1), i)
	r.JCC(r.label("patch"))
	r.Label(r.name + "_patched")
}
