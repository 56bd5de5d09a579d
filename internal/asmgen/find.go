package main

import "github.com/mmcloughlin/avo/operand"

// postingFind writes the search of docIDs in a chunk of 128 docIDs, both ascending, without a branch that depends on
// what it finds: the docID is compared with the last of each 16, then with the 16 that may have it.
func postingFind(out output) error {
	a := newAssembler()
	a.function("findAVX2", "func(docs *uint32, i, n int, chunk *[128]uint32, first int, kept *uint32, at *uint64) (found, next int)",
		"findAVX2 looks documents i to n up in chunk, up to the first that is above all of it, whose index it",
		"returns. It writes the indexes of those that chunk has to kept, and first plus their places in chunk to at,",
		"each with room for n-i, and returns their number.")
	docs, i, n, chunk, first := a.arg("docs"), a.arg("i"), a.arg("n"), a.arg("chunk"), a.arg("first")
	kept, at := a.arg("kept"), a.arg("at")
	low, half, ends := a.XMM(), a.XMM(), a.YMM()
	end := func(g int) operand.Mem { return operand.Mem{Base: chunk, Disp: 4 * (16*g + 15)} }
	a.VMOVD(end(0), low)
	a.VMOVD(end(4), half)
	for g := 1; g < 4; g++ {
		a.VPINSRD(operand.U8(g), end(g), low, low)
		a.VPINSRD(operand.U8(g), end(4+g), half, half)
	}
	a.VINSERTI128(operand.U8(1), half, low.AsY(), ends)
	last := a.GP32()
	a.MOVL(end(7), last)
	count := a.GP64()
	a.XORL(count.As32(), count.As32())
	group, m, upper := a.GP64(), a.GP64(), a.GP64()
	doc, x, y := a.YMM(), a.YMM(), a.YMM()
	a.Label("next")
	a.CMPQ(i, n)
	a.JGE(operand.LabelRef("done"))
	a.CMPL(last, operand.Mem{Base: docs, Index: i, Scale: 4})
	a.JB(operand.LabelRef("done"))
	a.VPBROADCASTD(operand.Mem{Base: docs, Index: i, Scale: 4}, doc)
	a.VPMAXUD(doc, ends, x)
	a.VPCMPEQD(x, ends, x)
	a.VMOVMSKPS(x, group.As32())
	a.TZCNTL(group.As32(), group.As32())
	a.SHLL(operand.U8(4), group.As32())
	a.VPCMPEQD(operand.Mem{Base: chunk, Index: group, Scale: 4}, doc, x)
	a.VPCMPEQD(operand.Mem{Base: chunk, Index: group, Scale: 4, Disp: 32}, doc, y)
	a.VMOVMSKPS(x, m.As32())
	a.VMOVMSKPS(y, upper.As32())
	a.SHLL(operand.U8(8), upper.As32())
	a.ORL(upper.As32(), m.As32())
	a.TZCNTL(m.As32(), upper.As32())
	a.ADDQ(first, group)
	a.ADDQ(upper, group)
	a.MOVL(i.As32(), operand.Mem{Base: kept, Index: count, Scale: 4})
	a.MOVQ(group, operand.Mem{Base: at, Index: count, Scale: 8})
	a.NEGL(m.As32())
	a.ADCQ(operand.U8(0), count)
	a.INCQ(i)
	a.JMP(operand.LabelRef("next"))
	a.Label("done")
	a.VZEROUPPER()
	a.Store(count, a.ReturnIndex(0))
	a.Store(i, a.ReturnIndex(1))
	a.RET()
	return a.write(out, "internal/engine/posting", "posting", "zfind")
}
