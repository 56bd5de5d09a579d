package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() { generators = append(generators, score) }

// score generates the scoring of a block of postings: lengths are gathered by
// docID, norms by length, then w - w/(1 + tf*norm), a vector at a time, each
// operation rounded on its own.
func score(out output) error {
	a := newAssembler()
	for _, width := range []uint8{1, 2} {
		a.scoreAVX512(width)
		a.scoreAVX2(width)
	}
	return a.write(out, "query", "query", "score")
}

const scoreSignature = "func(dst *float32, docs *uint32, freqs *uint32, n int, lens *byte, lastDoc uint32, norms *float32, lastNorm uint32, w float32)"

func (a *assembler) scoreHead(name string, width uint8) (dst, docs, freqs, n, lens, norms reg.GPVirtual) {
	a.function(name, scoreSignature,
		fmt.Sprintf("%s scores n postings, rounded up to whole vectors, with %d-byte lengths.", name, width))
	return a.arg("dst"), a.arg("docs"), a.arg("freqs"), a.arg("n"), a.arg("lens"), a.arg("norms")
}

func (a *assembler) scoreAVX512(width uint8) {
	dst, docs, freqs, n, lens, norms := a.scoreHead(fmt.Sprintf("scoreAVX512x%d", width), width)
	lastDoc, lastNorm, w, one, mask := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	a.VBROADCASTSS(a.memory("lastDoc"), lastDoc)
	a.VBROADCASTSS(a.memory("lastNorm"), lastNorm)
	a.VBROADCASTSS(a.memory("w"), w)
	a.VPBROADCASTD(a.words("one", repeat(2, math.Float32bits(1))...), one)
	a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), repeat(2, 1<<(8*width)-1)...), mask)
	a.Label(fmt.Sprintf("loop512x%d", width))
	d, l, norm, tf := a.ZMM(), a.ZMM(), a.ZMM(), a.ZMM()
	k := a.K()
	a.VPMINUD(operand.Mem{Base: docs}, lastDoc, d)
	a.VPXORD(l, l, l)
	a.KXNORW(k, k, k)
	a.VPGATHERDD(operand.Mem{Base: lens, Index: d, Scale: width}, k, l)
	a.VPANDD(mask, l, l)
	a.VPMINUD(lastNorm, l, l)
	a.VPXORD(norm, norm, norm)
	a.KXNORW(k, k, k)
	a.VGATHERDPS(operand.Mem{Base: norms, Index: l, Scale: 4}, k, norm)
	a.VCVTUDQ2PS(operand.Mem{Base: freqs}, tf)
	a.VMULPS(norm, tf, tf)
	a.VADDPS(one, tf, tf)
	a.VDIVPS(tf, w, tf)
	a.VSUBPS(tf, w, tf)
	a.VMOVUPS(tf, operand.Mem{Base: dst})
	a.scoreTail(dst, docs, freqs, n, 16, fmt.Sprintf("loop512x%d", width))
}

func (a *assembler) scoreAVX2(width uint8) {
	dst, docs, freqs, n, lens, norms := a.scoreHead(fmt.Sprintf("scoreAVX2x%d", width), width)
	lastDoc, lastNorm, w, one, mask := a.YMM(), a.YMM(), a.YMM(), a.YMM(), a.YMM()
	a.VBROADCASTSS(a.memory("lastDoc"), lastDoc)
	a.VBROADCASTSS(a.memory("lastNorm"), lastNorm)
	a.VBROADCASTSS(a.memory("w"), w)
	a.VPBROADCASTD(a.words("one", repeat(2, math.Float32bits(1))...), one)
	a.VPBROADCASTD(a.words(fmt.Sprintf("mask%d", width), repeat(2, 1<<(8*width)-1)...), mask)
	a.Label(fmt.Sprintf("loop2x%d", width))
	d, l, norm, tf, all := a.YMM(), a.YMM(), a.YMM(), a.YMM(), a.YMM()
	a.VPMINUD(operand.Mem{Base: docs}, lastDoc, d)
	a.VPXOR(l, l, l)
	a.VPCMPEQD(all, all, all)
	a.VPGATHERDD(all, operand.Mem{Base: lens, Index: d, Scale: width}, l)
	a.VPAND(mask, l, l)
	a.VPMINUD(lastNorm, l, l)
	a.VPXOR(norm, norm, norm)
	a.VPCMPEQD(all, all, all)
	a.VGATHERDPS(all, operand.Mem{Base: norms, Index: l, Scale: 4}, norm)
	a.VCVTDQ2PS(operand.Mem{Base: freqs}, tf)
	a.VMULPS(norm, tf, tf)
	a.VADDPS(one, tf, tf)
	a.VDIVPS(tf, w, tf)
	a.VSUBPS(tf, w, tf)
	a.VMOVUPS(tf, operand.Mem{Base: dst})
	a.scoreTail(dst, docs, freqs, n, 8, fmt.Sprintf("loop2x%d", width))
}

// scoreTail steps to the next vector and loops.
func (a *assembler) scoreTail(dst, docs, freqs, n reg.GPVirtual, lanes uint64, loop string) {
	a.ADDQ(operand.U32(4*lanes), dst)
	a.ADDQ(operand.U32(4*lanes), docs)
	a.ADDQ(operand.U32(4*lanes), freqs)
	a.SUBQ(operand.U32(lanes), n)
	a.JG(operand.LabelRef(loop))
	a.VZEROUPPER()
	a.RET()
}
