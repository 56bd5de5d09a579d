package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, pfordeltaRuns512) }

// pfordeltaRuns512 generates functions that decode full blocks of a list of level 1 in a row, as
// runs512 does for other codecs, in parts of eight blocks and each part in passes:
//
//	heads    where the arrays of every block lie, a quadword to a block, and the exceptions
//	         among offsets and overflows, as addresses and what is to be added there
//	fields   offsets and overflows to bytes, block after block
//	patch    those bytes
//	sum      offsets, over all blocks
//	place    sums to positions in the part
//	scatter  overflows to their places among words that are otherwise zero
//
// and then the values. Block by block, each step would wait for the one before, and no branch
// would foresee how many exceptions a block has; so there is one loop over those of all blocks.
// Heads wait for memory time and again, so they go a step further with each block of values of
// the part before.
func pfordeltaRuns512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.pfordeltaRun512(kind)
	}
	return a.write(out, "format/codec/pfordelta", "pfordelta", "runs512")
}

const (
	partBlocks = 8                 // of a part: as many as a vector has quadwords
	partValues = partBlocks * 128  // of a part
	partBytes  = partValues + 64   // offsets, or overflows, which are written 64 at a time
	partFew    = 7                 // exceptions among a block's offsets, or overflows, that are read together
	partNested = 2*partValues + 32 // exceptions among all of them, which are written 32 at a time
	partLoop   = 8                 // overflows scattered in a turn of the loop
)

// nestedRun512 keeps in its frame what goes from pass to pass.
type nestedRun512 struct {
	*nestedList512

	offsets, overflows shifts               // of the latter, for fields that begin with a byte
	lowBytes           operand.Mem          // of a block
	controls           [arrays1]operand.Mem // shifts of eight fields
	countMasks         [arrays1]operand.Mem // of counts

	unread                       operand.Mem    // blocks whose heads are not found
	steps, turns                 operand.Mem    // steps of heads to take; those, or blocks to write if they are more
	todo, overflowing            operand.Mem    // blocks to write, overflows of those
	lows                         [2]operand.Mem // of each, and of the next part: addresses of low bits
	valueWords                   operand.Mem    // address of overflows as words of their values
	rowAt                        operand.Mem    // address of the table of the values' width
	ready                        operand.Mem    // blocks of the part whose heads are found
	starts                       operand.Mem    // exceptions before each
	offsetsAt, overAt, overShift operand.Mem    // of each: addresses of its fields, and of their shifts
	heads, endBits               operand.Mem    // of each: where its exceptions begin, and their bits
	nestedBit, nestedCount       [2]operand.Mem // of each: exceptions among offsets, or overflows
	more                         [2]operand.Mem // bitmap of those that have more than a few
	tallBlocks                   operand.Mem    // bitmap of those of more than 64 exceptions
	bytes                        operand.Mem    // offsets of the part, then overflows
	nested, at, by               operand.Mem    // how many exceptions those have: where, how much is to be added
	sums, positions, over        operand.Mem    // of all exceptions: of offsets, numbers of values, overflows
}

func (a *assembler) pfordeltaRun512(kind string) {
	r := &nestedRun512{nestedList512: &nestedList512{run512: a.newRun512(kind, lower1(kind)+"Run512", blocksSignature,
		"decodes full blocks of "+kind+" in a row, of a list of level 1.")}}
	r.Attributes(attr.Attribute(0)) // the frame is large: there must be a check of the stack
	r.list(byteOnes, partFew)
	r.frame()
	r.constants()

	h := r.newHeads512()
	r.Label(r.name + "_part")
	r.take(h)
	ready := r.GP64()
	r.MOVQ(r.ready, ready)
	r.TESTQ(ready, ready)
	r.stopIf(r.JEQ)
	r.CMPQ(r.starts.Idx(ready, 8), operand.U8(0))
	r.JEQ(r.label("placed"))
	r.fields()
	r.patch()
	r.many()
	r.sum()
	r.place()
	r.Label(r.name + "_placed")
	r.scatter()
	r.JMP(r.label("part"))
	r.finish()
}

