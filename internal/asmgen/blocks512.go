package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, blocks512) }

// blocks512 generates functions that decode a full block of a codec.Sequence, checks
// included. Where one returns false the block is broken, or of a kind that is rare,
// and Go code finds out which.
func blocks512(out output) error {
	a := newAssembler()
	a.lrcBlock512()
	if err := a.write(out, "format/codec/lrc", "lrc", "blocks512"); err != nil {
		return err
	}
	a = newAssembler()
	a.listSegment512()
	a.chordSegment512()
	a.bucketSegment512()
	return a.write(out, "format/codec/internal/regress", "regress", "blocks512")
}

// block512 begins a function that decodes block of s, with what all of them need.
type block512 struct {
	*patcher512
	s, words     reg.GPVirtual // words of the block
	last, before operand.Mem   // docIDs of the skip header, kept in the frame
	sum          operand.Mem   // bits that a value can have at most, kept there too
}

const blockSignature = "func(dst *uint32, s *byte, block uint64, tab *byte) bool"

func (a *assembler) newBlock512(kind, name, signature, does string) *block512 {
	p := &patcher512{assembler: a, name: name, kind: kind, fused: true}
	b := &block512{patcher512: p}
	a.function(name, signature, name+" "+does)
	b.buffer = a.AllocLocal((128 + 32) * 4)
	b.s, p.src, b.words = a.arg("s"), a.GP64(), a.GP64()
	p.bit, p.count, p.over, p.lo, p.hi = a.GP64(), a.GP64(), a.GP64(), a.GP64(), a.GP64()
	p.low, p.limit = a.GP64(), a.GP64()
	b.locate()
	return b
}

func (b *block512) failIf(jump func(operand.Op)) { jump(operand.LabelRef(b.name + "_fail")) }

// locate finds the block's words, all of whose values must be there and
// which must lie in the payload with 64 readable bytes behind.
func (b *block512) locate() {
	block, next, at, end := b.arg("block"), b.GP64(), b.GP64(), b.GP64()
	b.LEAQ(operand.Mem{Base: block, Disp: 1}, next)
	b.CMPQ(next, operand.Mem{Base: b.s, Disp: seqEnds + 8})
	b.failIf(b.JCC)
	b.MOVQ(operand.Mem{Base: b.s, Disp: seqEnds}, at)
	b.MOVL(operand.Mem{Base: at, Index: block, Scale: 4, Disp: 4}, end.As32())
	b.MOVL(operand.Mem{Base: at, Index: block, Scale: 4}, at.As32())
	b.MOVQ(end, b.words)
	b.SUBQ(at, b.words)
	b.failIf(b.JCS)
	b.SHLQ(operand.U8(2), end)
	b.CMPQ(end, operand.Mem{Base: b.s, Disp: seqPayload + 8})
	b.failIf(b.JHI)
	b.ADDQ(operand.U8(64), end)
	b.CMPQ(end, operand.Mem{Base: b.s, Disp: seqPayload + 16})
	b.failIf(b.JHI)
	b.SHLQ(operand.U8(7), next)
	b.CMPQ(next, operand.Mem{Base: b.s, Disp: seqN})
	b.failIf(b.JGT)
	b.MOVQ(operand.Mem{Base: b.s}, b.src)
	b.LEAQ(operand.Mem{Base: b.src, Index: at, Scale: 4}, b.src)
	if b.kind == "Freqs" {
		return
	}
	b.CMPQ(block, operand.Mem{Base: b.s, Disp: seqLast + 8})
	b.failIf(b.JCC)
	last, before := b.GP64(), b.GP32()
	b.last, b.before = b.AllocLocal(8), b.AllocLocal(8)
	b.MOVQ(operand.Mem{Base: b.s, Disp: seqLast}, last)
	b.MOVL(operand.U32(1<<32-1), before)
	b.TESTQ(block, block)
	b.JEQ(operand.LabelRef(b.name + "_first"))
	b.MOVL(operand.Mem{Base: last, Index: block, Scale: 4, Disp: -4}, before)
	b.Label(b.name + "_first")
	b.MOVL(operand.Mem{Base: last, Index: block, Scale: 4}, last.As32())
	b.MOVL(last.As32(), b.last)
	b.MOVL(before, b.before)
	b.INCL(before)
	b.failIf(b.JMI) // not a docID
}

