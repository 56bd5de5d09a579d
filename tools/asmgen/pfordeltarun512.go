package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, pfordeltaRuns512) }

// pfordeltaRuns512 generates functions that decode full blocks of a list of level 1 in a row, as
// runs512 does for other codecs. Offsets and overflows are bytes of one vector each, at
// most 64 of them; the few exceptions among those are bytes of a general register. There is
// no loop over either, as no branch would foresee where it ends.
//
// A block takes some 80 vector operations for its exceptions, on two ports, beside the 120 for
// its values.
func pfordeltaRuns512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.pfordeltaRun512(kind)
	}
	return a.write(out, "format/codec/pfordelta", "pfordelta", "runs512")
}

// Every byte of a word: ones, high bits.
const (
	byteOnes  = 0x0101010101010101
	byteHighs = 0x8080808080808080
)

// nestedRun512 keeps in its frame what holds for the list.
type nestedRun512 struct {
	*run512
	widths [arrays1]operand.Mem // of the arrays' fields
	counts [arrays1]operand.Mem // of their counts, where they have one
	masks  [arrays1]operand.Mem // of eight fields, as bytes, of the arrays of exceptions' exceptions
	tall   operand.Mem          // bits of bytes that overflows of overflows must not have
	end    operand.Mem          // of the block: bits of its exceptions, in whole words
}

// pfordeltaRun512 goes through blocks in parts: first it reads the exceptions of all blocks of a
// part, each of which is a long chain of steps, then it writes their values. Together the
// steps of two blocks would be more than the processor has under way at a time.
func (a *assembler) pfordeltaRun512(kind string) {
	const part = 8
	r := &nestedRun512{run512: a.newRun512(kind, lower1(kind)+"Run512", blocksSignature,
		"decodes full blocks of "+kind+" in a row, of a list of level 1.")}
	r.Attributes(attr.Attribute(0)) // the frame is large: there must be a check of the stack
	buffer, lows, ready := r.AllocLocal(part*128), r.AllocLocal(part*8), r.AllocLocal(8)
	r.list()
	at := r.GP64()
	r.Label(r.name + "_part")
	r.MOVQ(operand.U32(0), ready)
	r.stop = "broken"
	r.locate()
	bytes := r.overflows()
	r.MOVQ(ready, at)
	r.MOVQ(r.low, lows.Idx(at, 8))
	r.INCQ(at)
	r.MOVQ(at, ready)
	r.DECQ(at)
	r.SHLQ(operand.U8(7), at)
	r.VMOVDQU64(bytes[0], buffer.Idx(at, 1))
	r.VMOVDQU64(bytes[1], buffer.Offset(64).Idx(at, 1))
	r.ADDQ(operand.U8(4), r.ends)
	r.MOVQ(ready, at)
	r.CMPQ(at, r.left)
	r.JEQ(r.label("broken"))
	r.CMPQ(at, operand.U8(part))
	r.JNE(r.label("next"))

	r.stop = "stop"
	r.Label(r.name + "_broken")
	r.CMPQ(ready, operand.U8(0))
	r.stopIf(r.JEQ)
	r.width = r.GP64()
	r.MOVQ(r.widths[arrValues], r.width)
	r.row, r.mask = r.GP64(), r.ZMM()
	r.IMUL3Q(operand.U32(runWidthSize), r.width, r.row)
	r.ADDQ(r.tab, r.row)
	r.VPBROADCASTD(operand.Mem{Base: r.row, Disp: runWidths + 32}, r.mask)
	over := r.spread(bytes)
	r.XORQ(at, at)
	r.Label(r.name + "_values")
	r.low = r.GP64()
	r.MOVQ(lows.Idx(at, 8), r.low)
	from := r.GP64()
	r.MOVQ(at, from)
	r.SHLQ(operand.U8(7), from)
	r.VMOVDQU64(buffer.Idx(from, 1), bytes[0])
	r.VMOVDQU64(buffer.Offset(64).Idx(from, 1), bytes[1])
	if kind == "Docs" {
		r.VPBROADCASTD(r.before, r.scan.carry)
	}
	for k := range 8 {
		r.put(k, r.values(k), over(k))
	}
	r.check()
	r.ADDQ(operand.U32(512), r.dst)
	r.DECQ(r.left)
	r.INCQ(at)
	r.CMPQ(at, ready)
	r.JNE(r.label("values"))
	r.CMPQ(r.left, operand.U8(0))
	r.JNE(r.label("part"))
	r.finish()
}