// take writes the values of a part, and finds the heads of the next.
func (r *nestedRun512) take(h *heads512) {
	k, n, left, v := r.GP64(), r.GP64(), r.GP64(), r.ZMM()
	steps := h.pass()
	r.MOVQ(r.ready, k)
	r.MOVQ(k, r.todo)
	r.MOVQ(r.left, left)
	r.MOVQ(operand.U32(uint32(len(steps))), n)
	r.SUBQ(k, left)
	r.CMOVQEQ(left, n)
	r.MOVQ(left, r.unread)
	r.MOVQ(n, r.steps)
	r.CMPQ(n, k)
	r.CMOVQCS(k, n)
	r.MOVQ(n, r.turns)
	r.SHLQ(operand.U8(2), k)
	r.ADDQ(k, r.ends)
	r.XORQ(k, k)
	r.MOVQ(k, r.ready)
	r.Label(r.name + "_turn")
	r.CMPQ(k, r.todo)
	r.JCC(r.label("valued"))
	r.write(k)
	r.Label(r.name + "_valued")
	r.CMPQ(k, r.steps)
	r.JCC(r.label("stepped"))
	r.choose(k, steps, 0)
	r.Label(r.name + "_stepped")
	r.INCQ(k)
	r.CMPQ(k, r.turns)
	r.JCS(r.label("turn"))
	r.VMOVDQU64(r.lows[1], v)
	r.VMOVDQU64(v, r.lows[0])
}

// choose takes the step of number k.
func (r *nestedRun512) choose(k reg.GPVirtual, steps []func(), first int) {
	if len(steps) == 1 {
		steps[0]()
		r.JMP(r.label("stepped"))
		return
	}
	half := len(steps) / 2
	label := fmt.Sprintf("step%d", first+half)
	r.CMPQ(k, operand.U8(first+half))
	r.JCC(r.label(label))
	r.choose(k, steps[:half], first)
	r.Label(r.name + "_" + label)
	r.choose(k, steps[half:], first+half)
}

// frame allocates what goes from pass to pass, and clears the words of values.
func (r *nestedRun512) frame() {
	for _, m := range []*operand.Mem{&r.unread, &r.todo, &r.steps, &r.turns, &r.valueWords, &r.overflowing,
		&r.rowAt, &r.ready, &r.tallBlocks, &r.nested, &r.more[0], &r.more[1]} {
		*m = r.AllocLocal(8)
	}
	for _, m := range []*operand.Mem{&r.lows[0], &r.lows[1], &r.offsetsAt, &r.overAt, &r.overShift, &r.heads, &r.endBits,
		&r.nestedBit[0], &r.nestedBit[1], &r.nestedCount[0], &r.nestedCount[1]} {
		*m = r.AllocLocal(partBlocks * 8)
	}
	r.starts = r.AllocLocal((partBlocks + 1) * 8)
	r.bytes = r.AllocLocal(2 * partBytes)
	r.at, r.by = r.AllocLocal(partNested*2), r.AllocLocal(partNested+64)
	r.sums = r.AllocLocal(64 + partBytes*2).Offset(64)
	r.positions, r.over = r.AllocLocal(partBytes*2), r.AllocLocal(partBytes*2)
	zero := r.GP64()
	r.XORQ(zero, zero)
	for _, m := range []operand.Mem{r.ready, r.starts, r.sums.Offset(-8)} {
		r.MOVQ(zero, m)
	}
	x := r.GP64()
	r.MOVQ(r.left, x)
	r.MOVQ(x, r.unread)
	// Loads wait for older stores whose addresses end in the same twelve bits. Words of values
	// therefore lie where the blocks written at about that time do not.
	area := r.AllocLocal(partValues*4 + 64 + 4096 + 64)
	r.LEAQ(area.Offset(63), x)
	r.ANDQ(operand.I8(-64), x)
	offset := r.GP64()
	r.MOVQ(r.dst, offset)
	r.ANDQ(operand.I8(-64), offset)
	r.SUBQ(x, offset)
	r.ADDQ(operand.U32(768), offset)
	r.ANDQ(operand.U32(4095), offset)
	r.ADDQ(offset, x)
	r.clear(x)
}

// clear clears words of overflows, as many as there are blocks for.
func (r *nestedRun512) clear(x reg.GPVirtual) {
	end, most, zero := r.GP64(), r.GP64(), r.ZMM()
	r.MOVQ(x, r.valueWords)
	r.MOVQ(r.left, end)
	r.MOVQ(operand.U32(partBlocks), most)
	r.CMPQ(end, most)
	r.CMOVQHI(most, end)
	r.SHLQ(operand.U8(9), end)
	r.ADDQ(x, end)
	r.VPXORQ(zero, zero, zero)
	r.Label(r.name + "_clear")
	for i := range 8 {
		r.VMOVDQU64(zero, operand.Mem{Base: x, Disp: 64 * i})
	}
	r.ADDQ(operand.U32(512), x)
	r.CMPQ(x, end)
	r.JNE(r.label("clear"))
}

// shifts is where the shifts and the permutation of an array's fields are.
type shifts struct{ shift, index operand.Mem }

