package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

func init() { generators = append(generators, pfordeltaRuns512) }

// pfordeltaRuns512 generates functions that decode full blocks of a list of level 1 in a row, as
// runs512 does for other codecs, in parts of eight blocks and each part in four passes:
//
//	read     offsets and overflows of every block, to bytes, and the exceptions among them, as
//	         addresses and what is to be added there
//	patch    those bytes
//	sum      offsets to positions
//	scatter  overflows to their places among words that are otherwise zero
//
// and then the values. In one pass, each step would wait for the one before, and no branch would
// foresee how many exceptions a block has; so there is one loop over those of all blocks. Passes
// but sum need few of the two ports that have vector operations, which the values keep busy.
func pfordeltaRuns512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.pfordeltaRun512(kind)
	}
	return a.write(out, "format/codec/pfordelta", "pfordelta", "runs512")
}

const (
	partBlocks = 8                // of a part
	partValues = partBlocks * 128 // of a part
	partBytes  = partValues + 64  // offsets, or overflows, which are written 64 at a time
	partUnits  = 2 * partBlocks   // a unit is at most 64 exceptions of a block
	partFew    = 4                // exceptions among offsets or overflows that are patched later
	partNested = partBlocks*2*partFew + partFew
	unitMore   = 256 // flag in the number of exceptions of a unit: not the block's first
)

// nestedRun512 keeps in its frame what goes from pass to pass.
type nestedRun512 struct {
	*nestedList512

	ready, lows, starts operand.Mem // blocks of the part; of each: low bits, exceptions before it
	bytes               operand.Mem // offsets of the part, then overflows
	nested, at, by      operand.Mem // how many exceptions those have: where, how much is to be added
	units               operand.Mem // how many, and of each:
	unitFrom, unitCount operand.Mem // exceptions before it, its exceptions
	unitBase            operand.Mem // number of the block's first value, in both halves of a word
	positions, over     operand.Mem // of all exceptions: numbers of values, overflows
	sorted              operand.Mem // positions of a unit
	values512           operand.Mem // address of the part's overflows as words of their values
}

func (a *assembler) pfordeltaRun512(kind string) {
	r := &nestedRun512{nestedList512: &nestedList512{run512: a.newRun512(kind, lower1(kind)+"Run512", blocksSignature,
		"decodes full blocks of "+kind+" in a row, of a list of level 1.")}}
	r.Attributes(attr.Attribute(0)) // the frame is large: there must be a check of the stack
	r.list(wordOnes, partFew)
	r.frame()

	r.Label(r.name + "_part")
	for _, m := range []operand.Mem{r.ready, r.nested, r.units, r.starts} {
		r.MOVQ(operand.U32(0), m)
	}
	r.stop = "broken"
	r.locate()
	r.read()
	r.Label(r.name + "_broken")
	r.patch()
	r.sum()
	r.Label(r.name + "_summed")
	r.stop = "stop"
	ready := r.GP64()
	r.MOVQ(r.ready, ready)
	r.TESTQ(ready, ready)
	r.stopIf(r.JEQ)
	r.scatter(ready)
	r.write()
	r.CMPQ(r.left, operand.U8(0))
	r.JNE(r.label("part"))
	r.finish()
}

// frame allocates what goes from pass to pass, and clears the words of values.
func (r *nestedRun512) frame() {
	r.ready, r.nested, r.units = r.AllocLocal(8), r.AllocLocal(8), r.AllocLocal(8)
	r.lows, r.starts = r.AllocLocal(partBlocks*8), r.AllocLocal((partBlocks+1)*8)
	r.bytes = r.AllocLocal(2 * partBytes)
	r.at, r.by = r.AllocLocal(partNested*2), r.AllocLocal(partNested*2)
	r.unitFrom, r.unitCount, r.unitBase = r.AllocLocal(partUnits*8), r.AllocLocal(partUnits*8), r.AllocLocal(partUnits*8)
	r.positions, r.over = r.AllocLocal(partBytes*2), r.AllocLocal(partBytes*2)
	r.sorted, r.values512 = r.AllocLocal(64), r.AllocLocal(8)
	words := r.AllocLocal(partValues*4 + 64 + 64)
	x, end, most, zero := r.GP64(), r.GP64(), r.GP64(), r.ZMM()
	r.LEAQ(words.Offset(63), x)
	r.ANDQ(operand.I8(-64), x)
	r.MOVQ(x, r.values512)
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
