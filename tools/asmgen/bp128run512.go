package main

import "github.com/mmcloughlin/avo/operand"

func init() { generators = append(generators, bp128Runs512) }

// bp128Runs512 generates functions that decode full blocks in a row, as runs512 does for
// codecs with exceptions. Sixteen values take one shuffle of bytes, a shift and a mask: without
// sums that is 12 cycles of a block on two ports.
func bp128Runs512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.bp128Run512(kind)
	}
	return a.write(out, "format/codec/bp128", "bp128", "runs512")
}

func (a *assembler) bp128Run512(kind string) {
	r := a.newRun512(kind, lower1(kind)+"Run512", blocksSignature, "decodes full blocks of "+kind+" in a row.")
	r.locate()
	r.width, r.low = r.length, r.src
	r.TESTQ(operand.U32(3), r.width)
	r.stopIf(r.JNE)
	r.SHRQ(operand.U8(2), r.width)
	r.CMPQ(r.width, operand.U8(runMaxWidth-1)) // wider gaps can wrap
	r.stopIf(r.JHI)
	r.table()
	for k := range 8 {
		r.put(k, r.values(k), nil)
	}
	r.advance()
	r.finish()
}
