package main

import (
	"github.com/mmcloughlin/avo/operand"
)

func init() { generators = append(generators, encode512) }

// encode512 generates what an encoder of patched blocks asks of their values.
func encode512(out output) error {
	a := newAssembler()
	a.exceed512()
	a.split512()
	return a.write(out, "format/codec/internal/patch", "patch", "encode512")
}

// exceed512 counts with the leading zeros of every value in a byte.
func (a *assembler) exceed512() {
	a.function("exceed512", "func(count *uint32, v *uint32, n, full uint64) (most uint32)",
		"exceed512 writes to count[b] how many of n values, 1 to 128, need more than b bits, for b",
		"below full, and returns the greatest. None needs more than full bits, which is 1 to 32.")
	count, v, n, full := a.arg("count"), a.arg("v"), a.arg("n"), a.arg("full")
	buffer := a.AllocLocal(128)
	to := a.GP64()
	a.LEAQ(buffer, to)
	x, most := a.ZMM(), a.ZMM()
	a.VPXORD(most, most, most)
	for k := range 8 {
		mask := a.K()
		a.tail(n, mask)
		a.VMOVDQU32_Z(operand.Mem{Base: v, Disp: 64 * k}, mask, x)
		a.VPMAXUD(x, most, most)
		a.VPLZCNTD(x, x)
		a.VPMOVDB(x, operand.Mem{Base: to, Disp: 16 * k})
		if k < 7 {
			zero := a.GP64()
			a.XORQ(zero, zero)
			a.SUBQ(operand.U8(16), n)
			a.CMOVQLT(zero, n)
		}
	}
	first, second, limit, one := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	a.VMOVDQU64(operand.Mem{Base: to}, first)
	a.VMOVDQU64(operand.Mem{Base: to, Disp: 64}, second)

	// More than b bits means fewer than 32-b leading zeros.
	r, c, d, ones := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(operand.U32(32+1), r)
	a.SUBQ(full, r)
	a.VPBROADCASTB(r.As32(), limit)
	a.MOVQ(operand.U32(1), ones)
	a.VPBROADCASTB(ones.As32(), one)
	k, l := a.K(), a.K()
	a.Label("width")
	const less = 1
	a.VPCMPUB(operand.U8(less), limit, first, k)
	a.VPCMPUB(operand.U8(less), limit, second, l)
	a.KMOVQ(k, c)
	a.KMOVQ(l, d)
	a.POPCNTQ(c, c)
	a.POPCNTQ(d, d)
	a.ADDQ(d, c)
	a.MOVL(c.As32(), operand.Mem{Base: count, Index: full, Scale: 4, Disp: -4})
	a.VPADDB(one, limit, limit)
	a.DECQ(full)
	a.JNZ(operand.LabelRef("width"))

	// The greatest of sixteen.
	y := a.ZMM()
	a.VEXTRACTI64X4(operand.U8(1), most, y.AsY())
	a.VPMAXUD(y.AsY(), most.AsY(), most.AsY())
	a.VEXTRACTI128(operand.U8(1), most.AsY(), y.AsX())
	a.VPMAXUD(y.AsX(), most.AsX(), most.AsX())
	a.VPSHUFD(operand.U8(0x4e), most.AsX(), y.AsX())
	a.VPMAXUD(y.AsX(), most.AsX(), most.AsX())
	a.VPSHUFD(operand.U8(0xb1), most.AsX(), y.AsX())
	a.VPMAXUD(y.AsX(), most.AsX(), most.AsX())
	result := a.GP32()
	a.VMOVD(most.AsX(), result)
	a.Store(result, a.ReturnIndex(0))
	a.VZEROUPPER()
	a.RET()
}

// split512 takes exceptions out by compression.
func (a *assembler) split512() {
	a.function("split512", "func(positions, overflows *uint32, bitmap *uint64, v *uint32, n, width uint64)",
		"split512 writes the positions of the exceptions among n values, 1 to 128, to width bits,",
		"their overflows less one, and a bitmap of 128 bits. positions and overflows have room for",
		"128+16 words.")
	positions, overflows, bitmap, v, n := a.arg("positions"), a.arg("overflows"), a.arg("bitmap"), a.arg("v"), a.arg("n")
	width, index, sixteen, ones := a.broadcast64("width"), a.ZMM(), a.ZMM(), a.ZMM()
	a.VMOVDQU32(a.iota(1), index)
	a.VMOVDQU32(a.iota(16), sixteen)
	a.VPTERNLOGD(operand.U8(0xff), ones, ones, ones)
	for k := range 8 {
		mask, is, x, y, c := a.K(), a.K(), a.ZMM(), a.ZMM(), a.GP64()
		a.tail(n, mask)
		a.VMOVDQU32_Z(operand.Mem{Base: v, Disp: 64 * k}, mask, x)
		a.VPSRLVD(width, x, x)
		a.VPTESTMD(x, x, is)
		a.VPADDD(ones, x, x)
		a.VPCOMPRESSD_Z(x, is, x)
		a.VPCOMPRESSD_Z(index, is, y)
		a.VMOVDQU32(x, operand.Mem{Base: overflows})
		a.VMOVDQU32(y, operand.Mem{Base: positions})
		a.VPADDD(sixteen, index, index)
		a.KMOVW(is, c.As32())
		a.MOVW(c.As16(), operand.Mem{Base: bitmap, Disp: 2 * k})
		a.POPCNTL(c.As32(), c.As32())
		a.LEAQ(operand.Mem{Base: overflows, Index: c, Scale: 4}, overflows)
		a.LEAQ(operand.Mem{Base: positions, Index: c, Scale: 4}, positions)
		if k < 7 {
			zero := a.GP64()
			a.XORQ(zero, zero)
			a.SUBQ(operand.U8(16), n)
			a.CMOVQLT(zero, n)
		}
	}
	a.VZEROUPPER()
	a.RET()
}
