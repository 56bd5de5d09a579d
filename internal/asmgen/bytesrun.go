package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A run is full blocks in a row. The data bytes of 128 values follow from their
// selectors, 32 bytes, before any is read: a byte each, one more for every low bit set
// and two for every high bit. Where no high bit is set in all of them, which one branch
// tells, nothing else depends on selectors.

// byteRun is a function that decodes a run.
type byteRun struct {
	byteUnpacker
	seq, ends, last              reg.GPVirtual
	payload, limit, count, width operand.Mem // kept in the frame, with the docID a block ends on
	want                         operand.Mem
	counts                       [2]reg.GPVirtual
	stream                       bool
}

const (
	runSignature = "func(dst *uint32, s *byte, block, count, size int, sel, tab *byte) (done int)"
	stop         = operand.LabelRef("stop")
)

// unpackRun writes a function that decodes a run and returns how many blocks it did:
// the one after them is not sound, or not one whose sum cannot wrap. With stream the
// selectors of the blocks lie one behind another from sel on, else each block begins
// with its own.
func (a *assembler) unpackRun(t tier, kind valueKind, stream bool, name, doc string) {
	a.function(name, runSignature, doc, "It decodes full blocks of size values, count of them from block on, and returns how many",
		"it did: see docsRun.")
	u := &byteRun{stream: stream, ends: a.GP64(), last: a.GP64(), byteUnpacker: byteUnpacker{
		assembler: a, tier: t, kind: kind, dst: a.arg("dst"), sel: a.GP64(), data: a.GP64(), tab: a.arg("tab"),
		evens: a.GP64(), end: a.GP64(), steps: a.GP64(), wide: a.GP64(), s: a.GP64()}}
	u.setUp()
	a.Label("block")
	u.openBlock()
	a.Label("next")
	u.chunk()
	a.Label("all")
	u.closeBlock()
	a.SUBQ(operand.U8(1), u.count)
	a.JNE(operand.LabelRef("block"))
	a.Label("stop")
	a.VZEROUPPER()
	done := a.arg("count")
	a.SUBQ(u.count, done)
	a.Store(done, a.Return("done"))
	a.RET()
	u.longs()
}

// setUp checks what holds for all blocks and sets what they share.
func (u *byteRun) setUp() {
	u.payload, u.limit, u.count, u.want = u.AllocLocal(8), u.AllocLocal(8), u.AllocLocal(8), u.AllocLocal(8)
	u.width = u.memory("size")
	seq, block, n := u.arg("s"), u.arg("block"), u.GP64()
	field := func(at int) operand.Mem { return operand.Mem{Base: seq, Disp: at} }
	u.Load(u.Param("count"), n)
	u.MOVQ(n, u.count)

	u.Comment("Endpoints, last docIDs and values of all blocks are there.")
	u.ADDQ(block, n)
	u.CMPQ(n, field(seqEnds+8))
	u.JCC(stop)
	if u.kind == docsValues {
		u.CMPQ(n, field(seqLast+8))
		u.JHI(stop)
	}
	u.IMULQ(u.width, n)
	u.CMPQ(n, field(seqN))
	u.JGT(stop)

	u.Comment("Blocks end in the payload, with 64 readable bytes behind.")
	u.MOVQ(field(seqPayload+16), n)
	u.SUBQ(operand.U8(64), n)
	u.JCS(stop)
	u.CMPQ(n, field(seqPayload+8))
	u.CMOVQHI(field(seqPayload+8), n)
	u.MOVQ(n, u.limit)
	u.MOVQ(field(seqPayload), n)
	u.MOVQ(n, u.payload)
	u.MOVQ(field(seqEnds), u.ends)
	u.LEAQ(operand.Mem{Base: u.ends, Index: block, Scale: 4}, u.ends)
	if u.stream {
		u.Load(u.Param("sel"), u.sel)
	}
	if u.wholes() {
		u.begin512()
	} else {
		u.begin()
	}
	u.MOVQ(operand.U64(evenBits<<32|evenBits), u.evens)
	if u.kind != docsValues {
		return
	}
	u.MOVQ(field(seqLast), u.last)
	u.LEAQ(operand.Mem{Base: u.last, Index: block, Scale: 4}, u.last)
	prev := u.GP32()
	u.MOVL(operand.I32(-1), prev)
	u.TESTQ(block, block)
	u.JEQ(operand.LabelRef("first"))
	u.MOVL(operand.Mem{Base: u.last, Disp: -4}, prev)
	u.Label("first")
	u.VMOVD(prev, scanCarry.AsX())
	u.VPBROADCASTD(scanCarry.AsX(), u.carry())
	u.INCL(prev)
	u.JMI(stop)
}

// runTops gathers the docIDs that the 128 values of a block end on.
var runTops = reg.Y8

