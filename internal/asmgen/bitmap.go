package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

func init() { generators = append(generators, bitmap) }

// bitmap generates the look-ups of docIDs in a bitmap and their insertion into it.
func bitmap(out output) error {
	a := newAssembler()
	a.bitmap("bitmapMatch", false, "writes the indexes of the members among n docs to found and returns their number.")
	a.bitmap("bitmapAdd", true, "makes n docs members.")
	return a.write(out, "query", "query", "bitmap")
}

// bitmap generates one loop over docs. Those that lie outside the bitmap, which
// only damage can bring, are passed over.
func (a *assembler) bitmap(name string, add bool, doc string) {
	match := !add
	signature := "func(words *uint64, bits, lo uint32, docs *uint32, n int)"
	if match {
		signature = "func(words *uint64, bits, lo uint32, docs *uint32, n int, found *uint16) int"
	}
	a.function(name, signature, name+" "+doc)
	words, docs, n := a.arg("words"), a.arg("docs"), a.arg("n")
	bits, lo := a.GP32(), a.GP32()
	a.MOVL(a.memory("bits"), bits)
	a.MOVL(a.memory("lo"), lo)
	found, count, i := a.GP64(), a.GP64(), a.GP64()
	if match {
		a.Load(a.Param("found"), found)
		a.XORQ(count, count)
	}
	a.XORQ(i, i)
	step := func(label string) {
		j, k, w := a.GP64(), a.GP64(), a.GP64()
		a.MOVL(operand.Mem{Base: docs, Index: i, Scale: 4}, j.As32())
		a.SUBL(lo, j.As32())
		a.CMPL(j.As32(), bits)
		a.JAE(operand.LabelRef(label))
		a.MOVL(j.As32(), k.As32())
		a.SHRL(operand.U8(6), k.As32())
		word := operand.Mem{Base: words, Index: k, Scale: 8}
		a.MOVQ(word, w)
		if match {
			a.MOVW(i.As16(), operand.Mem{Base: found, Index: count, Scale: 2})
		}
		if add {
			a.BTSQ(j, w)
			a.MOVQ(w, word)
		} else {
			a.BTQ(j, w)
		}
		if match {
			a.ADCQ(operand.U8(0), count)
		}
		a.Label(label)
		a.INCQ(i)
	}
	pair, one, done := name+"Pair", name+"One", name+"Done"
	a.SUBQ(operand.U8(1), n)
	a.JL(operand.LabelRef(done))
	a.JE(operand.LabelRef(one))
	a.Label(pair)
	for k := range 2 {
		step(fmt.Sprintf("%sSkip%d", name, k))
	}
	a.CMPQ(i, n)
	a.JL(operand.LabelRef(pair))
	a.JG(operand.LabelRef(done))
	a.Label(one)
	step(name + "Skip")
	a.Label(done)
	if match {
		a.Store(count, a.ReturnIndex(0))
	}
	a.RET()
}
