package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (a *assembler) iota(by uint32) operand.Mem {
	w := make([]uint32, 16)
	for i := range w {
		w[i] = uint32(i) * by
	}
	if by == 1 {
		return a.words("iota", w...)
	}
	return a.words("sixteens", repeat(16, by)...)
}

func (a *assembler) result() operand.Mem {
	ok, err := a.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	return ok.Addr
}

// broadcast loads a 32-bit argument into all words of a register.
func (a *assembler) broadcast(name string) reg.VecVirtual {
	r, z := a.GP32(), a.ZMM()
	a.Load(a.Param(name), r)
	a.VPBROADCASTD(r, z)
	return z
}

// each emits a loop over the vectors of n values: body gets the displacement
// registers dst and p, which step on.
func (a *assembler) each(label string, n reg.GPVirtual, body func(), steps ...reg.GPVirtual) {
	a.Label(label)
	body()
	for _, s := range steps {
		a.ADDQ(operand.U8(64), s)
	}
	a.SUBQ(operand.U8(16), n)
	a.JG(operand.LabelRef(label))
}

// broadcast64 is broadcast for the low half of a 64-bit argument.
func (a *assembler) broadcast64(name string) reg.VecVirtual {
	r, z := a.arg(name), a.ZMM()
	a.VPBROADCASTD(r.As32(), z)
	return z
}

// tail leaves a mask of the first n of sixteen words, n being more or less.
func (a *assembler) tail(n reg.GPVirtual, k reg.OpmaskVirtual) {
	ones := a.GP64()
	a.MOVQ(operand.I32(-1), ones)
	a.BZHIQ(n, ones, ones)
	a.KMOVW(ones.As32(), k)
}
