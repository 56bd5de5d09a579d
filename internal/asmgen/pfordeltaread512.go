package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fieldsOf512 is what reads the fields of an array of any block.
type fieldsOf512 struct {
	r                  *nestedRun512
	index, shift, mask reg.VecVirtual
	width              reg.GPVirtual
}

func (r *nestedRun512) fieldsOf(s shifts, array int) *fieldsOf512 {
	f := &fieldsOf512{r, r.ZMM(), r.ZMM(), r.ZMM(), r.GP64()}
	x := r.GP64()
	r.MOVQ(s.index, x)
	r.VMOVDQU64(operand.Mem{Base: x}, f.index)
	r.MOVQ(s.shift, x)
	r.VPBROADCASTQ(operand.Mem{Base: x}, f.shift)
	r.MOVQ(r.widths[array], f.width)
	r.VPBROADCASTQ(operand.Mem{Base: r.tab, Index: f.width, Scale: 8, Disp: runMasks}, f.mask)
	return f
}

// read reads 64 fields.
func (f *fieldsOf512) read(from operand.Mem) reg.VecVirtual {
	x := f.r.ZMM()
	f.r.VPERMB(from, f.index, x)
	f.r.VPMULTISHIFTQB(x, f.shift, x)
	f.r.VPANDQ(f.mask, x, x)
	return x
}

// fields is the pass that reads offsets and overflows to bytes.
func (r *nestedRun512) fields() {
	offsets, overflows := r.fieldsOf(r.offsets, arrOffsets), r.fieldsOf(r.overflows, arrOverflows)
	read := func(mem func(operand.Mem) operand.Mem, write func(x reg.VecVirtual, to operand.Mem, from reg.GPVirtual), second int) {
		at, from, shift := r.GP64(), r.GP64(), r.GP64()
		field := func(f *fieldsOf512) operand.Mem {
			if second == 0 {
				return operand.Mem{Base: at}
			}
			return operand.Mem{Base: at, Index: f.width, Scale: 8}
		}
		r.MOVQ(mem(r.starts), from)
		r.MOVQ(mem(r.offsetsAt), at)
		write(offsets.read(field(offsets)), r.bytes.Offset(second), from)
		r.MOVQ(mem(r.overShift), shift)
		r.VPBROADCASTQ(operand.Mem{Base: shift}, overflows.shift)
		r.MOVQ(mem(r.overAt), at)
		x := overflows.read(field(overflows))
		r.VPSUBB(r.ones, x, x)
		write(x, r.bytes.Offset(partBytes+second), from)
	}
	for k := range partBlocks {
		read(func(m operand.Mem) operand.Mem { return m.Offset(8 * k) }, func(x reg.VecVirtual, to operand.Mem, from reg.GPVirtual) {
			r.VMOVDQU64(x, to.Idx(from, 1))
		}, 0)
	}
	tall := r.GP64()
	r.MOVQ(r.tallBlocks, tall)
	r.TESTQ(tall, tall)
	r.JNE(r.label("tall"))
	r.Label(r.name + "_fielded")
	r.late = append(r.late, func() {
		k, count, all, those := r.GP64(), r.GP64(), r.GP64(), r.K()
		r.Label(r.name + "_tall")
		r.TZCNTQ(tall, k)
		r.rest(k, count, all)
		r.KMOVQ(all, those)
		read(func(m operand.Mem) operand.Mem { return m.Idx(k, 8) }, func(x reg.VecVirtual, to operand.Mem, from reg.GPVirtual) {
			r.VMOVDQU8(x, those, to.Idx(from, 1))
		}, 64)
		r.BLSRQ(tall, tall)
		r.JNE(r.label("tall"))
		r.JMP(r.label("fielded"))
	})
}

