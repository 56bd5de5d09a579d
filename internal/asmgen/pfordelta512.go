package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, pfordelta512) }

// pfordelta512 generates functions that decode a full block with exceptions of a
// list of level 1, as blocks512 does for other codecs.
func pfordelta512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.pfordeltaBlock512(kind)
	}
	return a.write(out, "format/codec/pfordelta", "pfordelta", "blocks512")
}

// The arrays of a list of level 1, in the order of its header.
const (
	arrValues = iota
	arrOffsets
	arrOffsetOffsets
	arrOffsetOverflows
	arrOverflows
	arrOverflowOffsets
	arrOverflowOverflows
	arrays1
)

// nested512 reads the nested arrays of a block. What there is no register for lies in the frame.
type nested512 struct {
	*block512
	at, end operand.Mem // bit to be read next, first beyond the block
	offsets operand.Mem // buffer
}

func (a *assembler) pfordeltaBlock512(kind string) {
	n := &nested512{}
	n.block512 = a.newBlock512(kind, lower1(kind)+"Block512", blockSignature, "decodes a full block of "+kind+" with exceptions, of a list of level 1.")
	a.Attributes(attr.Attribute(0)) // the frame is large: there must be a check of the stack
	n.offsets, n.at, n.end = a.AllocLocal((128+32)*4), a.AllocLocal(8), a.AllocLocal(8)
	n.head()
	n.array(arrOffsets, n.offsets, nil)
	n.array(arrOverflows, n.buffer, func(x reg.VecVirtual) {
		one, width, w := n.ZMM(), n.ZMM(), n.width(arrValues)
		n.VPBROADCASTD(n.words4("one", 1), one)
		n.VPBROADCASTD(w.As32(), width)
		n.VPADDD(one, x, x)
		n.VPSLLVD(width, x, x)
	})

	// The block ends in the word of the last bit.
	at, end := n.GP64(), n.GP64()
	n.MOVQ(n.at, at)
	n.MOVQ(n.end, end)
	n.ADDQ(operand.U8(31), at)
	n.ANDQ(operand.I8(-32), at)
	n.CMPQ(at, end)
	n.failIf(n.JNE)

	n.positionsOf()
	width := n.width(arrValues)
	n.MOVQ(n.src, n.low)
	n.table(width)
	n.dst, n.prev = n.arg("dst"), n.before
	n.expand()
	n.block512.end("patched")
	n.finish()
}

// field8 returns a byte of the list header.
func (n *nested512) field8(at int) reg.GPVirtual {
	x := n.GP64()
	n.Load(n.Param("s"), x)
	n.MOVQ(operand.Mem{Base: x, Disp: seqPayload}, x)
	n.MOVBQZX(operand.Mem{Base: x, Disp: at}, x)
	return x
}

// width returns the width of the fields of an array.
func (n *nested512) width(array int) reg.GPVirtual { return n.field8(1 + 2*array) }

// head checks widths, and reads the number of exceptions.
func (n *nested512) head() {
	const (
		widest      = 32
		widestCount = 8
	)
	head, x, sum := n.listHead((1+2*arrays1+3)/4), n.GP64(), n.GP64()
	n.CMPB(operand.Mem{Base: head}, operand.U8(1))
	n.failIf(n.JNE)
	for array := range arrays1 {
		n.MOVBQZX(operand.Mem{Base: head, Disp: 1 + 2*array}, x)
		n.CMPQ(x, operand.U8(widest))
		n.failIf(n.JHI)
		switch array {
		case arrValues:
			n.MOVQ(x, sum)
		case arrOverflows, arrOverflowOverflows:
			n.ADDQ(x, sum)
		}
		n.CMPB(operand.Mem{Base: head, Disp: 2 + 2*array}, operand.U8(widestCount))
		n.failIf(n.JHI)
	}
	// An overflow, less one, of w bits has one of v bits itself, plus one, above: the value
	// has at most b + w + v + 2 bits.
	n.ADDQ(operand.U8(2), sum)
	n.checkWidths(sum)
	bit := n.GP64()
	n.MOVBQZX(operand.Mem{Base: head, Disp: 1}, bit)
	n.SHLQ(operand.U8(7), bit)
	n.MOVQ(bit, n.at)
	n.SHLQ(operand.U8(5), n.words)
	n.MOVQ(n.words, n.end)
	n.CMPQ(bit, n.words)
	n.failIf(n.JCC)
	n.MOVQ(n.get(arrValues), n.count)
	n.CMPQ(n.count, operand.U32(128))
	n.failIf(n.JHI)
	n.TESTQ(n.count, n.count)
	n.failIf(n.JEQ)
}

