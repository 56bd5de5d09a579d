package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// heads512 is the pass that finds the arrays of a part's blocks, and what it has of each, in its
// quadword. It goes in steps, each of which waits for what the one before has gathered; between
// them are the values of the part before.
type heads512 struct {
	*nestedRun512
	head, end, bit reg.VecVirtual    // where exceptions begin in the payload; bits of them; next bit
	count          reg.VecVirtual    // exceptions
	from           [2]reg.VecVirtual // exceptions before a block, less one: words of the first four blocks, of the others
	x              reg.VecVirtual    // what was gathered
	keep, at, sum  reg.VecVirtual    // of some of the exceptions among values: bytes that are none, places plus one, the last
	zero           reg.VecVirtual
	plain          operand.Mem // bitmaps of blocks: without exceptions
	active, fine   operand.Mem // with exceptions, not found broken yet
}

func (r *nestedRun512) newHeads512() *heads512 {
	h := &heads512{nestedRun512: r, from: [2]reg.VecVirtual{r.ZMM(), r.ZMM()}}
	for _, v := range []*reg.VecVirtual{&h.head, &h.end, &h.bit, &h.count, &h.x, &h.sum, &h.keep, &h.at, &h.zero} {
		*v = r.ZMM()
	}
	for _, m := range []*operand.Mem{&h.plain, &h.active, &h.fine} {
		*m = r.AllocLocal(8)
	}
	return h
}

// pass returns the steps of the pass.
func (h *heads512) pass() []func() {
	return []func(){h.blocks, func() {
		h.countExceptions()
		h.skip(h.count, arrOffsets)
		h.peek64(h.bit)
	}, func() {
		h.exceptions(0, arrOffsets)
		h.overflowsAt()
		h.skip(h.count, arrOverflows)
		h.peek64(h.bit)
	}, func() {
		h.exceptions(1, arrOverflows)
		h.finish()
	}}
}

func (h *heads512) load(m operand.Mem) reg.OpmaskVirtual {
	k := h.K()
	h.KMOVB(m, k)
	return k
}

// blocks finds the blocks' exceptions and gathers how many there are.
func (h *heads512) blocks() {
	n, x := h.GP64(), h.GP64()
	h.MOVQ(operand.U32(partBlocks), n)
	h.CMPQ(n, h.unread)
	h.CMOVQHI(h.unread, n)
	h.MOVQ(operand.I32(-1), x)
	h.BZHIQ(n, x, x)
	good, some := h.K(), h.K()
	h.KMOVB(x.As32(), good)
	src, length, low, ends := h.ZMM(), h.ZMM(), h.ZMM(), h.GP64()
	h.MOVQ(h.ends, ends)
	h.VMOVDQU32_Z(operand.Mem{Base: ends}, good, src.AsY())
	h.VMOVDQU32_Z(operand.Mem{Base: ends, Disp: 4}, good, length.AsY())
	h.VPMOVZXDQ(src.AsY(), src)
	h.VPMOVZXDQ(length.AsY(), length)
	h.VPCMPUQ_BCST(operand.U8(2), h.limit, length, good, good) // less or equal
	h.VPCMPUQ(operand.U8(2), length, src, good, good)
	h.VPSUBQ(src, length, length)
	h.VPSLLQ(operand.U8(2), length, length)
	h.VPSLLQ(operand.U8(2), src, src)
	h.VPADDQ_BCST(h.pay, src, low)
	h.CMPQ(h.lowBytes, operand.U8(0))
	h.JEQ(h.label("flat"))
	h.Label(h.name + "_low")
	h.VMOVDQU64(low, h.lows[1])
	h.VPADDQ_BCST(h.lowBytes, src, h.head)
	h.VPCMPUQ_BCST(operand.U8(5), h.lowBytes, length, good, good) // greater or equal
	h.VPCMPUQ_BCST(operand.U8(6), h.lowBytes, length, good, some) // greater
	h.VPSUBQ_BCST(h.lowBytes, length, h.end)
	h.VPSLLQ(operand.U8(3), h.end, h.end)
	h.VMOVDQU64(h.end, h.endBits)
	h.KANDNB(good, some, good)
	h.KMOVB(good, h.plain)
	h.KORTESTB(some, some)
	h.JEQ(h.label("none"))
	h.KMOVB(some, h.active)
	h.VPXORQ(h.zero, h.zero, h.zero)
	h.word64(h.head, some)
	h.late = append(h.late, func() {
		h.Label(h.name + "_none") // no step more
		h.VPXORQ(h.zero, h.zero, h.zero)
		h.VMOVDQU64(h.zero, h.starts.Offset(8))
		h.MOVQ(operand.U32(0), h.steps)
		h.KMOVB(good, n.As32())
		h.ready512(n)
		h.JMP(h.label("stepped"))

		h.Label(h.name + "_flat") // low bits of no width may lie where memory ends
		h.VPBROADCASTQ(h.tab, low)
		h.JMP(h.label("low"))
	})
}

