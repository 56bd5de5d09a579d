package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// queryBitmap writes the lookup of docIDs in a bitmap, with baseline amd64 instructions.
// DocIDs outside the bitmap, which occur only in corrupt files, are skipped.
func queryBitmap(out output) error {
	a := newAssembler()
	a.function("bitmapMatch", "func(words *uint64, bits, lo uint32, docs *uint32, n int, found *uint16) int",
		"bitmapMatch writes the indexes of the members among n docs, at least one, to found and",
		"returns their number.")
	words, docs, n, found := a.arg("words"), a.arg("docs"), a.arg("n"), a.arg("found")
	bits, lo, count, i := a.GP32(), a.GP32(), a.GP64(), a.GP64()
	a.MOVL(a.memory("bits"), bits)
	a.MOVL(a.memory("lo"), lo)
	a.XORL(count.As32(), count.As32())
	a.XORL(i.As32(), i.As32())
	j, k := a.GP64(), a.GP64()
	a.Label("next")
	a.MOVL(operand.Mem{Base: docs, Index: i, Scale: 4}, j.As32())
	a.SUBL(lo, j.As32())
	a.CMPL(j.As32(), bits)
	a.JAE(operand.LabelRef("skip"))
	a.MOVL(j.As32(), k.As32())
	a.SHRL(operand.U8(6), k.As32())
	a.MOVQ(operand.Mem{Base: words, Index: k, Scale: 8}, k)
	a.MOVW(i.As16(), operand.Mem{Base: found, Index: count, Scale: 2})
	a.BTQ(j, k)
	a.ADCQ(operand.U8(0), count)
	a.Label("skip")
	a.INCQ(i)
	a.CMPQ(i, n)
	a.JL(operand.LabelRef("next"))
	a.Store(count, a.ReturnIndex(0))
	a.RET()
	return a.write(out, "internal/engine/bitset", "bitset", "zbitmap")
}

// queryScore writes the scoring of postings, eight at a time, with each operation rounded
// separately: w - w/(1 + tf*norm) and, for coded lengths, w/(1 + norm*(1/tf)). 512-bit
// vectors do not divide faster. 1/tf comes from a table if all eight are below 8.
func queryScore(out output) error {
	a := newAssembler()
	scoring(a, "scoreAVX2", false)
	scoring(a, "scoreCodedAVX2", true)
	return a.write(out, "internal/engine/bm25", "bm25", "zscore")
}

// scoring writes one of the functions of queryScore.
func scoring(a *assembler, name string, coded bool) {
	const lanes = 8
	a.function(name, "func(v *float32, freqs *uint32, n int, w float32)",
		name+" replaces n norms in v, rounded up to whole vectors, by scores.")
	v, freqs, n := a.arg("v"), a.arg("freqs"), a.arg("n")
	w, one, x := a.YMM(), a.YMM(), a.YMM()
	a.VBROADCASTSS(a.memory("w"), w)
	a.VBROADCASTSS(a.words("one", repeat(2, math.Float32bits(1))...), one)
	if coded {
		codedLoop(a, v, freqs, n, w, one, x)
		return
	}
	a.Label("loop")
	a.VCVTDQ2PS(operand.Mem{Base: freqs}, x)
	a.VMULPS(operand.Mem{Base: v}, x, x)
	a.VADDPS(one, x, x)
	a.VDIVPS(x, w, x)
	a.VSUBPS(x, w, x)
	a.VMOVUPS(x, operand.Mem{Base: v})
	a.ADDQ(operand.U8(4*lanes), v)
	a.ADDQ(operand.U8(4*lanes), freqs)
	a.SUBQ(operand.U8(lanes), n)
	a.JG(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

// codedLoop writes the loop over postings with coded lengths.
func codedLoop(a *assembler, v, freqs, n reg.GPVirtual, w, one, x reg.VecVirtual) {
	const lanes, known = 8, 8
	inverse := make([]uint32, known)
	for tf := range inverse {
		inverse[tf] = math.Float32bits(float32(1 / float32(tf)))
	}
	table, most, above := a.YMM(), a.YMM(), a.YMM()
	a.VMOVUPS(a.words("inverse", inverse...), table)
	a.VPBROADCASTD(a.words("most", repeat(2, uint32(known-1))...), most)
	a.Label("loop")
	a.VMOVDQU(operand.Mem{Base: freqs}, x)
	a.VPCMPGTD(most, x, above)
	a.VPTEST(above, above)
	a.JNZ(operand.LabelRef("divide"))
	a.VPERMPS(table, x, x)
	a.Label("scale")
	a.VMULPS(operand.Mem{Base: v}, x, x)
	a.VADDPS(one, x, x)
	a.VDIVPS(x, w, x)
	a.VMOVUPS(x, operand.Mem{Base: v})
	a.ADDQ(operand.U8(4*lanes), v)
	a.ADDQ(operand.U8(4*lanes), freqs)
	a.SUBQ(operand.U8(lanes), n)
	a.JG(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
	a.Label("divide")
	a.VCVTDQ2PS(x, x)
	a.VDIVPS(x, one, x)
	a.JMP(operand.LabelRef("scale"))
}
