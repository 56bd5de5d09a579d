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
	a.addSums512()
	a.addNumbers512()
	a.join512()
	a.differ512()
	return a.write(out, "format/codec/internal/unary", "unary", "unary512")
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

// positions512 begins a function: the positions of the ones of its unary part go to
// its frame, to whose beginning p points. The function returns false if they are not n.
func (a *assembler) positions512(name, does string) (p, n reg.GPVirtual) {
	a.function(name, "func(dst *uint32, n uint64, src *byte, words, from, width uint64, base uint32) bool",
		name+" "+does, "dst is read and written up to whole vectors, and 64 bytes past the words of src",
		"are readable.")
	label := func(s string) operand.LabelRef { return operand.LabelRef(name + "_" + s) }
	src, words, from := a.arg("src"), a.arg("words"), a.arg("from")
	n = a.arg("n")
	buffer := a.AllocLocal((128 + 16) * 4)
	first := a.countOnes(src, words, from, n, label)

	to, numbers, sixteen, y := a.GP64(), a.ZMM(), a.ZMM(), a.ZMM()
	a.LEAQ(buffer, to)
	a.VPBROADCASTD(from.As32(), y)
	a.VMOVDQU32(a.iota(1), numbers)
	a.VPSUBD(y, numbers, numbers)
	a.VMOVDQU32(a.iota(16), sixteen)
	k := a.K()
	half := func(r reg.GPVirtual) {
		a.KMOVW(r.As32(), k)
		a.VPCOMPRESSD_Z(numbers, k, y)
		a.VMOVDQU32(y, operand.Mem{Base: to})
		a.VPADDD(sixteen, numbers, numbers)
		c := a.GP64()
		a.MOVWQZX(r.As16(), c)
		a.POPCNTQ(c, c)
		a.LEAQ(operand.Mem{Base: to, Index: c, Scale: 4}, to)
	}
	end := a.GP64()
	a.LEAQ(operand.Mem{Base: src, Index: words, Scale: 4}, end)
	a.Label(string(label("word")))
	half(first)
	a.SHRQ(operand.U8(16), first)
	half(first)
	a.ADDQ(operand.U8(4), src)
	a.MOVL(operand.Mem{Base: src}, first.As32()) // the last time, readable padding
	a.CMPQ(src, end)
	a.JLT(label("word"))
	p = a.GP64()
	a.LEAQ(buffer, p)
	return p, n
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
	p, n := a.positions512("addSums512", "is addSums.")
	dst := a.arg("dst")
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
	a.MOVB(operand.U8(1), a.result())
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
	p, n := a.positions512("addNumbers512", "is addNumbers for widths whose numbers cannot overflow.")
	dst := a.arg("dst")
	width, before, ones, x, y := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	a.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	a.VMOVDQA32(ones, before)
	a.each("numbers", n, func() {
		a.VMOVDQU32(operand.Mem{Base: p}, x)
		a.VALIGND(operand.U8(15), before, x, y)
		a.VMOVDQA32(x, before)
		a.VPSUBD(y, x, x)
		a.VPADDD(ones, x, x)
		a.VPSLLVD(width, x, x)
		a.VPADDD(operand.Mem{Base: dst}, x, x)
		a.VMOVDQU32(x, operand.Mem{Base: dst})
	}, dst, p)
	a.VZEROUPPER()
	a.MOVB(operand.U8(1), a.result())
	a.RET()
}

func (a *assembler) join512() {
	p, n := a.positions512("join512", "is join.")
	dst := a.arg("dst")
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
	p, n := a.positions512("differ512", "is differ for widths whose sums cannot overflow.")
	dst := a.arg("dst")
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
