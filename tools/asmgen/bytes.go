package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The unpackers of package bytepack take 16 values a step, four selectors. Where
// none of the 16 has more than two bytes, which one test of the selectors tells
// and a branch predictor foretells, eight of them lie within 16 bytes of data and
// one shuffle spreads them over a 256-bit register; otherwise four do. Shuffles
// come from the tables of bytepack's tables_amd64.go, these being their offsets.
const (
	tabShort  = 0          // 256 shuffles of 32 bytes: eight values, a bit for each: two bytes or one
	tabQuad   = 256 * 32   // 256 shuffles of 16 bytes: four values by their selectors
	tabLength = 256 * 48   // 256 bytes: data bytes of four values by their selectors
	oddBits   = 0xaaaaaaaa // of selectors: values of three or four bytes
	evenBits  = 0x55555555 // of selectors: values of two bytes, if none has more
)

// valueKind is what an unpacker makes of values.
type valueKind int

const (
	plainValues valueKind = iota
	freqsValues
	docsValues
)

// byteUnpacker is one function.
type byteUnpacker struct {
	*assembler
	tier                       tier
	kind                       valueKind
	dst, sel, data, tab, evens reg.GPVirtual
	end, steps, s              reg.GPVirtual
	wide, longs                reg.GPVirtual // block functions: values of four bytes, steps with more than two
}

// begin sets the registers of the loop but prev's.
func (u *byteUnpacker) begin() {
	u.MOVL(operand.U32(evenBits), u.evens.As32())
	if u.kind == docsValues {
		newScan(u.assembler, u.tier)
	}
	if u.kind != plainValues {
		u.VPCMPEQD(scanOnes, scanOnes, scanOnes)
	}
}

// chunk unpacks 128 values. It fetches the values of a step before it finishes those
// of the one before, so that what waits for shuffles and sums does not hold up the
// rest.
func (u *byteUnpacker) chunk() {
	sets := [2][2]reg.VecPhysical{{reg.Y0, reg.Y1}, {reg.Y4, reg.Y5}}
	for k := range 8 + 1 {
		if k < 8 {
			u.fetch(fmt.Sprint(k), operand.Mem{Base: u.sel, Disp: 4 * k}, sets[k%2][0], sets[k%2][1])
		}
		if k > 0 {
			u.finish(operand.Mem{Base: u.dst, Disp: 64 * (k - 1)}, sets[(k-1)%2][0], sets[(k-1)%2][1])
		}
	}
	u.DECQ(u.steps)
	u.JEQ(operand.LabelRef("all"))
	u.ADDQ(operand.U8(32), u.sel)
	u.ADDQ(operand.I32(512), u.dst)
	u.JMP(operand.LabelRef("next"))
	for k := range 8 {
		u.long(fmt.Sprint(k), sets[k%2][0], sets[k%2][1])
	}
}

// fetch brings the 16 values of a step into x and y, in their order. A step reads
// at most 64 bytes from data on; past end it stays there, which shows afterwards.
func (u *byteUnpacker) fetch(label string, sel operand.Mem, x, y reg.VecPhysical) {
	s := u.s.As32()
	u.CMPQ(u.end, u.data)
	u.CMOVQCS(u.end, u.data)
	// A jump across a 32-byte boundary makes some processors decode anew.
	u.align(32)
	u.MOVL(sel, s)
	u.TESTL(operand.U32(oddBits), s)
	u.JNE(operand.LabelRef("long" + label))
	u.short(x, y)
	u.Label("join" + label)
}

