package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, patch512) }

// patch512 generates the patching of a block at AVX-512: positions of exceptions
// become a bitmap, overflows are unpacked sixteen at a time, and every sixteen low
// parts get those of their overflows that the bitmap says by an expansion. There
// is no store to a single value, so that what follows need not wait.
func patch512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"", "Freqs", "Docs"} {
		name := "apply" + kind + "512"
		a.function(name, "func(dst *uint32, src *byte, bit, count, over, width, pos, n uint64, less, prev uint32) bool",
			name+" is apply"+kind+" for exceptions whose positions are fields of pos bits,",
			"or a bitmap where pos is 64. 64 bytes past the words of the exceptions are readable.")
		p := &patcher512{assembler: a, name: name}
		p.load()
		p.positions()
		p.overflows()
		p.expand(kind)
	}
	return a.write(out, "format/codec/patch", "patch", "patch512")
}

// patcher512 holds the registers of one function.
type patcher512 struct {
	*assembler
	name                      string
	src, bit, count, over, lo reg.GPVirtual
	hi                        reg.GPVirtual
	buffer                    operand.Mem
}

func (p *patcher512) load() {
	p.src, p.bit, p.count, p.over = p.arg("src"), p.arg("bit"), p.arg("count"), p.arg("over")
	p.lo, p.hi = p.GP64(), p.GP64()
	p.buffer = p.AllocLocal((128 + 16) * 4)
}

// positions leaves a bitmap in lo and hi and the first bit of the overflows in bit.
func (p *patcher512) positions() {
	pos := p.arg("pos")
	p.CMPQ(pos, operand.U32(64))
	p.JLT(operand.LabelRef(p.name + "_list"))
	p.bitmap()
	p.JMP(operand.LabelRef(p.name + "_check"))
	p.Label(p.name + "_list")
	p.list(pos)
	p.Label(p.name + "_check")
	// No position may be n or more.
	n := p.arg("n")
	lo, hi, limit := p.GP64(), p.GP64(), p.GP64()
	p.MOVQ(p.hi, hi)
	p.MOVQ(p.lo, lo)
	p.CMPQ(n, operand.U32(64))
	p.JGE(operand.LabelRef(p.name + "_upper"))
	p.SHRXQ(n, lo, lo)
	p.ORQ(lo, hi)
	p.JMP(operand.LabelRef(p.name + "_beyond"))
	p.Label(p.name + "_upper")
	p.LEAQ(operand.Mem{Base: n, Disp: -64}, limit)
	p.CMPQ(limit, operand.U32(64))
	p.JGE(operand.LabelRef(p.name + "_fits"))
	p.SHRXQ(limit, hi, hi)
	p.Label(p.name + "_beyond")
	p.TESTQ(hi, hi)
	p.JNZ(operand.LabelRef(p.name + "_fail"))
	p.Label(p.name + "_fits")
}

// bitmap reads 128 bits and counts them.
func (p *patcher512) bitmap() {
	at, top, c, d := p.GP64(), p.GP64(), p.GP64(), p.GP64()
	p.MOVQ(p.bit, at)
	p.SHRQ(operand.U8(3), at)
	p.ADDQ(p.src, at)
	p.MOVQ(p.bit, reg.RCX)
	p.ANDQ(operand.U8(7), reg.RCX)
	p.MOVQ(operand.Mem{Base: at}, p.lo)
	p.MOVQ(operand.Mem{Base: at, Disp: 8}, p.hi)
	p.MOVBQZX(operand.Mem{Base: at, Disp: 16}, top)
	p.SHRQ(reg.CL, p.hi, p.lo)
	p.SHRQ(reg.CL, top, p.hi)
	p.POPCNTQ(p.lo, c)
	p.POPCNTQ(p.hi, d)
	p.ADDQ(d, c)
	p.CMPQ(c, p.count)
	p.JNE(operand.LabelRef(p.name + "_fail"))
	p.ADDQ(operand.U32(128), p.bit)
}

