package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patcher512 holds the registers of one function.
type patcher512 struct {
	*assembler
	name, kind                string
	fused                     bool // unpacks the low bits too
	src, bit, count, over, lo reg.GPVirtual
	hi                        reg.GPVirtual
	limit                     reg.GPVirtual // last word that fields may begin in; nil if they are sure to
	dst, low, tab             reg.GPVirtual
	prev                      operand.Op // 32 bits
	line                      *line512
	scan                      *patchScan512
	buffer                    operand.Mem
}

func (p *patcher512) load() {
	p.src, p.bit, p.count, p.over = p.arg("src"), p.arg("bit"), p.arg("count"), p.arg("over")
	p.lo, p.hi = p.GP64(), p.GP64()
	p.buffer = p.AllocLocal((128 + 16) * 4)
}

// loadWord loads a 32-bit argument.
func (p *patcher512) loadWord(name string) reg.GPVirtual {
	r := p.GP32()
	p.Load(p.Param(name), r)
	return r
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

// list reads positions sixteen at a time, shifts ones by them and gathers the ones.
// The positions must ascend.
func (p *patcher512) list(pos reg.GPVirtual) { p.listOf(pos, 1) }

// listOf is list that reads some vectors of sixteen each turn.
func (p *patcher512) listOf(pos reg.GPVirtual, vectors int) {
	f := p.newFields512(pos)
	p.gather(vectors, func(x reg.VecVirtual) { f.next(x) })
	// The bits that the loop read past the last position are those of overflows.
	bits := p.GP64()
	p.MOVQ(p.count, bits)
	p.IMULQ(pos, bits)
	p.MOVQ(f.start, p.bit)
	p.ADDQ(bits, p.bit)
}

// overflows unpacks the overflows, shifted left by width, to the buffer. less, unless
// nil, is added to them first.
func (p *patcher512) overflows(less, width reg.VecVirtual) {
	f := p.newFields512(p.over)
	to, end := p.GP64(), p.GP64()
	p.LEAQ(p.buffer, to)
	p.LEAQ(operand.Mem{Base: to, Index: p.count, Scale: 4}, end)
	p.Label(p.name + "_overflow")
	p.overflow(f, to, less, width)
	p.ADDQ(operand.U8(64), to)
	p.CMPQ(to, end)
	p.JLT(operand.LabelRef(p.name + "_overflow"))
}

// overflow unpacks the next sixteen overflows to where to points.
func (p *patcher512) overflow(f *fields512, to reg.GPVirtual, less, width reg.VecVirtual) {
	x := p.ZMM()
	f.next(x)
	if less != nil {
		p.VPADDD(less, x, x)
	}
	p.VPSLLVD(width, x, x)
	p.VMOVDQU32(x, operand.Mem{Base: to})
}

// expand adds the overflows to the low parts and writes the finished values.
func (p *patcher512) expand() {
	from := p.GP64()
	p.LEAQ(p.buffer, from)
	low := p.lows()
	add := p.finisher()
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
		p.VMOVDQU32(add(low[k], x), operand.Mem{Base: p.dst, Disp: 64 * k})
	}
}

// plain is expand without exceptions.
func (p *patcher512) plain() {
	u := p.unpacker()
	add := p.finisher()
	for k := range 8 {
		p.VMOVDQU32(add(u.values(k), nil), operand.Mem{Base: p.dst, Disp: 64 * k})
	}
}

// lows returns the low parts of all values, in registers or in dst. Unpacking them
// all before the first expansion gives the overflows the time to reach memory: an
// expansion that lies in two stores of them would wait for that.
func (p *patcher512) lows() (low [8]operand.Op) {
	var u *patchUnpacker512
	if p.fused {
		u = p.unpacker()
	}
	for k := range low {
		if p.fused {
			low[k] = u.values(k)
		} else {
			low[k] = operand.Mem{Base: p.dst, Disp: 64 * k}
		}
	}
	return low
}

func (p *patcher512) unpacker() *patchUnpacker512 {
	u := &patchUnpacker512{p.assembler, p.low, p.tab, p.ZMM()}
	p.VPBROADCASTD(operand.Mem{Base: u.tab, Disp: 32}, u.mask)
	return u
}

// finisher returns what makes values of low parts and overflows, x, which is
// nil if there are none.
func (p *patcher512) finisher() func(low operand.Op, x reg.VecVirtual) reg.VecVirtual {
	const nor = 0x05 // ternary logic: ^(a|c), a being the destination and c the first operand
	or := func(low operand.Op, x reg.VecVirtual) reg.VecVirtual {
		if x == nil {
			return low.(reg.VecVirtual)
		}
		p.VPORD(low, x, x)
		return x
	}
	switch p.kind {
	case "Line":
		return func(low operand.Op, x reg.VecVirtual) reg.VecVirtual { return p.line.add(or(low, x)) }
	case "Docs":
		p.scan = p.newPatchScan512(p.prev)
		return func(low operand.Op, x reg.VecVirtual) reg.VecVirtual {
			if x == nil {
				x = low.(reg.VecVirtual)
				p.VPTERNLOGD(operand.U8(nor), x, x, x)
			} else {
				p.VPTERNLOGD(operand.U8(nor), low, x, x)
			}
			return p.scan.docs(x)
		}
	case "Freqs":
		ones := p.ZMM()
		p.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
		return func(low operand.Op, x reg.VecVirtual) reg.VecVirtual {
			x = or(low, x)
			p.VPSUBD(ones, x, x)
			return x
		}
	}
	return or
}

// finish returns true, and false at the label that ends in _fail.
func (p *patcher512) finish() {
	p.succeed()
	p.fail()
}

func (p *patcher512) succeed() {
	p.VZEROUPPER()
	p.MOVB(operand.U8(1), p.result())
	p.RET()
}

func (p *patcher512) fail() {
	p.Label(p.name + "_fail")
	p.VZEROUPPER()
	p.MOVB(operand.U8(0), p.result())
	p.RET()
}

// patchUnpacker512 unpacks sixteen values at a time, four rows, one to each 128-bit
// lane. Nothing depends on the width but a table (table_amd64.go), so that blocks of
// many widths cost no mispredicted branch.
type patchUnpacker512 struct {
	*assembler
	low, tab reg.GPVirtual
	mask     reg.VecVirtual
}

func (u *patchUnpacker512) values(k int) reg.VecVirtual {
	const (
		steps, stepSize    = 64, 192
		index, right, left = 0, 64, 128
		orAnd              = 0xa8 // ternary logic: (a|b) & c
	)
	at := u.GP64()
	u.MOVL(operand.Mem{Base: u.tab, Disp: 4 * k}, at.As32())
	step := operand.Mem{Base: u.tab, Disp: steps + k*stepSize}
	idx, lo, hi := u.ZMM(), u.ZMM(), u.ZMM()
	u.VMOVDQU64(step.Offset(index), idx)
	u.VPERMQ(operand.Mem{Base: u.low, Index: at, Scale: 1}, idx, lo)
	u.VPERMQ(operand.Mem{Base: u.low, Index: at, Scale: 1, Disp: 16}, idx, hi)
	u.VPSRLVD(step.Offset(right), lo, lo)
	u.VPSLLVD(step.Offset(left), hi, hi)
	u.VPTERNLOGD(operand.U8(orAnd), u.mask, hi, lo)
	return lo
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
