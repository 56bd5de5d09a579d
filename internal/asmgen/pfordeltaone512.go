package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, pfordeltaOne512) }

// pfordeltaOne512 generates functions that decode one full block of a list of level 1 faster than
// those that decode blocks in a row do. Offsets and overflows are bytes of one vector each, at
// most 64 of them; the few exceptions among those are bytes of a general register. There is
// no loop over either, as no branch would foresee where it ends, and nothing goes through memory.
//
// A block takes some 80 vector operations for its exceptions, on two ports, beside the 120 for
// its values.
func pfordeltaOne512(out output) error {
	a := newAssembler()
	for _, kind := range []string{"Docs", "Freqs"} {
		a.pfordeltaOne512(kind)
	}
	return a.write(out, "format/codec/pfordelta", "pfordelta", "one512")
}

type nestedOne512 struct{ *nestedList512 }

func (a *assembler) pfordeltaOne512(kind string) {
	const few = 7
	r := &nestedOne512{&nestedList512{run512: a.newRun512(kind, lower1(kind)+"One512", blocksSignature,
		"decodes a full block of "+kind+", of a list of level 1.")}}
	r.Attributes(attr.Attribute(0)) // the frame is large: there must be a check of the stack
	r.list(byteOnes, few)
	r.locate()
	bytes := r.overflows()
	r.table()
	over := r.spread(bytes)
	for k := range 8 {
		r.put(k, r.values(k), over(k))
	}
	r.check()
	r.DECQ(r.left)
	r.finish()
}

// overflows reads those of a block, as bytes of their values' places.
func (r *nestedOne512) overflows() (bytes [2]reg.VecVirtual) {
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

// fields reads count values of an array at bit, and the exceptions among them, into bytes.
// Bits of which 64 bytes are read lie in the block.
func (r *nestedOne512) fields(bit reg.GPVirtual, array int) reg.VecVirtual {
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
	n := r.peek(bit)
	r.MOVQ(r.counts[array], first)
	r.BZHIQ(first, n, n)
	r.ADDQ(first, bit)
	r.CMPQ(n, r.later[array])
	r.stopIf(r.JHI)
	r.VPADDB(r.exceptions(bit, n, array), x, x)
	return x
}

// exceptions reads the n exceptions, at most seven, of an array's values into the bytes of
// their places.
func (r *nestedOne512) exceptions(bit, n reg.GPVirtual, array int) reg.VecVirtual {
	sum, bits, ones := r.peek(bit), r.GP64(), r.word(byteOnes)
	r.MOVQ(n, bits)
	r.SHLQ(operand.U8(3), bits)
	r.PDEPQ(r.masks[array+1], sum, sum)
	r.ADDQ(ones, sum)
	r.BZHIQ(bits, sum, sum)
	// Sums of all bytes up to each. The first beyond 127 is below 256.
	r.IMULQ(ones, sum)
	r.TESTQ(r.word(byteHighs), sum)
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
	over := r.peek(bit)
	r.skip(bit, n, array+2)
	r.PDEPQ(r.masks[array+2], over, over)
	if array == arrOverflows {
		tall := r.GP64()
		r.MOVQ(r.word(2*byteOnes), tall)
		r.ADDQ(over, tall)
		r.ORQ(over, tall)
		r.BZHIQ(bits, tall, tall)
		r.TESTQ(tall, r.tall)
		r.stopIf(r.JNE)
	}
	width := r.GP64()
	r.MOVQ(r.widths[array], width)
	r.BZHIQ(bits, over, over)
	r.ADDQ(ones, over)
	r.SHLXQ(width, over, over)
	x := r.ZMM()
	r.VMOVQ(over, x.AsX())
	r.VPEXPANDB_Z(x, k, x)
	return x
}

// bitmap sums the offsets and leaves the bitmap of positions in lo and hi.
func (r *nestedOne512) bitmap(x reg.VecVirtual) {
	all, active, zero := r.GP64(), r.K(), r.ZMM()
	r.MOVQ(operand.I32(-1), all)
	r.BZHIQ(r.count, all, all)
	r.KMOVQ(all, active)
	r.VPADDUSB_Z(r.byteOnes(), x, active, x)
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
	r.KMOVQ(r.word(byteOnes), eighth)
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
