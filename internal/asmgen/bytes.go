package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the tables of package bytepack (rows_amd64.go).
const (
	tabShort  = 0        // 256 shuffles of 32 bytes: eight values of one or two bytes, by a bit for each
	tabQuad   = 256 * 32 // 256 shuffles of 16 bytes: four values by their selectors
	tabLength = 256 * 48 // 256 bytes: data bytes of four values by their selectors
	tabPack   = 256 * 49 // 256 shuffles of 16 bytes: the bytes of four values by their selectors
)

// Bits of 16 selectors.
const (
	oddBits  = 0xaaaaaaaa // set for values of three or four bytes
	evenBits = 0x55555555 // set for values of two bytes if none has more
)

// Offsets of the fields of format.Sequence, which bytepack's rows_amd64.go checks.
const (
	seqPayload = 0
	seqEnds    = 24
	seqLast    = 48
	seqN       = 72
)

// byteRow is a function that decodes blocks of package bytepack, 16 values a step.
//
// Unless one of the 16 has more than two bytes, which one test of the selectors tells, eight
// values lie within 16 bytes and one shuffle spreads them over a register; otherwise four do.
type byteRow struct {
	*assembler
	docs                                                   bool
	dst, sel, data, end, tab, evens, steps, s, ends, last  reg.GPVirtual
	values, payload, limit, left, excess, tail, want, wide operand.Mem // in the frame
	x, y                                                   reg.VecVirtual
	ones, carry, tops, second, high, top                   reg.VecVirtual
}

const byteRowSignature = "func(dst *uint32, s *byte, block, count, n int, sel, tab *byte) (done int)"

// bytepackRows writes the decoders and the packer of package bytepack.
func bytepackRows(out output) error {
	a := newAssembler()
	const does = " of count blocks of n values from block on, and returns how many blocks it decoded: see row."
	a.byteRow("docsRowAVX2", true, "docsRowAVX2 decodes the docIDs"+does)
	a.byteRow("freqsRowAVX2", false, "freqsRowAVX2 decodes the frequencies"+does)
	a.bytePack()
	return a.write(out, "internal/codec/internal/bytepack", "bytepack", "zrows")
}

func (a *assembler) byteRow(name string, docs bool, doc string) {
	a.function(name, byteRowSignature, doc)
	r := &byteRow{assembler: a, docs: docs, dst: a.arg("dst"), sel: a.arg("sel"), data: a.GP64(), end: a.GP64(),
		tab: a.arg("tab"), evens: a.GP64(), steps: a.GP64(), s: a.GP64(), ends: a.GP64(), last: a.GP64(), x: a.YMM(), y: a.YMM()}
	r.setUp()
	r.constants()
	a.Label("block")
	r.open()
	a.Label("step")
	r.step()
	r.close()
	a.Label("stop")
	done := a.arg("count")
	a.SUBQ(r.left, done)
	a.Store(done, a.Return("done"))
	a.VZEROUPPER()
	a.RET()
	r.long()
}

func (r *byteRow) stopIf(jump func(operand.Op)) { jump(operand.LabelRef("stop")) }

