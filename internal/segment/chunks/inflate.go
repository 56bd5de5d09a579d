package chunks

import "encoding/binary"

// inflate goes on with a chunk: dst[:d] are what src[:s] gives. It ends with the first element
// that makes d at least want, and returns both, or -1 if src is malformed or gives more than
// dst holds before its last slack bytes.
func inflate(dst []byte, d int, src []byte, s int, dict []byte, want int) (int, int) {
	limit := len(dst) - slack
	for d < want {
		if s >= len(src) {
			return -1, s
		}
		n, off := 0, 0
		switch tag := int(src[s]); tag & 3 {
		case 0:
			if d, s = literal(dst, d, src, s, limit); d < 0 {
				return -1, s
			}
			continue
		case 1:
			if s+2 > len(src) {
				return -1, s
			}
			n, off = tag>>2&7+4, tag>>5<<8|int(src[s+1])
			s += 2
		case 2:
			if s+3 > len(src) {
				return -1, s
			}
			n, off = tag>>2+1, int(src[s+1])|int(src[s+2])<<8
			s += 3
		default:
			return -1, s
		}
		if n > limit-d || off == 0 {
			return -1, s
		}
		var from []byte
		switch {
		case off > d:
			at := len(dict) - (off - d)
			if at < 0 || n > len(dict)-at {
				return -1, s
			}
			from = dict[at:]
			if len(from) < slack {
				d += copy(dst[d:d+n], from)
				continue
			}
		case off < 16: // source and destination may overlap
			for i := range n {
				dst[d+i] = dst[d-off+i]
			}
			d += n
			continue
		default:
			from = dst[d-off:]
		}
		// An element copies at most 64 bytes, and both slices have as many. With off at least
		// 16, every step reads what an earlier one has written.
		to := dst[d:]
		*(*[16]byte)(to) = *(*[16]byte)(from)
		if n > 16 {
			*(*[16]byte)(to[16:]) = *(*[16]byte)(from[16:])
		}
		if n > 32 {
			*(*[16]byte)(to[32:]) = *(*[16]byte)(from[32:])
			*(*[16]byte)(to[48:]) = *(*[16]byte)(from[48:])
		}
		d += n
	}
	return d, s
}

// literal copies the literal at src[s] to dst[d:limit], as inflate.
func literal(dst []byte, d int, src []byte, s, limit int) (int, int) {
	n := int(src[s]>>2) + 1
	s++
	switch {
	case n <= 16 && len(src)-s >= 16 && n <= limit-d:
		*(*[16]byte)(dst[d:]) = *(*[16]byte)(src[s:])
		return d + n, s + n
	case n == 61 && len(src)-s >= 1:
		n = int(src[s]) + 1
		s++
	case n == 62 && len(src)-s >= 2:
		n = int(binary.LittleEndian.Uint16(src[s:])) + 1
		s += 2
	case n > 60:
		return -1, s
	}
	if n > len(src)-s || n > limit-d {
		return -1, s
	}
	copy(dst[d:d+n], src[s:s+n])
	return d + n, s + n
}
