package main

import (
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
	wide                       reg.GPVirtual // runs: bits of selectors of four bytes
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

// fetch brings the 16 values of a step into x and y, in their order. A step reads
// at most 64 bytes from data on; past end it stays there, which shows afterwards.
func (u *byteUnpacker) fetch(label string, sel operand.Mem, x, y reg.VecPhysical) {
	s := u.s.As32()
	if u.wide == nil {
		u.CMPQ(u.end, u.data)
		u.CMOVQCS(u.end, u.data)
	}
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
	if err := a.write(out, "format/codec/internal/bytepack", "bytepack", "unpack"); err != nil {
		return err
	}
	a = newAssembler()
	a.unpackRun(avx2, freqsValues, false, "freqsRunAVX2", "freqsRunAVX2 decodes frequencies.")
	a.unpackRun(avx2, docsValues, false, "docsRunAVX2", "docsRunAVX2 decodes docIDs.")
	a.unpackRun(avx512, docsValues, false, "docsRunAVX512", "docsRunAVX512 is docsRunAVX2.")
	a.unpackRun(avx2, freqsValues, true, "freqsStreamAVX2", "freqsStreamAVX2 decodes frequencies whose selectors begin at sel.")
	a.unpackRun(avx2, docsValues, true, "docsStreamAVX2", "docsStreamAVX2 decodes docIDs whose selectors begin at sel.")
	a.unpackRun(avx512, docsValues, true, "docsStreamAVX512", "docsStreamAVX512 is docsStreamAVX2.")
	return a.write(out, "format/codec/internal/bytepack", "bytepack", "runs")
}
