package coding

import "math/bits"

const headBits = 32 // of a segment: width, number of exceptions, and what else its kind has

func (l *List) encodeGaps(docs []uint32) {
	prev := ^uint32(0)
	gaps := make([]uint32, 1024)
	for i := range l.Segments() {
		part := docs[l.first[i]:l.first[i+1]]
		l.prev = append(l.prev, prev)
		for j, d := range part {
			gaps[j] = d - prev - 1
			prev = d
		}
		l.starts = append(l.starts, l.s.n)
		l.putSegment(gaps[:len(part)], l.scheme.Kind)
	}
}

func (l *List) decodeGaps(dst []uint32, i int) { l.getSegment(dst, i, l.scheme.Kind) }

// putSegment encodes values with exceptions.
func (l *List) putSegment(v []uint32, k Kind) {
	b := width(v, l.scheme.Share)
	switch k {
	case PFD:
		l.putLinked(v, b)
	case NewPFD:
		l.putNew(v, b)
	default:
		l.putPara(v, b)
	}
	l.s.align(32)
}

// putLinked writes the width (6 bits), the number of exceptions (11) and the first one's
// position (11), the slots, and the exceptions as they are. The slot of an exception has
// the distance to the next one, less one; where that is too far, a value between them is
// forced to be an exception.
func (l *List) putLinked(v []uint32, b int) {
	if b == 0 && max32(v) > 0 {
		b = 1
	}
	var at []int
	for i, x := range v {
		if bits.Len32(x) > b {
			for len(at) > 0 && i-at[len(at)-1] > 1<<b {
				at = append(at, at[len(at)-1]+1<<b)
			}
			at = append(at, i)
		}
	}
	first := 0
	if len(at) > 0 {
		first = at[0]
	}
	l.s.put(uint32(b)|uint32(len(at))<<6|uint32(first)<<17, headBits)
	slots := l.s.n
	for _, x := range v {
		l.s.put(x, b)
	}
	for i, p := range at {
		next := 0
		if i+1 < len(at) {
			next = at[i+1] - p - 1
		}
		l.s.set(slots+p*b, b, uint32(next))
	}
	l.s.align(32)
	for _, p := range at {
		l.s.put(v[p], 32)
	}
}

// putNew writes the slots, and positions and overflows in S16.
func (l *List) putNew(v []uint32, b int) {
	for uint64(max32(v))>>b >= 1<<28 {
		b++
	}
	at, over := exceptions(v, b)
	l.s.put(uint32(b)|uint32(len(at))<<6, headBits)
	for _, x := range v {
		l.s.put(x, b)
	}
	l.s.align(32)
	for i := len(at) - 1; i > 0; i-- {
		at[i] -= at[i-1] + 1
	}
	l.s.putS16(at)
	l.s.putS16(over)
}

// putPara writes width, width of positions (4 bits), width of overflows (6) and their
// number (11), the slots, the positions and the overflows.
func (l *List) putPara(v []uint32, b int) {
	at, over := exceptions(v, b)
	ib, hb := 0, 0
	if len(at) > 0 {
		ib, hb = bits.Len32(at[len(at)-1]), bits.Len32(max32(over))
	}
	l.s.put(uint32(b)|uint32(ib)<<6|uint32(hb)<<10|uint32(len(at))<<16, headBits)
	for _, x := range v {
		l.s.put(x, b)
	}
	for _, p := range at {
		l.s.put(p, ib)
	}
	for _, o := range over {
		l.s.put(o, hb)
	}
}

// getSegment decodes what putSegment wrote.
func (l *List) getSegment(dst []uint32, i int, k Kind) {
	s, at := &l.s, l.starts[i]
	head := s.get(at, 32)
	b := int(head & 63)
	at += headBits
	for j, p := 0, at; j < len(dst); j, p = j+1, p+b {
		dst[j] = s.get(p, b)
	}
	at += b * len(dst)
	switch k {
	case PFD:
		at = (at + 31) &^ 31
		p := int(head >> 17)
		for range head >> 6 & 2047 {
			next := p + int(dst[p]) + 1
			dst[p] = s.get(at, 32)
			p, at = next, at+32
		}
	case NewPFD:
		n := int(head >> 6)
		if n == 0 {
			return
		}
		var pos, over [1024]uint32
		at = s.getS16(pos[:n], (at+31)&^31)
		s.getS16(over[:n], at)
		p := -1
		for j := range n {
			p += int(pos[j]) + 1
			dst[p] |= over[j] << b
		}
	default:
		ib, hb, n := int(head>>6&15), int(head>>10&63), int(head>>16)
		for j := range n {
			dst[s.get(at+j*ib, ib)] |= s.get(at+n*ib+j*hb, hb) << b
		}
	}
}

// exceptions returns the positions of the values above b bits and what exceeds.
func exceptions(v []uint32, b int) (at, over []uint32) {
	for i, x := range v {
		if bits.Len32(x) > b {
			at, over = append(at, uint32(i)), append(over, uint32(uint64(x)>>b))
		}
	}
	return at, over
}

func max32(v []uint32) uint32 {
	m := uint32(0)
	for _, x := range v {
		m = max(m, x)
	}
	return m
}
