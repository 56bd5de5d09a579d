package codectest

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/simd"
)

// Fuzz is a codec's fuzz target. The seeds are sound lists of every width and of several
// lengths, and lists with exceptions.
func Fuzz(x *testing.F, c codec.Codec) {
	f := fuzzing.New(x)
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
	d := NewDecoding(c)
	f.Fuzz(func(t *testing.T, data []byte) { d.Execute(t, data) })
}

// Decoding decodes arbitrary bytes as sequences of a codec. It reuses its memory.
type Decoding struct {
	hostile hostile
	seq     format.Sequence
	last    []uint32
	payload []byte
	memory  *guarded
	tiers   []simd.Tier
}

// NewDecoding returns one for c.
func NewDecoding(c codec.Codec) *Decoding {
	memory, err := newGuarded(maxPayload + format.ReadablePadding)
	if err != nil {
		memory = nil // guard pages are not everywhere
	}
	return &Decoding{hostile: hostile{c: c}, payload: format.AlignedBytes(maxPayload), memory: memory, tiers: simd.Tiers()}
}

// maxPayload is enough for three blocks of 1024 values at 64 bits each, with exceptions.
const maxPayload = 1 << 15

// Execute is the body of a fuzz target: it decodes the sequence that data describes block by
// block with portable code, and in rows at the tier that a checksum of data selects, with the
// checks of Hostile, and then with one bit changed. No checksum protects the sequence; on
// Linux the payload lies next to a guard page.
func (d *Decoding) Execute(t *testing.T, data []byte) {
	if s := d.arbitrary(data); s != nil {
		d.memory.guard(s, data[2]&inputLow != 0)
		sum := crc32.ChecksumIEEE(data)
		d.hostile.run(t, s, d.tiers[sum%uint32(len(d.tiers))])
		d.hostile.flip(t, s, sum/4)
	}
}

// Bits of the third byte of a fuzz input.
const (
	inputFreqs = 1 << iota // no skip header
	inputEnds              // endpoints are arbitrary words; otherwise lengths within the payload
	inputLast              // the skip header is kept; otherwise it is corrected
	inputLow               // the payload starts after a guard page; otherwise its padding ends before one
)

// arbitrary turns any bytes into a sequence to decode: small numbers first choose the
// shape, and the rest is payload. Taken literally, nearly all inputs would fail at
// their endpoints, before the decoder runs, and nearly all others at their last docID,
// after it; so, unless the input asks for that, endpoints stay within the payload and
// last docIDs are made to fit. The sequence has a skip header if it is one of docIDs, and
// is valid until the next call.
func (d *Decoding) arbitrary(data []byte) *format.Sequence {
	if len(data) < 4 {
		return nil
	}
	size := d.hostile.c.BlockLen()
	n := 1 + int(binary.LittleEndian.Uint16(data))%(3*size)
	shape, in := data[2], input(data[3:])
	blocks := codec.Blocks(n, size)
	s := &d.seq
	s.N, s.Last, s.Ends = n, nil, slices.Grow(s.Ends[:0], blocks+1)[:blocks+1]
	for i := range s.Ends {
		if shape&inputEnds != 0 {
			s.Ends[i] = in.word(4)
		} else {
			s.Ends[i] = in.word(2)
		}
	}
	if shape&inputFreqs == 0 {
		d.last = slices.Grow(d.last[:0], blocks)[:blocks]
		for i := range d.last {
			d.last[i] = in.word(4)
		}
		s.Last = d.last
	}
	s.Payload = d.payload[:min(len(in)&^3, maxPayload)]
	copy(s.Payload, in)
	pad(s.Payload)
	if shape&inputEnds == 0 {
		at, words := uint32(0), uint32(len(s.Payload)/4)
		for i, length := range s.Ends {
			at = min(at+length, words)
			s.Ends[i] = at
		}
		s.Ends[blocks] = words
	}
	if s.Last != nil && shape&inputLast == 0 {
		d.hostile.mend(s)
	}
	return s
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
func (h *hostile) mend(s *format.Sequence) {
	defer simd.SetLevel(simd.Portable)()
	size := h.c.BlockLen()
	for i := range s.Last {
		if _, err := h.c.DecodeDocs(h.dst.reset(size), s, i, 1); errors.Is(err, codec.ErrLastDoc) {
			s.Last[i] = h.dst.values[min(s.N-i*size, size)-1]
		}
	}
}

// Seed returns an input of Decoding that gives s, whose endpoints must ascend.
func Seed(s *format.Sequence) []byte {
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
