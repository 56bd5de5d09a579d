package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, runs512) }

// runs512 generates functions that decode full blocks in a row at AVX-512 with VBMI2,
// checks included: what holds for all blocks is checked once, the docID before each
// comes from the skip header, and nothing but a count goes from block to block, so that
// the processor works on several. They stop at a block that is broken, or of a kind
// that is rare; Go code finds out which.
func runs512(out output) error {
	a := newAssembler()
	a.listRun512()
	a.chordRun512()
	a.bucketRun512()
	return a.write(out, "format/codec/internal/regress", "regress", "runs512")
}

// run512 holds what such a function keeps in registers and in its frame.
type run512 struct {
	*assembler
	name, kind          string
	dst, tab            reg.GPVirtual
	pay, ends, last     operand.Mem // payload; the block's endpoint and its place in the skip header
	limit, left, before operand.Mem // payload words that may be read; blocks to go; docID before
	first               operand.Mem // index of the block's first value

	src, length, width, count, over reg.GPVirtual // of the block: address, length, head
	listed                          bool          // overflows are stored as they are, not less one
	bit, low                        reg.GPVirtual // where exceptions begin; address of the low bits
	row                             reg.GPVirtual // table of the width
	mask                            reg.VecVirtual
	lo, hi                          reg.GPVirtual // bitmap of the exceptions

	ones, one, sixtyFour reg.VecVirtual // of all bits, or in quadwords
	fourth               reg.OpmaskVirtual

	scan *pairScan512
	line *line512
	late []func() // code that is rarely needed, for the end
	stop string   // label of where stopIf goes
}

const blocksSignature = "func(dst *uint32, s *byte, block, count uint64, tab *byte) uint64"

// newRun512 begins a function up to where its loop over the blocks begins.
func (a *assembler) newRun512(kind, name, signature, does string) *run512 {
	r := &run512{assembler: a, name: name, kind: kind, stop: "stop"}
	a.function(name, signature, name+" "+does+" It returns how many it decoded.")
	for _, m := range []*operand.Mem{&r.pay, &r.ends, &r.last, &r.limit, &r.left, &r.before, &r.first} {
		*m = a.AllocLocal(8)
	}
	s, block, next, x := a.arg("s"), a.arg("block"), a.arg("count"), a.GP64()
	r.MOVQ(next, r.left)
	r.ADDQ(block, next)
	r.CMPQ(next, operand.Mem{Base: s, Disp: seqEnds + 8})
	r.stopIf(r.JCC)
	if kind != "Freqs" {
		r.CMPQ(next, operand.Mem{Base: s, Disp: seqLast + 8})
		r.stopIf(r.JHI)
	}
	r.SHLQ(operand.U8(7), next)
	r.CMPQ(next, operand.Mem{Base: s, Disp: seqN})
	r.stopIf(r.JGT)

	// Words up to the limit lie in the payload, with 64 readable bytes behind.
	r.MOVQ(operand.Mem{Base: s, Disp: seqPayload + 16}, x)
	r.SUBQ(operand.U8(64), x)
	r.stopIf(r.JCS)
	r.CMPQ(x, operand.Mem{Base: s, Disp: seqPayload + 8})
	r.CMOVQHI(operand.Mem{Base: s, Disp: seqPayload + 8}, x)
	r.SHRQ(operand.U8(2), x)
	r.MOVQ(x, r.limit)
	r.MOVQ(operand.Mem{Base: s, Disp: seqEnds}, x)
	r.LEAQ(operand.Mem{Base: x, Index: block, Scale: 4}, x)
	r.MOVQ(x, r.ends)
	if kind != "Freqs" {
		last := a.GP64()
		r.MOVQ(operand.Mem{Base: s, Disp: seqLast}, last)
		r.LEAQ(operand.Mem{Base: last, Index: block, Scale: 4}, last)
		r.MOVQ(last, r.last)
		r.MOVL(operand.U32(1<<32-1), x.As32())
		r.TESTQ(block, block)
		r.JEQ(operand.LabelRef(name + "_first"))
		r.MOVL(operand.Mem{Base: last, Disp: -4}, x.As32())
		r.Label(name + "_first")
		r.MOVL(x.As32(), r.before)
		r.INCL(x.As32())
		r.stopIf(r.JMI) // not a docID
	}
	r.MOVQ(operand.Mem{Base: s}, s)
	r.MOVQ(s, r.pay)
	r.SHLQ(operand.U8(7), block)
	r.MOVQ(block, r.first)
	r.dst, r.tab = a.arg("dst"), a.arg("tab")
	const everyFourth = 0x1111111111111111
	r.ones, r.one, r.sixtyFour, r.fourth = a.ZMM(), a.ZMM(), a.ZMM(), a.K()
	r.VPTERNLOGD(operand.U8(0xff), r.ones, r.ones, r.ones)
	constants := r.words("one", 1, 0, 64, 0)
	r.VPBROADCASTQ(constants, r.one)
	r.VPBROADCASTQ(constants.Offset(8), r.sixtyFour)
	r.MOVQ(operand.U64(everyFourth), x)
	r.KMOVQ(x, r.fourth)
	if kind == "Docs" {
		r.scan = a.newPairScan512(r.tab)
	}
	return r
}

