package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// querySums writes the adding of products to sums by document, and the search for great sums.
func querySums(out output) error {
	a := newAssembler()
	a.productsLoop()
	a.aboveLoop()
	return a.write(out, "internal/engine/sums", "sums", "zsums")
}

// productsLoop computes places and products eight at a time, and adds them one by one.
func (a *assembler) productsLoop() {
	const lanes = 8
	a.function("productsAVX2", "func(sums, docs, weights *uint32, n int, by, mask uint32)",
		"productsAVX2 adds weights times by to the sums of n docs, at the places that the bits of",
		"mask say. n is a multiple of 8.")
	sums, docs, weights, n := a.arg("sums"), a.arg("docs"), a.arg("weights"), a.arg("n")
	by, mask, x, y := reg.Y0, reg.Y1, reg.Y2, reg.Y3
	a.VPBROADCASTD(a.address("by"), by)
	a.VPBROADCASTD(a.address("mask"), mask)
	local := a.AllocLocal(64)
	places, products := []reg.GPVirtual{a.GP64(), a.GP64()}, []reg.GPVirtual{a.GP64(), a.GP64()}
	a.loop(n, lanes, func() {
		a.VPAND(operand.Mem{Base: docs}, mask, x)
		a.VPMULLD(operand.Mem{Base: weights}, by, y)
		a.VMOVDQU(x, local)
		a.VMOVDQU(y, local.Offset(32))
		for i := range lanes {
			place, product := places[i%2], products[i%2]
			a.MOVL(local.Offset(4*i), place.As32())
			a.MOVL(local.Offset(32+4*i), product.As32())
			a.ADDL(product.As32(), operand.Mem{Base: sums, Index: place, Scale: 4})
		}
		a.ADDQ(operand.U8(4*lanes), docs)
		a.ADDQ(operand.U8(4*lanes), weights)
	})
	a.VZEROUPPER()
	a.RET()
}

// aboveLoop looks at the greatest of 64 sums first: few are great.
func (a *assembler) aboveLoop() {
	a.function("aboveAVX2", "func(sums *uint32, words *uint64, n int, pass uint32)",
		"aboveAVX2 sets bit i of n words for each sum i above pass, and clears the others. Sums and",
		"pass are below 2^31, n is above 0.")
	sums, words, n := a.arg("sums"), a.arg("words"), a.arg("n")
	pass, x, y := reg.Y0, reg.Y1, reg.Y2
	a.VPBROADCASTD(a.address("pass"), pass)
	word, bits := a.GP64(), a.GP64()
	a.Label("next")
	a.XORL(word.As32(), word.As32())
	a.VMOVDQU(operand.Mem{Base: sums}, x)
	a.VMOVDQU(operand.Mem{Base: sums, Disp: 32}, y)
	for i := 2; i < 8; i += 2 {
		a.VPMAXUD(operand.Mem{Base: sums, Disp: 32 * i}, x, x)
		a.VPMAXUD(operand.Mem{Base: sums, Disp: 32*i + 32}, y, y)
	}
	a.VPMAXUD(y, x, x)
	a.VPCMPGTD(pass, x, x)
	a.VPTEST(x, x)
	a.JZ(operand.LabelRef("none"))
	for i := range 8 {
		a.VMOVDQU(operand.Mem{Base: sums, Disp: 32 * i}, x)
		a.VPCMPGTD(pass, x, x)
		a.VMOVMSKPS(x, bits.As32())
		if i > 0 {
			a.SHLQ(operand.U8(8*i), bits)
		}
		a.ORQ(bits, word)
	}
	a.Label("none")
	a.MOVQ(word, operand.Mem{Base: words})
	a.ADDQ(operand.U32(256), sums)
	a.ADDQ(operand.U8(8), words)
	a.DECQ(n)
	a.JNE(operand.LabelRef("next"))
	a.VZEROUPPER()
	a.RET()
}
