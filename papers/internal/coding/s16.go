package coding

// s16 has the 16 cases of Simple-16 (Zhang, Long and Suel 2008): runs of numbers of equal
// width in 28 bits.
var s16 = [16][]struct{ n, width int }{
	{{28, 1}}, {{7, 2}, {14, 1}}, {{7, 1}, {7, 2}, {7, 1}}, {{14, 1}, {7, 2}}, {{14, 2}}, {{1, 4}, {8, 3}}, {{1, 3}, {4, 4}, {3, 3}}, {{7, 4}},
	{{4, 5}, {2, 4}}, {{2, 4}, {4, 5}}, {{3, 6}, {2, 5}}, {{2, 5}, {3, 6}}, {{4, 7}}, {{1, 10}, {2, 9}}, {{2, 14}}, {{1, 28}},
}

// putS16 appends values below 2^28.
func (s *stream) putS16(values []uint32) {
	for len(values) > 0 {
		for c, runs := range s16 {
			if n := fits(runs, values); n > 0 {
				s.put(uint32(c), 4)
				i, at := 0, s.n
				for _, r := range runs {
					for range r.n {
						v := uint32(0)
						if i < n {
							v = values[i]
						}
						s.put(v, r.width)
						i++
					}
				}
				s.put(0, 28-(s.n-at))
				values = values[n:]
				break
			}
		}
	}
}

// fits returns how many values a case takes, 0 if one of them is too wide.
func fits(runs []struct{ n, width int }, values []uint32) int {
	i := 0
	for _, r := range runs {
		for range r.n {
			if i == len(values) {
				return i
			}
			if values[i]>>r.width != 0 {
				return 0
			}
			i++
		}
	}
	return i
}

// getS16 reads len(dst) values from bit at and returns where it ended.
func (s *stream) getS16(dst []uint32, at int) int {
	for i := 0; i < len(dst); {
		p := at + 4
		for _, r := range s16[s.get(at, 4)] {
			for range min(r.n, len(dst)-i) {
				dst[i] = s.get(p, r.width)
				p += r.width
				i++
			}
		}
		at += 32
	}
	return at
}
