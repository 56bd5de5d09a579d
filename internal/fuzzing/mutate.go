package fuzzing

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
)

// mutator changes arguments.
type mutator struct {
	*rand.Rand
	longest int // length of an argument in bytes to which it may grow
}

// interesting are values at which code changes its mind.
var interesting = []uint64{0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 511, 512, 1000, 1023, 1024, 4095, 4096,
	1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}

// number returns another number for n.
func (m mutator) number(n uint64) uint64 {
	switch m.IntN(4) {
	case 0:
		return n + uint64(m.IntN(35)) + 1
	case 1:
		return n - uint64(m.IntN(35)) - 1
	case 2:
		return n ^ 1<<m.IntN(64)
	}
	return interesting[m.IntN(len(interesting))]
}

// length returns a length from 1 to most, mostly a short one.
func (m mutator) length(most int) int {
	switch x := m.IntN(100); {
	case x < 80:
		return 1 + m.IntN(min(8, most))
	case x < 97:
		return 1 + m.IntN(min(64, most))
	}
	return 1 + m.IntN(most)
}

// bytes changes b in place or appends to it. It takes parts of other, an argument of
// another input.
func (m mutator) bytes(b, other []byte) []byte {
	what := m.IntN(12)
	if len(b) == 0 || what == 11 && len(other) == 0 {
		what = 7
	}
	at := m.IntN(len(b) + min(1, 1-min(1, len(b)))) // of a byte, if there is one
	switch what {
	case 0, 1:
		b[at] ^= 1 << m.IntN(8)
	case 2:
		b[at] = byte(m.Uint32())
	case 3, 4, 5: // a word, of either byte order
		var w [8]byte
		size := min(1<<m.IntN(4), len(b)-at)
		copy(w[:], b[at:at+size])
		big := m.IntN(4) == 0
		if big {
			slices.Reverse(w[:size])
		}
		binary.LittleEndian.PutUint64(w[:], m.number(binary.LittleEndian.Uint64(w[:])))
		if big {
			slices.Reverse(w[:size])
		}
		copy(b[at:at+size], w[:])
	case 6:
		n := m.length(len(b) - at)
		b = slices.Delete(b, at, at+n)
	case 7: // new bytes, or as many of one value
		n := m.length(256)
		if len(b)+n > m.longest {
			break
		}
		b = slices.Grow(b, n)[:len(b)+n]
		copy(b[at+n:], b[at:])
		fill, same := byte(m.Uint32()), m.IntN(2) == 0
		for i := range n {
			if b[at+i] = fill; !same {
				b[at+i] = byte(m.Uint32())
			}
		}
	case 8: // a part again
		n := m.length(len(b) - at)
		if len(b)+n > m.longest {
			break
		}
		to := m.IntN(len(b) + 1)
		b = slices.Insert(b, to, slices.Clone(b[at:at+n])...)
	case 9:
		to := m.IntN(len(b))
		copy(b[to:], b[at:at+m.length(len(b)-at)])
	case 10:
		to := m.IntN(len(b))
		b[at], b[to] = b[to], b[at]
	case 11: // a part of other
		from := m.IntN(len(other))
		part := other[from : from+m.length(len(other)-from)]
		if m.IntN(2) == 0 {
			copy(b[at:], part)
		} else if len(b)+len(part) <= m.longest {
			b = slices.Insert(b, at, part...)
		}
	}
	return b
}

// mutate changes args, one to eight times. Its slices are in buffers, one an argument,
// which it may replace.
func (m mutator) mutate(args []value, kinds []reflect.Kind, other []value) {
	for times := 1; times <= 8; times++ {
		i := m.IntN(len(args))
		switch kinds[i] {
		case reflect.Slice, reflect.String:
			args[i].bytes = m.bytes(args[i].bytes, other[i].bytes)
		case reflect.Bool:
			args[i].number ^= 1
		default:
			args[i].number = m.number(args[i].number)
		}
		if m.IntN(2) == 0 {
			break
		}
	}
}