// unpackSteps writes a function that unpacks any number of values.
func (a *assembler) unpackSteps(t tier, kind valueKind, name, doc string) {
	a.function(name, "func(dst *uint32, sel, data, end, tab *byte, steps int, prev uint32) (next uintptr)", doc)
	u := &byteUnpacker{assembler: a, tier: t, kind: kind, dst: a.arg("dst"), sel: a.arg("sel"), data: a.arg("data"),
		tab: a.arg("tab"), evens: a.GP64(), end: a.arg("end"), steps: a.arg("steps"), s: a.GP64()}
	u.begin()
	if kind == docsValues {
		a.VPBROADCASTD(a.address("prev"), scanCarry)
	}
	x, y := reg.Y0, reg.Y1
	a.Label("next")
	u.fetch("", operand.Mem{Base: u.sel}, x, y)
	u.finish(operand.Mem{Base: u.dst}, x, y)
	a.ADDQ(operand.U8(4), u.sel)
	a.ADDQ(operand.U8(64), u.dst)
	a.align(32)
	a.DECQ(u.steps)
	a.JNE(operand.LabelRef("next"))
	a.Store(u.data, a.Return("next"))
	a.VZEROUPPER()
	a.RET()
	u.long("", x, y)
}

// Offsets of codec.Sequence, which bytepack's tables_amd64.go checks.
const (
	seqPayload = 0
	seqEnds    = 24
	seqLast    = 48
	seqN       = 72
)

// unpackBlock writes a function that decodes a full block, or finds that it is not
// one, or not one whose sum cannot wrap.
func (a *assembler) unpackBlock(t tier, kind valueKind, name, doc string) {
	a.function(name, "func(dst *uint32, s *byte, block, size int, tab *byte) bool", doc)
	u := &byteUnpacker{assembler: a, tier: t, kind: kind, dst: a.arg("dst"), sel: a.GP64(), data: a.GP64(),
		tab: a.arg("tab"), evens: a.GP64(), end: a.GP64(), steps: a.arg("size"), wide: a.GP64(), longs: a.GP64(), s: a.GP64()}
	seq, block := a.arg("s"), a.arg("block")
	no := operand.LabelRef("past")
	field := func(at int) operand.Mem { return operand.Mem{Base: seq, Disp: at} }

	a.Comment("The endpoints lie in the payload, with 64 readable bytes behind.")
	n, lo := a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: block, Disp: 1}, n)
	a.CMPQ(n, field(seqEnds+8))
	a.JCC(no)
	a.MOVQ(field(seqEnds), u.end)
	a.MOVL(operand.Mem{Base: u.end, Index: block, Scale: 4}, lo.As32())
	a.MOVL(operand.Mem{Base: u.end, Index: block, Scale: 4, Disp: 4}, u.end.As32())
	a.SHLQ(operand.U8(2), lo)
	a.SHLQ(operand.U8(2), u.end)
	a.CMPQ(u.end, field(seqPayload+8))
	a.JHI(no)
	a.LEAQ(operand.Mem{Base: u.end, Disp: 64}, u.data)
	a.CMPQ(u.data, field(seqPayload+16))
	a.JHI(no)

	a.Comment("The selectors lie in the block, and all its values in the list.")
	a.IMULQ(u.steps, n)
	a.CMPQ(n, field(seqN))
	a.JGT(no)
	a.MOVQ(u.steps, u.data)
	a.SHRQ(operand.U8(2), u.data)
	a.ADDQ(lo, u.data)
	a.CMPQ(u.data, u.end)
	a.JHI(no)
	a.MOVQ(field(seqPayload), u.sel)
	a.ADDQ(u.sel, u.data)
	a.ADDQ(u.sel, u.end)
	a.ADDQ(lo, u.sel)
	a.SHRQ(operand.U8(7), u.steps)
	a.XORL(u.wide.As32(), u.wide.As32())
	a.XORL(u.longs.As32(), u.longs.As32())
	u.begin()
	want := a.GP64()
	if kind == docsValues {
		u.previous(seq, block, want, no)
	}
	a.Label("next")
	u.chunk()

	a.Label("all")
	a.Comment("Less than a word is left, zeros.")
	a.TESTL(operand.U32(evenBits<<1), u.wide.As32())
	a.JNE(no)
	a.SUBQ(u.end, u.data)
	a.JHI(no)
	a.CMPQ(u.data, operand.I8(-4))
	a.JLE(no)
	a.MOVL(operand.Mem{Base: u.end, Disp: -4}, u.end.As32())
	a.SHLQ(operand.U8(3), u.data)
	a.ADDQ(operand.U8(32), u.data)
	a.SHRXQ(u.data, u.end, u.end)
	a.TESTQ(u.end, u.end)
	a.JNE(no)
	if kind == docsValues {
		a.Comment("Eight steps of three-byte gaps cannot sum to more than 2^31.")
		a.CMPL(u.longs.As32(), operand.U8(8))
		a.JHI(no)
		last := a.GP32()
		a.VMOVD(scanCarry.AsX(), last)
		a.CMPL(last, want.As32())
		a.JNE(no)
		a.TESTL(last, last)
		a.JMI(no)
	}
	a.VZEROUPPER()
	yes := a.GP8()
	a.MOVB(operand.U8(1), yes)
	a.Store(yes, a.ReturnIndex(0))
	a.RET()
	a.Label("past")
	a.VZEROUPPER()
	none := a.GP8()
	a.MOVB(operand.U8(0), none)
	a.Store(none, a.ReturnIndex(0))
	a.RET()
}