// list reads the list's header and stops where its widths are rare.
func (r *nestedRun512) list() {
	const words = (1 + 2*arrays1 + 3) / 4
	head, x, y := r.GP64(), r.GP64(), r.GP64()
	r.CMPQ(r.limit, operand.U8(words))
	r.stopIf(r.JCS)
	r.Load(r.Param("s"), head)
	r.MOVQ(operand.Mem{Base: head, Disp: seqEnds}, head)
	r.CMPL(operand.Mem{Base: head}, operand.U8(words))
	r.stopIf(r.JNE)
	r.MOVQ(r.pay, head)
	r.CMPB(operand.Mem{Base: head}, operand.U8(1))
	r.stopIf(r.JNE)

	// A value has less than 2^(width+8): 128 docIDs do not wrap, nor does a frequency.
	widest := [arrays1]uint8{16, 7, 7, 7, 7, 7, 8}
	if r.kind == "Freqs" {
		widest[arrValues] = 23
	}
	for array := range arrays1 {
		r.widths[array] = r.AllocLocal(8)
		r.MOVBQZX(operand.Mem{Base: head, Disp: 1 + 2*array}, x)
		r.CMPQ(x, operand.U8(widest[array]))
		r.stopIf(r.JHI)
		r.MOVQ(x, r.widths[array])
		switch array {
		case arrValues, arrOffsets, arrOverflows:
			r.counts[array] = r.AllocLocal(8)
			r.MOVBQZX(operand.Mem{Base: head, Disp: 2 + 2*array}, y)
			r.CMPQ(y, operand.U8(8))
			r.stopIf(r.JHI)
			r.MOVQ(y, r.counts[array])
		default:
			r.masks[array] = r.AllocLocal(8)
			r.MOVQ(operand.I32(-1), y)
			r.BZHIQ(x, y, y)
			r.IMULQ(r.bytes(byteOnes), y)
			r.MOVQ(y, r.masks[array])
		}
	}
	// Offsets are at most 2^7 + 2^7 - 1.
	r.MOVQ(r.widths[arrOffsets], x)
	r.ADDQ(r.widths[arrOffsetOverflows], x)
	r.CMPQ(x, operand.U8(7))
	r.stopIf(r.JHI)
	// Of the overflows above w bits, less one, the highest are left out: with them, an
	// overflow plus one would be no byte.
	r.MOVQ(r.widths[arrOverflows], x)
	r.LEAQ(operand.Mem{Base: x, Disp: 7}, y)
	r.TESTQ(x, x)
	r.CMOVQNE(r.bytes(8), y)
	r.CMPQ(y, r.widths[arrOverflowOverflows]) // 8, or 7 where w is 0
	r.stopIf(r.JCS)
	r.MOVQ(operand.U32(8), y)
	r.SUBQ(x, y)
	r.MOVQ(operand.U32(255), x)
	r.SHLXQ(y, x, x)
	r.ANDQ(operand.U32(255), x)
	r.IMULQ(r.bytes(byteOnes), x)
	r.tall, r.end = r.AllocLocal(8), r.AllocLocal(8)
	r.MOVQ(x, r.tall)
}

// bytes returns a register with a word.
func (r *nestedRun512) bytes(word uint64) reg.GPVirtual {
	x := r.GP64()
	r.MOVQ(operand.U64(word), x)
	return x
}

// overflows reads those of a block, as bytes of their values' places.
func (r *nestedRun512) overflows() (bytes [2]reg.VecVirtual) {
	bit := r.GP64()
	r.width, r.low, r.count = r.GP64(), r.GP64(), r.GP64()
	bytes = [2]reg.VecVirtual{r.ZMM(), r.ZMM()}
	for _, b := range bytes {
		r.VPXORQ(b, b, b)
	}
	r.MOVQ(r.widths[arrValues], r.width)
	r.MOVQ(r.src, r.low)
	r.MOVQ(r.width, bit)
	r.SHLQ(operand.U8(4), bit)
	r.ADDQ(bit, r.src)
	r.SHRQ(operand.U8(2), bit)
	r.CMOVQEQ(r.tab, r.low) // low bits of no width may lie where memory ends
	r.SUBQ(bit, r.length)
	r.stopIf(r.JCS)
	r.JEQ(r.label("read"))
	r.SHLQ(operand.U8(5), r.length)
	r.MOVQ(r.length, r.end)
	r.MOVQ(r.counts[arrValues], bit)
	r.BZHIQ(bit, operand.Mem{Base: r.src}, r.count)
	r.TESTQ(r.count, r.count)
	r.stopIf(r.JEQ)
	r.CMPQ(r.count, operand.U8(64))
	r.stopIf(r.JHI)

	low := r.AllocLocal(8)
	r.MOVQ(r.low, low) // registers are short
	r.bitmap(r.fields(bit, arrOffsets))
	lower, upper, below, upperOver := r.K(), r.K(), r.GP64(), r.ZMM()
	r.KMOVQ(r.lo, lower)
	r.KMOVQ(r.hi, upper)
	r.POPCNTQ(r.lo, below)
	r.VMOVDQU64(operand.Mem{Base: r.tab, Index: below, Scale: 1, Disp: runNumbers}, upperOver)
	over := r.fields(bit, arrOverflows)
	r.VPSUBB(r.ones, over, over)
	r.ADDQ(operand.U8(31), bit)
	r.ANDQ(operand.I8(-32), bit)
	r.CMPQ(bit, r.end)
	r.stopIf(r.JNE)
	r.VPEXPANDB_Z(over, lower, bytes[0])
	r.VPERMB(over, upperOver, upperOver)
	r.VPEXPANDB_Z(upperOver, upper, bytes[1])
	r.MOVQ(low, r.low)
	r.Label(r.name + "_read")
	return bytes
}