// field leaves bits from to from+n-1 of word in a new register.
func (b *block512) field(word reg.GPVirtual, from, n uint8) reg.GPVirtual {
	x := b.GP64()
	b.MOVQ(word, x)
	if from > 0 {
		b.SHRQ(operand.U8(from), x)
	}
	b.ANDQ(operand.U32(1<<n-1), x)
	return x
}

// checkWidths takes how many bits a value can have at most and fails where frequencies can overflow.
// DocIDs whose sum can wrap are checked one by one in the end.
func (b *block512) checkWidths(sum reg.GPVirtual) {
	const freqs = 30 // and one more for the exceptions of all ones, plus one
	if b.kind == "Freqs" {
		b.CMPQ(sum, operand.U32(freqs))
		b.failIf(b.JHI)
		return
	}
	b.sum = b.AllocLocal(8)
	b.MOVQ(sum, b.sum)
}

// checkWidth is checkWidths for low bits of width, at most 32, and exceptions.
func (b *block512) checkWidth(width reg.GPVirtual) {
	b.CMPQ(width, operand.U32(32))
	b.failIf(b.JHI)
	sum := b.GP64()
	b.LEAQ(operand.Mem{Base: width, Index: b.over, Scale: 1}, sum)
	b.checkWidths(sum)
}

// table moves tab to the table of the width. Where that is 0, low becomes the table, which is
// long enough.
func (b *block512) table(width reg.GPVirtual) {
	const size = 64 + 8*3*64
	at := b.GP64()
	b.IMUL3Q(operand.U32(size), width, at)
	b.tab = b.arg("tab")
	b.ADDQ(at, b.tab)
	b.TESTQ(width, width)
	b.CMOVQEQ(b.tab, b.low)
}

// emptyTable is table for a width of 0.
func (b *block512) emptyTable() {
	tab := b.arg("tab")
	b.MOVQ(tab, b.tab)
	b.MOVQ(tab, b.low)
}

// exceptionBits leaves in x how many bits count exceptions with positions of 7 bits, or a bitmap,
// take.
func (b *block512) exceptionBits() reg.GPVirtual {
	listed, mapped, x := b.GP64(), b.GP64(), b.GP64()
	b.MOVQ(b.count, x)
	b.IMULQ(b.over, x)
	b.IMUL3Q(operand.U8(7), b.count, listed)
	b.MOVQ(operand.U32(128), mapped)
	b.CMPQ(b.count, operand.U8(16))
	b.CMOVQGT(mapped, listed)
	b.ADDQ(listed, x)
	return x
}

// apply reads exceptions of a Plan at bit, which must not be 0, and adds them. ready, unless
// nil, is called when all registers are free but those of the writing.
func (b *block512) apply(width reg.GPVirtual, ready func()) {
	b.MOVQ(b.bit, b.limit)
	x := b.exceptionBits()
	b.ADDQ(x, b.limit)
	b.DECQ(b.limit)
	b.SHRQ(operand.U8(5), b.limit)
	b.CMPQ(b.count, operand.U8(16))
	b.JGT(operand.LabelRef(b.name + "_mapped"))
	ones, w := b.ZMM(), b.ZMM()

	// At most sixteen: one vector of positions and one of overflows.
	seven, to := b.GP64(), b.GP64()
	b.MOVQ(operand.U32(7), seven)
	b.listOf(seven, 1)
	b.VPBROADCASTD(b.words4("one", 1), ones)
	b.VPBROADCASTD(width.As32(), w)
	b.LEAQ(b.buffer, to)
	b.overflow(b.newFields512(b.over), to, ones, w)
	b.JMP(operand.LabelRef(b.name + "_expand"))

	b.Label(b.name + "_mapped")
	b.bitmap()
	b.VPBROADCASTD(b.words4("one", 1), ones)
	b.VPBROADCASTD(width.As32(), w)
	b.overflowPairs(ones, w)
	b.Label(b.name + "_expand")
	b.dst = b.arg("dst")
	if ready != nil {
		ready()
	}
	b.expand()
}

// overflowPairs is overflows, two vectors at a time: blocks of similar counts then take the same
// number of turns, which the processor foresees. less and width are as there.
func (b *block512) overflowPairs(less, width reg.VecVirtual) {
	b.pairs(b.name+"_overflow", b.over, b.buffer, func(x reg.VecVirtual) {
		if less != nil {
			b.VPADDD(less, x, x)
		}
		b.VPSLLVD(width, x, x)
	})
}

