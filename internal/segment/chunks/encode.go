package chunks

import (
	"encoding/binary"
	"math/bits"
)

// Encoder makes blocks. Reset comes first.
type Encoder struct {
	buf   [1<<16 + 4]byte        // from 1 on the dictionary, then the chunk
	dict  int                    // where the chunk begins
	known [1 << knownBits]uint16 // by hash of 4 bytes: where in the dictionary they last are, or 0
	seen  [1 << seenBits]uint16  // likewise in the chunk, by the first bits of the hash
	out   []byte                 // chunks of a block
}

const (
	knownBits = 15
	seenBits  = 12
	maxOut    = 1 << 20 // bytes of out that are kept from one block to the next
)

func hash(v uint32) uint32 { return v * 0x1e35a7bd >> (32 - knownBits) }

// Reset makes dict, of at most MaxDictionary bytes, the dictionary of the following blocks.
func (e *Encoder) Reset(dict []byte) {
	e.dict = 1 + copy(e.buf[1:], dict)
	clear(e.known[:])
	for i := 1; i+4 <= e.dict; i++ {
		e.known[hash(binary.LittleEndian.Uint32(e.buf[i:]))] = uint16(i)
	}
}

// AppendBlock appends to dst a block of documents whose texts follow each other in text and
// end at ends, which count from base. Before it come the dictionary and its length if first is
// set. ok is false if the block has to be stored plain, because it would inflate to too much.
func (e *Encoder) AppendBlock(dst, text []byte, ends []int, base int, first bool) (block []byte, ok bool) {
	if first {
		dst = binary.AppendUvarint(dst, uint64(e.dict-1))
		dst = append(dst, e.buf[1:e.dict]...)
	}
	begin := len(dst)
	from := base
	for _, end := range ends {
		dst = binary.AppendUvarint(dst, uint64(end-from))
		from = end
	}
	e.out = e.out[:0]
	for at := 0; at < len(text); at += Size {
		from, chunk := len(e.out), text[at:min(at+Size, len(text))]
		if e.out = e.appendChunk(e.out, chunk); len(e.out)-from >= len(chunk) {
			e.out = append(e.out[:from], chunk...)
		}
		dst = binary.AppendUvarint(dst, uint64(len(e.out)-from))
	}
	dst = append(dst, e.out...)
	if cap(e.out) > maxOut {
		e.out = nil
	}
	return dst, !tooSmall(len(text), len(dst)-begin)
}

// appendChunk appends the elements of a chunk: greedy matches of at least 4 bytes, in the
// chunk or else in the dictionary.
func (e *Encoder) appendChunk(dst, chunk []byte) []byte {
	b, dict := &e.buf, uint(e.dict)
	end := dict + uint(copy(b[dict:], chunk))
	clear(e.seen[:])
	lit, s, miss := dict, dict, uint(0)
	for s+4 <= end {
		v := binary.LittleEndian.Uint32(b[uint16(s):])
		h := hash(v)
		slot := &e.seen[h>>(knownBits-seenBits)]
		m, most := uint(*slot), end-s
		*slot = uint16(s)
		if m == 0 || binary.LittleEndian.Uint32(b[uint16(m):]) != v {
			if m = uint(e.known[h]); m == 0 || binary.LittleEndian.Uint32(b[uint16(m):]) != v {
				s += 1 + miss>>4
				miss++
				continue
			}
			most = min(most, dict-m) // a copy stays in the dictionary
		}
		miss = 0
		n := 4 + same(b[m+4:], b[s+4:end], int(most)-4)
		for s > lit && m > 1 && m != dict && b[m-1] == b[s-1] {
			m, s, n = m-1, s-1, n+1
		}
		if s > lit {
			dst = appendLiteral(dst, b[lit:s])
		}
		dst = appendCopy(dst, int(s-m), n)
		s += uint(n)
		lit = s
		if s+3 <= end {
			e.seen[hash(binary.LittleEndian.Uint32(b[uint16(s-1):]))>>(knownBits-seenBits)] = uint16(s - 1)
			e.seen[hash(binary.LittleEndian.Uint32(b[uint16(s-2):]))>>(knownBits-seenBits)] = uint16(s - 2)
		}
	}
	if lit < end {
		dst = appendLiteral(dst, b[lit:end])
	}
	return dst
}

// same returns how many bytes a and b have in common at their beginning, at most most.
func same(a, b []byte, most int) int {
	n := 0
	for ; most-n >= 8; n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

func appendLiteral(dst, lit []byte) []byte {
	switch n := len(lit) - 1; {
	case n < 60:
		dst = append(dst, byte(n<<2))
	case n < 1<<8:
		dst = append(dst, 60<<2, byte(n))
	default:
		dst = append(dst, 61<<2, byte(n), byte(n>>8))
	}
	return append(dst, lit...)
}

// appendCopy appends copies of n bytes, at least 4, from off bytes before.
func appendCopy(dst []byte, off, n int) []byte {
	for n > 64 {
		k := min(64, n-4) // what is left has at least 4 bytes
		dst = append(dst, byte(k-1)<<2|2, byte(off), byte(off>>8))
		n -= k
	}
	if n < 12 && off < 1<<11 {
		return append(dst, byte(off>>8)<<5|byte(n-4)<<2|1, byte(off))
	}
	return append(dst, byte(n-1)<<2|2, byte(off), byte(off>>8))
}
