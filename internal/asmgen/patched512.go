package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patchedAVX512 writes the unpackers of blocks with exceptions for AVX-512 (F, BW, DQ, VL).
func patchedAVX512(out output) error {
	a := newAssembler()
	a.wideKind("freqs")
	a.wideKind("docs")
	return a.write(out, "internal/codec/internal/patch", "patch", "zpatched_avx512")
}

// wide holds the registers of one function.
type wide struct {
	*assembler
	src, bit, overflows          reg.GPVirtual
	lo, hi                       reg.GPVirtual
	ones, thirtyOne, thirtyTwo   reg.VecVirtual
	multiples, mask, rows, shift reg.VecVirtual
	carry                        reg.VecVirtual
}

// wideKind writes one function. It brings all overflows to 32 bits, then unpacks sixteen
// values a step, to which an expansion adds the overflows that a bitmap selects.
func (a *assembler) wideKind(kind string) {
	does := map[string]string{
		"freqs": "n values plus one to dst",
		"docs":  "the docIDs after prev to dst whose gaps less one are n values",
	}[kind]
	a.function(kind+"AVX512", "func(dst *uint32, src, low, tab *byte, bit, count, over, listed, n uint64, width, prev uint32) bool",
		kind+"AVX512 writes "+does+", and others up to a",
		"multiple of 16. Low bits of a width lie at low, as tab says, and count exceptions of over bits at",
		"bit of src: at most 16 positions if listed is not 0, or a bitmap. It returns false if those do not",
		"ascend below n. 64 bytes past the low bits and the exceptions are readable.")
	w := &wide{assembler: a, src: a.arg("src"), bit: a.arg("bit")}
	count := a.arg("count")
	buffer := a.AllocLocal(4 * (128 + 16))
	bitmap := a.AllocLocal(16)
	w.ones, w.thirtyOne, w.thirtyTwo = a.ZMM(), a.ZMM(), a.ZMM()
	a.VPTERNLOGD(operand.U8(0xff), w.ones, w.ones, w.ones)
	a.VPSRLD(operand.U8(27), w.ones, w.thirtyOne)
	a.VPSUBD(w.ones, w.thirtyOne, w.thirtyTwo)
	w.multiples = a.ZMM()
	a.VMOVDQU32(a.words("multiples", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), w.multiples)
	w.lo, w.hi = a.GP64(), a.GP64()
	w.positions(count)
	w.below()
	a.MOVQ(w.lo, bitmap)
	a.MOVQ(w.hi, bitmap.Offset(8))
	w.widen(buffer, count)
	w.unpack(kind, buffer, bitmap)
	result, err := a.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	a.MOVB(operand.U8(1), result.Addr)
	a.VZEROUPPER()
	a.RET()
	a.Label("fail")
	a.MOVB(operand.U8(0), result.Addr)
	a.VZEROUPPER()
	a.RET()
}