// list reads fields of positions one by one; they must ascend.
func (p *patcher512) list(pos reg.GPVirtual) {
	one, left, next, falls := p.GP64(), p.GP64(), p.GP64(), p.GP64()
	p.XORQ(p.lo, p.lo)
	p.XORQ(p.hi, p.hi)
	p.XORQ(next, next)
	p.XORQ(falls, falls)
	p.MOVQ(operand.U32(1), one)
	p.MOVQ(p.count, left)
	p.Label(p.name + "_position")
	at, x, shift, bit, upper := p.GP64(), p.GP64(), p.GP64(), p.GP64(), p.GP64()
	p.MOVQ(p.bit, at)
	p.SHRQ(operand.U8(3), at)
	p.MOVWQZX(operand.Mem{Base: p.src, Index: at, Scale: 1}, x)
	p.MOVQ(p.bit, shift)
	p.ANDQ(operand.U8(7), shift)
	p.SHRXQ(shift, x, x)
	p.BZHIQ(pos, x, x)
	p.MOVQ(x, shift)
	p.SUBQ(next, shift)
	p.ORQ(shift, falls)
	p.LEAQ(operand.Mem{Base: x, Disp: 1}, next)
	p.SHLXQ(x, one, bit)
	p.SHRQ(operand.U8(6), x)
	p.NEGQ(x)
	p.MOVQ(bit, upper)
	p.ANDQ(x, upper)
	p.ORQ(upper, p.hi)
	p.ANDNQ(bit, x, bit)
	p.ORQ(bit, p.lo)
	p.ADDQ(pos, p.bit)
	p.DECQ(left)
	p.JNZ(operand.LabelRef(p.name + "_position"))
	p.TESTQ(falls, falls)
	p.JS(operand.LabelRef(p.name + "_fail"))
}

// overflows unpacks the overflows, shifted left by width, to the buffer.
func (p *patcher512) overflows() {
	const orAnd = 0xa8 // ternary logic: (a|b) & c
	step, mask, less, width, all := p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM()
	p.VPBROADCASTD(p.over.As32(), step)
	p.VPMULLD(p.words("iota", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), step, step)
	r, ones := p.GP64(), p.GP64()
	p.MOVQ(operand.I32(-1), ones)
	p.BZHIQ(p.over, ones, r)
	p.VPBROADCASTD(r.As32(), mask)
	p.Load(p.Param("less"), r.As32())
	p.VPBROADCASTD(r.As32(), less)
	p.Load(p.Param("width"), r)
	p.VPBROADCASTD(r.As32(), width)
	p.VPBROADCASTD(p.words("word", 32, 31), all)
	thirtyOne := p.ZMM()
	p.VPBROADCASTD(p.words("word").Offset(4), thirtyOne)
	to, end, stride := p.GP64(), p.GP64(), p.GP64()
	p.LEAQ(p.buffer, to)
	p.LEAQ(operand.Mem{Base: to, Index: p.count, Scale: 4}, end)
	p.MOVQ(p.over, stride)
	p.SHLQ(operand.U8(4), stride)
	p.Label(p.name + "_overflow")
	at, zero := p.GP64(), p.GP64()
	bit, index, lo, hi := p.ZMM(), p.ZMM(), p.ZMM(), p.ZMM()
	p.MOVQ(p.bit, at)
	p.ANDQ(operand.U8(31), at)
	p.VPBROADCASTD(at.As32(), bit)
	p.MOVQ(p.bit, at)
	p.SHRQ(operand.U8(5), at)
	p.XORQ(zero, zero)
	p.TESTQ(p.over, p.over)
	p.CMOVQEQ(zero, at) // fields of no bits may begin past the last word
	p.VPADDD(step, bit, bit)
	p.VPSRLD(operand.U8(5), bit, index)
	p.VPANDD(thirtyOne, bit, bit)
	p.VPERMD(operand.Mem{Base: p.src, Index: at, Scale: 4}, index, lo)
	p.VPERMD(operand.Mem{Base: p.src, Index: at, Scale: 4, Disp: 4}, index, hi)
	p.VPSRLVD(bit, lo, lo)
	p.VPSUBD(bit, all, bit)
	p.VPSLLVD(bit, hi, hi)
	p.VPTERNLOGD(operand.U8(orAnd), mask, hi, lo)
	p.VPADDD(less, lo, lo)
	p.VPSLLVD(width, lo, lo)
	p.VMOVDQU32(lo, operand.Mem{Base: to})
	p.ADDQ(stride, p.bit)
	p.ADDQ(operand.U8(64), to)
	p.CMPQ(to, end)
	p.JLT(operand.LabelRef(p.name + "_overflow"))
}

