package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, unaryAVX2, regressAVX2) }

// lanes2 is what vectors of eight values have in common.
type lanes2 struct {
	*assembler
	index, eight, ones reg.VecVirtual
	base               reg.VecVirtual // of join
}

func (a *assembler) newLanes2() *lanes2 {
	l := &lanes2{a, a.YMM(), a.YMM(), a.YMM(), nil}
	a.VMOVDQU(a.iota(1), l.index)
	a.VMOVDQU(a.words("eights", repeat(8, 8)...), l.eight)
	a.VPCMPEQD(l.ones, l.ones, l.ones)
	return l
}

// fill broadcasts a 32-bit argument.
func (l *lanes2) fill(name string) reg.VecVirtual {
	r, y := l.GP32(), l.YMM()
	l.Load(l.Param(name), r)
	l.VMOVD(r, y.AsX())
	l.VPBROADCASTD(y.AsX(), y)
	return y
}

// fill64 broadcasts the low half of a 64-bit argument.
func (l *lanes2) fill64(name string) reg.VecVirtual {
	r, y := l.arg(name), l.YMM()
	l.VMOVQ(r, y.AsX())
	l.VPBROADCASTD(y.AsX(), y)
	return y
}

// shifted leaves x, moved up by a word, in y, with the top word of before below.
func (l *lanes2) shifted(before, x, y reg.VecVirtual) {
	l.VPERM2I128(operand.U8(0x21), x, before, y) // before's upper half, x's lower half
	l.VPALIGNR(operand.U8(12), y, x, y)
}

// valid leaves ones in those words of y that belong to the n values left.
func (l *lanes2) valid(n reg.GPVirtual, y reg.VecVirtual) {
	l.VMOVQ(n, y.AsX())
	l.VPBROADCASTD(y.AsX(), y)
	l.VPCMPGTD(l.iota(1), y, y)
}

// returnNoSign2 returns whether no word of y has its top bit set.
func (l *lanes2) returnNoSign2(y reg.VecVirtual) {
	r := l.GP32()
	l.VMOVMSKPS(y, r)
	l.TESTL(r, r)
	l.SETEQ(l.result())
	l.VZEROUPPER()
	l.RET()
}

// each2 is each for vectors of eight.
func (l *lanes2) each2(label string, n reg.GPVirtual, body func(), steps ...reg.GPVirtual) {
	l.Label(label)
	body()
	for _, s := range steps {
		l.ADDQ(operand.U8(32), s)
	}
	l.SUBQ(operand.U8(8), n)
	l.JG(operand.LabelRef(label))
}

// regressAVX2 generates the evaluation of a line, eight values at a time.
func regressAVX2(out output) error {
	const fracBits = 25
	a := newAssembler()
	a.function("addAVX2", "func(v *uint32, n uint64, l *uint32, prev uint32) bool",
		"addAVX2 is add for n values, none beyond which is touched; l is a Local.")
	v, n, line := a.arg("v"), a.arg("n"), a.arg("l")
	l := a.newLanes2()
	at, step, frac, fracStep := a.YMM(), a.YMM(), a.YMM(), a.YMM()
	for i, y := range []reg.VecVirtual{at, step, frac, fracStep} {
		a.VPBROADCASTD(operand.Mem{Base: line, Disp: 4 * i}, y)
	}
	x, y, bad, before, in := a.YMM(), a.YMM(), a.YMM(), l.fill("prev"), a.YMM()
	a.VPMULLD(l.index, step, x)
	a.VPADDD(x, at, at)
	a.VPMULLD(l.index, fracStep, x)
	a.VPADDD(x, frac, frac)
	a.VPSLLD(operand.U8(3), step, step)
	a.VPSLLD(operand.U8(3), fracStep, fracStep)
	a.VPXOR(bad, bad, bad)
	sum := func() {
		a.VPSRLD(operand.U8(fracBits), frac, y)
		a.VPADDD(at, x, x)
		a.VPADDD(y, x, x)
		l.shifted(before, x, y)
		a.VPSUBD(y, x, y)
		a.VPADDD(l.ones, y, y)
		a.VPOR(x, y, y)
	}
	a.JMP(operand.LabelRef("check"))
	a.Label("full")
	a.VMOVDQU(operand.Mem{Base: v}, x)
	sum()
	a.VPOR(y, bad, bad)
	a.VMOVDQA(x, before)
	a.VMOVDQU(x, operand.Mem{Base: v})
	a.VPADDD(step, at, at)
	a.VPADDD(fracStep, frac, frac)
	a.ADDQ(operand.U8(32), v)
	a.SUBQ(operand.U8(8), n)
	a.Label("check")
	a.CMPQ(n, operand.U32(8))
	a.JGE(operand.LabelRef("full"))
	a.TESTQ(n, n)
	a.JE(operand.LabelRef("done"))
	l.valid(n, in)
	a.VPMASKMOVD(operand.Mem{Base: v}, in, x)
	sum()
	a.VPAND(in, y, y)
	a.VPOR(y, bad, bad)
	a.VPMASKMOVD(x, in, operand.Mem{Base: v})
	a.Label("done")
	l.returnNoSign2(bad)
	return a.write(out, "format/codec/internal/regress", "regress", "regress_avx2")
}

