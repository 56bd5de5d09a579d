package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// queryBitmap writes the look-ups of docIDs in a bitmap and their insertion into it, with
// instructions that every amd64 has.
func queryBitmap(out output) error {
	a := newAssembler()
	a.bitmap("bitmapMatch", false, "writes the indexes of the members among n docs to found and returns their number.")
	a.bitmap("bitmapAdd", true, "makes n docs members.")
	return a.write(out, "query", "query", "zbitmap")
}

// bitmap writes one loop over docs. Those outside the bitmap, which only damage can bring, are
// skipped.
func (a *assembler) bitmap(name string, add bool, doc string) {
	match := !add
	signature := "func(words *uint64, bits, lo uint32, docs *uint32, n int)"
	if match {
		signature = "func(words *uint64, bits, lo uint32, docs *uint32, n int, found *uint16) int"
	}
	a.function(name, signature, name+" "+doc)
	words, docs, n := a.arg("words"), a.arg("docs"), a.arg("n")
	bits, lo := a.GP32(), a.GP32()
	a.MOVL(a.memory("bits"), bits)
	a.MOVL(a.memory("lo"), lo)
	found, count, i := a.GP64(), a.GP64(), a.GP64()
	if match {
		a.Load(a.Param("found"), found)
		a.XORQ(count, count)
	}
	a.XORQ(i, i)
	step := func(label string) {
		j, k, w := a.GP64(), a.GP64(), a.GP64()
		a.MOVL(operand.Mem{Base: docs, Index: i, Scale: 4}, j.As32())
		a.SUBL(lo, j.As32())
		a.CMPL(j.As32(), bits)
		a.JAE(operand.LabelRef(label))
		a.MOVL(j.As32(), k.As32())
		a.SHRL(operand.U8(6), k.As32())
		word := operand.Mem{Base: words, Index: k, Scale: 8}
		a.MOVQ(word, w)
		if match {
			a.MOVW(i.As16(), operand.Mem{Base: found, Index: count, Scale: 2})
		}
		if add {
			a.BTSQ(j, w)
			a.MOVQ(w, word)
		} else {
			a.BTQ(j, w)
		}
		if match {
			a.ADCQ(operand.U8(0), count)
		}
		a.Label(label)
		a.INCQ(i)
	}
	pair, one, done := name+"Pair", name+"One", name+"Done"
	a.SUBQ(operand.U8(1), n)
	a.JL(operand.LabelRef(done))
	a.JE(operand.LabelRef(one))
	a.Label(pair)
	for k := range 2 {
		step(fmt.Sprintf("%sSkip%d", name, k))
	}
	a.CMPQ(i, n)
	a.JL(operand.LabelRef(pair))
	a.JG(operand.LabelRef(done))
	a.Label(one)
	step(name + "Skip")
	a.Label(done)
	if match {
		a.Store(count, a.ReturnIndex(0))
	}
	a.RET()
}

// queryScore writes the scoring of postings, w - w/(1 + tf*norm), eight at a time, each
// operation rounded on its own. Vectors of 512 bits divide no faster.
func queryScore(out output) error {
	const lanes = 8
	a := newAssembler()
	a.function("scoreAVX2", "func(v *float32, freqs *uint32, n int, w float32)",
		"scoreAVX2 replaces n norms in v, rounded up to whole vectors, by scores.")
	v, freqs, n := a.arg("v"), a.arg("freqs"), a.arg("n")
	w, one, x := a.YMM(), a.YMM(), a.YMM()
	a.VBROADCASTSS(a.memory("w"), w)
	a.VBROADCASTSS(a.words("one", repeat(2, math.Float32bits(1))...), one)
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
	return a.write(out, "query", "query", "zscore")
}
