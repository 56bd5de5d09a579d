package chunks

// few is the greatest number of bytes for which not all before them are inflated.
const few = 128

// elements are those of a chunk, of which only some are inflated: those that a few bytes of the
// text come from.
type elements struct {
	n    int               // so many are known
	text int               // where the next one begins in the text
	pos  int               // and in the bytes
	at   [Size + 1]uint16  // where each begins in the text
	from [Size + 1]uint16  // and in the bytes
	done [Size / 64]uint64 // those that are inflated
}

func (e *elements) reset() {
	e.n, e.text, e.pos = 0, 0, 0
	e.done = [Size / 64]uint64{}
}

// extents has for each first byte of an element how many bytes of text it gives, and how many
// it takes, times 256; 0 if that byte does not say it.
var extents = func() (x [256]uint16) {
	for tag := range x {
		switch n := uint16(tag >> 2); {
		case tag&3 == 0 && n < 60:
			x[tag] = n + 1 | (n+2)<<8
		case tag&3 == 1:
			x[tag] = n&7 + 4 | 2<<8
		case tag&3 == 2:
			x[tag] = n + 1 | 3<<8
		}
	}
	return x
}()

// scan finds the elements of the first want bytes of a chunk of size bytes of text. It reports
// false if they are malformed.
func (e *elements) scan(src []byte, size, want int) bool {
	n, d, s := e.n, e.text, e.pos
	for d < want && s < len(src) && n < Size {
		e.at[n], e.from[n] = uint16(d), uint16(s)
		n++
		x := int(extents[src[s]])
		if x == 0 {
			lit := longLiteral(src[s:])
			d += lit
			x = (lit + 2 + int(src[s]>>2&1)) << 8 // 61<<2 has a length of two bytes
			if lit == 0 {
				return false
			}
		}
		d, s = d+x&0xff, s+x>>8
	}
	if d < want || d > size || s > len(src) || d == size && s != len(src) {
		return false
	}
	e.at[n], e.from[n] = uint16(d), uint16(s)
	e.n, e.text, e.pos = n, d, s
	return true
}

// longLiteral returns the length of the literal at the beginning of src, whose first byte does not say
// it, or 0.
func longLiteral(src []byte) int {
	switch {
	case src[0] == 60<<2 && len(src) > 1:
		return int(src[1]) + 1
	case src[0] == 61<<2 && len(src) > 2:
		return int(src[1]) + int(src[2])<<8 + 1
	}
	return 0
}

// inflate sets the bytes from lo up to hi of dst, which scan has passed, and those that they are
// copied from. Each element is inflated once. It reports false if one is malformed.
func (e *elements) inflate(dst, src, dict []byte, lo, hi int) bool {
	i, j := 0, e.n
	for j-i > 1 {
		if m := int(uint(i+j) / 2); int(e.at[m]) <= lo {
			i = m
		} else {
			j = m
		}
	}
	for ; i < e.n && int(e.at[i]) < hi; i++ {
		if e.done[i/64]>>(i%64)&1 != 0 {
			continue
		}
		e.done[i/64] |= 1 << (i % 64)
		d, end := int(e.at[i]), int(e.at[i+1])
		element := src[e.from[i]:e.from[i+1]]
		off := 0
		switch element[0] & 3 {
		case 0:
			copy(dst[d:end], element[len(element)-(end-d):])
			continue
		case 1:
			off = int(element[0])>>5<<8 | int(element[1])
		case 2:
			off = int(element[1]) | int(element[2])<<8
		}
		p := d - off
		switch {
		case off == 0 || p < 0 && (len(dict)+p < 0 || p+len(dict)+end-d > len(dict)):
			return false
		case p < 0:
			copy(dst[d:end], dict[len(dict)+p:])
		default:
			if !e.inflate(dst, src, dict, p, min(p+end-d, d)) {
				return false
			}
			for d < end { // it may copy what it gives
				d += copy(dst[d:end], dst[p:d])
			}
		}
	}
	return true
}
