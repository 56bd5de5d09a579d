package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sum is the pass that turns offsets to positions, 64 at a time.
func (r *nestedRun512) sum() {
	unit, from, count := r.GP64(), r.GP64(), r.GP64()
	shift, zero := r.ZMM(), r.ZMM()
	r.XORQ(unit, unit)
	r.CMPQ(unit, r.units)
	r.JEQ(r.label("summed"))
	// Words of overflows are written two bytes at a time, from the byte that they begin in.
	r.MOVQ(r.widths[arrValues], from)
	r.ANDQ(operand.U8(7), from)
	r.VPBROADCASTW(from.As32(), shift)
	r.VPXORQ(zero, zero, zero)
	r.Label(r.name + "_sum")
	r.MOVQ(r.unitFrom.Idx(unit, 8), from)
	r.MOVQ(r.unitCount.Idx(unit, 8), count)
	all, active, x := r.GP64(), r.K(), r.ZMM()
	r.MOVQ(operand.I32(-1), all)
	r.BZHIQ(count, all, all)
	r.KMOVQ(all, active)
	r.VMOVDQU64(r.byteOnes(), x)
	r.VPADDUSB_Z(r.bytes.Idx(from, 1), x, active, x)
	// Sums of quadwords up to each. The last is the last position, plus one.
	sums, y, beyond := r.ZMM(), r.ZMM(), r.K()
	r.VPSADBW(zero, x, sums)
	for _, by := range []uint8{1, 2, 4} {
		r.VALIGNQ(operand.U8(8-by), zero, sums, y)
		r.VPADDQ(y, sums, sums)
	}
	r.VALIGNQ(operand.U8(7), zero, sums, y)
	r.CMPQ(count, operand.U32(unitMore))
	r.JCC(r.label("more"))
	r.Label(r.name + "_carried")
	r.VPCMPUQ_BCST(operand.U8(6), r.words("beyond", 128, 0), sums, beyond) // greater
	r.KORTESTW(beyond, beyond)
	r.JNE(r.label("fell"))
	for _, by := range []uint8{8, 16, 32} {
		z := r.ZMM()
		r.VPSLLQ(operand.U8(by), x, z)
		r.VPADDB(z, x, x)
	}
	r.VPSHUFB(r.words("lowest", repeat(2, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808)...), y, y)
	r.VPADDB(y, x, x)
	r.VPADDB(r.ones, x, x)
	r.VMOVDQU64(x, r.sorted)
	for half := range 2 {
		position, over := r.ZMM(), r.ZMM()
		r.VPMOVZXBW(r.sorted.Offset(32*half), position)
		r.VPADDD_BCST(r.unitBase.Idx(unit, 8), position, position)
		r.VMOVDQU64(position, r.positions.Offset(64*half).Idx(from, 2))
		r.VPMOVZXBW(r.bytes.Offset(partBytes+32*half).Idx(from, 1), over)
		r.VPSLLVW(shift, over, over)
		r.VMOVDQU64(over, r.over.Offset(64*half).Idx(from, 2))
	}
	r.INCQ(unit)
	r.CMPQ(unit, r.units)
	r.JNE(r.label("sum"))

	r.late = append(r.late, func() {
		// The block's former unit ended with the position before.
		r.Label(r.name + "_more")
		carry, last := r.ZMM(), r.GP64()
		r.MOVWQZX(r.positions.Offset(-2).Idx(from, 2), last)
		r.ANDQ(operand.U8(127), last)
		r.INCQ(last)
		r.VPBROADCASTQ(last, carry)
		r.VPADDQ(carry, sums, sums)
		r.VPADDQ(carry, y, y)
		r.JMP(r.label("carried"))

		// The blocks before are in order.
		r.Label(r.name + "_fell")
		k, back := r.GP64(), r.GP64()
		r.MOVL(r.unitBase.Idx(unit, 8), k.As32())
		r.SHRL(operand.U8(16+7), k.As32())
		r.MOVQ(k, back)
		r.SUBQ(r.ready, back)
		r.SHLQ(operand.U8(2), back)
		r.ADDQ(back, r.ends)
		r.MOVQ(k, r.ready)
		r.JMP(r.label("summed"))
	})
}

// scatter is the pass that writes overflows to the words of their values.
func (r *nestedRun512) scatter(ready reg.GPVirtual) {
	const (
		step    = 8
		nowhere = partValues | partValues<<16
	)
	i, end, words := r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.starts.Idx(ready, 8), end)
	r.MOVQ(r.widths[arrValues], words)
	r.SHRQ(operand.U8(3), words)
	r.ADDQ(r.values512, words)
	// Up to a multiple of a step, they go where no value is.
	pad := r.ZMM()
	r.VMOVDQU64(r.words("nowhere", repeat(4, nowhere)...), pad.AsX())
	r.VMOVDQU64(pad.AsX(), r.positions.Idx(end, 2))
	r.XORQ(i, i)
	r.TESTQ(end, end)
	r.JEQ(r.label("scattered"))
	r.Label(r.name + "_scatter")
	for k := range step {
		at, over := r.GP64(), r.GP64()
		r.MOVWQZX(r.positions.Offset(2*k).Idx(i, 2), at)
		r.MOVWLZX(r.over.Offset(2*k).Idx(i, 2), over.As32())
		r.MOVW(over.As16(), operand.Mem{Base: words, Index: at, Scale: 4})
	}
	r.ADDQ(operand.U8(step), i)
	r.CMPQ(i, end)
	r.JCS(r.label("scatter"))
	r.Label(r.name + "_scattered")
}

// write writes the values, and clears the words of overflows.
func (r *nestedRun512) write() {
	k, over, zero := r.GP64(), r.GP64(), r.ZMM()
	r.width = r.GP64()
	r.MOVQ(r.widths[arrValues], r.width)
	r.row, r.mask = r.GP64(), r.ZMM()
	r.IMUL3Q(operand.U32(runWidthSize), r.width, r.row)
	r.ADDQ(r.tab, r.row)
	r.VPBROADCASTD(operand.Mem{Base: r.row, Disp: runWidths + 32}, r.mask)
	r.VPXORQ(zero, zero, zero)
	r.MOVQ(r.values512, over)
	r.XORQ(k, k)
	r.Label(r.name + "_values")
	r.low = r.GP64()
	r.MOVQ(r.lows.Idx(k, 8), r.low)
	if r.kind == "Docs" {
		r.VPBROADCASTD(r.before, r.scan.carry)
	}
	for i := range 8 {
		m := operand.Mem{Base: over, Disp: 64 * i}
		r.put(i, r.values(i), m)
		r.VMOVDQU64(zero, m)
	}
	r.check()
	r.ADDQ(operand.U32(512), r.dst)
	r.ADDQ(operand.U32(512), over)
	r.DECQ(r.left)
	r.INCQ(k)
	r.CMPQ(k, r.ready)
	r.JNE(r.label("values"))
}
