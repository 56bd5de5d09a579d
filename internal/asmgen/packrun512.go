package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, packRuns512) }

// packRuns512 generates functions that decode full blocks without exceptions in a row, as
// runs512 does those with exceptions. Sixteen frequencies take one shuffle of bytes, a shift, a
// mask and an addition, on two ports: 16 cycles of 128, and 8 for their stores of 64 bytes;
// docIDs take 44.
func packRuns512(out output) error {
	for _, p := range []struct {
		pkg   string
		shape packRun512
	}{
		{"bp128", packRun512{halves: 1}},
		{"bp256", packRun512{halves: 2}},
		{"simdbp128", packRun512{halves: 1, groups: true}},
	} {
		a := newAssembler()
		for _, kind := range []string{"Docs", "Freqs"} {
			r := p.shape
			r.assembler, r.kind, r.name = a, kind, lower1(kind)+"Run512"
			r.generate()
		}
		if err := a.write(out, "format/codec/"+p.pkg, p.pkg, "runs512"); err != nil {
			return err
		}
	}
	return nil
}

// packRun512 holds the shape of such a function and what it keeps in registers.
type packRun512 struct {
	*assembler
	name, kind string
	halves     int  // of 128 values, in a block
	groups     bool // of 16 blocks, with the selectors of all before the words of the first

	dst                         reg.GPPhysical
	tab, pay, left, limit, near reg.GPVirtual // limit: payload words that may be read; near: of prefetch
	ends, last                  reg.GPVirtual // the block's endpoint and its place in the skip header
	selectors, within           reg.GPVirtual // those of the block's group, and its number there

	src, length, row reg.GPVirtual // of the block: address, words, table of the width
	mask, ones       reg.VecVirtual
	scan             *pairScan512
}

func (r *packRun512) label(s string) operand.LabelRef { return operand.LabelRef(r.name + "_" + s) }

func (r *packRun512) stopIf(jump func(operand.Op)) { jump(r.label("stop")) }

func (r *packRun512) generate() {
	r.function(r.name, blocksSignature, r.name+" decodes full blocks of "+r.kind+" in a row. It returns how many it decoded.")
	r.start()
	r.Label(r.name + "_next")
	r.locate()
	r.table()
	r.prefetch()
	for half := range r.halves {
		if half > 0 {
			r.SHLQ(operand.U8(1), r.length) // from words of both to bytes of one
			r.ADDQ(r.length, r.src)
		}
		for k := 0; k < 8; k += 2 {
			r.two(half, k)
		}
	}
	r.check()
	r.ADDQ(operand.U32(512*r.halves), r.dst)
	r.ADDQ(operand.U8(4), r.ends)
	r.DECQ(r.left)
	r.JNE(r.label("next"))
	r.Label(r.name + "_stop")
	done := r.arg("count")
	r.SUBQ(r.left, done)
	r.VZEROUPPER()
	r.MOVQ(done, r.result())
	r.RET()
}

// start checks what holds for all blocks and loads registers.
func (r *packRun512) start() {
	s, block, next := r.arg("s"), r.arg("block"), r.GP64()
	r.left = r.arg("count")
	r.LEAQ(operand.Mem{Base: r.left, Index: block, Scale: 1}, next)
	r.CMPQ(next, operand.Mem{Base: s, Disp: seqEnds + 8})
	r.stopIf(r.JCC)
	if r.kind == "Docs" {
		r.CMPQ(next, operand.Mem{Base: s, Disp: seqLast + 8})
		r.stopIf(r.JHI)
	}
	r.SHLQ(operand.U8(6+r.halves), next)
	r.CMPQ(next, operand.Mem{Base: s, Disp: seqN})
	r.stopIf(r.JGT)

	// Words up to the limit lie in the payload, with 64 readable bytes behind.
	r.limit = r.GP64()
	r.MOVQ(operand.Mem{Base: s, Disp: seqPayload + 16}, r.limit)
	r.SUBQ(operand.U8(64), r.limit)
	r.stopIf(r.JCS)
	r.CMPQ(r.limit, operand.Mem{Base: s, Disp: seqPayload + 8})
	r.CMOVQHI(operand.Mem{Base: s, Disp: seqPayload + 8}, r.limit)
	r.SHRQ(operand.U8(2), r.limit)
	r.tab = r.arg("tab")
	if r.kind == "Docs" {
		r.startDocs(s, block)
	} else {
		r.ones = r.ZMM()
		r.VPTERNLOGD(operand.U8(0xff), r.ones, r.ones, r.ones)
	}
	r.ends, r.pay = r.GP64(), r.GP64()
	r.MOVQ(operand.Mem{Base: s, Disp: seqEnds}, r.ends)
	r.MOVQ(operand.Mem{Base: s}, r.pay)
	if r.groups {
		r.startGroups(block)
	}
	r.LEAQ(operand.Mem{Base: r.ends, Index: block, Scale: 4}, r.ends)
	r.near = r.GP64()
	r.MOVQ(r.left, r.near)
	r.CMPQ(r.left, operand.U32(fetchFrom))
	r.JLS(r.label("short"))
	r.MOVQ(operand.U32(fetchDistance/512/r.halves), r.near)
	r.Label(r.name + "_short")
	r.dst = reg.RDI
	r.Load(r.Param("dst"), r.dst)
}

