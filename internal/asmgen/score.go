package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, score) }

// score generates the scoring of postings: w - w/(1 + tf*norm), a vector at a time,
// each operation rounded on its own. Vectors of 512 bits divide no faster, and slow
// some processors down for a while.
func score(out output) error {
	a := newAssembler()
	a.score("scoreAVX2", 8, a.YMM)
	return a.write(out, "query", "query", "score")
}

func (a *assembler) score(name string, lanes int, vector func() reg.VecVirtual) {
	a.function(name, "func(v *float32, freqs *uint32, n int, w float32)",
		name+" replaces n norms in v, rounded up to whole vectors, by scores.")
	v, freqs, n := a.arg("v"), a.arg("freqs"), a.arg("n")
	w, one := vector(), vector()
	a.VBROADCASTSS(a.memory("w"), w)
	a.VBROADCASTSS(a.words("one", repeat(2, math.Float32bits(1))...), one)
	a.Label("loop" + name)
	x := vector()
	a.VCVTDQ2PS(operand.Mem{Base: freqs}, x)
	a.VMULPS(operand.Mem{Base: v}, x, x)
	a.VADDPS(one, x, x)
	a.VDIVPS(x, w, x)
	a.VSUBPS(x, w, x)
	a.VMOVUPS(x, operand.Mem{Base: v})
	a.ADDQ(operand.U32(4*lanes), v)
	a.ADDQ(operand.U32(4*lanes), freqs)
	a.SUBQ(operand.U32(lanes), n)
	a.JG(operand.LabelRef("loop" + name))
	a.VZEROUPPER()
	a.RET()
}