// eighths returns 64 bytes, each number eight times, from first on, as words.
func eighths(first int) []uint32 {
	w := make([]uint32, 16)
	for i := range 64 {
		w[i/4] |= uint32(i/8+first) << (i % 4 * 8)
	}
	return w
}

// word reads 57 bits at bit.
func (r *nestedRun512) word(bit reg.GPVirtual) reg.GPVirtual {
	shift := r.GP64()
	r.MOVQ(bit, shift)
	at := r.address512(shift)
	x := r.GP64()
	r.SHRXQ(shift, operand.Mem{Base: at}, x)
	return x
}

// within stops unless bit lies in the block.
func (r *nestedRun512) within(bit reg.GPVirtual) {
	r.CMPQ(bit, r.end)
	r.stopIf(r.JHI)
}

// skip moves over a number of fields.
func (r *nestedRun512) skip(bit, count reg.GPVirtual, array int) {
	x := r.GP64()
	r.MOVQ(count, x)
	r.IMULQ(r.widths[array], x)
	r.ADDQ(x, bit)
}

// fields reads count values of an array at bit, and the exceptions among them, into bytes.
// Bits of which 64 bytes are read lie in the block.
func (r *nestedRun512) fields(bit reg.GPVirtual, array int) reg.VecVirtual {
	r.within(bit)
	first, width, row := r.GP64(), r.GP64(), r.GP64()
	x, shift := r.ZMM(), r.ZMM()
	r.MOVQ(r.widths[array], width)
	r.MOVQ(bit, first)
	at := r.address512(first)
	r.LEAQ(operand.Mem{Base: first, Index: width, Scale: 8}, first)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: first, Scale: 8, Disp: runShifts}, shift)
	r.MOVQ(width, row)
	r.SHLQ(operand.U8(6), row)
	r.VMOVDQU64(operand.Mem{Base: r.tab, Index: row, Scale: 1, Disp: runIndex}, x)
	r.VPERMB(operand.Mem{Base: at}, x, x)
	r.VPMULTISHIFTQB(x, shift, x)
	r.VPANDQ_BCST(operand.Mem{Base: r.tab, Index: width, Scale: 8, Disp: runMasks}, x, x)

	r.skip(bit, r.count, array)
	r.within(bit)
	n := r.word(bit)
	r.MOVQ(r.counts[array], first)
	r.BZHIQ(first, n, n)
	r.ADDQ(first, bit)
	r.CMPQ(n, operand.U8(7))
	r.stopIf(r.JHI)
	r.VPADDB(r.nested(bit, n, array), x, x)
	return x
}

// nested reads the n exceptions, at most seven, of an array's values into the bytes of
// their places.
func (r *nestedRun512) nested(bit, n reg.GPVirtual, array int) reg.VecVirtual {
	sum, bits, ones := r.word(bit), r.GP64(), r.bytes(byteOnes)
	r.MOVQ(n, bits)
	r.SHLQ(operand.U8(3), bits)
	r.PDEPQ(r.masks[array+1], sum, sum)
	r.ADDQ(ones, sum)
	r.BZHIQ(bits, sum, sum)
	// Sums of all bytes up to each. The first beyond 127 is below 256.
	r.IMULQ(ones, sum)
	r.TESTQ(r.bytes(byteHighs), sum)
	r.stopIf(r.JNE)
	last := r.GP64()
	r.MOVQ(sum, last)
	r.SHRQ(operand.U8(56), last)
	r.CMPQ(last, r.count)
	r.stopIf(r.JHI)
	// Those behind the last are the same once more; with none, all shift ones out of sight.
	r.SUBQ(ones, sum)
	places, half := r.ZMM(), r.ZMM()
	r.VMOVQ(sum, places.AsX())
	r.VPMOVZXBQ(places.AsX(), places)
	r.VPSLLVQ(places, r.one, places)
	r.VEXTRACTI64X4(operand.U8(1), places, half.AsY())
	r.VPORQ(half.AsY(), places.AsY(), places.AsY())
	r.VEXTRACTI64X2(operand.U8(1), places.AsY(), half.AsX())
	r.VPORQ(half.AsX(), places.AsX(), places.AsX())
	r.VPSHUFD(operand.U8(0xee), places.AsX(), half.AsX())
	r.VPORQ(half.AsX(), places.AsX(), places.AsX())
	bitmap, k := r.GP64(), r.K()
	r.VMOVQ(places.AsX(), bitmap)
	r.KMOVQ(bitmap, k)

	r.skip(bit, n, array+1)
	over := r.word(bit)
	r.skip(bit, n, array+2)
	r.PDEPQ(r.masks[array+2], over, over)
	r.BZHIQ(bits, over, over)
	if array == arrOverflows {
		tall := r.GP64()
		r.MOVQ(r.bytes(2*byteOnes), tall)
		r.ADDQ(over, tall)
		r.ORQ(over, tall)
		r.TESTQ(tall, r.tall)
		r.stopIf(r.JNE)
	}
	width := r.GP64()
	r.MOVQ(r.widths[array], width)
	r.ADDQ(ones, over)
	r.SHLXQ(width, over, over)
	x := r.ZMM()
	r.VMOVQ(over, x.AsX())
	r.VPEXPANDB_Z(x, k, x)
	return x
}

