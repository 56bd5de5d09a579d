package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patchedAVX2 writes the unpackers of blocks with exceptions, and what their
// encoder asks of full blocks.
func patchedAVX2(out output) error {
	a := newAssembler()
	a.patchedExceed()
	a.patchedAbove()
	for _, kind := range []string{"plain", "freqs", "docs"} {
		a.patchedKind(kind)
	}
	return a.write(out, "internal/codec/internal/patch", "patch", "zpatched_avx2")
}

// patched holds the registers of one function. Names end in 02 for rows 0 and 2 of the
// four that a step unpacks, and in 13 for rows 1 and 3.
type patched struct {
	*assembler
	kind                    string
	low, steps, over, ranks reg.GPVirtual
	mask, thirtyTwo, shift  reg.VecVirtual
	carry                   reg.VecVirtual
}

// patchedKind writes one function: a loop of steps of sixteen values. The low bits
// of a value lie in one or two vectors, which the table of the width names. The
// overflows of eight values are brought to their places by a shuffle of bytes that a
// byte of the bitmap selects; no step branches on what the block holds.
func (a *assembler) patchedKind(kind string) {
	does := map[string]string{
		"plain": "writes 16*steps values to dst",
		"freqs": "writes 16*steps values plus one to dst",
		"docs":  "writes the docIDs after prev to dst whose gaps less one are 16*steps values",
	}[kind]
	a.function(kind+"AVX2", "func(dst *uint32, low, tab, ranks, over *byte, lo, hi uint64, shift, prev, steps uint32)",
		kind+"AVX2 "+does+": low bits, as tab says, and overflows,",
		"shifted left, where lo and hi have a bit set. 64 bytes past the low bits and 8 past the overflows",
		"are readable.")
	p := &patched{assembler: a, kind: kind}
	dst := a.arg("dst")
	p.low, p.steps, p.ranks, p.over = a.arg("low"), a.arg("tab"), a.arg("ranks"), a.arg("over")
	p.mask, p.thirtyTwo, p.shift = a.YMM(), a.YMM(), a.XMM()
	a.VPBROADCASTD(operand.Mem{Base: p.steps}, p.mask)
	a.VPBROADCASTD(operand.Mem{Base: p.steps, Disp: 4}, p.thirtyTwo)
	a.ADDQ(operand.U8(8), p.steps)
	a.VMOVD(a.address("shift"), p.shift)
	switch kind {
	case "docs":
		p.carry = a.YMM()
		a.VPBROADCASTD(a.address("prev"), p.carry)
	case "freqs":
		p.carry = a.YMM()
		a.VPCMPEQD(p.carry, p.carry, p.carry)
	}
	bitmap, left := a.GP64(), a.GP32()
	a.LEAQ(a.memory("lo"), bitmap)
	a.MOVL(a.memory("steps"), left)
	a.Label(kind)
	e02, e13 := p.overflows(bitmap)
	v02 := p.values(0, e02)
	v13 := p.values(1, e13)
	switch kind {
	case "docs":
		p.sum(v02, v13)
	case "freqs":
		a.VPSUBD(p.carry, v02, v02)
		a.VPSUBD(p.carry, v13, v13)
	}
	a.VMOVDQU(v02.AsX(), operand.Mem{Base: dst})
	a.VMOVDQU(v13.AsX(), operand.Mem{Base: dst, Disp: 16})
	a.VEXTRACTI128(operand.U8(1), v02, operand.Mem{Base: dst, Disp: 32})
	a.VEXTRACTI128(operand.U8(1), v13, operand.Mem{Base: dst, Disp: 48})
	a.ADDQ(operand.U8(64), dst)
	a.ADDQ(operand.U8(2), bitmap)
	a.ADDQ(operand.U8(24), p.steps)
	a.DECL(left)
	a.JNE(operand.LabelRef(kind))
	a.VZEROUPPER()
	a.RET()
}

