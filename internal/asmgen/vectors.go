package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors writes the scores of dense vectors, and the products of their codes.
func vectors(out output) error {
	a := newAssembler()
	a.floats("dotAVX2", "dotAVX2 adds up the products of n values, a multiple of 16, in 16 lanes.", func(x, y reg.VecVirtual) {
		a.VMULPS(y, x, x)
	})
	a.floats("squaredDistanceAVX2", "squaredDistanceAVX2 adds up the squares of the differences of n values, a multiple of 16, in 16 lanes.",
		func(x, y reg.VecVirtual) {
			a.VSUBPS(y, x, x)
			a.VMULPS(x, x, x)
		})
	a.upperProducts()
	a.bothProducts()
	return a.write(out, "internal/vector", "vector", "zvectors")
}

// floats writes a sum in 16 lanes, of what term makes of two vectors of 8 values.
func (a *assembler) floats(name, doc string, term func(x, y reg.VecVirtual)) {
	a.function(name, "func(a, b *float32, n int) float32", doc)
	p, q, n := a.arg("a"), a.arg("b"), a.arg("n")
	lanes := []reg.VecVirtual{a.YMM(), a.YMM()}
	for _, l := range lanes {
		a.VXORPS(l, l, l)
	}
	a.loop(n, 16, func() {
		for i, l := range lanes {
			x, y := a.YMM(), a.YMM()
			a.VMOVUPS(operand.Mem{Base: p, Disp: 32 * i}, x)
			a.VMOVUPS(operand.Mem{Base: q, Disp: 32 * i}, y)
			term(x, y)
			a.VADDPS(x, l, l)
		}
		a.ADDQ(operand.U8(64), p)
		a.ADDQ(operand.U8(64), q)
	})
	a.VADDPS(lanes[1], lanes[0], lanes[0])
	low, high := a.XMM(), a.XMM()
	a.VEXTRACTF128(operand.U8(1), lanes[0], high)
	a.VADDPS(high, lanes[0].AsX(), low)
	a.VPERMILPS(operand.U8(0b1110), low, high)
	a.VADDPS(high, low, low)
	a.VPERMILPS(operand.U8(1), low, high)
	a.VADDSS(high, low, low)
	a.VZEROUPPER()
	a.Store(low, a.ReturnIndex(0))
	a.RET()
}

// upperProducts writes the products of a query and the upper planes of four vectors at a time. Products of pairs fit into 16
// bits: 2 times 15 times 127, and twice as much. The next four are fetched before or, where they follow in memory, what is
// fetchAhead behind.
func (a *assembler) upperProducts() {
	const vectors = 4
	a.function("upperProductsAVX2", "func(products *int32, high *byte, which *uint32, query *int8, n, size int)",
		"upperProductsAVX2 sets the sums of the products of query and the upper planes of n of the vectors of",
		"high, a multiple of 4. A plane has size bytes, a multiple of 32.")
	products, high, which := a.arg("products"), a.arg("high"), a.arg("which")
	query, n, size := a.arg("query"), a.arg("n"), a.arg("size")
	nibble, ones := a.YMM(), a.YMM()
	a.VMOVDQU(a.words("nibbles", repeat(8, 0x0f0f0f0f)...), nibble)
	a.VMOVDQU(a.words("ones16", repeat(8, 0x00010001)...), ones)
	sums, at := [vectors]reg.VecVirtual{}, [vectors]reg.GPVirtual{}
	for i := range sums {
		sums[i], at[i] = a.YMM(), a.GP64()
	}
	of, left := a.GP64(), a.GP64()
	plane := func(i int, to reg.GPVirtual) {
		a.MOVL(operand.Mem{Base: which, Disp: 4 * i}, to.As32())
		a.IMULQ(size, to)
		a.ADDQ(high, to)
	}
	fetch := func(loop string, planes int) { // from of on
		a.MOVQ(size, left)
		if planes > 1 {
			a.IMUL3Q(operand.U8(planes), left, left)
		}
		a.Label(loop)
		a.PREFETCHT0(operand.Mem{Base: of})
		a.ADDQ(operand.U8(64), of)
		a.SUBQ(operand.U8(64), left)
		a.JG(operand.LabelRef(loop))
	}
	a.Label("vectors")
	a.CMPQ(n, operand.U8(vectors))
	a.JLE(operand.LabelRef("fetched"))
	a.MOVL(operand.Mem{Base: which, Disp: 4 * vectors}, of.As32())
	a.SUBL(operand.Mem{Base: which}, of.As32())
	a.CMPL(of.As32(), operand.U8(vectors))
	a.JE(operand.LabelRef("follow"))
	for i := range vectors {
		plane(vectors+i, of)
		fetch(fmt.Sprintf("line%d", i), 1)
	}
	a.JMP(operand.LabelRef("fetched"))
	a.Label("follow")
	plane(0, of)
	a.ADDQ(operand.U32(fetchAhead), of)
	fetch("ahead", vectors)
	a.Label("fetched")
	for i := range at {
		plane(i, at[i])
		a.VPXOR(sums[i], sums[i], sums[i])
	}
	a.MOVQ(query, of)
	a.MOVQ(size, left)
	a.loop(left, groupBytes, func() {
		first, second := a.YMM(), a.YMM()
		a.VMOVDQU(operand.Mem{Base: of}, first)
		a.VMOVDQU(operand.Mem{Base: of, Disp: 32}, second)
		for i := range at {
			x, y := a.YMM(), a.YMM()
			a.VMOVDQU(operand.Mem{Base: at[i]}, y)
			a.VPAND(nibble, y, x)
			a.VPSRLW(operand.U8(4), y, y)
			a.VPAND(nibble, y, y)
			a.VPMADDUBSW(first, x, x)
			a.VPMADDUBSW(second, y, y)
			a.VPADDW(y, x, x)
			a.VPMADDWD(ones, x, x)
			a.VPADDD(x, sums[i], sums[i])
			a.ADDQ(operand.U8(groupBytes), at[i])
		}
		a.ADDQ(operand.U8(2*groupBytes), of)
	})
	for i := range sums {
		a.addWords(sums[i])
		a.VMOVD(sums[i].AsX(), operand.Mem{Base: products, Disp: 4 * i})
	}
	a.ADDQ(operand.U8(4*vectors), products)
	a.ADDQ(operand.U8(4*vectors), which)
	a.SUBQ(operand.U8(vectors), n)
	a.JNE(operand.LabelRef("vectors"))
	a.VZEROUPPER()
	a.RET()
}