// prefetch asks for the lines that a block some way ahead is written to and read from, in runs
// that are not near their end, nor so short that they stay in the caches.
func (r *packRun512) prefetch() {
	r.CMPQ(r.left, r.near)
	r.JLS(r.label("near"))
	for line := range 8 * r.halves {
		r.prefetchWrite(fetchDistance + 64*line)
	}
	for line := range 3 * r.halves {
		r.PREFETCHT0(operand.Mem{Base: r.src, Disp: fetchDistance/2 + 64*line})
	}
	r.Label(r.name + "_near")
}

// prefetchWrite is PREFETCHW disp(DI), which neither assembler has.
func (r *packRun512) prefetchWrite(disp int) {
	for _, b := range append([]byte{0x0f, 0x0d, 0x8f}, binary.LittleEndian.AppendUint32(nil, uint32(disp))...) {
		r.Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []operand.Op{operand.U8(b)}})
	}
}

const (
	fetchFrom     = 1024 // blocks: the output of shorter runs may stay in a cache of the core
	fetchDistance = 4096 // bytes of output, and twice those of payload
)

// startDocs begins the prefix sum with the docID before the first block.
func (r *packRun512) startDocs(s, block reg.GPVirtual) {
	x := r.GP32()
	r.last = r.GP64()
	r.MOVQ(operand.Mem{Base: s, Disp: seqLast}, r.last)
	r.LEAQ(operand.Mem{Base: r.last, Index: block, Scale: 4}, r.last)
	r.MOVL(operand.U32(1<<32-1), x)
	r.TESTQ(block, block)
	r.JEQ(r.label("first"))
	r.MOVL(operand.Mem{Base: r.last, Disp: -4}, x)
	r.Label(r.name + "_first")
	r.scan = r.newPairScan512(r.tab)
	r.VPBROADCASTD(x, r.scan.carry)
	r.INCL(x)
	r.stopIf(r.JMI) // not a docID
}

// startGroups finds the selectors of the first block.
func (r *packRun512) startGroups(block reg.GPVirtual) {
	first := r.GP64()
	r.within, r.selectors = r.GP64(), r.GP64()
	r.MOVQ(block, r.within)
	r.ANDQ(operand.U8(blocksInGroup-1), r.within)
	r.MOVQ(block, first)
	r.SUBQ(r.within, first)
	r.MOVL(operand.Mem{Base: r.ends, Index: first, Scale: 4}, first.As32())
	r.LEAQ(operand.Mem{Base: first, Disp: blocksInGroup / 4}, r.selectors)
	r.CMPQ(r.selectors, r.limit)
	r.stopIf(r.JHI)
	r.LEAQ(operand.Mem{Base: r.pay, Index: first, Scale: 4}, r.selectors)
}

// blocksInGroup is how many blocks of simdbp128 share a vector of selectors.
const blocksInGroup = 16

