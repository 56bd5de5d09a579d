package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the tables of package patch (runtable_amd64.go).
const (
	runIndex     = 0                 // by width of overflows: bytes of eight fields to each quadword
	runShifts    = runIndex + 8*64   // by that and the first bit: shifts of eight fields
	runMasks     = runShifts + 8*8*8 // by that: mask of every field
	runPositions = runMasks + 64     // by width of positions: mask of every position
	runEighths   = runPositions + 64 // by that: first bits of eight positions
	runSpread    = runEighths + 8*64 // sixteen bytes to words
	runWidths    = runSpread + 4*64  // by width of low bits
	runWidthSize = 64 + 8*(64+64)    // of one of them
	runMaxWidth  = 24                // the last
)

// address512 returns where the byte of a bit of the block lies, and leaves the bit within it in
// bit.
func (r *run512) address512(bit reg.GPVirtual) reg.GPVirtual {
	at := r.GP64()
	r.MOVQ(bit, at)
	r.SHRQ(operand.U8(3), at)
	r.ADDQ(r.src, at)
	r.ANDQ(operand.U8(7), bit)
	return at
}

// find leaves the bitmap of the exceptions of a Plan in lo and hi and the first bit of the
// overflows in bit.
func (r *run512) find() {
	r.lo, r.hi = r.GP64(), r.GP64()
	r.CMPQ(r.count, operand.U8(16))
	r.JGT(r.label("mapped"))
	seven := r.GP64()
	r.MOVQ(operand.U32(7), seven)
	r.list(seven)
	r.JMP(r.label("found"))

	r.Label(r.name + "_mapped")
	bit, top, c, d := r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.bit, bit)
	at := r.address512(bit)
	r.MOVQ(operand.Mem{Base: at}, r.lo)
	r.MOVQ(operand.Mem{Base: at, Disp: 8}, r.hi)
	r.MOVBQZX(operand.Mem{Base: at, Disp: 16}, top)
	r.MOVQ(bit, reg.RCX)
	r.SHRQ(reg.CL, r.hi, r.lo)
	r.SHRQ(reg.CL, top, r.hi)
	r.POPCNTQ(r.lo, c)
	r.POPCNTQ(r.hi, d)
	r.ADDQ(d, c)
	r.CMPQ(c, r.count)
	r.stopIf(r.JNE)
	r.ADDQ(operand.U32(128), r.bit)
	r.Label(r.name + "_found")
}