// openBlock brings the place of a block into sel, data and end.
func (u *byteRun) openBlock() {
	u.MOVL(operand.Mem{Base: u.ends}, u.data.As32())
	u.MOVL(operand.Mem{Base: u.ends, Disp: 4}, u.end.As32())
	u.SHLQ(operand.U8(2), u.data)
	u.SHLQ(operand.U8(2), u.end)
	u.CMPQ(u.end, u.limit)
	u.JHI(stop)
	u.MOVQ(u.width, u.steps)
	if u.stream {
		u.ADDQ(u.payload, u.data)
	} else {
		u.MOVQ(u.payload, u.sel)
		u.ADDQ(u.data, u.sel)
		u.MOVQ(u.steps, u.data)
		u.SHRQ(operand.U8(2), u.data)
		u.ADDQ(u.sel, u.data)
	}
	u.ADDQ(u.payload, u.end)
	u.CMPQ(u.data, u.end)
	u.JHI(stop)
	u.SHRQ(operand.U8(7), u.steps)
	u.XORL(u.wide.As32(), u.wide.As32())
	if u.kind == docsValues {
		u.MOVL(operand.Mem{Base: u.last}, u.s.As32())
		u.MOVQ(u.s, u.want)
		u.VPXOR(runTops, runTops, runTops)
	}
}

func (u *byteRun) selectors(k int) operand.Mem { return operand.Mem{Base: u.sel, Disp: 8 * k} }

// chunk unpacks 128 values. It fetches the values of a step before it finishes those
// of the one before, so that what waits for shuffles and sums does not hold up the
// rest.
func (u *byteRun) chunk() {
	n, more, seen, behind := u.GP64(), u.GP64(), u.GP64(), u.GP64()
	u.POPCNTQ(u.selectors(0), n)
	u.MOVQ(u.selectors(0), seen)
	for k := 1; k < 4; k++ {
		u.POPCNTQ(u.selectors(k), more)
		u.ADDQ(more, n)
		u.ORQ(u.selectors(k), seen)
	}
	u.LEAQ(operand.Mem{Base: u.data, Index: n, Scale: 1, Disp: 128}, behind)
	u.ANDNQ(seen, u.evens, seen)
	u.JNE(operand.LabelRef("long"))
	u.CMPQ(behind, u.end)
	u.JHI(stop)
	sets := [2][2]reg.VecPhysical{{reg.Y0, reg.Y1}, {reg.Y4, reg.Y5}}
	keys := u.GP64()
	u.counts = [2]reg.GPVirtual{n, more}
	for k := range 8 + 1 {
		if k < 8 {
			if k%2 == 0 {
				u.MOVQ(u.selectors(k/2), keys)
				u.PEXTQ(u.evens, keys, keys)
			}
			for i, v := range sets[k%2] {
				u.eight(keys, 2*k+i, v)
			}
		}
		if k > 0 {
			u.finish(operand.Mem{Base: u.dst, Disp: 64 * (k - 1)}, sets[(k-1)%2][0], sets[(k-1)%2][1])
		}
	}
	u.SUBQ(operand.I8(-128), u.data)
	u.Label("joined")
	if u.kind == docsValues {
		u.VPOR(scanCarry, runTops, runTops)
	}
	u.ADDQ(operand.U8(32), u.sel)
	u.ADDQ(operand.I32(512), u.dst)
	u.DECQ(u.steps)
	u.JNE(operand.LabelRef("next"))
}

// eight unpacks eight values, the i-th of 128, of one or two bytes, which byte i%4 of keys
// tells. data is where they lie less the eight bytes that every eight before them have at
// least.
func (u *byteRun) eight(keys reg.GPVirtual, i int, v reg.VecPhysical) {
	// Some processors have a count wait for what its register held before.
	at, n := u.GP64(), u.counts[i%2]
	u.RORXL(operand.U8((27+8*(i%4))%32), keys.As32(), at.As32())
	u.ANDL(operand.U32(0xff<<5), at.As32())
	u.POPCNTL(at.As32(), n.As32())
	u.VBROADCASTI128(operand.Mem{Base: u.data, Disp: 8 * i}, v)
	u.VPSHUFB(operand.Mem{Base: u.tab, Index: at, Scale: 1, Disp: tabShort}, v, v)
	u.ADDQ(n, u.data)
}

