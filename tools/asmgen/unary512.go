package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, unary512) }

// unary512 generates the reading of unary parts at AVX-512: the positions of ones by
// compressing the numbers from 0 to 15 under sixteen bits at a time, and what
// follows from positions, sixteen values at a time.
func unary512(out output) error {
	a := newAssembler()
	a.positions512()
	a.addSums512()
	a.addNumbers512()
	a.join512()
	a.differ512()
	return a.write(out, "format/codec/unary", "unary", "unary512")
}

func (a *assembler) iota(by uint32) operand.Mem {
	w := make([]uint32, 16)
	for i := range w {
		w[i] = uint32(i) * by
	}
	if by == 1 {
		return a.words("iota", w...)
	}
	return a.words("sixteens", repeat(16, by)...)
}

func (a *assembler) result() operand.Mem {
	ok, err := a.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	return ok.Addr
}

// broadcast loads a 32-bit argument into all words of a register.
func (a *assembler) broadcast(name string) reg.VecVirtual {
	r, z := a.GP32(), a.ZMM()
	a.Load(a.Param(name), r)
	a.VPBROADCASTD(r, z)
	return z
}

func (a *assembler) positions512() {
	a.function("positions512", "func(dst *uint32, src *byte, words, from, n uint64) bool",
		"positions512 is positions for words words. dst has n+16 elements.")
	src, words, n := a.arg("src"), a.arg("words"), a.arg("n")
	ok := a.result()
	// First count the ones: what is written depends on how many there are.
	first, count, at, x := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(operand.I32(-1), x)
	from := a.arg("from")
	a.SHLXQ(from, x, x)
	a.MOVL(operand.Mem{Base: src}, first.As32())
	a.ANDQ(x, first)
	a.POPCNTQ(first, count)
	a.MOVQ(operand.U32(1), at)
	a.JMP(operand.LabelRef("counted"))
	a.Label("count")
	a.POPCNTL(operand.Mem{Base: src, Index: at, Scale: 4}, x.As32())
	a.ADDQ(x, count)
	a.INCQ(at)
	a.Label("counted")
	a.CMPQ(at, words)
	a.JLT(operand.LabelRef("count"))
	a.CMPQ(count, n)
	a.JE(operand.LabelRef("sound"))
	a.MOVB(operand.U8(0), ok)
	a.RET()

	a.Label("sound")
	dst := a.arg("dst")
	numbers, sixteen, y := a.ZMM(), a.ZMM(), a.ZMM()
	a.VPBROADCASTD(from.As32(), y)
	a.VMOVDQU32(a.iota(1), numbers)
	a.VPSUBD(y, numbers, numbers)
	a.VMOVDQU32(a.iota(16), sixteen)
	k := a.K()
	half := func(r reg.GPVirtual) {
		a.KMOVW(r.As32(), k)
		a.VPCOMPRESSD_Z(numbers, k, y)
		a.VMOVDQU32(y, operand.Mem{Base: dst})
		a.VPADDD(sixteen, numbers, numbers)
		c := a.GP64()
		a.MOVWQZX(r.As16(), c)
		a.POPCNTQ(c, c)
		a.LEAQ(operand.Mem{Base: dst, Index: c, Scale: 4}, dst)
	}
	end := a.GP64()
	a.LEAQ(operand.Mem{Base: src, Index: words, Scale: 4}, end)
	a.Label("word")
	half(first)
	a.SHRQ(operand.U8(16), first)
	half(first)
	a.ADDQ(operand.U8(4), src)
	a.MOVL(operand.Mem{Base: src}, first.As32()) // the last time, readable padding
	a.CMPQ(src, end)
	a.JLT(operand.LabelRef("word"))
	a.VZEROUPPER()
	a.MOVB(operand.U8(1), ok)
	a.RET()
}

// each emits a loop over the vectors of n values: body gets the displacement
// registers dst and p, which step on.
func (a *assembler) each(label string, n reg.GPVirtual, body func(), steps ...reg.GPVirtual) {
	a.Label(label)
	body()
	for _, s := range steps {
		a.ADDQ(operand.U8(64), s)
	}
	a.SUBQ(operand.U8(16), n)
	a.JG(operand.LabelRef(label))
}

func (a *assembler) addSums512() {
	a.function("addSums512", "func(dst, p *uint32, n, width uint64)",
		"addSums512 is addSums; dst and p are read and dst written up to whole vectors.")
	dst, p, n := a.arg("dst"), a.arg("p"), a.arg("n")
	width, index, sixteen, x := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.ZMM()
	a.VMOVDQU32(a.iota(1), index)
	a.VMOVDQU32(a.iota(16), sixteen)
	a.each("sums", n, func() {
		a.VMOVDQU32(operand.Mem{Base: p}, x)
		a.VPSUBD(index, x, x)
		a.VPSLLVD(width, x, x)
		a.VPADDD(operand.Mem{Base: dst}, x, x)
		a.VMOVDQU32(x, operand.Mem{Base: dst})
		a.VPADDD(sixteen, index, index)
	}, dst, p)
	a.VZEROUPPER()
	a.RET()
}

// broadcast64 is broadcast for the low half of a 64-bit argument.
func (a *assembler) broadcast64(name string) reg.VecVirtual {
	r, z := a.arg(name), a.ZMM()
	a.VPBROADCASTD(r.As32(), z)
	return z
}

