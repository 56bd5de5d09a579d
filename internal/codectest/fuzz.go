package codectest

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/internal/simd"
)

// Fuzz is the body of a codec's fuzz target: it decodes arbitrary sequences, block by block
// and in rows, at every tier, with the checks of Hostile. No checksum protects them; on Linux the payload lies next to a guard page. The seeds are sound lists
// of every width and of several lengths, and lists with exceptions.
func Fuzz(f *testing.F, c codec.Codec) {
	size := c.BlockLen()
	seed := func(docs, freqs []uint32) {
		l := encode(f, c, docs, freqs)
		f.Add(Seed(&l.DocSeq))
		f.Add(Seed(&l.TFSeq))
	}
	for width := uint(0); width <= 32; width++ {
		n := []int{size + 5, 3, size, 2*size + 77, size - 1}[width%5]
		seed(wide(n, min(width, 30)), wideFreqs(n, width))
	}
	for _, top := range []uint32{1, 100, 1 << 20} {
		seed(spread(200, top), spread(200, top))
	}
	memory, err := newGuarded(1 << 20)
	if err != nil {
		f.Logf("no guard pages: %v", err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, _ := Arbitrary(c, data); s != nil {
			memory.guard(s, data[2]&inputLow != 0)
			Hostile(t, c, s)
		}
	})
}

// Bits of the third byte of a fuzz input.
const (
	inputFreqs = 1 << iota // no skip header
	inputEnds              // endpoints are arbitrary words; otherwise lengths within the payload
	inputLast              // the skip header is kept; otherwise it is corrected
	inputLow               // the payload starts after a guard page; otherwise its padding ends before one
)

// Arbitrary turns any bytes into a sequence to decode: small numbers first choose the
// shape, and the rest is payload. docs reports whether there is a skip header. Taken literally, nearly all inputs would fail at
// their endpoints, before the decoder runs, and nearly all others at their last docID,
// after it; so, unless the input asks for that, endpoints stay within the payload and
// last docIDs are made to fit.
func Arbitrary(c codec.Codec, data []byte) (s *codec.Sequence, docs bool) {
	if len(data) < 4 {
		return nil, false
	}
	size := c.BlockLen()
	n := 1 + int(binary.LittleEndian.Uint16(data))%(3*size)
	shape, in := data[2], input(data[3:])
	docs = shape&inputFreqs == 0
	blocks := codec.Blocks(n, size)
	s = &codec.Sequence{N: n, Ends: make([]uint32, blocks+1)}
	for i := range s.Ends {
		if shape&inputEnds != 0 {
			s.Ends[i] = in.word(4)
		} else {
			s.Ends[i] = in.word(2)
		}
	}
	if docs {
		s.Last = make([]uint32, blocks)
		for i := range s.Last {
			s.Last[i] = in.word(4)
		}
	}
	s.Payload = padded(in[:len(in)&^3])
	if shape&inputEnds == 0 {
		at, words := uint32(0), uint32(len(s.Payload)/4)
		for i, length := range s.Ends {
			at = min(at+length, words)
			s.Ends[i] = at
		}
		s.Ends[blocks] = words
	}
	if docs && shape&inputLast == 0 {
		mend(c, s)
	}
	return s, docs
}

// input is the rest of a fuzz input.
type input []byte

// word reads n bytes, or all that are left.
func (in *input) word(n int) uint32 {
	var b [4]byte
	*in = (*in)[copy(b[:n], *in):]
	return binary.LittleEndian.Uint32(b[:])
}

// mend sets the skip header of s to the last docIDs of the blocks that can be decoded.
func mend(c codec.Codec, s *codec.Sequence) {
	defer simd.SetLevel(simd.Portable)()
	size := c.BlockLen()
	dst := make([]uint32, size)
	for i := range s.Last {
		if _, err := c.DecodeDocs(dst, s, i, 1); errors.Is(err, codec.ErrLastDoc) {
			s.Last[i] = dst[min(s.N-i*size, size)-1]
		}
	}
}

// Seed is the inverse of Arbitrary: it returns bytes that give s. The endpoints of s must
// ascend.
func Seed(s *codec.Sequence) []byte {
	data := binary.LittleEndian.AppendUint16(nil, uint16(s.N-1))
	if s.Last != nil {
		data = append(data, 0)
	} else {
		data = append(data, inputFreqs)
	}
	at := uint32(0)
	for _, end := range s.Ends {
		data = binary.LittleEndian.AppendUint16(data, uint16(end-at))
		at = end
	}
	for _, v := range s.Last {
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	return append(data, s.Payload...)
}