// longs is what chunk does with values of more than two bytes, apart from the loop.
func (u *byteRun) longs() {
	u.Label("long")
	n, more := u.GP64(), u.GP64()
	u.LEAQ(operand.Mem{Base: u.data, Disp: 128}, n)
	for k := range 4 {
		u.POPCNTQ(u.selectors(k), more)
		u.ADDQ(more, n)
		u.ANDNQ(u.selectors(k), u.evens, more)
		u.POPCNTQ(more, more)
		u.ADDQ(more, n)
	}
	u.CMPQ(n, u.end)
	u.JHI(stop)
	sets := [2][2]reg.VecPhysical{{reg.Y0, reg.Y1}, {reg.Y4, reg.Y5}}
	for k := range 8 + 1 {
		if k < 8 {
			u.fetch(fmt.Sprint(k), operand.Mem{Base: u.sel, Disp: 4 * k}, sets[k%2][0], sets[k%2][1])
		}
		if k > 0 {
			u.finish(operand.Mem{Base: u.dst, Disp: 64 * (k - 1)}, sets[(k-1)%2][0], sets[(k-1)%2][1])
		}
	}
	u.JMP(operand.LabelRef("joined"))
	for k := range 8 {
		u.long(fmt.Sprint(k), sets[k%2][0], sets[k%2][1])
	}
}

// closeBlock checks what a block left and goes on to the next.
func (u *byteRun) closeBlock() {
	u.Comment("Less than a word is left, zeros.")
	u.TESTL(operand.U32(oddBits), u.wide.As32())
	u.JNE(stop)
	u.SUBQ(u.end, u.data)
	u.CMPQ(u.data, operand.I8(-4))
	u.JLE(stop)
	u.MOVL(operand.Mem{Base: u.end, Disp: -4}, u.end.As32())
	u.SHLQ(operand.U8(3), u.data)
	u.ADDQ(operand.U8(32), u.data)
	u.SHRXQ(u.data, u.end, u.end)
	u.TESTQ(u.end, u.end)
	u.JNE(stop)
	u.ADDQ(operand.U8(4), u.ends)
	if u.kind == docsValues {
		u.Comment("128 gaps of three bytes cannot sum to more than 2^31.")
		u.VMOVD(scanCarry.AsX(), u.s.As32())
		u.CMPL(u.s.As32(), u.want)
		u.JNE(stop)
		u.VMOVD(runTops.AsX(), u.s.As32())
		u.TESTL(u.s.As32(), u.s.As32())
		u.JMI(stop)
		u.VPBROADCASTD(operand.Mem{Base: u.last}, u.carry())
		u.ADDQ(operand.U8(4), u.last)
	}
}

// wholes says whether 16 docIDs are summed up in a register.
func (u *byteRun) wholes() bool { return u.kind == docsValues && u.tier == avx512 }

func (u *byteRun) carry() reg.VecPhysical {
	if u.wholes() {
		return scanCarry.AsZ().(reg.VecPhysical)
	}
	return scanCarry
}

// Registers of sums of 16: indices of the top words of the 128-bit lanes before, the
// docIDs that 16 gaps of one add, and which lanes take a top.
var (
	sumSecond, sumLanes, sumHalf, sumTop, sumRamp = reg.Z12, reg.Z16, reg.Z17, reg.Z18, reg.Z19
	sumOdd, sumUpper                              = reg.K1, reg.K2
)

func (u *byteRun) begin512() {
	const clear, word1 = 0x80808080, 0x07060504
	u.VBROADCASTI32X4(u.words("second", clear, clear, word1, word1), sumSecond)
	u.VMOVDQU32(u.words("lanes", repeat(8, 3, 11)...), sumLanes)
	u.VPBROADCASTD(u.words("tops", 7, 15), sumHalf)
	u.VPBROADCASTD(u.words("tops").Offset(4), sumTop)
	u.VMOVDQU32(u.words("ramp", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), sumRamp)
	mask := u.GP32()
	u.MOVL(operand.U32(0xf0f0), mask)
	u.KMOVW(mask, sumOdd)
	u.MOVL(operand.U32(0xff00), mask)
	u.KMOVW(mask, sumUpper)
}

// finish is byteUnpacker's, but that AVX-512 sums up 16 values in one register: for 32-bit
// lanes that is 14 instructions for the two ports of such registers, against 21 of which
// eight go to one port.
func (u *byteRun) finish(at operand.Mem, x, y reg.VecPhysical) {
	if !u.wholes() {
		u.byteUnpacker.finish(at, x, y)
		return
	}
	z, s := x.AsZ().(reg.VecPhysical), reg.Z2
	u.VINSERTI64X4(operand.U8(1), y, z, z)
	u.VPSLLQ(operand.U8(32), z, s)
	u.VPADDD(s, z, z)
	u.VPSHUFB(sumSecond, z, s)
	u.VPADDD(s, z, z)
	u.VPERMD_Z(z, sumLanes, sumOdd, s)
	u.VPADDD(s, z, z)
	u.VPERMD_Z(z, sumHalf, sumUpper, s)
	u.VPADDD(s, z, z)
	u.VPADDD(sumRamp, z, z)
	u.VPADDD(u.carry(), z, z)
	u.VPERMD(z, sumTop, u.carry())
	u.VMOVDQU32(z, at)
}