// list turns at most sixteen positions of so many bits, which must ascend, into the bitmap,
// in two vectors of quadwords.
func (r *run512) list(pos reg.GPVirtual) {
	bit, x, mask := r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.bit, bit)
	at := r.address512(bit)
	// Eight positions are as many bytes as they have bits each.
	var p [2]reg.VecVirtual
	p[0], p[1] = r.ZMM(), r.ZMM()
	r.VPBROADCASTQ(operand.Mem{Base: at}, p[0])
	r.VPBROADCASTQ(operand.Mem{Base: at, Index: pos, Scale: 1}, p[1])
	shift, ones, sixtyFour, before := r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM()
	r.VPBROADCASTQ(bit, shift)
	r.MOVQ(pos, x)
	r.SHLQ(operand.U8(6), x)
	r.VPADDQ(operand.Mem{Base: r.tab, Index: x, Scale: 1, Disp: runEighths}, shift, shift)
	constants := r.words("one", 1, 0, 64, 0)
	r.VPBROADCASTQ(constants, ones)
	r.VPBROADCASTQ(constants.Offset(8), sixtyFour)
	r.VPTERNLOGD(operand.U8(0xff), before, before, before)
	r.MOVQ(operand.I32(-1), mask)
	r.BZHIQ(r.count, mask, mask)
	var active, falls [2]reg.OpmaskVirtual
	for v := range p {
		active[v], falls[v] = r.K(), r.K()
		if v == 1 {
			r.SHRL(operand.U8(8), mask.As32())
		}
		r.KMOVW(mask.As32(), active[v])
		r.VPSRLVQ(shift, p[v], p[v])
		r.VPANDQ_BCST(operand.Mem{Base: r.tab, Index: pos, Scale: 8, Disp: runPositions}, p[v], p[v])
		y := r.ZMM()
		r.VALIGNQ(operand.U8(7), before, p[v], y)
		r.VPCMPQ(operand.U8(2), y, p[v], active[v], falls[v]) // less or equal
		before = p[v]
	}
	r.KORTESTW(falls[0], falls[1])
	r.stopIf(r.JNE)
	var lower, upper [2]reg.VecVirtual
	for v := range p {
		lower[v], upper[v] = r.ZMM(), r.ZMM()
		r.VPSLLVQ_Z(p[v], ones, active[v], lower[v])
		r.VPSUBQ(sixtyFour, p[v], p[v])
		r.VPSLLVQ_Z(p[v], ones, active[v], upper[v])
	}
	r.VPORQ(lower[1], lower[0], lower[0])
	r.VPORQ(upper[1], upper[0], upper[0])
	// Eight quadwords of each into one.
	both, half := r.ZMM(), r.ZMM()
	r.VPUNPCKLQDQ(upper[0], lower[0], both)
	r.VPUNPCKHQDQ(upper[0], lower[0], half)
	r.VPORQ(half, both, both)
	r.VEXTRACTI64X4(operand.U8(1), both, half.AsY())
	r.VPORQ(half.AsY(), both.AsY(), both.AsY())
	r.VEXTRACTI64X2(operand.U8(1), both.AsY(), half.AsX())
	r.VPORQ(half.AsX(), both.AsX(), both.AsX())
	r.VMOVQ(both.AsX(), r.lo)
	r.VPEXTRQ(operand.U8(1), both.AsX(), r.hi)

	r.MOVQ(r.count, x)
	r.IMULQ(pos, x)
	r.ADDQ(x, r.bit)
}

// overflows reads the overflows at bit into bytes, expands those to all values' places, and returns
// what brings sixteen of them to words, above the low bits.
func (r *run512) overflows() func(k int) reg.VecVirtual {
	const everyFourth = 0x1111111111111111
	ones, index, mask, width := r.ZMM(), r.GP64(), r.ZMM(), r.ZMM()
	if !r.listed {
		r.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	}
	r.MOVQ(r.over, index)
	r.SHLQ(operand.U8(6), index)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: r.over, Scale: 8, Disp: runMasks}, mask)
	var bytes [2]reg.VecVirtual
	for h, bitmap := range []reg.GPVirtual{r.lo, r.hi} {
		if h == 1 {
			count := r.GP64()
			r.POPCNTQ(r.lo, count)
			r.IMULQ(r.over, count)
			r.ADDQ(count, r.bit)
		}
		bit, x, shift, k := r.GP64(), r.ZMM(), r.ZMM(), r.K()
		r.MOVQ(r.bit, bit)
		at := r.address512(bit)
		r.LEAQ(operand.Mem{Base: bit, Index: r.over, Scale: 8}, bit)
		r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: bit, Scale: 8, Disp: runShifts}, shift)
		r.VMOVDQU64(operand.Mem{Base: r.tab, Index: index, Scale: 1, Disp: runIndex}, x)
		r.VPERMB(operand.Mem{Base: at}, x, x)
		r.VPMULTISHIFTQB(x, shift, x)
		r.VPANDQ(mask, x, x)
		if !r.listed {
			r.VPSUBB(ones, x, x)
		}
		r.KMOVQ(bitmap, k)
		bytes[h] = r.ZMM()
		r.VPEXPANDB_Z(x, k, bytes[h])
	}
	x, fourth := r.GP64(), r.K()
	r.MOVQ(operand.U64(everyFourth), x)
	r.KMOVQ(x, fourth)
	r.VPBROADCASTD(r.width.As32(), width)
	return func(k int) reg.VecVirtual {
		v := r.ZMM()
		r.VMOVDQU64(operand.Mem{Base: r.tab, Disp: runSpread + k%4*64}, v)
		r.VPERMB_Z(bytes[k/4], v, fourth, v)
		r.VPSLLVD(width, v, v)
		return v
	}
}