// setUp checks what holds for all blocks and fills the frame.
func (r *byteRow) setUp() {
	for _, m := range []*operand.Mem{&r.payload, &r.limit, &r.left, &r.excess, &r.tail, &r.want, &r.wide} {
		*m = r.AllocLocal(8)
	}
	r.values = r.memory("n")
	seq, block, n := r.arg("s"), r.arg("block"), r.GP64()
	field := func(at int) operand.Mem { return operand.Mem{Base: seq, Disp: at} }
	r.Comment("All blocks have endpoints and last docIDs.")
	r.Load(r.Param("count"), n)
	r.MOVQ(n, r.left)
	r.ADDQ(block, n)
	r.CMPQ(n, field(seqEnds+8))
	r.stopIf(r.JCC)
	if r.docs {
		r.CMPQ(n, field(seqLast+8))
		r.stopIf(r.JHI)
	}
	r.Comment("A block ends in the payload, with 64 readable bytes behind it.")
	r.MOVQ(field(seqPayload+16), n)
	r.SUBQ(operand.U8(64), n)
	r.stopIf(r.JCS)
	r.CMPQ(n, field(seqPayload+8))
	r.CMOVQHI(field(seqPayload+8), n)
	r.MOVQ(n, r.limit)
	r.MOVQ(field(seqPayload), n)
	r.MOVQ(n, r.payload)
	r.Comment("The last step goes past n. Of its selectors, those of n values are shifted out.")
	r.MOVQ(r.values, n)
	r.NEGQ(n)
	r.ANDQ(operand.U8(15), n)
	r.MOVQ(n, r.excess)
	r.MOVQ(r.values, n)
	r.LEAQ(operand.Mem{Base: n, Index: n, Scale: 1, Disp: -1}, n)
	r.ANDQ(operand.U8(31), n)
	r.INCQ(n)
	r.MOVQ(n, r.tail)
	r.MOVQ(field(seqEnds), r.ends)
	r.LEAQ(operand.Mem{Base: r.ends, Index: block, Scale: 4}, r.ends)
	r.MOVL(operand.U32(evenBits), r.evens.As32())
	if !r.docs {
		return
	}
	r.MOVQ(field(seqLast), r.last)
	r.LEAQ(operand.Mem{Base: r.last, Index: block, Scale: 4}, r.last)
	prev := r.GP32()
	r.MOVL(operand.I32(-1), prev)
	r.TESTQ(block, block)
	r.JEQ(operand.LabelRef("first"))
	r.MOVL(operand.Mem{Base: r.last, Disp: -4}, prev)
	r.Label("first")
	r.carry = r.YMM()
	r.VMOVD(prev, r.carry.AsX())
	r.VPBROADCASTD(r.carry.AsX(), r.carry)
	r.INCL(prev)
	r.stopIf(r.JMI)
}

// constants sets the registers that prefix sums need.
func (r *byteRow) constants() {
	const clear, word1 = 0x80808080, 0x07060504
	r.ones = r.YMM()
	r.VPCMPEQD(r.ones, r.ones, r.ones)
	if !r.docs {
		return
	}
	r.second, r.high, r.top, r.tops = r.YMM(), r.YMM(), r.YMM(), r.YMM()
	r.VBROADCASTI128(r.words("second", clear, clear, word1, word1), r.second)
	r.VPBROADCASTD(r.words("index", 3, 7), r.high)
	r.VPBROADCASTD(r.words("index").Offset(4), r.top)
}

// open finds the selectors and the data of a block.
func (r *byteRow) open() {
	r.MOVL(operand.Mem{Base: r.ends}, r.data.As32())
	r.MOVL(operand.Mem{Base: r.ends, Disp: 4}, r.end.As32())
	r.SHLQ(operand.U8(2), r.data)
	r.SHLQ(operand.U8(2), r.end)
	r.CMPQ(r.end, r.limit)
	r.stopIf(r.JHI)
	r.ADDQ(r.payload, r.data)
	r.ADDQ(r.payload, r.end)
	r.MOVQ(r.values, r.steps)
	r.ADDQ(operand.U8(15), r.steps)
	r.SHRQ(operand.U8(4), r.steps)
	r.CMPQ(r.memory("sel"), operand.U8(0))
	r.JNE(operand.LabelRef("apart"))
	r.MOVQ(r.data, r.sel)
	r.LEAQ(operand.Mem{Base: r.data, Index: r.steps, Scale: 4}, r.data)
	r.Label("apart")
	r.CMPQ(r.data, r.end)
	r.stopIf(r.JHI)
	zero := r.GP32()
	r.XORL(zero, zero)
	r.MOVL(zero, r.wide)
	if r.docs {
		r.MOVL(operand.Mem{Base: r.last}, r.s.As32())
		r.MOVQ(r.s, r.want)
		r.VPXOR(r.tops, r.tops, r.tops)
	}
}

