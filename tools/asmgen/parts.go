package main

import "fmt"

func init() { generators = append(generators, bp32Parts) }

// bp32Parts generates the portable functions that unpack a full part of bp32, 32
// values one after the other.
func bp32Parts(out output) error {
	s := newSource("bp32", "")
	s.printf("import \"encoding/binary\"\n\n")
	s.printf("// sumPart unpacks 32 gaps less one of width bits, 1 to 32, into docIDs after prev, and\n// returns the last of them.\n")
	s.printf("func sumPart(dst *[32]uint32, p []byte, width uint, prev uint32) uint32 {\n\tswitch width {\n")
	for b := 1; b <= 32; b++ {
		s.printf("\tcase %d:\n\t\treturn sum%d(dst, (*[%d]byte)(p), prev)\n", b, b, 4*b)
	}
	s.printf("\t}\n\treturn prev\n}\n\n")
	s.printf("// addPart unpacks 32 values of width bits, 1 to 32, and adds plus to each.\n")
	s.printf("func addPart(dst *[32]uint32, p []byte, width uint, plus uint32) {\n\tswitch width {\n")
	for b := 1; b <= 32; b++ {
		s.printf("\tcase %d:\n\t\tadd%d(dst, (*[%d]byte)(p), plus)\n", b, b, 4*b)
	}
	s.printf("\t}\n}\n\n")
	for b := 1; b <= 32; b++ {
		s.printf("func sum%d(dst *[32]uint32, p *[%d]byte, prev uint32) uint32 {\n", b, 4*b)
		// Subtracting the complement of a gap less one adds the gap.
		s.part(b, func(j int, v string) { s.printf("\tprev -= ^(%s)\n\tdst[%d] = prev\n", v, j) })
		s.printf("\treturn prev\n}\n\n")
		s.printf("func add%d(dst *[32]uint32, p *[%d]byte, plus uint32) {\n", b, 4*b)
		s.part(b, func(j int, v string) { s.printf("\tdst[%d] = (%s) + plus\n", j, v) })
		s.printf("}\n\n")
	}
	return s.write(out, "format/codec/bp32/parts.go")
}

// part loads the words of a part in their order and calls yield with each value's
// expression.
func (s *source) part(b int, yield func(j int, v string)) {
	loaded := -1
	for j := range 32 {
		first, last := j*b/32, (j*b+b-1)/32
		for ; loaded < last; loaded++ {
			s.printf("\tw%d := binary.LittleEndian.Uint32(p[%d:])\n", loaded+1, 4*(loaded+1))
		}
		yield(j, field(b, j, fmt.Sprintf("w%d", first), fmt.Sprintf("w%d", last)))
	}
}