// rest leaves how many exceptions beyond 64 block k has, and as many ones.
func (r *nestedRun512) rest(k, count, all reg.GPVirtual) {
	r.MOVQ(r.starts.Offset(8).Idx(k, 8), count)
	r.SUBQ(r.starts.Idx(k, 8), count)
	r.SUBQ(operand.U8(64), count)
	r.MOVQ(operand.I32(-1), all)
	r.BZHIQ(count, all, all)
}

// patch is the pass that adds the exceptions among offsets and overflows.
func (r *nestedRun512) patch() {
	i, to, by, bytes := r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.MOVQ(r.nested, i)
	r.LEAQ(r.bytes, bytes)
	r.SUBQ(operand.U8(1), i)
	r.JCS(r.label("patched"))
	r.Label(r.name + "_patch")
	r.MOVWQZX(r.at.Idx(i, 2), to)
	r.MOVBLZX(r.by.Idx(i, 1), by.As32())
	r.ADDB(by.As8(), operand.Mem{Base: bytes, Index: to, Scale: 1})
	r.SUBQ(operand.U8(1), i)
	r.JCC(r.label("patch"))
	r.Label(r.name + "_patched")
}

// many reads and adds exceptions among overflows that may not be bytes. A block that turns out to be
// broken, or has one that is none, ends the part.
func (r *nestedRun512) many() {
	blocks, k := r.GP64(), r.GP64()
	r.MOVQ(r.more[1], blocks)
	r.TESTQ(blocks, blocks)
	r.JNE(r.label("many"))
	r.Label(r.name + "_many_done")
	r.late = append(r.late, func() {
		r.Label(r.name + "_many")
		r.CMPQ(r.later[arrOverflows], operand.U8(0))
		r.JNE(r.label("many_done"))
		r.Label(r.name + "_many_block")
		r.TZCNTQ(blocks, k)
		r.CMPQ(k, r.ready)
		r.JCC(r.label("many_done"))
		r.manyOf(k)
		r.BLSRQ(blocks, blocks)
		r.JNE(r.label("many_block"))
		r.JMP(r.label("many_done"))

		r.Label(r.name + "_many_broken")
		r.MOVQ(k, r.ready)
		r.JMP(r.label("many_done"))
	})
}

// manyOf is many for one block, whose exceptions lie in it.
func (r *nestedRun512) manyOf(k reg.GPVirtual) {
	const array = arrOverflows
	bit, offset, n, base, place, count := r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	stop := r.stop
	r.stop = "many_broken"
	r.src = r.GP64()
	r.MOVQ(r.heads.Idx(k, 8), r.src)
	r.MOVQ(r.nestedBit[1].Idx(k, 8), bit)
	r.MOVQ(r.nestedCount[1].Idx(k, 8), n)
	r.MOVQ(r.starts.Offset(8).Idx(k, 8), count)
	r.MOVQ(r.starts.Idx(k, 8), base)
	r.SUBQ(base, count)
	r.LEAQ(r.bytes.Offset(partBytes).Idx(base, 1), base)
	r.MOVQ(bit, offset)
	r.skip(bit, n, array+1)
	r.XORQ(place, place)
	r.Label(r.name + "_many_next")
	x, width := r.peek(offset), r.GP64()
	r.MOVQ(r.widths[array+1], width)
	r.BZHIQ(width, x, x)
	r.ADDQ(width, offset)
	r.ADDQ(x, place)
	r.CMPQ(place, count)
	r.stopIf(r.JCC)
	over := r.peek(bit)
	r.MOVQ(r.widths[array+2], width)
	r.BZHIQ(width, over, over)
	r.ADDQ(width, bit)
	r.CMPQ(over, r.most)
	r.stopIf(r.JCC)
	r.INCQ(over)
	r.MOVQ(r.widths[array], width)
	r.SHLXQ(width, over, over)
	r.ADDB(over.As8(), operand.Mem{Base: base, Index: place, Scale: 1})
	r.INCQ(place)
	r.DECQ(n)
	r.JNE(r.label("many_next"))
	r.stop = stop
}