// word64 gathers the eight bytes at some blocks' addresses; zeros for others.
func (h *heads512) word64(at reg.VecVirtual, of reg.OpmaskVirtual) {
	pay := h.GP64()
	h.MOVQ(h.pay, pay)
	h.VMOVDQA64(h.zero, h.x)
	h.VPGATHERQQ(operand.Mem{Base: pay, Index: at, Scale: 1}, of, h.x)
}

// within512 returns the blocks in which a bit lies.
func (h *heads512) within512(bit reg.VecVirtual) reg.OpmaskVirtual {
	k := h.load(h.active)
	h.VPCMPUQ(operand.U8(2), h.end, bit, k, k)
	return k
}

// peek64 gathers 57 bits at bit, of blocks in which that lies.
func (h *heads512) peek64(bit reg.VecVirtual) {
	at := h.ZMM()
	h.VPSRLQ(operand.U8(3), bit, at)
	h.VPADDQ(h.head, at, at)
	h.word64(at, h.within512(bit))
	h.VPANDQ_BCST(h.words("seven", 7, 0), bit, at)
	h.VPSRLVQ(at, h.x, h.x)
}

// skip moves over count fields of an array.
func (h *heads512) skip(count reg.VecVirtual, array int) {
	x := h.ZMM()
	h.VPMULUDQ_BCST(h.widths[array], count, x)
	h.VPADDQ(x, h.bit, h.bit)
}

// countExceptions finds how many exceptions are in each block and before it, and where its offsets begin.
func (h *heads512) countExceptions() {
	sum, y, at := h.ZMM(), h.ZMM(), h.ZMM()
	active := h.load(h.active)
	h.VPANDQ_BCST(h.mask(arrValues), h.x, h.count)
	h.VPADDQ(h.ones, h.count, y)
	h.VPCMPUQ_BCST(operand.U8(1), h.words("heads", 128, 0, 64, 0, 57-8, 0), y, active, active) // less
	h.KMOVB(active, h.active)
	h.KMOVB(active, h.fine)
	h.VMOVDQA64_Z(h.count, active, h.count)
	h.VPBROADCASTQ(h.counts[arrValues], h.bit)
	nested := h.GP64()
	h.XORQ(nested, nested)
	h.MOVQ(nested, h.nested)

	h.VALIGNQ(operand.U8(7), h.zero, h.count, y)
	h.VPADDQ(y, h.count, sum)
	for _, by := range []uint8{2, 4} {
		h.VALIGNQ(operand.U8(8-by), h.zero, sum, y)
		h.VPADDQ(y, sum, sum)
	}
	h.VMOVDQU64(sum, h.starts.Offset(8))
	h.VPSUBQ(h.count, sum, sum)
	h.VPADDW(h.ones, sum, sum)
	h.VPSHUFB(h.words("lowWord", repeat(2, 0x01000100, 0x09080908, 0x01000100, 0x09080908, 0x01000100, 0x09080908, 0x01000100, 0x09080908)...), sum, sum)
	for i := range h.from {
		var pairs []uint32
		for j := range uint32(8) {
			pairs = append(pairs, j/2+4*uint32(i), 0)
		}
		h.VMOVDQU64(h.words("pairs"+string(rune('0'+i)), pairs...), at)
		h.VPERMQ(sum, at, h.from[i])
	}
	tall, x := h.K(), h.GP64()
	h.VPCMPUQ_BCST(operand.U8(6), h.words("heads").Offset(8), h.count, tall) // greater
	h.KMOVB(tall, x.As32())
	h.MOVQ(x, h.tallBlocks)

	// Without exceptions, any readable place will do.
	h.VPSRLQ(operand.U8(3), h.bit, at)
	h.VPADDQ(h.head, at, at)
	h.VMOVDQA64_Z(at, active, at)
	h.VPADDQ_BCST(h.pay, at, at)
	h.VMOVDQU64(at, h.offsetsAt)
	h.VPADDQ_BCST(h.pay, h.head, at)
	h.VMOVDQU64(at, h.heads)
}