// previous brings the docID before the block into scanCarry, and the block's last
// into want.
func (u *byteUnpacker) previous(seq, block, want reg.GPVirtual, no operand.LabelRef) {
	last, prev := u.GP64(), u.GP64()
	u.CMPQ(block, operand.Mem{Base: seq, Disp: seqLast + 8})
	u.JCC(no)
	u.MOVQ(operand.Mem{Base: seq, Disp: seqLast}, last)
	u.MOVL(operand.Mem{Base: last, Index: block, Scale: 4}, want.As32())
	u.MOVL(operand.I32(-1), prev.As32())
	u.TESTQ(block, block)
	u.JEQ(operand.LabelRef("first"))
	u.MOVL(operand.Mem{Base: last, Index: block, Scale: 4, Disp: -4}, prev.As32())
	u.Label("first")
	u.VMOVD(prev.As32(), scanCarry.AsX())
	u.VPBROADCASTD(scanCarry.AsX(), scanCarry)
	u.INCL(prev.As32())
	u.JMI(no)
}

// short spreads 16 values of one or two bytes over x and y.
func (u *byteUnpacker) short(x, y reg.VecPhysical) {
	key, first, n := u.GP64(), u.GP64(), u.GP64()
	u.PEXTL(u.evens.As32(), u.s.As32(), key.As32())
	u.MOVBLZX(key.As8(), first.As32())
	// Clearing n cuts its dependence on the count before, which processors see.
	u.XORL(n.As32(), n.As32())
	u.POPCNTL(first.As32(), n.As32())
	u.SHLL(operand.U8(5), first.As32())
	u.VBROADCASTI128(operand.Mem{Base: u.data}, x)
	u.VPSHUFB(operand.Mem{Base: u.tab, Index: first, Scale: 1, Disp: tabShort}, x, x)
	u.VBROADCASTI128(operand.Mem{Base: u.data, Index: n, Scale: 1, Disp: 8}, y)
	u.XORL(n.As32(), n.As32())
	u.POPCNTL(key.As32(), n.As32())
	u.SHRL(operand.U8(8), key.As32())
	u.SHLL(operand.U8(5), key.As32())
	u.VPSHUFB(operand.Mem{Base: u.tab, Index: key, Scale: 1, Disp: tabShort}, y, y)
	u.LEAQ(operand.Mem{Base: u.data, Index: n, Scale: 1, Disp: 16}, u.data)
}