// overflows returns those of the next sixteen values, zero where there is none.
func (p *patched) overflows(bitmap reg.GPVirtual) (e02, e13 reg.VecVirtual) {
	eight := func(disp int) reg.VecVirtual {
		x, rank, m := p.XMM(), p.XMM(), p.GP64()
		p.MOVBQZX(operand.Mem{Base: bitmap, Disp: disp}, m)
		p.VMOVQ(operand.Mem{Base: p.ranks, Index: m, Scale: 8}, rank)
		p.VMOVQ(operand.Mem{Base: p.over}, x)
		p.VPSHUFB(rank, x, x)
		p.POPCNTL(m.As32(), m.As32())
		p.ADDQ(m, p.over)
		return x
	}
	x, y := eight(0), eight(1)
	e02, e13 = p.YMM(), p.YMM()
	p.VPUNPCKLDQ(y, x, x) // rows 0, 2, 1, 3
	p.VPMOVZXBD(x, e02)
	p.VPSRLDQ(operand.U8(8), x, x)
	p.VPMOVZXBD(x, e13)
	p.VPSLLD(p.shift, e02, e02)
	p.VPSLLD(p.shift, e13, e13)
	return e02, e13
}

// values returns the rows of one half of a step, with overflows added.
func (p *patched) values(half int, over reg.VecVirtual) reg.VecVirtual {
	first, second := p.GP64(), p.GP64()
	p.MOVWQZX(operand.Mem{Base: p.steps, Disp: 4 * half}, first)
	p.MOVWQZX(operand.Mem{Base: p.steps, Disp: 4*half + 2}, second)
	right, x, y := p.YMM(), p.YMM(), p.YMM()
	p.VPMOVZXBD(operand.Mem{Base: p.steps, Disp: 8 + 8*half}, right)
	p.VMOVDQU(operand.Mem{Base: p.low, Index: first, Scale: 1}, x.AsX())
	p.VMOVDQU(operand.Mem{Base: p.low, Index: first, Scale: 1, Disp: 16}, y.AsX())
	p.VINSERTI128(operand.U8(1), operand.Mem{Base: p.low, Index: second, Scale: 1}, x, x)
	p.VINSERTI128(operand.U8(1), operand.Mem{Base: p.low, Index: second, Scale: 1, Disp: 16}, y, y)
	p.VPSRLVD(right, x, x)
	p.VPSUBD(right, p.thirtyTwo, right)
	p.VPSLLVD(right, y, y)
	p.VPOR(y, x, x)
	p.VPAND(p.mask, x, x)
	p.VPADDD(over, x, x)
	return x
}

// sum turns gaps less one into docIDs. What goes from step to step is one addition.
func (p *patched) sum(x, y reg.VecVirtual) {
	ones, s, t := p.YMM(), p.YMM(), p.YMM()
	p.VPCMPEQD(ones, ones, ones)
	for _, v := range []reg.VecVirtual{x, y} { // within a row
		p.VPSUBD(ones, v, v)
		p.VPSLLDQ(operand.U8(4), v, s)
		p.VPADDD(s, v, v)
		p.VPSLLDQ(operand.U8(8), v, s)
		p.VPADDD(s, v, v)
	}
	p.VPSHUFD(operand.U8(0xff), x, s)
	p.VPADDD(s, y, y)
	p.VPSHUFD(operand.U8(0xff), y, s)       // sums of rows 0 and 1, of 2 and 3
	p.VPERM2I128(operand.U8(0x08), s, s, t) // rows 2 and 3 follow 0 and 1
	p.VPADDD(p.carry, t, t)
	p.VPADDD(t, x, x)
	p.VPADDD(t, y, y)
	p.VPERM2I128(operand.U8(0x01), s, s, t)
	p.VPADDD(t, s, s)
	p.VPADDD(s, p.carry, p.carry)
}

