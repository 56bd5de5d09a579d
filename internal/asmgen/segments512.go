package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The functions here decode full blocks of the linear-regression codecs.

// frameLine is a line in the frame, 32 bits each as in local512, until it is needed.
type frameLine [4]operand.Mem

func (b *block512) newFrameLine() (f frameLine) {
	for i := range f {
		f[i] = b.AllocLocal(4)
	}
	return f
}

// from fills the line with that of slope and intercept as seen from element origin.
func (b *block512) from(f frameLine, slope, intercept, origin reg.GPVirtual) {
	p := b.GP64()
	b.MOVQ(slope, p)
	b.IMULQ(origin, p)
	frac := b.GP32()
	b.MOVL(p.As32(), frac)
	b.SHRL(operand.U8(7), frac)
	b.MOVL(frac, f[2])
	b.SHRQ(operand.U8(32), p)
	b.ADDL(intercept.As32(), p.As32())
	b.MOVL(p.As32(), f[0])
	b.MOVQ(slope, p)
	b.SHRQ(operand.U8(32), p)
	b.MOVL(p.As32(), f[1])
	b.MOVL(slope.As32(), frac)
	b.SHRL(operand.U8(7), frac)
	b.MOVL(frac, f[3])
}

// lines writes the values: low parts, exceptions if there are any, and the line.
func (b *block512) lines(width reg.GPVirtual, f ...frameLine) {
	b.TESTQ(b.count, b.count)
	b.JNE(operand.LabelRef(b.name + "_patched"))
	b.dst = b.arg("dst")
	b.newLines(f)
	b.plain()
	b.end("plain")
	b.succeed()
	b.Label(b.name + "_patched")
	b.apply(width, func() { b.newLines(f) })
	b.end("patched")
	b.finish()
}

// newLines sets the line, or both of them.
func (b *block512) newLines(f []frameLine) {
	b.line = b.newLine512(f[0], b.before)
	if len(f) > 1 {
		turn := b.arg("turn")
		b.line.turnTo(f[1], turn)
	}
}

func (a *assembler) lrcBlock512() {
	b := a.newBlock512("Line", "docsBlock512", blockSignature, "decodes a full block of docIDs.")
	// The width and the line from the list header.
	slope, intercept, origin, width := a.GP64(), a.GP64(), a.arg("block"), a.GP64()
	head := b.listHead(4)
	b.MOVQ(operand.Mem{Base: head}, slope)
	b.MOVL(operand.Mem{Base: head, Disp: 8}, intercept.As32())
	b.MOVL(operand.Mem{Base: head, Disp: 12}, width.As32())
	b.CMPQ(width, operand.U32(32))
	b.failIf(b.JHI)
	b.SHLQ(operand.U8(7), origin)
	f := b.newFrameLine()
	b.from(f, slope, intercept, origin)

	// Without exceptions the block ends with its low bits.
	size, rest := a.GP64(), a.GP64()
	b.MOVQ(width, size)
	b.SHLQ(operand.U8(2), size)
	b.XORQ(b.count, b.count)
	b.XORQ(b.over, b.over)
	b.MOVQ(b.src, b.low)
	b.CMPQ(size, b.words)
	b.failIf(b.JHI)
	b.JEQ(operand.LabelRef(b.name + "_whole"))
	b.MOVL(operand.Mem{Base: b.src, Index: size, Scale: 4}, rest.As32())
	b.MOVQ(b.field(rest, 0, 7), b.count)
	b.MOVQ(b.field(rest, 7, 5), b.over)
	b.SHLQ(operand.U8(5), size)
	b.LEAQ(operand.Mem{Base: size, Disp: 12}, b.bit)
	b.MOVQ(b.exceptionBits(), rest)
	b.LEAQ(operand.Mem{Base: rest, Index: b.bit, Scale: 1, Disp: 31}, rest)
	b.SHRQ(operand.U8(5), rest)
	b.CMPQ(rest, b.words)
	b.failIf(b.JNE)
	b.Label(b.name + "_whole")
	b.table(width)
	b.lines(width, f)
}

// listHead returns where the payload begins, which must have a list header of so many words.
func (b *block512) listHead(words uint32) reg.GPVirtual {
	ends, head := b.GP64(), b.GP64()
	b.MOVQ(operand.Mem{Base: b.s, Disp: seqEnds}, ends)
	b.CMPL(operand.Mem{Base: ends}, operand.U32(words))
	b.failIf(b.JNE)
	b.CMPQ(operand.Mem{Base: b.s, Disp: seqPayload + 8}, operand.U32(4*words))
	b.failIf(b.JLT)
	b.MOVQ(operand.Mem{Base: b.s}, head)
	return head
}

