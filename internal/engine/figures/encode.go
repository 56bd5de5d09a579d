package figures

import (
	"encoding/binary"
	"errors"
	"math"
)

// errState is the error for bytes that Append has not written.
var errState = errors.New("figures that make no sense")

// mostWords is how many words a sum has at most: floats of 2^64 values, and a word of the sign.
const mostWords = 40

// Append appends s to dst.
func (s *State) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, s.N)
	if s.N == 0 {
		return dst
	}
	dst = append(dst, s.Kind, s.Unit)
	dst = binary.AppendVarint(binary.AppendVarint(dst, s.Min), s.Max)
	sum := s.Sum.Clone()
	sum.trim()
	dst = append(dst, byte(sum.low), byte(len(sum.words)))
	for _, w := range sum.words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Bars)))
	last := int64(math.MinInt32)
	for _, b := range s.Bars {
		dst = binary.AppendUvarint(dst, uint64(int64(b.Interval)-last))
		dst = binary.AppendUvarint(dst, b.N)
		last = int64(b.Interval)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Numbers)))
	before := int64(math.MinInt64)
	for _, n := range s.Numbers {
		dst = binary.AppendUvarint(dst, uint64(n)-uint64(before))
		before = n
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Words)))
	for _, w := range s.Words {
		dst = append(binary.AppendUvarint(dst, uint64(len(w))), w...)
	}
	return dst
}

// Decode sets s to what Append has written, with nothing behind it. It takes no more memory than some times that of b.
func (s *State) Decode(b []byte) error {
	*s = State{}
	r := reader{b: b}
	if s.N = r.uint(); s.N == 0 {
		return r.end()
	}
	s.Kind, s.Unit = r.byte(), r.byte()
	if s.Min, s.Max = r.int(), r.int(); s.Min > s.Max {
		r.fail()
	}
	low, n := r.byte(), r.byte()
	if int(low)+int(n) > mostWords {
		r.fail()
	}
	for range n {
		s.Sum.words = append(s.Sum.words, r.word())
	}
	if s.Sum.low = int(low); n == 0 && low > 0 {
		r.fail()
	}
	last, all := int64(math.MinInt32), uint64(0)
	for i := range r.count() {
		by := r.uint()
		if by > math.MaxUint32 || by == 0 && i > 0 {
			r.fail()
		}
		if last += int64(by); last > math.MaxInt32 {
			r.fail()
		}
		n := r.uint()
		if n == 0 || n > s.N-all {
			r.fail()
		}
		all += n
		if r.err != nil {
			break
		}
		s.Bars = append(s.Bars, Bar{int32(last), n})
	}
	if len(s.Bars) > 0 && all != s.N {
		r.fail()
	}
	before := int64(math.MinInt64)
	for i := range r.count() {
		next := int64(uint64(before) + r.uint())
		if i > 0 && next <= before || i == 0 && next < before {
			r.fail()
		}
		if r.err != nil {
			break
		}
		s.Numbers, before = append(s.Numbers, next), next
	}
	for i := range r.count() {
		w := string(r.take(r.uint()))
		if i > 0 && w <= s.Words[i-1] {
			r.fail()
		}
		if r.err != nil {
			break
		}
		s.Words = append(s.Words, w)
	}
	if s.Distinct = uint64(len(s.Numbers) + len(s.Words)); s.Distinct > s.N {
		r.fail()
	}
	if err := r.end(); err != nil {
		*s = State{}
		return err
	}
	return nil
}

// reader takes bytes apart. What it returns after an error is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail() { r.err, r.b = errState, nil }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	x := r.b[:n]
	r.b = r.b[n:]
	return x
}

func (r *reader) byte() byte {
	if x := r.take(1); len(x) == 1 {
		return x[0]
	}
	return 0
}

func (r *reader) word() uint64 {
	if x := r.take(8); len(x) == 8 {
		return binary.LittleEndian.Uint64(x)
	}
	return 0
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return x
}

func (r *reader) int() int64 {
	x, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return x
}

// count returns how many elements follow, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.err = errState
	}
	return r.err
}