// fetchAhead is how far ahead planes that follow each other are fetched: from memory they come in 0.65 of the time that they take if
// processors are left to guess, at 512 and 768 dimensions, and 2 to 16 KiB are about alike.
const fetchAhead = 4 << 10

// groupBytes is how many bytes of a plane are read at once.
const groupBytes = 32

// addWords adds the 32-bit words of x up, in its first.
func (a *assembler) addWords(x reg.VecVirtual) {
	y := a.XMM()
	a.VEXTRACTI128(operand.U8(1), x, y)
	a.VPADDD(y, x.AsX(), x.AsX())
	a.VPSHUFD(operand.U8(0b1110), x.AsX(), y)
	a.VPADDD(y, x.AsX(), x.AsX())
	a.VPSHUFD(operand.U8(1), x.AsX(), y)
	a.VPADDD(y, x.AsX(), x.AsX())
}

// bothProducts writes the products of a query and both planes of a vector.
func (a *assembler) bothProducts() {
	a.function("bothProductsAVX2", "func(high, low *byte, query *int16, size int) int32",
		"bothProductsAVX2 returns the sum of the products of query and a code, whose planes have size bytes,",
		"a multiple of 32.")
	high, low, query, size := a.arg("high"), a.arg("low"), a.arg("query"), a.arg("size")
	nibble, sum := a.YMM(), a.YMM()
	a.VMOVDQU(a.words("nibbles", repeat(8, 0x0f0f0f0f)...), nibble)
	a.VPXOR(sum, sum, sum)
	a.loop(size, groupBytes, func() {
		h, l := a.YMM(), a.YMM()
		a.VMOVDQU(operand.Mem{Base: high}, h)
		a.VMOVDQU(operand.Mem{Base: low}, l)
		x, y := a.YMM(), a.YMM()
		a.VPAND(nibble, h, x)
		a.VPSLLW(operand.U8(4), x, x)
		a.VPAND(nibble, l, y)
		a.VPOR(y, x, x) // codes of the first 32 dimensions
		a.VPANDN(h, nibble, h)
		a.VPSRLW(operand.U8(4), l, l)
		a.VPAND(nibble, l, l)
		a.VPOR(l, h, h)
		for i, codes := range []reg.VecVirtual{x, h} {
			half, wide := a.XMM(), a.YMM()
			for j := range 2 {
				a.VEXTRACTI128(operand.U8(j), codes, half)
				a.VPMOVZXBW(half, wide)
				a.VPMADDWD(operand.Mem{Base: query, Disp: 64*i + 32*j}, wide, wide)
				a.VPADDD(wide, sum, sum)
			}
		}
		a.ADDQ(operand.U8(groupBytes), high)
		a.ADDQ(operand.U8(groupBytes), low)
		a.ADDQ(operand.U32(4*groupBytes), query)
	})
	a.addWords(sum)
	result := a.GP32()
	a.VMOVD(sum.AsX(), result)
	a.Store(result, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}