// long is short for values of any length, apart from the loop.
func (u *byteUnpacker) long(label string, x, y reg.VecPhysical) {
	u.Label("long" + label)
	s := u.s
	if u.wide != nil {
		four := u.GP64()
		u.LEAL(operand.Mem{Base: s, Index: s, Scale: 1}, four.As32())
		u.ANDL(s.As32(), four.As32())
		u.ORL(four.As32(), u.wide.As32())
		u.INCL(u.longs.As32())
	}
	for i := range 4 {
		key, n := u.GP64(), u.GP64()
		if i < 3 {
			u.MOVBLZX(s.As8(), key.As32())
			u.SHRL(operand.U8(8), s.As32())
		} else {
			u.MOVL(s.As32(), key.As32())
		}
		u.MOVBLZX(operand.Mem{Base: u.tab, Index: key, Scale: 1, Disp: tabLength}, n.As32())
		u.SHLL(operand.U8(4), key.As32())
		v, shuffle := []reg.VecPhysical{x, y}[i/2], []reg.VecPhysical{reg.Y6, reg.Y7}[i/2]
		at := operand.Mem{Base: u.tab, Index: key, Scale: 1, Disp: tabQuad}
		if i%2 == 0 {
			u.VMOVDQU(operand.Mem{Base: u.data}, v.AsX())
			u.VMOVDQU(at, shuffle.AsX())
		} else {
			u.VINSERTI128(operand.U8(1), operand.Mem{Base: u.data}, v, v)
			u.VINSERTI128(operand.U8(1), at, shuffle, shuffle)
			u.VPSHUFB(shuffle, v, v)
		}
		u.ADDQ(n, u.data)
	}
	u.JMP(operand.LabelRef("join" + label))
}

// finish turns the values in x and y into what they stand for and stores them.
func (u *byteUnpacker) finish(at operand.Mem, x, y reg.VecPhysical) {
	if u.kind != plainValues {
		u.VPSUBD(scanOnes, x, x)
		u.VPSUBD(scanOnes, y, y)
	}
	if u.kind == docsValues {
		u.sums(u.tier, x, y, reg.Y2, reg.Y3)
	}
	u.VMOVDQU(x, at)
	u.VMOVDQU(y, at.Offset(32))
}

// sums turns 16 gaps, in their order in x and y, into docIDs after scanCarry, and
// moves that on.
func (a *assembler) sums(t tier, x, y, s, z reg.VecPhysical) {
	for _, v := range [][2]reg.VecPhysical{{x, s}, {y, z}} {
		a.VPSLLQ(operand.U8(32), v[0], v[1])
		a.VPADDD(v[1], v[0], v[0])
		a.VPSHUFB(scanSecond, v[0], v[1])
		a.VPADDD(v[1], v[0], v[0])
		if t == avx512 {
			a.VPERMD_Z(v[0], scanHigh, scanUpper, v[1])
		} else {
			a.VPERMD(v[0], scanHigh, v[1])
			a.VPAND(a.words("upper", repeat(4, 0, ^uint32(0))...), v[1], v[1])
		}
		a.VPADDD(v[1], v[0], v[0])
	}
	a.VPERMD(x, scanTop, s)
	a.VPADDD(s, y, y)
	a.VPADDD(scanCarry, x, x)
	a.VPADDD(scanCarry, y, y)
	a.VPERMD(y, scanTop, scanCarry)
}

// bytepackUnpack writes the unpackers of package bytepack.
func bytepackUnpack(out output) error {
	a := newAssembler()
	const steps = "steps times 16 values. It returns where data is then, which is past end by 16 or more if a step began there."
	a.unpackSteps(avx2, plainValues, "plainAVX2", "plainAVX2 unpacks "+steps)
	a.unpackSteps(avx2, freqsValues, "freqsAVX2", "freqsAVX2 unpacks, and adds one to, "+steps)
	a.unpackSteps(avx2, docsValues, "docsAVX2", "docsAVX2 unpacks, and sums up, "+steps)
	a.unpackSteps(avx512, docsValues, "docsAVX512", "docsAVX512 is docsAVX2.")
	a.unpackBlock(avx2, freqsValues, "freqsBlockAVX2", "freqsBlockAVX2 decodes a block: see freqsBlock.")
	a.unpackBlock(avx2, docsValues, "docsBlockAVX2", "docsBlockAVX2 decodes a block: see docsBlock.")
	a.unpackBlock(avx512, docsValues, "docsBlockAVX512", "docsBlockAVX512 is docsBlockAVX2.")
	return a.write(out, "format/codec/bytepack", "bytepack", "unpack")
}