// segment reads the head of a segment of package regress with an extra field of so many bits:
// the width is returned; M and extra as a signed number are left in the frame, bit and low where
// exceptions and low bits begin.
func (b *block512) segment(extraBits uint8) (width reg.GPVirtual, least, extra operand.Mem) {
	const head = 24
	b.TESTQ(b.words, b.words)
	b.failIf(b.JEQ)
	word, m, low := b.GP64(), b.GP64(), b.GP64()
	b.MOVQ(operand.Mem{Base: b.src}, word)
	width = b.field(word, 0, 6)
	b.MOVQ(b.field(word, 6, 7), b.count)
	b.MOVQ(b.field(word, 13, 5), b.over)
	m = b.field(word, 18, 6)
	b.CMPQ(width, operand.U32(32))
	b.failIf(b.JHI)
	b.CMPQ(m, operand.U32(32))
	b.failIf(b.JHI)
	if extraBits > 0 {
		x := b.GP64()
		b.MOVQ(word, x)
		b.SHLQ(operand.U8(64-head-extraBits), x)
		b.SARQ(operand.U8(64-extraBits), x)
		extra = b.AllocLocal(8)
		b.MOVQ(x, extra)
	}
	b.SHRQ(operand.U8(head+extraBits), word)
	b.BZHIQ(m, word, word)
	sign := b.GP64()
	b.MOVQ(word, sign) // M is zigzag coded
	b.ANDQ(operand.U32(1), sign)
	b.NEGQ(sign)
	b.SHRQ(operand.U8(1), word)
	b.XORQ(sign, word)
	least = b.AllocLocal(8)
	b.MOVQ(word, least)
	b.LEAQ(operand.Mem{Base: m, Disp: int(head + extraBits)}, b.bit)
	b.MOVQ(b.exceptionBits(), low)
	b.LEAQ(operand.Mem{Base: low, Index: b.bit, Scale: 1, Disp: 31}, low)
	b.SHRQ(operand.U8(5), low)
	b.LEAQ(operand.Mem{Base: b.src, Index: low, Scale: 4}, b.low)
	b.LEAQ(operand.Mem{Base: low, Index: width, Scale: 4}, low)
	b.CMPQ(low, b.words)
	b.failIf(b.JNE)
	return width, least, extra
}

func (a *assembler) listSegment512() {
	b := a.newBlock512("Line", "listSegment512", blockSignature, "decodes a full block of docIDs, a segment without an extra field, whose line is the list's.")
	f := b.newFrameLine()
	head := b.listHead(3)
	slope, intercept := b.GP64(), b.GP64()
	b.MOVQ(operand.Mem{Base: head}, slope)
	b.MOVL(operand.Mem{Base: head, Disp: 8}, intercept.As32())
	origin := a.arg("block")
	b.SHLQ(operand.U8(7), origin)
	b.from(f, slope, intercept, origin)
	width, least, _ := b.segment(0)
	start := b.GP32()
	b.MOVL(least, start)
	b.ADDL(start, f[0])
	b.table(width)
	b.lines(width, f)
}

func (a *assembler) chordSegment512() {
	const turnBits = 5
	b := a.newBlock512("Line", "chordSegment512", blockSignature, "decodes a full block of docIDs, a segment with an extra field that turns the chord.")
	f := b.newFrameLine()
	width, least, turn := b.segment(turnBits)
	base, slope, part := b.GP64(), b.GP64(), b.GP64()
	b.MOVL(b.before, base.As32())
	b.INCL(base.As32())
	b.MOVL(b.last, slope.As32())
	b.SUBL(base.As32(), slope.As32())
	b.ADDL(least, base.As32())
	b.MOVL(base.As32(), f[0])
	b.MOVQ(slope, part)
	b.SHRQ(operand.U8(6), part)
	b.IMULQ(turn, part)
	b.ADDQ(part, slope)
	b.MOVQ(slope, part)
	b.SHRQ(operand.U8(7), part)
	b.MOVL(part.As32(), f[1])
	b.MOVL(operand.U32(0), f[2])
	b.ANDL(operand.U32(127), slope.As32())
	b.SHLL(operand.U8(18), slope.As32())
	b.MOVL(slope.As32(), f[3])
	b.table(width)
	b.lines(width, f)
}

// bucketSegment512 has two lines, the second from element turn on.
func (a *assembler) bucketSegment512() {
	b := a.newBlock512("Line", "bucketSegment512", "func(dst *uint32, s *byte, block uint64, tab *byte, lines *uint32, turn uint64) bool",
		"decodes a full block of docIDs, a segment without an extra field, along lines[0] up to element turn and from there, as element 0, along lines[1].")
	f, g := b.newFrameLine(), b.newFrameLine()
	width, least, _ := b.segment(0)
	lines := a.arg("lines")
	r := a.GP32()
	for i := range f {
		for j, m := range []operand.Mem{f[i], g[i]} {
			a.MOVL(operand.Mem{Base: lines, Disp: 16*j + 4*i}, r)
			if i == 0 {
				a.ADDL(least, r)
			}
			a.MOVL(r, m)
		}
	}
	b.table(width)
	b.lines(width, f, g)
}
