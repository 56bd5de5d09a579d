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

// part calls yield with each value's expression, after loading the 8 bytes it is in;
// they begin at the byte of the first value that is in them, so that none lies across.
func (s *source) part(b int, yield func(j int, v string)) {
	size := min(8, 4*b)
	base, loads := -8*size, 0
	for j := range 32 {
		if j*b+b > base+8*size {
			base = min(j*b/8, 4*b-size) * 8
			loads++
			s.printf("\tw%d := binary.LittleEndian.Uint%d(p[%d:])\n", loads, 8*size, base/8)
		}
		v := fmt.Sprintf("w%d", loads)
		if shift := j*b - base; shift > 0 {
			v += fmt.Sprintf(">>%d", shift)
		}
		if b < 32 && j*b+b < base+8*size {
			v += fmt.Sprintf("&%#x", uint32(1<<b-1))
		}
		yield(j, fmt.Sprintf("uint32(%s)", v))
	}
}