// overflowsAt finds where overflows begin.
func (h *heads512) overflowsAt() {
	at := h.ZMM()
	h.VPSRLQ(operand.U8(3), h.bit, at)
	h.VPADDQ(h.head, at, at)
	h.VMOVDQA64_Z(at, h.within512(h.bit), at)
	h.VPADDQ_BCST(h.pay, at, at)
	h.VMOVDQU64(at, h.overAt)
	h.VPANDQ_BCST(h.words("seven", 7, 0), h.bit, at)
	h.VPSLLQ(operand.U8(3), at, at)
	h.VPADDQ_BCST(h.nestedRun512.overflows.shift, at, at)
	h.VMOVDQU64(at, h.overShift)
}

// exceptions reads those among the values of an array.
func (h *heads512) exceptions(i, array int) {
	n, most, bits, all, more, some := h.ZMM(), h.ZMM(), h.ZMM(), h.ZMM(), h.K(), h.GP64()
	h.VPANDQ_BCST(h.mask(array), h.x, n)
	h.VPSRLVQ_BCST(h.counts[array], h.x, h.x)
	h.VPADDQ_BCST(h.counts[array], h.bit, h.bit)
	h.VMOVDQU64(h.bit, h.nestedBit[i])
	h.VMOVDQU64(n, h.nestedCount[i])
	h.VPCMPUQ_BCST(operand.U8(6), h.later[array], n, more) // greater
	h.KMOVB(more, some.As32())
	h.MOVQ(some, h.more[i])
	h.VPMINUQ_BCST(h.later[array], n, most)
	h.few(array, most, h.zero, h.sum)

	// Their overflows are most often among the same bits.
	label := fmt.Sprintf("apart%d", array)
	h.VPMULUDQ_BCST(h.widths[array+1], n, bits)
	h.VPMULUDQ_BCST(h.widths[array+2], n, all)
	h.VPADDQ(bits, all, all)
	h.VPCMPUQ_BCST(operand.U8(6), h.words("heads").Offset(16), all, more) // greater
	h.KORTESTB(more, more)
	h.JNE(h.label(label))
	h.VPSRLVQ(bits, h.x, h.x)
	h.Label(h.name + "_" + label + "_read")
	h.VPADDQ(all, h.bit, h.bit)
	h.store(i, h.added(array))
	h.rest(i, array)
	h.late = append(h.late, func() {
		h.Label(h.name + "_" + label)
		h.VPADDQ(h.bit, bits, bits)
		h.peek64(bits)
		h.JMP(h.label(label + "_read"))
	})
}

// few reads up to seven places, of the n first fields of what was gathered, to the bytes of its
// quadword. before are the places up to there, sum is then that of all.
func (h *heads512) few(array int, n, before, sum reg.VecVirtual) {
	f, bits, y, fine, beyond := h.at, h.ZMM(), h.ZMM(), h.load(h.fine), h.K()
	h.VPSLLQ(operand.U8(3), n, bits)
	h.VPSLLVQ(bits, h.ones, h.keep)
	h.control(array+1, f)
	h.VPSUBB(h.ones, f, f)
	h.VPANDNQ(f, h.keep, f)
	h.VPSADBW(h.zero, f, y)
	h.VPADDQ(before, y, sum)
	h.VPCMPUQ(operand.U8(2), h.count, sum, fine, fine) // less or equal
	h.VPCMPUQ(operand.U8(6), h.count, sum, beyond)     // greater
	h.KMOVB(fine, h.fine)
	h.VMOVDQA64(h.ones, beyond, h.keep)
	for _, by := range []uint8{8, 16, 32} {
		h.VPSLLQ(operand.U8(by), f, y)
		h.VPADDB(y, f, f)
	}
}

// rest reads the exceptions behind the first of each block, seven more of each in every turn. If
// their overflows may not be bytes, that is left to another pass.
func (h *heads512) rest(i, array int) {
	label := fmt.Sprintf("rest%d", array)
	h.CMPQ(h.more[i], operand.U8(0))
	h.JNE(h.label(label))
	h.Label(h.name + "_" + label + "_done")
	h.late = append(h.late, func() {
		seven := h.words("seven")
		left, most, places, overflows, y, k := h.ZMM(), h.ZMM(), h.ZMM(), h.ZMM(), h.ZMM(), h.K()
		h.Label(h.name + "_" + label)
		h.CMPQ(h.later[array], operand.U8(0))
		h.JEQ(h.label(label + "_done"))
		h.VMOVDQU64(h.nestedBit[i], places)
		h.VMOVDQU64(h.nestedCount[i], left)
		h.VPMULUDQ_BCST(h.widths[array+1], left, overflows)
		h.VPADDQ(places, overflows, overflows)
		h.Label(h.name + "_" + label + "_turn")
		for _, fields := range []struct {
			array int
			bit   reg.VecVirtual
		}{{array + 1, places}, {array + 2, overflows}} {
			h.VPBROADCASTQ(seven, y)
			h.VPMULUDQ_BCST(h.widths[fields.array], y, y)
			h.VPADDQ(y, fields.bit, fields.bit)
		}
		h.VPMAXUQ_BCST(seven, left, left)
		h.VPSUBQ_BCST(seven, left, left)
		h.VPMINUQ_BCST(seven, left, most)
		h.peek64(places)
		h.VMOVDQA64(h.sum, y)
		h.few(array, most, y, h.sum)
		h.VPSHUFB(h.words("lowByte", repeat(2, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808, 0, 0x08080808)...), y, y)
		h.VPADDB(y, h.at, h.at)
		h.peek64(overflows)
		h.store(i, h.added(array))
		h.VPCMPUQ_BCST(operand.U8(6), seven, left, k) // greater
		h.KORTESTB(k, k)
		h.JNE(h.label(label + "_turn"))
		h.JMP(h.label(label + "_done"))
	})
}

