package registry

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codectest"
)

// TestNewPFDGolden compares the bytes of small blocks, field by field.
func TestNewPFDGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		freqs []uint32
		words []string
	}{
		{"nothing but ones", []uint32{1, 1, 1, 1, 1, 1}, nil},
		{"four exceptions", []uint32{2, 1, 2, 1, 1, 1, 1, 14, 1, 2}, []string{
			"00810004", // b 0, count 4 at bit 6, over 4 at 13, positions 0 and 2 at 18 and 25
			"87040003", // positions 7 and 9, overflows minus one 0, 0, 12, 0 from bit 14
		}},
	} {
		got, err := newpfd.Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}

// TestNewPFDBitmap encodes more exceptions than the maximum of a list of positions.
func TestNewPFDBitmap(t *testing.T) {
	freqs := make([]uint32, newpfd.BlockLen)
	for i := range freqs {
		freqs[i] = 1
		if i%5 == 2 {
			freqs[i] = 9 + uint32(i)%8
		}
	}
	p, err := newpfd.Codec{}.AppendFreqsBlock(nil, freqs)
	if err != nil {
		t.Fatal(err)
	}
	if head := p[0]; head&63 != 0 || uint16(p[1])&31<<2|uint16(head)>>6 <= 16 {
		t.Fatalf("the block begins with % x: it is meant to take a bitmap", p[:4])
	}
	l, err := codectest.Encode(newpfd.Codec{}, format.Postings{Docs: freqsDocs(), Freqs: freqs})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint32, newpfd.BlockLen)
	if n, err := (newpfd.Codec{}).DecodeFreqs(dst, &l.TFSeq, 0, 1); n != newpfd.BlockLen || err != nil {
		t.Fatal(n, err)
	}
	if !slices.Equal(dst, freqs) {
		t.Fatalf("%v, not %v", dst, freqs)
	}
}

func freqsDocs() []uint32 {
	d := make([]uint32, newpfd.BlockLen)
	for i := range d {
		d[i] = uint32(i)
	}
	return d
}