// positions sets lo and hi to a bitmap of the exceptions and moves bit past their positions.
func (w *wide) positions(count reg.GPVirtual) {
	listed := w.arg("listed")
	w.TESTQ(listed, listed)
	w.JNE(operand.LabelRef("list"))
	at, next, shift := w.GP64(), w.GP64(), reg.RCX
	w.MOVQ(w.bit, at)
	w.SHRQ(operand.U8(3), at)
	w.MOVQ(w.bit, shift)
	w.ANDQ(operand.U8(7), shift)
	w.MOVQ(operand.Mem{Base: w.src, Index: at, Scale: 1}, w.lo)
	w.MOVQ(operand.Mem{Base: w.src, Index: at, Scale: 1, Disp: 8}, w.hi)
	w.MOVBQZX(operand.Mem{Base: w.src, Index: at, Scale: 1, Disp: 16}, next)
	w.SHRQ(reg.CL, w.hi, w.lo)
	w.SHRQ(reg.CL, next, w.hi)
	w.POPCNTQ(w.lo, at)
	w.POPCNTQ(w.hi, next)
	w.ADDQ(next, at)
	w.CMPQ(at, count)
	w.JNE(operand.LabelRef("fail"))
	w.ADDQ(operand.U8(128), w.bit)
	w.JMP(operand.LabelRef("found"))

	w.Label("list")
	seven, m, present, before := w.GP64(), w.GP64(), w.K(), w.ZMM()
	w.MOVQ(operand.I32(7), seven)
	p := w.fields(seven, nil)
	w.MOVQ(operand.I32(-1), m)
	w.BZHIQ(count, m, m)
	w.KMOVW(m.As32(), present)
	w.VALIGND(operand.U8(15), w.ones, p, before)
	falling := w.K()
	w.VPCMPD(operand.U8(2), before, p, present, falling) // p <= before
	w.KORTESTW(falling, falling)
	w.JNE(operand.LabelRef("fail"))
	some := w.ZMM() // all ones where there is no position
	w.VMOVDQA32(w.ones, some)
	w.VMOVDQA32(p, present, some)
	one, sixtyFour, half, lo, hi := w.ZMM(), w.ZMM(), w.ZMM(), w.ZMM(), w.ZMM()
	w.VPSRLQ(operand.U8(63), w.ones, one)
	w.VPSLLQ(operand.U8(6), one, sixtyFour)
	w.VEXTRACTI64X4(operand.U8(1), some, half.AsY())
	w.VPMOVZXDQ(half.AsY(), half)
	w.VPMOVZXDQ(some.AsY(), some)
	bits := w.ZMM()
	w.VPSLLVQ(some, one, lo)
	w.VPSLLVQ(half, one, bits)
	w.VPORQ(bits, lo, lo)
	w.VPSUBQ(sixtyFour, some, some)
	w.VPSUBQ(sixtyFour, half, half)
	w.VPSLLVQ(some, one, hi)
	w.VPSLLVQ(half, one, bits)
	w.VPORQ(bits, hi, hi)
	w.VPUNPCKHQDQ(hi, lo, bits)
	w.VPUNPCKLQDQ(hi, lo, lo)
	w.VPORQ(bits, lo, lo)
	w.VEXTRACTI64X4(operand.U8(1), lo, bits.AsY())
	w.VPOR(bits.AsY(), lo.AsY(), lo.AsY())
	w.VEXTRACTI128(operand.U8(1), lo.AsY(), bits.AsX())
	w.VPOR(bits.AsX(), lo.AsX(), lo.AsX())
	w.VMOVQ(lo.AsX(), w.lo)
	w.VPEXTRQ(operand.U8(1), lo.AsX(), w.hi)
	w.IMULQ(count, seven)
	w.ADDQ(seven, w.bit)
	w.Label("found")
}

// below fails unless all exceptions are below n.
func (w *wide) below() {
	n, past, rest := w.arg("n"), w.GP64(), w.GP64()
	w.MOVQ(w.hi, past)
	w.SUBQ(operand.U8(64), n)
	w.JGE(operand.LabelRef("upper"))
	w.SHRXQ(n, w.lo, rest)
	w.ORQ(rest, past)
	w.JMP(operand.LabelRef("past"))
	w.Label("upper")
	w.CMPQ(n, operand.U8(64))
	w.JGE(operand.LabelRef("within"))
	w.SHRXQ(n, past, past)
	w.Label("past")
	w.TESTQ(past, past)
	w.JNE(operand.LabelRef("fail"))
	w.Label("within")
}