// bitmap sums the offsets and leaves the bitmap of positions in lo and hi.
func (r *nestedRun512) bitmap(x reg.VecVirtual) {
	all, active, zero := r.GP64(), r.K(), r.ZMM()
	r.MOVQ(operand.I32(-1), all)
	r.BZHIQ(r.count, all, all)
	r.KMOVQ(all, active)
	r.VPSUBB_Z(r.ones, x, active, x)
	r.VPXORQ(zero, zero, zero)
	// Sums of quadwords up to each. The last is the last position, plus one.
	sums, y, beyond := r.ZMM(), r.ZMM(), r.K()
	r.VPSADBW(zero, x, sums)
	for _, by := range []uint8{1, 2, 4} {
		r.VALIGNQ(operand.U8(8-by), zero, sums, y)
		r.VPADDQ(y, sums, sums)
	}
	r.VPCMPUQ_BCST(operand.U8(6), r.words("beyond", 128, 0), sums, beyond) // greater
	r.KORTESTW(beyond, beyond)
	r.stopIf(r.JNE)
	r.VALIGNQ(operand.U8(7), zero, sums, y)
	for _, by := range []uint8{8, 16, 32} {
		z := r.ZMM()
		r.VPSLLQ(operand.U8(by), x, z)
		r.VPADDB(z, x, x)
	}
	r.VPSHUFB(r.words("lowest", repeat(2, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808)...), y, y)
	r.VPADDB(y, x, x)
	r.VPADDB(r.ones, x, x)

	// Those behind the last are the same once more.
	lower, upper := r.ZMM(), r.ZMM()
	eighth := r.K()
	r.KMOVQ(r.bytes(byteOnes), eighth)
	for pair := range 4 {
		if pair == 2 {
			r.CMPQ(r.count, operand.U8(32))
			r.JLE(r.label("few"))
		}
		var a, b [2]reg.VecVirtual
		for i := range a {
			a[i], b[i] = r.ZMM(), r.ZMM()
			r.VMOVDQU64(r.words("eighth"+string(rune('0'+2*pair+i)), eighths(8*(2*pair+i))...), a[i])
			r.VPERMB_Z(x, a[i], eighth, a[i])
			r.VPSUBQ(r.sixtyFour, a[i], b[i])
			r.VPSLLVQ(a[i], r.one, a[i])
			r.VPSLLVQ(b[i], r.one, b[i])
		}
		if pair == 0 {
			r.VPORQ(a[0], a[1], lower)
			r.VPORQ(b[0], b[1], upper)
			continue
		}
		const or = 0xfe // ternary logic: a|b|c
		r.VPTERNLOGQ(operand.U8(or), a[0], a[1], lower)
		r.VPTERNLOGQ(operand.U8(or), b[0], b[1], upper)
	}
	r.Label(r.name + "_few")
	// Eight quadwords of each into one.
	both, half := r.ZMM(), r.ZMM()
	r.VPUNPCKLQDQ(upper, lower, both)
	r.VPUNPCKHQDQ(upper, lower, half)
	r.VPORQ(half, both, both)
	r.VEXTRACTI64X4(operand.U8(1), both, half.AsY())
	r.VPORQ(half.AsY(), both.AsY(), both.AsY())
	r.VEXTRACTI64X2(operand.U8(1), both.AsY(), half.AsX())
	r.VPORQ(half.AsX(), both.AsX(), both.AsX())
	r.lo, r.hi = r.GP64(), r.GP64()
	r.VMOVQ(both.AsX(), r.lo)
	r.VPEXTRQ(operand.U8(1), both.AsX(), r.hi)
}