// expand adds the overflows to dst and finishes the values.
func (p *patcher512) expand(kind string) {
	const nor = 0x05 // ternary logic: ^(a|c), a being the destination and c the first operand
	dst, from := p.arg("dst"), p.GP64()
	p.LEAQ(p.buffer, from)
	var s *patchScan512
	var ones reg.VecVirtual
	switch kind {
	case "Docs":
		r := p.GP32()
		p.Load(p.Param("prev"), r)
		s = p.newPatchScan512(r)
	case "Freqs":
		ones = p.ZMM()
		p.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	}
	for k := range 8 {
		half := p.lo
		if k >= 4 {
			half = p.hi
		}
		m, x, count := p.K(), p.ZMM(), p.GP64()
		p.KMOVW(half.As32(), m)
		p.VPEXPANDD_Z(operand.Mem{Base: from}, m, x)
		if k < 7 {
			p.MOVWQZX(half.As16(), count)
			p.POPCNTQ(count, count)
			p.LEAQ(operand.Mem{Base: from, Index: count, Scale: 4}, from)
			p.SHRQ(operand.U8(16), half)
		}
		low := operand.Mem{Base: dst, Disp: 64 * k}
		switch kind {
		case "Docs":
			p.VPTERNLOGD(operand.U8(nor), low, x, x)
			x = s.docs(x)
		case "Freqs":
			p.VPORD(low, x, x)
			p.VPSUBD(ones, x, x)
		default:
			p.VPORD(low, x, x)
		}
		p.VMOVDQU32(x, low)
	}
	ok, err := p.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	p.VZEROUPPER()
	p.MOVB(operand.U8(1), ok.Addr)
	p.RET()
	p.Label(p.name + "_fail")
	p.MOVB(operand.U8(0), ok.Addr)
	p.RET()
}

// patchScan512 holds what a prefix sum of sixteen words needs.
type patchScan512 struct {
	*assembler
	pairs, row, rows, top reg.VecVirtual
	odd, high             reg.OpmaskVirtual
	carry                 reg.VecVirtual
}

func (a *assembler) newPatchScan512(prev operand.Op) *patchScan512 {
	s := &patchScan512{a, a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.K(), a.K(), a.ZMM()}
	const clear, word1 = 0x80808080, 0x07060504
	// Words 2 and 3 of a row of four get word 1.
	a.VBROADCASTI32X4(a.words("pairs", clear, clear, word1, word1), s.pairs)
	// Rows 1 and 3 get the top of the row before, rows 2 and 3 that of row 1.
	a.VMOVDQU32(a.words("row", repeat(4, 0, 3, 0, 11)...), s.row)
	tops := a.words("tops", 7, 15)
	a.VPBROADCASTD(tops, s.rows)
	a.VPBROADCASTD(tops.Offset(4), s.top)
	r := a.GP32()
	a.MOVL(operand.U32(0xf0f0), r)
	a.KMOVW(r, s.odd)
	a.MOVL(operand.U32(0xff00), r)
	a.KMOVW(r, s.high)
	a.VPBROADCASTD(prev, s.carry)
	return s
}

// docs turns x, which holds the complement of gaps less one, into docIDs: the sum of
// complements is less than nothing by the sum of the gaps. The carry moves on to
// the last docID.
func (s *patchScan512) docs(x reg.VecVirtual) reg.VecVirtual {
	y, out := s.ZMM(), s.ZMM()
	s.VPSLLQ(operand.U8(32), x, y)
	s.VPADDD(y, x, x)
	s.VPSHUFB(s.pairs, x, y)
	s.VPADDD(y, x, x)
	s.VPERMD_Z(x, s.row, s.odd, y)
	s.VPADDD(y, x, x)
	s.VPERMD_Z(x, s.rows, s.high, y)
	s.VPADDD(y, x, x)
	s.VPSUBD(x, s.carry, out)
	s.VPERMD(out, s.top, s.carry)
	return out
}