// fields returns sixteen fields of width bits from bit on. If there is an index, it is that
// of their first word.
func (w *wide) fields(width reg.GPVirtual, index func(reg.GPVirtual)) reg.VecVirtual {
	word, shift, m := w.GP64(), w.GP64(), w.GP64()
	at, mask, words, x, y := w.ZMM(), w.ZMM(), w.ZMM(), w.ZMM(), w.ZMM()
	w.MOVQ(operand.I32(-1), m)
	w.BZHIQ(width, m, m)
	w.VPBROADCASTD(m.As32(), mask)
	w.VPBROADCASTD(width.As32(), at)
	w.VPMADDWD(w.multiples, at, at)
	w.MOVQ(w.bit, shift)
	w.ANDQ(operand.U8(31), shift)
	w.VPBROADCASTD(shift.As32(), words)
	w.VPADDD(words, at, at)
	w.MOVQ(w.bit, word)
	w.SHRQ(operand.U8(5), word)
	if index != nil {
		index(word)
	}
	w.VPSRLD(operand.U8(5), at, words)
	w.VPANDD(w.thirtyOne, at, at)
	w.VPERMD(operand.Mem{Base: w.src, Index: word, Scale: 4}, words, x)
	w.VPERMD(operand.Mem{Base: w.src, Index: word, Scale: 4, Disp: 4}, words, y)
	w.VPSRLVD(at, x, x)
	w.VPSUBD(at, w.thirtyTwo, at)
	w.VPSLLVD(at, y, y)
	w.VPTERNLOGD(operand.U8(0xa8), mask, y, x) // (x | y) & mask
	return x
}

// widen writes the overflows to buffer, brought to their place in the values.
func (w *wide) widen(buffer operand.Mem, count reg.GPVirtual) {
	over, to, zero, step, times := w.arg("over"), w.GP64(), w.GP64(), w.GP64(), w.XMM()
	w.VMOVD(w.address("width"), times)
	w.LEAQ(buffer, to)
	w.XORQ(zero, zero)
	w.MOVQ(over, step)
	w.SHLQ(operand.U8(4), step)
	w.Label("widen")
	x := w.fields(over, func(word reg.GPVirtual) { // fields of no bits may begin past the last word
		w.TESTQ(over, over)
		w.CMOVQEQ(zero, word)
	})
	w.VPSUBD(w.ones, x, x)
	w.VPSLLD(times, x, x)
	w.VMOVDQU32(x, operand.Mem{Base: to})
	w.ADDQ(operand.U8(64), to)
	w.ADDQ(step, w.bit)
	w.SUBQ(operand.U8(16), count)
	w.JG(operand.LabelRef("widen"))
}

// unpack writes the values.
func (w *wide) unpack(kind string, buffer, bitmap operand.Mem) {
	dst, low, steps, width := w.arg("dst"), w.arg("low"), w.arg("tab"), w.GP64()
	over, set, left := w.GP64(), w.GP64(), w.arg("n")
	w.LEAQ(buffer, over)
	w.LEAQ(bitmap, set)
	w.MOVL(w.memory("width"), width.As32())
	if kind == "docs" { // low bits of no width are masked away
		w.TESTQ(width, width)
		w.CMOVQEQ(steps, low)
	}
	w.mask, w.rows, w.shift = w.ZMM(), w.ZMM(), w.ZMM()
	m := w.GP64()
	w.MOVQ(operand.I32(-1), m)
	w.BZHIQ(width, m, m)
	w.VPBROADCASTD(m.As32(), w.mask)
	w.VPBROADCASTD(width.As32(), w.shift)
	w.VPMADDWD(w.words("rows", repeat(4, 0, 1, 2, 3)...), w.shift, w.rows)
	w.VPSLLD(operand.U8(2), w.shift, w.shift)
	if kind == "freqs" { // often of no low bits
		w.TESTQ(width, width)
		w.JNE(operand.LabelRef("low"))
		w.Label("high")
		e := w.expand(over, set)
		w.VPSUBD(w.ones, e, e)
		w.VMOVDQU32(e, operand.Mem{Base: dst})
		w.ADDQ(operand.U8(64), dst)
		w.ADDQ(operand.U8(2), set)
		w.SUBQ(operand.U8(16), left)
		w.JG(operand.LabelRef("high"))
		w.JMP(operand.LabelRef("done"))
		w.Label("low")
	}
	s := w.startSum(kind)
	w.Label("step")
	x, y, at, offset := w.ZMM(), w.ZMM(), w.ZMM(), w.GP64()
	w.MOVWQZX(operand.Mem{Base: steps, Disp: 8}, offset)
	w.VPMOVZXBQ(operand.Mem{Base: steps}, at)
	w.VPERMQ(operand.Mem{Base: low, Index: offset, Scale: 1}, at, x)
	w.VPERMQ(operand.Mem{Base: low, Index: offset, Scale: 1, Disp: 16}, at, y)
	w.VPANDD(w.thirtyOne, w.rows, at)
	w.VPADDD(w.shift, w.rows, w.rows)
	w.VPSRLVD(at, x, x)
	w.VPSUBD(at, w.thirtyTwo, at)
	w.VPSLLVD(at, y, y)
	w.VPTERNLOGD(operand.U8(0x57), w.mask, y, x) // ^((x | y) & mask), the value less one negated
	e := w.expand(over, set)
	if kind == "freqs" {
		w.VPSUBD(x, e, x)
	} else {
		w.VPSUBD(e, x, x)
		s.sum(w, x)
	}
	w.VMOVDQU32(x, operand.Mem{Base: dst})
	w.ADDQ(operand.U8(64), dst)
	w.ADDQ(operand.U8(2), set)
	w.ADDQ(operand.U8(16), steps)
	w.SUBQ(operand.U8(16), left)
	w.JG(operand.LabelRef("step"))
	if kind == "freqs" {
		w.Label("done")
	}
}