// tail leaves a mask of the first n of sixteen words, n being more or less.
func (a *assembler) tail(n reg.GPVirtual, k reg.OpmaskVirtual) {
	ones := a.GP64()
	a.MOVQ(operand.I32(-1), ones)
	a.BZHIQ(n, ones, ones)
	a.KMOVW(ones.As32(), k)
}

func (a *assembler) addNumbers512() {
	a.function("addNumbers512", "func(dst, p *uint32, n, width uint64) uint32",
		"addNumbers512 is addNumbers and returns the bitwise or of the numbers; dst and p are",
		"read and dst written up to whole vectors.")
	dst, p, n := a.arg("dst"), a.arg("p"), a.arg("n")
	width, before, or, ones, x, y, k := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.K()
	a.VPXORD(or, or, or)
	a.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	a.VMOVDQA32(ones, before)
	a.each("numbers", n, func() {
		a.tail(n, k)
		a.VMOVDQU32(operand.Mem{Base: p}, x)
		a.VALIGND(operand.U8(15), before, x, y)
		a.VMOVDQA32(x, before)
		a.VPSUBD(y, x, x)
		a.VPADDD(ones, x, x)
		a.VPORD(x, or, k, or)
		a.VPSLLVD(width, x, x)
		a.VPADDD(operand.Mem{Base: dst}, x, x)
		a.VMOVDQU32(x, operand.Mem{Base: dst})
	}, dst, p)
	a.reduceOr(or, x)
	r := a.GP32()
	a.VMOVD(or.AsX(), r)
	a.Store(r, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// reduceOr leaves the or of all words of z in its lowest.
func (a *assembler) reduceOr(z, spare reg.VecVirtual) {
	a.VEXTRACTI64X4(operand.U8(1), z, spare.AsY())
	a.VPOR(spare.AsY(), z.AsY(), z.AsY())
	a.VEXTRACTI128(operand.U8(1), z.AsY(), spare.AsX())
	a.VPOR(spare.AsX(), z.AsX(), z.AsX())
	a.VPSHUFD(operand.U8(0x4e), z.AsX(), spare.AsX())
	a.VPOR(spare.AsX(), z.AsX(), z.AsX())
	a.VPSHUFD(operand.U8(0xb1), z.AsX(), spare.AsX())
	a.VPOR(spare.AsX(), z.AsX(), z.AsX())
}

func (a *assembler) join512() {
	a.function("join512", "func(dst, p *uint32, n, width uint64, base uint32) bool",
		"join512 is join; dst and p are read and dst written up to whole vectors.")
	dst, p, n := a.arg("dst"), a.arg("p"), a.arg("n")
	width, index, sixteen, base := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.broadcast("base")
	before, falls, x, y, k := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.K()
	a.VMOVDQU32(a.iota(1), index)
	a.VMOVDQU32(a.iota(16), sixteen)
	a.VPADDD(index, base, base)
	a.VPXORD(before, before, before)
	a.VPXORD(falls, falls, falls)
	a.each("join", n, func() {
		a.tail(n, k)
		a.VMOVDQU32(operand.Mem{Base: p}, x)
		a.VPSUBD(index, x, x)
		a.VPSLLVD(width, x, x)
		a.VPORD(operand.Mem{Base: dst}, x, x)
		a.VALIGND(operand.U8(15), before, x, y)
		a.VMOVDQA32(x, before)
		a.VPSUBD(y, x, y)
		a.VPORD(y, falls, k, falls)
		a.VPADDD(base, x, x)
		a.VMOVDQU32(x, operand.Mem{Base: dst})
		a.VPADDD(sixteen, index, index)
		a.VPADDD(sixteen, base, base)
	}, dst, p)
	a.returnNoSign(falls, k)
}

// returnNoSign returns whether no word of z has its top bit set.
func (a *assembler) returnNoSign(z reg.VecVirtual, k reg.OpmaskVirtual) {
	a.VPMOVD2M(z, k)
	a.KORTESTW(k, k)
	a.SETEQ(a.result())
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) differ512() {
	a.function("differ512", "func(dst, p *uint32, n, width uint64) bool",
		"differ512 is differ for at most 21 bits of width; dst and p are read and dst written",
		"up to whole vectors.")
	dst, p, n := a.arg("dst"), a.arg("p"), a.arg("n")
	width, index, sixteen, ones := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.ZMM()
	before, falls, x, y, k := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.K()
	a.VMOVDQU32(a.iota(1), index)
	a.VMOVDQU32(a.iota(16), sixteen)
	a.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	a.VPXORD(before, before, before)
	a.VPXORD(falls, falls, falls)
	a.each("differ", n, func() {
		a.tail(n, k)
		a.VMOVDQU32(operand.Mem{Base: p}, x)
		a.VPSUBD(index, x, x)
		a.VPSLLVD(width, x, x)
		a.VPORD(operand.Mem{Base: dst}, x, x)
		a.VALIGND(operand.U8(15), before, x, y)
		a.VMOVDQA32(x, before)
		a.VPSUBD(y, x, y)
		a.VPORD(y, falls, k, falls)
		a.VPSUBD(ones, y, y)
		a.VMOVDQU32(y, operand.Mem{Base: dst})
		a.VPADDD(sixteen, index, index)
	}, dst, p)
	a.returnNoSign(falls, k)
}