// step decodes 16 values. It reads at most 64 bytes; past the end of the block, where broken
// selectors lead, it reads the same ones again.
func (r *byteRow) step() {
	s, x, y := r.s.As32(), r.x, r.y
	r.CMPQ(r.end, r.data)
	r.CMOVQCS(r.end, r.data)
	r.MOVL(operand.Mem{Base: r.sel}, s)
	r.TESTL(operand.U32(oddBits), s)
	r.JNE(operand.LabelRef("long"))
	key, first, n := r.GP64(), r.GP64(), r.GP64()
	r.PEXTL(r.evens.As32(), s, key.As32())
	r.MOVBLZX(key.As8(), first.As32())
	// Clearing n cuts its dependence on the count before, which some processors have.
	r.XORL(n.As32(), n.As32())
	r.POPCNTL(first.As32(), n.As32())
	r.SHLL(operand.U8(5), first.As32())
	r.VBROADCASTI128(operand.Mem{Base: r.data}, x)
	r.VPSHUFB(operand.Mem{Base: r.tab, Index: first, Scale: 1, Disp: tabShort}, x, x)
	r.VBROADCASTI128(operand.Mem{Base: r.data, Index: n, Scale: 1, Disp: 8}, y)
	r.XORL(n.As32(), n.As32())
	r.POPCNTL(key.As32(), n.As32())
	r.SHRL(operand.U8(8), key.As32())
	r.SHLL(operand.U8(5), key.As32())
	r.VPSHUFB(operand.Mem{Base: r.tab, Index: key, Scale: 1, Disp: tabShort}, y, y)
	r.LEAQ(operand.Mem{Base: r.data, Index: n, Scale: 1, Disp: 16}, r.data)
	r.Label("join")
	r.VPSUBD(r.ones, x, x)
	r.VPSUBD(r.ones, y, y)
	if r.docs {
		r.sums()
	}
	r.VMOVDQU(x, operand.Mem{Base: r.dst})
	r.VMOVDQU(y, operand.Mem{Base: r.dst, Disp: 32})
	r.ADDQ(operand.U8(4), r.sel)
	r.ADDQ(operand.U8(64), r.dst)
	r.DECQ(r.steps)
	r.JNE(operand.LabelRef("step"))
}

// long spreads 16 values of any length, apart from the loop.
func (r *byteRow) long() {
	r.Label("long")
	s, four := r.s, r.GP64()
	r.LEAL(operand.Mem{Base: s, Index: s, Scale: 1}, four.As32())
	r.ANDL(s.As32(), four.As32())
	r.ORL(four.As32(), r.wide)
	shuffle := r.YMM()
	for i := range 4 {
		key, n := r.GP64(), r.GP64()
		r.MOVBLZX(s.As8(), key.As32())
		r.SHRL(operand.U8(8), s.As32())
		r.MOVBLZX(operand.Mem{Base: r.tab, Index: key, Scale: 1, Disp: tabLength}, n.As32())
		r.SHLL(operand.U8(4), key.As32())
		v, at := []reg.VecVirtual{r.x, r.y}[i/2], operand.Mem{Base: r.tab, Index: key, Scale: 1, Disp: tabQuad}
		if i%2 == 0 {
			r.VMOVDQU(operand.Mem{Base: r.data}, v.AsX())
			r.VMOVDQU(at, shuffle.AsX())
		} else {
			r.VINSERTI128(operand.U8(1), operand.Mem{Base: r.data}, v, v)
			r.VINSERTI128(operand.U8(1), at, shuffle, shuffle)
			r.VPSHUFB(shuffle, v, v)
		}
		r.ADDQ(n, r.data)
	}
	r.JMP(operand.LabelRef("join"))
}

// sums turns 16 gaps into docIDs after carry, and moves that on.
func (r *byteRow) sums() {
	x, y, s := r.x, r.y, r.YMM()
	for _, v := range []reg.VecVirtual{x, y} {
		r.VPSLLQ(operand.U8(32), v, s)
		r.VPADDD(s, v, v)
		r.VPSHUFB(r.second, v, s)
		r.VPADDD(s, v, v)
		r.VPERMD(v, r.high, s)
		r.VPAND(r.words("upper", repeat(4, 0, ^uint32(0))...), s, s)
		r.VPADDD(s, v, v)
	}
	r.VPERMD(x, r.top, s)
	r.VPADDD(s, y, y)
	r.VPADDD(r.carry, x, x)
	r.VPADDD(r.carry, y, y)
	r.VPERMD(y, r.top, r.carry)
	r.VPOR(r.carry, r.tops, r.tops)
}