// expand returns the overflows of sixteen values, of which set has the bitmap, and moves over
// past them.
func (w *wide) expand(over, set reg.GPVirtual) reg.VecVirtual {
	e, exceptions, k := w.ZMM(), w.GP64(), w.K()
	w.MOVWQZX(operand.Mem{Base: set}, exceptions)
	w.KMOVW(exceptions.As32(), k)
	w.VMOVDQU32(operand.Mem{Base: over}, e)
	w.VPEXPANDD_Z(e, k, e)
	w.POPCNTQ(exceptions, exceptions)
	w.LEAQ(operand.Mem{Base: over, Index: exceptions, Scale: 4}, over)
	return e
}

// rowSum holds what summing docIDs needs.
type rowSum struct {
	pairs, odd, half, last, carry reg.VecVirtual
	oddRows, upper                reg.Register
}

func (w *wide) startSum(kind string) *rowSum {
	if kind != "docs" {
		return nil
	}
	s := &rowSum{pairs: w.ZMM(), odd: w.ZMM(), half: w.ZMM(), last: w.ZMM(), carry: w.ZMM()}
	oddRows, upper, m := w.K(), w.K(), w.GP32()
	w.VBROADCASTI32X4(w.words("pairs", 0x80808080, 0x80808080, 0x07060504, 0x07060504), s.pairs)
	w.VMOVDQU32(w.words("odd", repeat(4, 0, 3, 0, 11)...), s.odd)
	w.VPBROADCASTD(w.words("tops", 7, 15), s.half)
	w.VPSRLD(operand.U8(28), w.ones, s.last)
	w.VPBROADCASTD(w.address("prev"), s.carry)
	w.MOVL(operand.U32(0xf0f0), m)
	w.KMOVW(m, oddRows)
	w.MOVL(operand.U32(0xff00), m)
	w.KMOVW(m, upper)
	s.oddRows, s.upper = oddRows, upper
	return s
}

// sum turns negated gaps into docIDs.
func (s *rowSum) sum(w *wide, x reg.VecVirtual) {
	y := w.ZMM()
	w.VPSLLQ(operand.U8(32), x, y)
	w.VPADDD(y, x, x)
	w.VPSHUFB(s.pairs, x, y)
	w.VPADDD(y, x, x)
	w.VPERMD_Z(x, s.odd, s.oddRows, y)
	w.VPADDD(y, x, x)
	w.VPERMD_Z(x, s.half, s.upper, y)
	w.VPADDD(y, x, x)
	w.VPSUBD(x, s.carry, x)
	w.VPERMD(x, s.last, s.carry)
}