// patchedExceed writes a function whose bit lengths are exponents of floating point
// numbers: x without the bits that follow a set bit does not round up to the next
// power of two.
func (a *assembler) patchedExceed() {
	a.function("exceedAVX2", "func(count, v *uint32, full uint64) (most uint32)",
		"exceedAVX2 writes to count[b] how many of 128 values need more than b bits, for each b",
		"below full, which is 1 to 31 and no less than what any needs. It returns the greatest value.")
	count, v, full := a.arg("count"), a.arg("v"), a.arg("full")
	most, bias, ones, none, limit := a.YMM(), a.YMM(), a.YMM(), a.YMM(), a.YMM()
	a.VPXOR(none, none, none)
	a.VPXOR(most, most, most)
	a.VPBROADCASTD(a.words("exceedBias", repeat(2, 0x7e7e7e7e)...), bias)
	a.VPCMPEQD(ones, ones, ones)
	var need [4]reg.VecVirtual // bit lengths of 32 values each, in no order
	for i := range need {
		var x [4]reg.VecVirtual
		for j := range x {
			x[j] = a.YMM()
			y := a.YMM()
			a.VMOVDQU(operand.Mem{Base: v, Disp: 128*i + 32*j}, x[j])
			a.VPMAXUD(x[j], most, most)
			a.VPSRLD(operand.U8(1), x[j], y)
			a.VPANDN(x[j], y, x[j])
			a.VCVTDQ2PS(x[j], x[j])
			a.VPSRLD(operand.U8(23), x[j], x[j])
		}
		a.VPACKUSDW(x[1], x[0], x[0])
		a.VPACKUSDW(x[3], x[2], x[2])
		a.VPACKUSWB(x[2], x[0], x[0])
		a.VPSUBUSB(bias, x[0], x[0])
		need[i] = x[0]
	}
	a.VPBROADCASTB(a.address("full"), limit)
	a.Label("next")
	a.VPADDB(ones, limit, limit)
	sum, y := a.YMM(), a.YMM()
	a.VPCMPGTB(limit, need[0], sum)
	for _, x := range need[1:] {
		a.VPCMPGTB(limit, x, y)
		a.VPADDB(y, sum, sum)
	}
	a.VPABSB(sum, sum)
	a.VPSADBW(none, sum, sum)
	a.VEXTRACTI128(operand.U8(1), sum, y.AsX())
	a.VPADDD(y.AsX(), sum.AsX(), sum.AsX())
	a.VPSHUFD(operand.U8(0x4e), sum.AsX(), y.AsX())
	a.VPADDD(y.AsX(), sum.AsX(), sum.AsX())
	a.VMOVD(sum.AsX(), operand.Mem{Base: count, Index: full, Scale: 4, Disp: -4})
	a.DECQ(full)
	a.JNE(operand.LabelRef("next"))
	a.VEXTRACTI128(operand.U8(1), most, y.AsX())
	for _, shuffle := range []uint8{0x4e, 0xb1} {
		a.VPMAXUD(y.AsX(), most.AsX(), most.AsX())
		a.VPSHUFD(operand.U8(shuffle), most.AsX(), y.AsX())
	}
	a.VPMAXUD(y.AsX(), most.AsX(), most.AsX())
	r := a.GP32()
	a.VMOVD(most.AsX(), r)
	a.Store(r, a.Return("most"))
	a.VZEROUPPER()
	a.RET()
}

func (a *assembler) patchedAbove() {
	a.function("aboveAVX2", "func(v *uint32, least uint32) (lo, hi uint64)",
		"aboveAVX2 returns a bitmap of those of 128 values that are at least least.")
	v := a.arg("v")
	least, order := a.YMM(), a.YMM()
	a.VPBROADCASTD(a.address("least"), least)
	a.VMOVDQU(a.words("aboveOrder", 0, 4, 1, 5, 2, 6, 3, 7), order)
	for half, result := range []string{"lo", "hi"} {
		var m [2]reg.GPVirtual
		for i := range m {
			var x [4]reg.VecVirtual
			for j := range x {
				x[j] = a.YMM()
				at := operand.Mem{Base: v, Disp: 256*half + 128*i + 32*j}
				a.VPMAXUD(at, least, x[j])
				a.VPCMPEQD(at, x[j], x[j])
			}
			a.VPACKSSDW(x[1], x[0], x[0])
			a.VPACKSSDW(x[3], x[2], x[2])
			a.VPACKSSWB(x[2], x[0], x[0])
			a.VPERMD(x[0], order, x[0])
			m[i] = a.GP64()
			a.VPMOVMSKB(x[0], m[i].As32())
		}
		a.SHLQ(operand.U8(32), m[1])
		a.ORQ(m[1], m[0])
		a.Store(m[0], a.Return(result))
	}
	a.VZEROUPPER()
	a.RET()
}