func (r *run512) label(s string) operand.LabelRef { return operand.LabelRef(r.name + "_" + s) }

func (r *run512) stopIf(jump func(operand.Op)) { jump(r.label(r.stop)) }

// locate begins the loop: it finds the block's words.
func (r *run512) locate() {
	end := r.GP64()
	r.Label(r.name + "_next")
	r.src, r.length = r.GP64(), r.GP64()
	r.MOVQ(r.ends, r.src)
	r.MOVL(operand.Mem{Base: r.src, Disp: 4}, end.As32())
	r.MOVL(operand.Mem{Base: r.src}, r.src.As32())
	r.CMPQ(end, r.limit)
	r.stopIf(r.JHI)
	r.MOVQ(end, r.length)
	r.SUBQ(r.src, r.length)
	r.stopIf(r.JCS)
	r.SHLQ(operand.U8(2), r.src)
	r.ADDQ(r.pay, r.src)
}

// field leaves bits from to from+n-1 of word in a new register.
func (r *run512) field(word reg.GPVirtual, from, n uint8) reg.GPVirtual {
	x := r.GP64()
	r.MOVQ(word, x)
	if from > 0 {
		r.SHRQ(operand.U8(from), x)
	}
	r.ANDQ(operand.U32(1<<n-1), x)
	return x
}

// checkWidths stops where the tables do not have the widths, or docIDs may wrap.
func (r *run512) checkWidths() {
	const (
		maxOver = 7
		noWrap  = 24
	)
	r.CMPQ(r.over, operand.U8(maxOver))
	r.stopIf(r.JHI)
	if r.kind != "Docs" {
		r.CMPQ(r.width, operand.U8(runMaxWidth))
		r.stopIf(r.JHI)
		return
	}
	sum := r.GP64()
	r.LEAQ(operand.Mem{Base: r.width, Index: r.over, Scale: 1}, sum)
	r.CMPQ(sum, operand.U8(noWrap))
	r.stopIf(r.JCC)
}

// checkLength finds the low bits, which begin with the word after the exceptions of a Plan, and
// stops unless the block ends with them.
func (r *run512) checkLength() {
	listed, mapped, x := r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.count, x)
	r.IMULQ(r.over, x)
	r.IMUL3Q(operand.U8(7), r.count, listed)
	r.MOVQ(operand.U32(128), mapped)
	r.CMPQ(r.count, operand.U8(16))
	r.CMOVQGT(mapped, listed)
	r.ADDQ(listed, x)
	r.LEAQ(operand.Mem{Base: x, Index: r.bit, Scale: 1, Disp: 31}, x)
	r.SHRQ(operand.U8(5), x)
	r.low = r.GP64()
	r.LEAQ(operand.Mem{Base: r.src, Index: x, Scale: 4}, r.low)
	r.LEAQ(operand.Mem{Base: x, Index: r.width, Scale: 4}, x)
	r.CMPQ(x, r.length)
	r.stopIf(r.JNE)
}

// table finds the table of the width.
func (r *run512) table() {
	r.row = r.GP64()
	r.IMUL3Q(operand.U32(runWidthSize), r.width, r.row)
	r.ADDQ(r.tab, r.row)
	r.TESTQ(r.width, r.width)
	r.CMOVQEQ(r.tab, r.low) // a block of no words may lie where memory ends
	r.mask = r.ZMM()
	r.VPBROADCASTD(operand.Mem{Base: r.row, Disp: runWidths + 32}, r.mask)
	if r.kind == "Docs" {
		r.VPBROADCASTD(r.before, r.scan.carry)
	}
}

// values returns low parts 16*k to 16*k+15, with other bits above.
func (r *run512) values(k int) reg.VecVirtual {
	at, x := r.GP64(), r.ZMM()
	step := runWidths + 64 + 128*k
	r.MOVL(operand.Mem{Base: r.row, Disp: runWidths + 4*k}, at.As32())
	r.VMOVDQU64(operand.Mem{Base: r.row, Disp: step}, x)
	r.VPERMB(operand.Mem{Base: r.low, Index: at, Scale: 1}, x, x)
	r.VPSRLVD(operand.Mem{Base: r.row, Disp: step + 64}, x, x)
	return x
}