// unaryAVX2 generates the reading of unary parts: the positions of the ones of a byte
// come from a table.
func unaryAVX2(out output) error {
	a := newAssembler()
	a.unary2("addSumsAVX2", "is addSums.", func(l *lanes2, x, _, width, _ reg.VecVirtual, dst operand.Mem) {
		l.VPSUBD(l.index, x, x)
		l.VPSLLVD(width, x, x)
		l.VPADDD(dst, x, x)
		l.VMOVDQU(x, dst)
	})
	a.unary2("addNumbersAVX2", "is addNumbers for widths whose numbers cannot overflow.", func(l *lanes2, x, before, width, _ reg.VecVirtual, dst operand.Mem) {
		y := l.YMM()
		l.shifted(before, x, y)
		l.VMOVDQA(x, before)
		l.VPSUBD(y, x, x)
		l.VPADDD(l.ones, x, x)
		l.VPSLLVD(width, x, x)
		l.VPADDD(dst, x, x)
		l.VMOVDQU(x, dst)
	})
	sums := func(l *lanes2, x, before, width, falls, in reg.VecVirtual, dst operand.Mem) reg.VecVirtual {
		y := l.YMM()
		l.VPSUBD(l.index, x, x)
		l.VPSLLVD(width, x, x)
		l.VPOR(dst, x, x)
		l.shifted(before, x, y)
		l.VMOVDQA(x, before)
		l.VPSUBD(y, x, y)
		l.VPAND(y, in, in)
		l.VPOR(in, falls, falls)
		return y
	}
	a.unary2Checked("joinAVX2", "is join.", func(l *lanes2, x, before, width, falls, in reg.VecVirtual, dst operand.Mem) {
		sums(l, x, before, width, falls, in, dst)
		l.VPADDD(l.base, x, x)
		l.VPADDD(l.index, x, x)
		l.VMOVDQU(x, dst)
	})
	a.unary2Checked("differAVX2", "is differ for widths whose sums cannot overflow.", func(l *lanes2, x, before, width, falls, in reg.VecVirtual, dst operand.Mem) {
		y := sums(l, x, before, width, falls, in, dst)
		l.VPSUBD(l.ones, y, y)
		l.VMOVDQU(y, dst)
	})
	return a.write(out, "format/codec/internal/unary", "unary", "unary_avx2")
}

// unary2 generates a function that cannot fail once there are n ones. body gets the
// positions x, those of the vector before, and the width.
func (a *assembler) unary2(name, does string, body func(l *lanes2, x, before, width, spare reg.VecVirtual, dst operand.Mem)) {
	p, n := a.positions2(name, does)
	dst, l := a.arg("dst"), a.newLanes2()
	width, before, x, spare := l.fill64("width"), a.YMM(), a.YMM(), a.YMM()
	a.VMOVDQA(l.ones, before)
	l.each2(name+"_values", n, func() {
		a.VMOVDQU(operand.Mem{Base: p}, x)
		body(l, x, before, width, spare, operand.Mem{Base: dst})
		a.VPADDD(l.eight, l.index, l.index)
	}, dst, p)
	a.VZEROUPPER()
	a.MOVB(operand.U8(1), a.result())
	a.RET()
}

// unary2Checked generates a function that returns false if a sum falls.
func (a *assembler) unary2Checked(name, does string, body func(l *lanes2, x, before, width, falls, in reg.VecVirtual, dst operand.Mem)) {
	p, n := a.positions2(name, does)
	dst, l := a.arg("dst"), a.newLanes2()
	width, before, x, falls, in := l.fill64("width"), a.YMM(), a.YMM(), a.YMM(), a.YMM()
	l.base = l.fill("base")
	a.VPXOR(before, before, before)
	a.VPXOR(falls, falls, falls)
	l.each2(name+"_values", n, func() {
		l.valid(n, in)
		a.VMOVDQU(operand.Mem{Base: p}, x)
		body(l, x, before, width, falls, in, operand.Mem{Base: dst})
		a.VPADDD(l.eight, l.index, l.index)
	}, dst, p)
	l.returnNoSign2(falls)
}

