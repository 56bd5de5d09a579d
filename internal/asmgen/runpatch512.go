package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the tables of package patch (runtable_amd64.go).
const (
	runIndex     = 0                  // by width of overflows: bytes of eight fields to each quadword
	runShifts    = runIndex + 8*64    // by that and the first bit: shifts of eight fields
	runMasks     = runShifts + 8*8*8  // by that: mask of every field
	runPositions = runMasks + 64      // by width of positions: mask of every position
	runEighths   = runPositions + 64  // by that: first bits of eight positions
	runSpread    = runEighths + 8*64  // sixteen bytes to words
	runNumbers   = runSpread + 4*64   // 0 to 127, in bytes
	runBeyond    = runNumbers + 2*64  // by number of positions: what makes those there are not large
	runParts     = runBeyond + 17*128 // words of two vectors: even, odd, first and last of those
	runWidths    = runParts + 4*64    // by width of low bits
	runWidthSize = 64 + 8*(64+64)     // of one of them
	runMaxWidth  = 24                 // the last
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
	const andOr = 0xea // ternary logic: (a&b)|c, a being the destination and c the first operand
	bit, x := r.GP64(), r.GP64()
	r.MOVQ(r.bit, bit)
	at := r.address512(bit)
	// Eight positions are as many bytes as they have bits each.
	p := [2]reg.VecVirtual{r.ZMM(), r.ZMM()}
	r.VPBROADCASTQ(operand.Mem{Base: at}, p[0])
	r.VPBROADCASTQ(operand.Mem{Base: at, Index: pos, Scale: 1}, p[1])
	shift, mask := r.ZMM(), r.ZMM()
	r.VPBROADCASTQ(bit, shift)
	r.MOVQ(pos, x)
	r.SHLQ(operand.U8(6), x)
	r.VPADDQ(operand.Mem{Base: r.tab, Index: x, Scale: 1, Disp: runEighths}, shift, shift)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: pos, Scale: 8, Disp: runPositions}, mask)
	r.MOVQ(r.count, x)
	r.SHLQ(operand.U8(7), x)
	before, falls := r.ones, [2]reg.OpmaskVirtual{r.K(), r.K()}
	for v := range p {
		y := r.ZMM()
		r.VPSRLVQ(shift, p[v], p[v])
		r.VPTERNLOGQ(operand.U8(andOr), operand.Mem{Base: r.tab, Index: x, Scale: 1, Disp: runBeyond + 64*v}, mask, p[v])
		r.VALIGNQ(operand.U8(7), before, p[v], y)
		r.VPCMPQ(operand.U8(2), y, p[v], falls[v]) // less or equal
		before = p[v]
	}
	r.KORTESTW(falls[0], falls[1])
	r.stopIf(r.JNE)
	var lower, upper [2]reg.VecVirtual
	for v := range p {
		lower[v], upper[v] = r.ZMM(), r.ZMM()
		r.VPSLLVQ(p[v], r.one, lower[v])
		r.VPSUBQ(r.sixtyFour, p[v], p[v])
		r.VPSLLVQ(p[v], r.one, upper[v])
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
	x, y, count := r.ZMM(), r.ZMM(), r.GP64()
	r.fields(x)
	r.POPCNTQ(r.lo, count)
	r.CMPQ(r.count, operand.U8(64))
	r.JHI(r.label("many"))
	// The first 64 are all of them: the upper half of the values has those that the lower half leaves.
	r.VMOVDQU64(operand.Mem{Base: r.tab, Index: count, Scale: 1, Disp: runNumbers}, y)
	r.VPERMB(x, y, y)
	r.Label(r.name + "_read")
	r.late = append(r.late, func() {
		r.Label(r.name + "_many")
		r.IMULQ(r.over, count)
		r.ADDQ(count, r.bit)
		r.fields(y)
		r.JMP(r.label("read"))
	})
	var bytes [2]reg.VecVirtual
	for h, bitmap := range []reg.GPVirtual{r.lo, r.hi} {
		k := r.K()
		bytes[h] = r.ZMM()
		r.KMOVQ(bitmap, k)
		r.VPEXPANDB_Z([]reg.VecVirtual{x, y}[h], k, bytes[h])
	}
	return r.spread(bytes)
}

// spread returns what brings sixteen of the overflows in bytes to words, above the low bits.
func (r *run512) spread(bytes [2]reg.VecVirtual) func(k int) reg.VecVirtual {
	width := r.ZMM()
	r.VPBROADCASTD(r.width.As32(), width)
	return func(k int) reg.VecVirtual {
		v := r.ZMM()
		r.VMOVDQU64(operand.Mem{Base: r.tab, Disp: runSpread + k%4*64}, v)
		r.VPERMB_Z(bytes[k/4], v, r.fourth, v)
		r.VPSLLVD(width, v, v)
		return v
	}
}

// fields reads 64 overflows from bit on to x.
func (r *run512) fields(x reg.VecVirtual) {
	bit, index, shift := r.GP64(), r.GP64(), r.ZMM()
	r.MOVQ(r.bit, bit)
	at := r.address512(bit)
	r.MOVQ(r.over, index)
	r.SHLQ(operand.U8(6), index)
	r.LEAQ(operand.Mem{Base: bit, Index: r.over, Scale: 8}, bit)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: bit, Scale: 8, Disp: runShifts}, shift)
	r.VMOVDQU64(operand.Mem{Base: r.tab, Index: index, Scale: 1, Disp: runIndex}, x)
	r.VPERMB(operand.Mem{Base: at}, x, x)
	r.VPMULTISHIFTQB(x, shift, x)
	r.VPANDQ_BCST(operand.Mem{Base: r.tab, Index: r.over, Scale: 8, Disp: runMasks}, x, x)
	if !r.listed {
		r.VPSUBB(r.ones, x, x)
	}
}