// get reads the count of an array.
func (n *nested512) get(array int) reg.GPVirtual {
	at, bits := n.GP64(), n.field8(2+2*array)
	n.MOVQ(n.at, at)
	x := n.scalar(at, bits)
	n.MOVQ(at, n.at)
	n.CMPQ(at, n.end)
	n.failIf(n.JHI)
	return x
}

// scalar reads a field of so many bits at bit at and moves on.
func (n *nested512) scalar(at, bits reg.GPVirtual) reg.GPVirtual {
	from, shift := n.GP64(), n.GP64()
	n.MOVQ(at, from)
	n.MOVQ(at, shift)
	n.SHRQ(operand.U8(3), from)
	n.ANDQ(operand.U8(7), shift)
	n.SHRXQ(shift, operand.Mem{Base: n.src, Index: from, Scale: 1}, from)
	n.BZHIQ(bits, from, from)
	n.ADDQ(bits, at)
	return from
}

// array reads count values of an array, each of which finish changes, to a buffer, and adds the
// exceptions among them.
func (n *nested512) array(array int, buffer operand.Mem, finish func(x reg.VecVirtual)) {
	label := fmt.Sprintf("%s_array%d", n.name, array)
	width := n.width(array)
	n.MOVQ(n.at, n.bit)
	n.take(n.count, width)
	n.MOVQ(n.at, n.limit)
	n.DECQ(n.limit)
	n.SHRQ(operand.U8(5), n.limit)
	n.pairs(label, width, buffer, finish)
	n.patch(array, buffer, label)
}

// take moves over a number of fields, which must lie in the block.
func (n *nested512) take(count, width reg.GPVirtual) {
	x := n.GP64()
	n.MOVQ(count, x)
	n.IMULQ(width, x)
	n.ADDQ(n.at, x)
	n.MOVQ(x, n.at)
	n.CMPQ(x, n.end)
	n.failIf(n.JHI)
}

// patch adds the exceptions of an array, one after the other: they are few.
func (n *nested512) patch(array int, buffer operand.Mem, label string) {
	left := n.get(array)
	n.CMPQ(left, n.count)
	n.failIf(n.JHI)
	n.TESTQ(left, left)
	n.JEQ(operand.LabelRef(label + "_patched"))
	offset, over, shift := n.GP64(), n.GP64(), n.width(array)
	if array == arrOverflows { // they have been shifted
		n.ADDQ(n.width(arrValues), shift)
	}
	offsetBits, overBits := n.width(array+1), n.width(array+2)
	n.MOVQ(n.at, offset)
	n.take(left, offsetBits)
	n.MOVQ(n.at, over)
	n.take(left, overBits)
	i := n.GP64()
	n.XORQ(i, i)
	n.Label(label + "_patch")
	n.ADDQ(n.scalar(offset, offsetBits), i)
	n.CMPQ(i, n.count)
	n.failIf(n.JCC)
	x := n.scalar(over, overBits)
	n.INCQ(x)
	n.SHLXQ(shift, x, x)
	n.ADDL(x.As32(), buffer.Idx(i, 4))
	n.INCQ(i)
	n.DECQ(left)
	n.JNZ(operand.LabelRef(label + "_patch"))
	n.Label(label + "_patched")
}

// positionsOf sums the offsets and leaves the bitmap of positions. All must be
// below 128: then there are as many ones as offsets.
func (n *nested512) positionsOf() {
	from, none := n.GP64(), n.GP32()
	n.LEAQ(n.offsets, from)
	n.MOVL(operand.U32(1<<32-1), none)
	scan := n.newPatchScan512(none)
	n.gather(2, func(x reg.VecVirtual) {
		const not = 0x55 // ternary logic: ^c, c being the first operand
		n.VPTERNLOGD(operand.U8(not), operand.Mem{Base: from}, x, x)
		n.VMOVDQA32(scan.docs(x), x)
		n.ADDQ(operand.U8(64), from)
	})
	c, d := n.GP64(), n.GP64()
	n.POPCNTQ(n.lo, c)
	n.POPCNTQ(n.hi, d)
	n.ADDQ(d, c)
	n.CMPQ(c, n.count)
	n.failIf(n.JNE)
}