// close checks a block and goes on to the next.
func (r *byteRow) close() {
	rest := r.GP64()
	r.Comment("No value has four bytes, and selectors past n are zero.")
	r.TESTL(operand.U32(oddBits), r.wide)
	r.stopIf(r.JNE)
	r.MOVL(operand.Mem{Base: r.sel, Disp: -4}, r.s.As32())
	r.MOVQ(r.tail, rest)
	r.SHRXQ(rest, r.s, r.s)
	r.TESTQ(r.s, r.s)
	r.stopIf(r.JNE)
	r.Comment("Less than a word is left, and it is zero.")
	r.SUBQ(r.excess, r.data)
	r.MOVQ(r.end, rest)
	r.SUBQ(r.data, rest)
	r.CMPQ(rest, operand.U8(3))
	r.stopIf(r.JHI)
	r.MOVL(operand.Mem{Base: r.end, Disp: -4}, r.end.As32())
	r.SHLQ(operand.U8(3), rest)
	r.NEGQ(rest)
	r.ADDQ(operand.U8(32), rest)
	r.SHRXQ(rest, r.end, r.end)
	r.TESTQ(r.end, r.end)
	r.stopIf(r.JNE)
	if r.docs {
		r.Comment("Gaps of three bytes, 128 of them, cannot sum to more than 2^31: no sum has wrapped")
		r.Comment("unless one that a step ended on is 2^31 or more.")
		r.MOVQ(r.excess, rest)
		r.NEGQ(rest)
		r.MOVL(operand.Mem{Base: r.dst, Index: rest, Scale: 4, Disp: -4}, r.s.As32())
		r.CMPL(r.s.As32(), r.want)
		r.stopIf(r.JNE)
		r.VMOVD(r.tops.AsX(), r.s.As32())
		r.TESTL(r.s.As32(), r.s.As32())
		r.stopIf(r.JMI)
		r.VPBROADCASTD(operand.Mem{Base: r.last}, r.carry)
		r.ADDQ(operand.U8(4), r.last)
	}
	r.ADDQ(operand.U8(4), r.ends)
	r.SUBQ(operand.U8(1), r.left)
	r.JNE(operand.LabelRef("block"))
}

// bytePack writes the packer, eight values a step. Each value gets a selector of two bits, as in
// the encoder of Lemire, Kurz and Rupp, "Stream VByte". Bytes that are not zero become ones.
// Halves are packed to bytes, of which one of 0x01 comes from a low byte and one of 0xff from a
// high byte. Then the sign bits are those wanted.
func (a *assembler) bytePack() {
	a.function("packAVX2", "func(sel, data *byte, v *uint32, n int, tab *byte) (used int)",
		"packAVX2 packs n values, a multiple of 8, at least 8. It writes 16 bytes from where each",
		"four begin.")
	sel, data, v, n, tab := a.arg("sel"), a.arg("data"), a.arg("v"), a.arg("n"), a.arg("tab")
	ones, top, s, t := a.XMM(), a.XMM(), a.XMM(), a.XMM()
	start, size := a.GP64(), a.GP64()
	x, key := [2]reg.VecVirtual{a.XMM(), a.XMM()}, [2]reg.GPVirtual{a.GP64(), a.GP64()}
	a.MOVQ(data, start)
	a.VPBROADCASTD(a.words("packing", 0x01010101, 0x7f007f00), ones)
	a.VPBROADCASTD(a.words("packing").Offset(4), top)
	a.Label("next")
	a.VMOVDQU(operand.Mem{Base: v}, x[0])
	a.VMOVDQU(operand.Mem{Base: v, Disp: 16}, x[1])
	a.VPMINUB(x[0], ones, s)
	a.VPMINUB(x[1], ones, t)
	a.VPACKUSWB(t, s, s)
	a.VPMINSW(ones, s, s)
	a.VPADDUSW(top, s, s)
	a.VPMOVMSKB(s, key[1].As32())
	a.MOVW(key[1].As16(), operand.Mem{Base: sel})
	a.MOVBLZX(key[1].As8(), key[0].As32())
	a.SHRL(operand.U8(8), key[1].As32())
	for i, k := range key {
		a.MOVBLZX(operand.Mem{Base: tab, Index: k, Scale: 1, Disp: tabLength}, size.As32())
		a.SHLL(operand.U8(4), k.As32())
		a.VPSHUFB(operand.Mem{Base: tab, Index: k, Scale: 1, Disp: tabPack}, x[i], x[i])
		a.VMOVDQU(x[i], operand.Mem{Base: data})
		a.ADDQ(size, data)
	}
	a.ADDQ(operand.U8(2), sel)
	a.ADDQ(operand.U8(32), v)
	a.SUBQ(operand.U8(8), n)
	a.JNE(operand.LabelRef("next"))
	a.SUBQ(start, data)
	a.Store(data, a.Return("used"))
	a.RET()
}