// pairs reads count fields of a width from bit on to a buffer, two vectors at a time, and
// has finish change them. Thirty-two fields take as many words as they are wide, so that where
// in its words a field lies is the same in each turn.
func (b *block512) pairs(label string, width reg.GPVirtual, buffer operand.Mem, finish func(x reg.VecVirtual)) {
	const orAnd = 0xa8 // ternary logic: (a|b) & c
	f := b.newFields512(width)
	var index, right, left [2]reg.VecVirtual
	var at [2]reg.GPVirtual
	start := b.GP64()
	for v := range at {
		index[v], right[v], left[v], at[v] = b.ZMM(), b.ZMM(), b.ZMM(), b.GP64()
		b.MOVQ(b.bit, start)
		b.ANDQ(operand.U8(31), start)
		b.VPBROADCASTD(start.As32(), right[v])
		b.VPADDD(f.step, right[v], right[v])
		b.VPSRLD(operand.U8(5), right[v], index[v])
		b.VPANDD(f.thirtyOne, right[v], right[v])
		b.VPSUBD(right[v], f.thirtyTwo, left[v])
		b.MOVQ(b.bit, at[v])
		b.SHRQ(operand.U8(5), at[v])
		b.ADDQ(f.stride, b.bit)
	}
	to, end := b.GP64(), b.GP64()
	b.LEAQ(buffer, to)
	b.LEAQ(operand.Mem{Base: to, Index: b.count, Scale: 4}, end)
	b.Label(label)
	for v := range at {
		x, hi := b.ZMM(), b.ZMM()
		b.CMPQ(at[v], b.limit)
		b.CMOVQGT(b.limit, at[v])
		from := operand.Mem{Base: b.src, Index: at[v], Scale: 4}
		b.VPERMD(from, index[v], x)
		b.VPERMD(from.Offset(4), index[v], hi)
		b.VPSRLVD(right[v], x, x)
		b.VPSLLVD(left[v], hi, hi)
		b.VPTERNLOGD(operand.U8(orAnd), f.mask, hi, x)
		if finish != nil {
			finish(x)
		}
		b.VMOVDQU32(x, operand.Mem{Base: to, Disp: 64 * v})
		b.ADDQ(width, at[v])
	}
	b.ADDQ(operand.U8(128), to)
	b.CMPQ(to, end)
	b.JLT(operand.LabelRef(label))
}

// words4 returns a word of read-only data.
func (a *assembler) words4(name string, w uint32) operand.Mem { return a.words(name+"Word", w, 0) }

// end checks what was written and returns.
func (b *block512) end(part string) {
	switch b.kind {
	case "Docs":
		b.wide(part)
		x := b.GP32()
		b.VMOVD(b.scan.carry.AsX(), x)
		b.CMPL(x, b.last)
		b.failIf(b.JNE)
		b.TESTL(x, x)
		b.failIf(b.JMI)
	case "Line":
		x := b.GP32()
		b.MOVL(b.last, x)
		b.CMPL(x, operand.Mem{Base: b.dst, Disp: 127 * 4})
		b.failIf(b.JNE)
		k := b.GP32()
		b.KMOVW(b.line.rises, k)
		b.CMPL(k, operand.U32(0xffff))
		b.failIf(b.JNE)
	}
}

// wide fails if docIDs of so many bits that their sum can wrap do not rise, as signed numbers.
func (b *block512) wide(part string) {
	const (
		noWrap = 24
		above  = 6 // comparison: not less or equal
	)
	b.CMPQ(b.sum, operand.U8(noWrap))
	b.JLT(operand.LabelRef(b.name + "_narrow_" + part))
	before, x, y, k, r := b.ZMM(), b.ZMM(), b.ZMM(), b.K(), b.GP32()
	b.VPBROADCASTD(b.before, before)
	b.KXNORW(k, k, k)
	for i := range 8 {
		b.VMOVDQU32(operand.Mem{Base: b.dst, Disp: 64 * i}, x)
		b.VALIGND(operand.U8(15), before, x, y)
		b.VPCMPD(operand.U8(above), y, x, k, k)
		b.VMOVDQA32(x, before)
	}
	b.KMOVW(k, r)
	b.CMPL(r, operand.U32(0xffff))
	b.failIf(b.JNE)
	b.Label(b.name + "_narrow_" + part)
}

// lower1 returns s with a small first letter.
func lower1(s string) string { return string(s[0]|0x20) + s[1:] }