// put finishes the values of low parts x and overflows over, nil if there are none,
// and writes them.
func (r *run512) put(k int, x reg.VecVirtual, over operand.Op) {
	const (
		andOr  = 0xea // ternary logic: (a&b)|c, a being the destination and c the first operand
		and    = 0xc0 // a&b
		notOr  = 0x15 // ^((a&b)|c)
		notAnd = 0x3f // ^(a&b)
	)
	both, low := operand.U8(andOr), operand.U8(and)
	if r.kind == "Docs" {
		both, low = operand.U8(notOr), operand.U8(notAnd)
	}
	if over == nil {
		r.VPTERNLOGD(low, r.mask, r.mask, x)
	} else {
		r.VPTERNLOGD(both, over, r.mask, x)
	}
	switch r.kind {
	case "Docs":
		if k%2 == 0 {
			r.scan.first = x
			return
		}
		var y reg.VecVirtual
		y, x = r.scan.docs(r.scan.first, x)
		r.VMOVDQU32(y, operand.Mem{Base: r.dst, Disp: 64 * (k - 1)})
	case "Line":
		x = r.line.add(x)
	case "Freqs":
		r.VPSUBD(r.ones, x, x)
	}
	r.VMOVDQU32(x, operand.Mem{Base: r.dst, Disp: 64 * k})
}

// blocks writes the values, with exceptions where find finds them, and goes on to the next block.
func (r *run512) blocks(find func()) {
	r.table()
	r.TESTQ(r.count, r.count)
	r.JNE(r.label("patched"))
	r.Label(r.name + "_plain")
	for k := range 8 {
		r.put(k, r.values(k), nil)
	}
	r.JMP(r.label("written"))

	r.Label(r.name + "_patched")
	if r.line != nil {
		r.line.again()
	}
	find()
	over := r.overflows()
	for k := range 8 {
		r.put(k, r.values(k), over(k))
	}

	r.Label(r.name + "_written")
	r.advance()
	r.finish()
}

// advance checks the block and goes on to the next.
func (r *run512) advance() {
	r.check()
	r.ADDQ(operand.U32(512), r.dst)
	r.ADDQ(operand.U8(4), r.ends)
	r.ADDQ(operand.U32(128), r.first)
	r.DECQ(r.left)
	r.JNE(r.label("next"))
}

// finish returns how many blocks are done.
func (r *run512) finish() {
	r.Label(r.name + "_stop")
	done := r.arg("count")
	r.SUBQ(r.left, done)
	r.VZEROUPPER()
	r.MOVQ(done, r.result())
	r.RET()
	for _, code := range r.late {
		code()
	}
}

// pairScan512 holds what a prefix sum of 32 words in two vectors needs.
type pairScan512 struct {
	*patchScan512
	tab       reg.GPVirtual
	odd, last reg.VecVirtual // words of two vectors
	first     reg.VecVirtual // the first vector, until the second is there
}

func (a *assembler) newPairScan512(tab reg.GPVirtual) *pairScan512 {
	s := &pairScan512{patchScan512: a.newPatchScan512(operand.Mem{Base: tab}), tab: tab, odd: a.ZMM(), last: a.ZMM()}
	s.VMOVDQU64(operand.Mem{Base: tab, Disp: runParts + 64}, s.odd)
	s.VMOVDQU64(operand.Mem{Base: tab, Disp: runParts + 3*64}, s.last)
	return s
}

// docs is that of patchScan512 for two vectors: only the sums of neighbours are summed up
// across words.
func (s *pairScan512) docs(x, y reg.VecVirtual) (first, last reg.VecVirtual) {
	even, sum := s.ZMM(), s.ZMM()
	s.VMOVDQU64(operand.Mem{Base: s.tab, Disp: runParts}, even)
	s.VPERMI2D(y, x, even)
	s.VPERMT2D(y, s.odd, x)
	s.VPADDD(x, even, sum)
	docs := s.patchScan512.docs(sum) // of the odd ones
	s.VPADDD(docs, x, x)
	first, last = s.ZMM(), x
	s.VMOVDQU64(operand.Mem{Base: s.tab, Disp: runParts + 2*64}, first)
	s.VPERMI2D(docs, x, first)
	s.VPERMT2D(docs, s.last, last)
	return first, last
}

// check checks what was written.
func (r *run512) check() {
	if r.kind == "Freqs" {
		return
	}
	at, last, x := r.GP64(), r.GP32(), r.GP32()
	r.MOVQ(r.last, at)
	r.MOVL(operand.Mem{Base: at}, last)
	if r.kind == "Docs" {
		r.VMOVD(r.scan.carry.AsX(), x)
		r.CMPL(x, last)
		r.stopIf(r.JNE)
		r.TESTL(x, x)
		r.stopIf(r.JMI)
	} else {
		r.CMPL(last, operand.Mem{Base: r.dst, Disp: 127 * 4})
		r.stopIf(r.JNE)
		r.KMOVW(r.line.rises, x)
		r.CMPL(x, operand.U32(0xffff))
		r.stopIf(r.JNE)
	}
	r.MOVL(last, r.before)
	r.ADDQ(operand.U8(4), r.last)
}