// control leaves eight bit fields of what was gathered in bytes.
func (h *heads512) control(array int, to reg.VecVirtual) {
	h.VPBROADCASTQ(h.controls[array], to)
	h.VPMULTISHIFTQB(h.x, to, to)
	h.VPANDQ_BCST(h.mask(array), to, to)
}

// added returns what is to be added for those overflows to the values of an array.
func (h *heads512) added(array int) reg.VecVirtual {
	f, x := h.ZMM(), h.ZMM()
	h.control(array+2, f)
	h.VPSUBB(h.ones, f, x)
	if array == arrOverflows {
		y, fine := h.ZMM(), h.load(h.fine)
		h.VPSUBB(h.ones, x, y)
		h.VPORQ(f, y, y)
		h.VPANDQ_BCST(h.tall, y, y)
		h.VPANDNQ(y, h.keep, y)
		h.VPTESTNMQ(y, y, fine, fine)
		h.KMOVB(fine, h.fine)
	}
	h.VPSLLVQ_BCST(h.widths[array], x, x)
	return x
}

// store writes places and what is to be added there.
func (h *heads512) store(i int, by reg.VecVirtual) {
	valid, part := h.K(), h.K()
	h.VPTESTNMB(h.keep, h.keep, valid)
	all, n, nested := h.GP64(), h.GP64(), h.GP64()
	h.MOVQ(h.nested, nested)
	h.KMOVQ(valid, all)
	h.VPCOMPRESSB_Z(by, valid, by)
	h.VMOVDQU64(by, h.by.Idx(nested, 1))
	for half := range 2 {
		at, half512 := h.ZMM(), h.at
		if half == 1 {
			half512 = h.ZMM()
			h.VEXTRACTI64X4(operand.U8(1), h.at, half512.AsY())
			h.KSHIFTRQ(operand.U8(32), valid, part)
			h.SHRQ(operand.U8(32), all)
		} else {
			h.KMOVD(valid, part)
		}
		h.VPMOVZXBW(half512.AsY(), at)
		h.VPADDW(h.from[half], at, at)
		if i == 1 {
			h.VPADDW(h.words("overflows", repeat(16, partBytes|partBytes<<16)...), at, at)
		}
		h.VPCOMPRESSW_Z(at, part, at)
		h.VMOVDQU64(at, h.nestedRun512.at.Idx(nested, 2))
		h.POPCNTL(all.As32(), n.As32())
		h.ADDQ(n, nested)
	}
	h.MOVQ(nested, h.nested)
}

// finish keeps the blocks up to the first that is broken: a block ends with the word that its
// exceptions end in.
func (h *heads512) finish() {
	fine, plain, x := h.load(h.fine), h.load(h.plain), h.GP64()
	h.VPADDQ_BCST(h.words("thirtyOne", 31, 0), h.bit, h.bit)
	h.VPSRLQ(operand.U8(5), h.bit, h.bit)
	h.VPSLLQ(operand.U8(5), h.bit, h.bit)
	h.VPCMPUQ(operand.U8(0), h.end, h.bit, fine, fine) // equal
	h.KORB(fine, plain, fine)
	h.KMOVB(fine, x.As32())
	h.ready512(x)
	h.BZHIQ(x, h.tallBlocks, x)
	h.MOVQ(x, h.tallBlocks)
}

// ready512 counts the blocks up to the first that is not in the bitmap x.
func (h *heads512) ready512(x reg.GPVirtual) {
	h.NOTQ(x)
	h.TZCNTQ(x, x)
	h.MOVQ(x, h.ready)
}

// mask returns the mask of an array's count, or of the bytes of its fields.
func (h *heads512) mask(array int) operand.Mem {
	switch array {
	case arrValues, arrOffsets, arrOverflows:
		return h.countMasks[array]
	}
	return h.masks[array]
}