// locate finds the block's words and checks that they are as many as a width has.
func (r *packRun512) locate() {
	r.src, r.length = r.GP64(), r.GP64()
	r.MOVL(operand.Mem{Base: r.ends, Disp: 4}, r.length.As32())
	r.MOVL(operand.Mem{Base: r.ends}, r.src.As32())
	r.CMPQ(r.length, r.limit)
	r.stopIf(r.JHI)
	r.SUBQ(r.src, r.length)
	r.LEAQ(operand.Mem{Base: r.pay, Index: r.src, Scale: 4}, r.src)
	if r.groups {
		r.selector()
	} else {
		r.TESTQ(operand.U32(4*r.halves-1), r.length)
		r.stopIf(r.JNE)
	}
	widest := runMaxWidth
	if r.kind == "Docs" {
		widest-- // wider gaps can wrap
	}
	r.CMPQ(r.length, operand.U32(4*r.halves*widest)) // or the block ends before it begins
	r.stopIf(r.JHI)
}

// selector checks that the selector says what the length does.
func (r *packRun512) selector() {
	words := r.GP64()
	r.TESTQ(r.within, r.within)
	r.JNE(r.label("within"))
	r.SUBQ(operand.U8(blocksInGroup/4), r.length)
	r.stopIf(r.JCS)
	r.MOVQ(r.src, r.selectors)
	r.ADDQ(operand.U8(blocksInGroup), r.src)
	r.Label(r.name + "_within")
	r.MOVBQZX(operand.Mem{Base: r.selectors, Index: r.within, Scale: 1}, words)
	r.INCQ(r.within)
	r.ANDQ(operand.U8(blocksInGroup-1), r.within)
	r.SHLQ(operand.U8(2), words)
	r.CMPQ(words, r.length)
	r.stopIf(r.JNE)
}

// table finds the table of the width.
func (r *packRun512) table() {
	r.row, r.mask = r.GP64(), r.ZMM()
	r.IMUL3Q(operand.U32(runWidthSize/4/r.halves), r.length, r.row)
	r.ADDQ(r.tab, r.row)
	r.VPBROADCASTD(operand.Mem{Base: r.row, Disp: runWidths + 32}, r.mask)
}

// two writes values 16*k to 16*k+31 of half.
func (r *packRun512) two(half, k int) {
	x, y := r.values(k), r.values(k+1)
	if r.kind == "Docs" {
		x, y = r.scan.docs(x, y)
	}
	at := operand.Mem{Base: r.dst, Disp: 512*half + 64*k}
	r.VMOVDQU32(x, at)
	r.VMOVDQU32(y, at.Offset(64))
}

// values returns values 16*k to 16*k+15: frequencies, or the complement of gaps less one.
func (r *packRun512) values(k int) reg.VecVirtual {
	const (
		and    = 0xc0 // ternary logic: a&b, a being the destination
		notAnd = 0x3f // ^(a&b)
	)
	at, x := r.GP64(), r.ZMM()
	step := runWidths + 64 + 128*k
	r.MOVL(operand.Mem{Base: r.row, Disp: runWidths + 4*k}, at.As32())
	r.VMOVDQU64(operand.Mem{Base: r.row, Disp: step}, x)
	r.VPERMB(operand.Mem{Base: r.src, Index: at, Scale: 1}, x, x)
	r.VPSRLVD(operand.Mem{Base: r.row, Disp: step + 64}, x, x)
	if r.kind == "Docs" {
		r.VPTERNLOGD(operand.U8(notAnd), r.mask, r.mask, x)
	} else {
		r.VPTERNLOGD(operand.U8(and), r.mask, r.mask, x)
		r.VPSUBD(r.ones, x, x)
	}
	return x
}

// check checks docIDs that were written, and goes on from the last.
func (r *packRun512) check() {
	if r.kind != "Docs" {
		return
	}
	last, x := r.GP32(), r.GP32()
	r.MOVL(operand.Mem{Base: r.last}, last)
	r.VMOVD(r.scan.carry.AsX(), x)
	r.CMPL(x, last)
	r.stopIf(r.JNE)
	r.TESTL(x, x)
	r.stopIf(r.JMI)
	r.VPBROADCASTD(operand.Mem{Base: r.last}, r.scan.carry)
	r.ADDQ(operand.U8(4), r.last)
}