// constants computes what the list's header says for every block.
func (r *nestedRun512) constants() {
	x, y := r.GP64(), r.GP64()
	r.IMUL3Q(operand.U32(runWidthSize), r.widths[arrValues], x)
	r.ADDQ(r.tab, x)
	r.MOVQ(x, r.rowAt)
	r.lowBytes = r.AllocLocal(8)
	r.MOVQ(r.widths[arrValues], x)
	r.SHLQ(operand.U8(4), x)
	r.MOVQ(x, r.lowBytes)
	for _, s := range []struct {
		*shifts
		array int
	}{{&r.offsets, arrOffsets}, {&r.overflows, arrOverflows}} {
		s.shift, s.index = r.AllocLocal(8), r.AllocLocal(8)
		r.MOVQ(r.widths[s.array], x)
		r.SHLQ(operand.U8(6), x)
		r.ADDQ(r.tab, x)
		r.LEAQ(operand.Mem{Base: x, Disp: runIndex}, y)
		r.MOVQ(y, s.index)
		r.LEAQ(operand.Mem{Base: x, Disp: runShifts}, y)
		if s.array == arrOffsets { // they begin after a count of up to eight bits
			r.MOVQ(r.counts[arrValues], x)
			r.ANDQ(operand.U8(7), x)
			r.LEAQ(operand.Mem{Base: y, Index: x, Scale: 8}, y)
		}
		r.MOVQ(y, s.shift)
	}
	for _, array := range []int{arrValues, arrOffsets, arrOverflows} {
		r.countMasks[array] = r.AllocLocal(8)
		r.MOVQ(operand.I32(-1), x)
		r.MOVQ(r.counts[array], y)
		r.BZHIQ(y, x, x)
		r.MOVQ(x, r.countMasks[array])
	}
	for _, array := range []int{arrOffsets + 1, arrOffsets + 2, arrOverflows + 1, arrOverflows + 2} {
		r.controls[array] = r.AllocLocal(8)
		r.MOVQ(r.word(0x0706050403020100), x)
		r.IMULQ(r.widths[array], x)
		r.MOVQ(x, r.controls[array])
	}
}

// scatter is the pass that writes overflows to the words of their values.
func (r *nestedRun512) scatter() {
	i, end, words, pad := r.GP64(), r.GP64(), r.GP64(), r.ZMM()
	r.MOVQ(r.ready, i)
	r.TESTQ(i, i)
	r.stopIf(r.JEQ)
	r.MOVQ(r.starts.Idx(i, 8), end)
	r.MOVQ(end, r.overflowing)
	r.MOVQ(r.widths[arrValues], words)
	r.SHRQ(operand.U8(3), words)
	r.ADDQ(r.valueWords, words)
	// Up to a multiple of a turn's, they go where no value is.
	r.VPBROADCASTD(r.words("nowhere", partValues|partValues<<16, 0), pad.AsY())
	r.VMOVDQU64(pad.AsY(), r.positions.Idx(end, 2))
	r.XORQ(i, i)
	r.TESTQ(end, end)
	r.JEQ(r.label("scattered"))
	r.Label(r.name + "_scatter")
	for k := range partLoop {
		at, over := r.GP64(), r.GP64()
		r.MOVWQZX(r.positions.Offset(2*k).Idx(i, 2), at)
		r.MOVWLZX(r.over.Offset(2*k).Idx(i, 2), over.As32())
		r.MOVW(over.As16(), operand.Mem{Base: words, Index: at, Scale: 4})
	}
	r.ADDQ(operand.U8(partLoop), i)
	r.CMPQ(i, end)
	r.JCS(r.label("scatter"))
	r.Label(r.name + "_scattered")
}

// write writes the values of block k, and clears the words of overflows.
func (r *nestedRun512) write(k reg.GPVirtual) {
	over, zero := r.GP64(), r.ZMM()
	r.row, r.mask, r.low = r.GP64(), r.ZMM(), r.GP64()
	r.MOVQ(r.rowAt, r.row)
	r.VPBROADCASTD(operand.Mem{Base: r.row, Disp: runWidths + 32}, r.mask)
	r.VPXORQ(zero, zero, zero)
	r.MOVQ(k, over)
	r.SHLQ(operand.U8(9), over)
	r.ADDQ(r.valueWords, over)
	r.MOVQ(r.lows[0].Idx(k, 8), r.low)
	if r.kind == "Docs" {
		r.VPBROADCASTD(r.before, r.scan.carry)
	}
	r.CMPQ(r.overflowing, operand.U8(0))
	r.JEQ(r.label("plain"))
	for i := range 8 {
		m := operand.Mem{Base: over, Disp: 64 * i}
		r.put(i, r.values(i), m)
		r.VMOVDQU64(zero, m)
	}
	r.JMP(r.label("put"))
	r.Label(r.name + "_plain")
	for i := range 8 {
		r.put(i, r.values(i), nil)
	}
	r.Label(r.name + "_put")
	r.check()
	r.ADDQ(operand.U32(512), r.dst)
	r.DECQ(r.left)
}
