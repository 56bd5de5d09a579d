package main

import "github.com/mmcloughlin/avo/operand"

// sum is the pass that sums offsets over all blocks, 32 at a time, and shifts overflows to where
// they belong in a value.
func (r *nestedRun512) sum() {
	i, end := r.GP64(), r.GP64()
	shift, zero, carry, last, spread := r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM()
	r.MOVQ(r.ready, end)
	r.MOVQ(r.starts.Idx(end, 8), end)
	r.TESTQ(end, end)
	r.JEQ(r.label("summed"))
	// Words of overflows are written two bytes at a time, from the byte that they begin in.
	r.MOVQ(r.widths[arrValues], i)
	r.ANDQ(operand.U8(7), i)
	r.VPBROADCASTW(i.As32(), shift)
	r.VPXORQ(zero, zero, zero)
	r.VPXORQ(carry, carry, carry)
	r.VPBROADCASTQ(r.words("seven", 7, 0), last)
	r.VMOVDQU64(r.words("lowWord"), spread)
	r.XORQ(i, i)
	r.Label(r.name + "_sum")
	x, y, over, total, sums := r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM()
	r.VPMOVZXBW(r.bytes.Idx(i, 1), x)
	r.VPSUBW(r.ones, x, x)
	r.VPMOVZXBW(r.bytes.Offset(partBytes).Idx(i, 1), over)
	r.VPSLLVW(shift, over, over)
	r.VMOVDQU64(over, r.over.Idx(i, 2))
	for _, by := range []uint8{16, 32} {
		r.VPSLLQ(operand.U8(by), x, y)
		r.VPADDW(y, x, x)
	}
	// Sums of quadwords up to each.
	r.VPSRLQ(operand.U8(48), x, total)
	r.VALIGNQ(operand.U8(7), zero, total, y)
	r.VPADDQ(y, total, sums)
	for _, by := range []uint8{2, 4} {
		r.VALIGNQ(operand.U8(8-by), zero, sums, y)
		r.VPADDQ(y, sums, sums)
	}
	r.VPADDQ(carry, sums, sums)
	r.VPERMQ(sums, last, carry)
	r.VPSUBQ(total, sums, sums) // before each
	r.VPSHUFB(spread, sums, sums)
	r.VPADDW(sums, x, x)
	r.VMOVDQU64(x, r.sums.Idx(i, 2))
	r.ADDQ(operand.U8(32), i)
	r.CMPQ(i, end)
	r.JCS(r.label("sum"))
	r.Label(r.name + "_summed")
}

// place is the pass that turns sums to positions.
func (r *nestedRun512) place() {
	k, from, next, before, after, first := r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	by := r.ZMM()
	r.XORQ(k, k)
	r.XORQ(from, from)
	r.XORQ(before, before)
	r.MOVQ(operand.I32(-1), first)
	r.CMPQ(k, r.ready)
	r.JEQ(r.label("positioned"))
	r.Label(r.name + "_place")
	r.MOVQ(r.starts.Offset(8).Idx(k, 8), next)
	r.MOVWLZX(r.sums.Offset(-2).Idx(next, 2), after.As32())
	most := r.GP64()
	r.LEAQ(operand.Mem{Base: before, Disp: 128}, most)
	r.SUBL(after.As32(), most.As32())
	r.CMPW(most.As16(), operand.U16(128))
	r.JHI(r.label("fell"))
	base := r.GP64()
	r.MOVQ(first, base)
	r.SUBQ(before, base)
	r.VPBROADCASTW(base.As32(), by)
	for half := range 2 {
		position := r.ZMM()
		r.VPADDW(r.sums.Offset(64*half).Idx(from, 2), by, position)
		r.VMOVDQU64(position, r.positions.Offset(64*half).Idx(from, 2))
	}
	r.MOVQ(next, from)
	r.MOVQ(after, before)
	r.ADDQ(operand.U32(128), first)
	r.INCQ(k)
	r.CMPQ(k, r.ready)
	r.JNE(r.label("place"))
	tall := r.GP64()
	r.Label(r.name + "_positioned")
	r.MOVQ(r.tallBlocks, tall)
	r.TESTQ(tall, tall)
	r.JNE(r.label("higher"))
	r.Label(r.name + "_higher_done")

	r.late = append(r.late, func() {
		// The blocks before are in order.
		r.Label(r.name + "_fell")
		r.MOVQ(k, r.ready)
		r.JMP(r.label("positioned"))

		r.Label(r.name + "_higher")
		rest, all, those := r.GP64(), r.GP64(), r.K()
		r.TZCNTQ(tall, k)
		r.rest(k, rest, all)
		r.MOVQ(r.starts.Idx(k, 8), from)
		r.MOVWLZX(r.sums.Offset(-2).Idx(from, 2), before.As32())
		r.MOVQ(k, first)
		r.SHLQ(operand.U8(7), first)
		r.DECQ(first)
		r.SUBQ(before, first)
		r.VPBROADCASTW(first.As32(), by)
		for half := range 2 {
			position := r.ZMM()
			r.VPADDW(r.sums.Offset(128+64*half).Idx(from, 2), by, position)
			if half == 1 {
				r.SHRQ(operand.U8(32), all)
			}
			r.KMOVD(all.As32(), those)
			r.VMOVDQU16(position, those, r.positions.Offset(128+64*half).Idx(from, 2))
		}
		r.BLSRQ(tall, tall)
		r.JNE(r.label("higher"))
		r.JMP(r.label("higher_done"))
	})
}
