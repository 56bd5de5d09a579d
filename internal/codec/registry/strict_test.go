package registry

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
)

// sequence is an encoded sequence, and how its codec decodes and checks it.
type sequence struct {
	format.Sequence
	values []uint32
	c      codec.Codec
	docs   bool
	dst    []uint32
}

func encodeSequence(t *testing.T, c codec.Codec, values, last []uint32) *sequence {
	t.Helper()
	s := &sequence{values: values, c: c, docs: last != nil}
	s.N, s.Last = len(values), last
	blocks := codec.Blocks(s.N, c.BlockLen())
	s.Ends, s.dst = make([]uint32, blocks+1), make([]uint32, blocks*c.BlockLen())
	encode := c.AppendFreqs
	if s.docs {
		encode = c.AppendDocs
	}
	p, err := encode(nil, s.Ends, values)
	if err != nil {
		t.Fatal(err)
	}
	s.Payload = append(format.AlignedBytes(len(p))[:0], p...)
	return s
}

// verify does what verification does with a sequence: it decodes all blocks and then checks
// them, if the codec does not check all bits when it decodes.
func (s *sequence) verify() (n int, err error) {
	blocks, size := len(s.Ends)-1, s.c.BlockLen()
	if s.docs {
		n, err = s.c.DecodeDocs(s.dst, &s.Sequence, 0, blocks)
	} else {
		n, err = s.c.DecodeFreqs(s.dst, &s.Sequence, 0, blocks)
	}
	strict, ok := s.c.(codec.Strict)
	for b := 0; b < blocks && ok && err == nil; b++ {
		v := s.dst[b*size : min((b+1)*size, n)]
		if s.docs {
			err = strict.StrictDocs(&s.Sequence, b, v)
		} else {
			err = strict.StrictFreqs(&s.Sequence, b, v)
		}
	}
	return n, err
}

// slope reports whether byte i of the payload, whose bit is flipped, belongs to the slope of a
// line. Slopes have as many bits as the longest list needs, so their low ones may move no docID.
func (s *sequence) slope(i int) bool {
	if !s.docs {
		return false
	}
	switch s.c.ID() {
	case codec.LRC, codec.LRCSeg:
		return i < 8
	case codec.HSLRC:
		return i < 4*int(s.Ends[0])-4 && i%16 >= 8
	case codec.SegLRC: // c, bits 24 to 28 of a block
		return slices.Contains(s.Ends, uint32(i/4)) && i%4 == 3
	}
	return false
}

// everyBit flips each bit of s in turn and returns how many there are. None may be passed over.
func (s *sequence) everyBit(t *testing.T) int {
	if n, err := s.verify(); err != nil || !slices.Equal(s.dst[:n], s.values) {
		t.Fatalf("%v, %d values, docs %v: what it encodes: %v", s.c.ID(), s.N, s.docs, err)
	}
	for i := range s.Payload {
		for bit := range 8 {
			s.Payload[i] ^= 1 << bit
			n, err := s.verify()
			s.Payload[i] ^= 1 << bit
			if err != nil && !errors.Is(err, format.ErrCorrupt) {
				t.Fatalf("%v: %v", s.c.ID(), err)
			}
			if err == nil && slices.Equal(s.dst[:n], s.values) && !s.slope(i) {
				t.Errorf("%v, %d values, docs %v: bit %d of byte %d, endpoints %v: not found", s.c.ID(), s.N, s.docs, bit, i, s.Ends)
				return 8 * i
			}
		}
	}
	return 8 * len(s.Payload)
}

// With any bit of an encoded list flipped, verification finds it or the postings are others,
// except for low bits of slopes. PINION_LISTS is the number of lists of each codec.
func TestEveryBit(t *testing.T) {
	rounds := uint64(40)
	if testing.Short() {
		rounds = 8
	}
	if n, err := strconv.ParseUint(os.Getenv("PINION_LISTS"), 10, 32); err == nil {
		rounds = n
	}
	codecs := All()
	for _, level := range []int{0, 2, pfordelta.MaxLevel} {
		c, err := pfordelta.Level(level)
		if err != nil {
			t.Fatal(err)
		}
		codecs = append(codecs, c)
	}
	for _, c := range codecs {
		t.Run(c.ID().String(), func(t *testing.T) {
			t.Parallel()
			flips := 0
			for seed := range rounds {
				docs, freqs := drawList(seed, c.BlockLen())
				var last []uint32
				for i := range codec.Blocks(len(docs), c.BlockLen()) {
					last = append(last, docs[min((i+1)*c.BlockLen(), len(docs))-1])
				}
				flips += encodeSequence(t, c, docs, last).everyBit(t) + encodeSequence(t, c, freqs, nil).everyBit(t)
			}
			t.Logf("%d bits flipped", flips)
		})
	}
}

// drawList draws a list of up to three blocks: with and without outliers, clusters and short
// last blocks.
func drawList(seed uint64, size int) (docs, freqs []uint32) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := 1 + rng.IntN(3*128)
	switch {
	case seed%4 == 0:
		n = 1 + rng.IntN(12)
	case size > 128 && seed%4 == 1:
		n = size + rng.IntN(size)
	case seed%8 == 2:
		n = 600 // several buckets
	}
	width := rng.IntN(14)
	next := uint32(rng.IntN(100))
	for i := range n {
		gap, tf := uint32(rng.IntN(1<<width)), 1+uint32(rng.IntN(1<<(width/2)))
		if seed%2 == 0 && rng.IntN(15) == 0 {
			gap, tf = gap<<rng.IntN(6), tf+uint32(rng.IntN(1<<12))
		}
		if seed%8 == 2 && i == n/2 {
			gap = next * 3
		}
		docs, freqs = append(docs, next+gap), append(freqs, tf)
		next += gap + 1
	}
	return docs, freqs
}