// positions2 is positions512 with a table.
func (a *assembler) positions2(name, does string) (p, n reg.GPVirtual) {
	a.function(name, "func(dst *uint32, n uint64, src *byte, words, from, width uint64, base uint32) bool",
		name+" "+does, "dst is read and written up to whole vectors, and 64 bytes past the words of src",
		"are readable.")
	label := func(s string) operand.LabelRef { return operand.LabelRef(name + "_" + s) }
	src, words, from := a.arg("src"), a.arg("words"), a.arg("from")
	n = a.arg("n")
	buffer := a.AllocLocal((128 + 8) * 4)
	first := a.countOnes(src, words, from, n, label)

	to, table, end := a.GP64(), a.GP64(), a.GP64()
	numbers, eight, y := a.YMM(), a.YMM(), a.YMM()
	a.LEAQ(buffer, to)
	a.LEAQ(a.byteTable(), table)
	a.VMOVQ(from, y.AsX())
	a.VPBROADCASTD(y.AsX(), y)
	a.VPXOR(numbers, numbers, numbers)
	a.VPSUBD(y, numbers, numbers)
	a.VMOVDQU(a.words("eights", repeat(8, 8)...), eight)
	a.LEAQ(operand.Mem{Base: src, Index: words, Scale: 4}, end)
	a.Label(string(label("word")))
	for i := range 4 {
		b, c := a.GP64(), a.GP64()
		a.MOVBQZX(first.As8(), b)
		a.VPMOVZXBD(operand.Mem{Base: table, Index: b, Scale: 8}, y)
		a.POPCNTQ(b, c)
		a.VPADDD(numbers, y, y)
		a.VMOVDQU(y, operand.Mem{Base: to})
		a.VPADDD(eight, numbers, numbers)
		a.LEAQ(operand.Mem{Base: to, Index: c, Scale: 4}, to)
		if i < 3 {
			a.SHRQ(operand.U8(8), first)
		}
	}
	a.ADDQ(operand.U8(4), src)
	a.MOVL(operand.Mem{Base: src}, first.As32()) // the last time, readable padding
	a.CMPQ(src, end)
	a.JLT(label("word"))
	p = a.GP64()
	a.LEAQ(buffer, p)
	return p, n
}

// countOnes returns the first word of a unary part, less the bits before from, and
// makes the function return false if the part does not have n ones.
func (a *assembler) countOnes(src, words, from, n reg.GPVirtual, label func(string) operand.LabelRef) (first reg.GPVirtual) {
	first = a.GP64()
	count, left, at, x := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(operand.I32(-1), x)
	a.SHLXQ(from, x, x)
	a.MOVL(operand.Mem{Base: src}, first.As32())
	a.ANDQ(x, first)
	a.POPCNTQ(first, count)
	a.LEAQ(operand.Mem{Base: words, Disp: -1}, left)
	a.LEAQ(operand.Mem{Base: src, Disp: 4}, at)
	a.JMP(label("counted"))
	a.Label(string(label("count")))
	a.POPCNTQ(operand.Mem{Base: at}, x)
	a.ADDQ(x, count)
	a.ADDQ(operand.U8(8), at)
	a.SUBQ(operand.U8(2), left)
	a.Label(string(label("counted")))
	a.CMPQ(left, operand.U32(2))
	a.JGE(label("count"))
	a.TESTQ(left, left)
	a.JE(label("all"))
	a.POPCNTL(operand.Mem{Base: at}, x.As32())
	a.ADDQ(x, count)
	a.Label(string(label("all")))
	a.CMPQ(count, n)
	a.JE(label("sound"))
	a.MOVB(operand.U8(0), a.result())
	a.RET()
	a.Label(string(label("sound")))
	return first
}

// byteTable returns data that holds for every byte the positions of its ones.
func (a *assembler) byteTable() operand.Mem {
	var w []uint32
	for b := range 256 {
		var ones uint64
		n := 0
		for i := range 8 {
			if b>>i&1 == 1 {
				ones |= uint64(i) << (8 * n)
				n++
			}
		}
		w = append(w, uint32(ones), uint32(ones>>32))
	}
	return a.words("bytes", w...)
}
