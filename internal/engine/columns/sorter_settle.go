package columns

// settle drops the candidates that are not good enough.
func (s *Sorter) settle() {
	if len(s.entries) > s.k {
		s.selectBest(s.entries, s.k)
		clear(s.groups)
		for i := range s.entries[:s.k] {
			s.note(i)
		}
	}
	if len(s.entries) >= s.k {
		s.entries = s.entries[:s.k]
		l := &s.entries[0]
		for i := range s.entries {
			if s.less(l, &s.entries[i]) {
				l = &s.entries[i]
			}
		}
		if !s.limited || s.less(l, &s.limit) {
			s.limit, s.limited = *l, true
		}
	}
	s.settled = len(s.entries)
}

// selectBest moves the k best of v to its front. 0 < k <= len(v).
func (s *Sorter) selectBest(v []entry, k int) {
	for lo, hi := 0, len(v)-1; lo < hi; {
		pivot := v[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for s.less(&v[i], &pivot) {
				i++
			}
			for s.less(&pivot, &v[j]) {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return
		}
	}
}
