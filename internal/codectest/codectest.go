// Package codectest is the conformance suite of the posting codecs. A codec's test calls
// Run; a codec that passes decodes what it encodes at every tier of package simd, stays
// inside its input and output for all bytes, and detects invalid blocks as package codec
// requires.
package codectest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/simd"
)

// Run tests c. Every part is a subtest.
func Run(t *testing.T, c codec.Codec) {
	t.Run("interface", func(t *testing.T) { testInterface(t, c) })
	t.Run("refuses", func(t *testing.T) { testRefuses(t, c) })
	t.Run("allocations", func(t *testing.T) { testAllocations(t, c) })
	for _, tier := range simd.Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			defer simd.SetLevel(tier)()
			t.Run("lengths", func(t *testing.T) { testLengths(t, c) })
			t.Run("widths", func(t *testing.T) { testWidths(t, c) })
			t.Run("random", func(t *testing.T) { testRandom(t, c) })
			t.Run("rows", func(t *testing.T) { testRows(t, c) })
			t.Run("reach", func(t *testing.T) { testReach(t, c) })
			t.Run("guarded", func(t *testing.T) { testGuarded(t, c) })
		})
	}
	t.Run("broken", func(t *testing.T) { testBroken(t, c) })
	t.Run("corrupt", func(t *testing.T) { testCorrupt(t, c) })
	t.Run("hostile", func(t *testing.T) { testHostile(t, c) })
}

// List is a posting list with its encodings.
type List struct {
	format.Postings
	DocSeq, TFSeq format.Sequence // as in an extent
}

// Encode encodes p. The results are aligned and have readable padding, as in an extent.
func Encode(c codec.Codec, p format.Postings) (*List, error) {
	n := p.Len()
	blocks := codec.Blocks(n, c.BlockLen())
	l := &List{Postings: p}
	l.DocSeq = format.Sequence{N: n, Ends: make([]uint32, blocks+1), Last: make([]uint32, blocks)}
	l.TFSeq = format.Sequence{N: n, Ends: make([]uint32, blocks+1)}
	for i := range blocks {
		l.DocSeq.Last[i] = p.Docs[min((i+1)*c.BlockLen(), n)-1]
	}
	b, err := c.AppendDocs(nil, l.DocSeq.Ends, p.Docs)
	if err != nil {
		return nil, err
	}
	l.DocSeq.Payload = padded(b)
	b, err = c.AppendFreqs(nil, l.TFSeq.Ends, p.Freqs)
	if err != nil {
		return nil, err
	}
	l.TFSeq.Payload = padded(b)
	return l, nil
}

// padded copies p to aligned memory with readable nonzero padding, since other data
// follows a payload in an extent.
func padded(p []byte) []byte {
	q := format.AlignedBytes(len(p))
	copy(q, p)
	pad(q)
	return q
}

// pad writes padding after b, up to its capacity but no more than is readable.
func pad(b []byte) {
	for i := range format.ReadablePadding {
		b[:cap(b)][len(b)+i] = 0xa5
	}
}

func encode(t fataler, c codec.Codec, docs, freqs []uint32) *List {
	l, err := Encode(c, format.Postings{Docs: docs, Freqs: freqs})
	if err != nil {
		t.Fatalf("encoding %d values: %v", len(docs), err)
	}
	return l
}

// fataler is the common interface of testing.T and rapid.T.
type fataler interface {
	Fatalf(format string, args ...any)
}

// check decodes every block of l and compares with the values; it also checks
// the sizes.
func (l *List) check(t fataler, c codec.Codec) {
	l.checkSizes(t, c)
	dst := newCanary(c.BlockLen())
	for i := range codec.Blocks(len(l.Docs), c.BlockLen()) {
		at := i * c.BlockLen()
		end := min(at+c.BlockLen(), len(l.Docs))
		n, err := c.DecodeDocs(dst.values, &l.DocSeq, i, 1)
		if err != nil || n != end-at || !slices.Equal(dst.values[:n], l.Docs[at:end]) {
			t.Fatalf("list of %d, docIDs of block %d: %d values, error %v, %s",
				len(l.Docs), i, n, err, difference(dst.values, l.Docs[at:end]))
		}
		n, err = c.DecodeFreqs(dst.values, &l.TFSeq, i, 1)
		if err != nil || n != end-at || !slices.Equal(dst.values[:n], l.Freqs[at:end]) {
			t.Fatalf("list of %d, frequencies of block %d: %d values, error %v, %s",
				len(l.Docs), i, n, err, difference(dst.values, l.Freqs[at:end]))
		}
		dst.check(t)
	}
}

func difference(got, want []uint32) string {
	for i, w := range want {
		if got[i] != w {
			return format.Corrupt("value %d is %d, not %d", i, got[i], w).Msg
		}
	}
	return "values equal"
}

// checkSizes compares the predicted sizes with those of the encoding.
func (l *List) checkSizes(t fataler, c codec.Codec) {
	if n, err := c.DocsSize(l.Docs); err != nil || n != len(l.DocSeq.Payload) {
		t.Fatalf("%d docIDs take %d bytes, predicted %d, error %v", len(l.Docs), len(l.DocSeq.Payload), n, err)
	}
	if n, err := c.FreqsSize(l.Freqs); err != nil || n != len(l.TFSeq.Payload) {
		t.Fatalf("%d frequencies take %d bytes, predicted %d, error %v", len(l.Docs), len(l.TFSeq.Payload), n, err)
	}
	for _, s := range []*format.Sequence{&l.DocSeq, &l.TFSeq} {
		if len(s.Payload)%4 != 0 || int(s.Ends[len(s.Ends)-1])*4 != len(s.Payload) {
			t.Fatalf("payload of %d bytes ends at word %d", len(s.Payload), s.Ends[len(s.Ends)-1])
		}
	}
}

// canary is an output buffer of a decoder between words that must not change.
type canary struct {
	all, values []uint32
}

const canaryWord, canaryWords = 0xc0ffee11, 64

// poison fills buffers.
var poison = slices.Repeat([]uint32{canaryWord}, 4096)

func newCanary(n int) *canary {
	c := new(canary)
	c.reset(n)
	return c
}

// reset makes room for n values and writes every word, so that a decoder that leaves out a
// value does not find that of the call before.
func (c *canary) reset(n int) []uint32 {
	if n += 2 * canaryWords; cap(c.all) < n {
		c.all = make([]uint32, n)
	}
	c.all = c.all[:n]
	for rest := c.all; len(rest) > 0; {
		rest = rest[copy(rest, poison):]
	}
	// The capacity includes the words after it, as in a caller's buffer.
	c.values = c.all[canaryWords : n-canaryWords]
	return c.values
}

func (c *canary) check(t fataler) {
	for _, at := range []int{0, canaryWords + len(c.values)} {
		if words := c.all[at:][:canaryWords]; !equal(words, poison[:canaryWords]) {
			i := slices.IndexFunc(words, func(w uint32) bool { return w != canaryWord })
			t.Fatalf("decoder wrote to element %d of %d", at+i-canaryWords, len(c.values))
		}
	}
}

// equal is slices.Equal, at the speed of memory.
func equal(a, b []uint32) bool { return bytes.Equal(format.BytesOf(a), format.BytesOf(b)) }

// testInterface checks properties that do not depend on values.
func testInterface(t *testing.T, c codec.Codec) {
	switch c.BlockLen() {
	case 128, 256, 1024:
	default:
		t.Errorf("BlockLen is %d", c.BlockLen())
	}
	encode(t, c, nil, nil).checkSizes(t, c)
}

// testRefuses checks the errors for values that cannot be encoded.
func testRefuses(t *testing.T, c codec.Codec) {
	n := 2*c.BlockLen() + 5
	for _, at := range []int{0, 1, 127, c.BlockLen() - 1, c.BlockLen(), n - 1} {
		docs, freqs := make([]uint32, n), make([]uint32, n)
		for i := range docs {
			docs[i], freqs[i] = uint32(3*i+7), 1
		}
		bad := map[string]uint32{"over": codec.MaxDoc + 1, "far over": ^uint32(0)}
		if at > 0 {
			bad["same"], bad["below"] = docs[at-1], docs[at-1]-1
		}
		for name, v := range bad {
			old := docs[at]
			docs[at] = v
			_, err := c.AppendDocs(nil, make([]uint32, codec.Blocks(n, c.BlockLen())+1), docs)
			wantEncodeError(t, name, err, at, v)
			_, err = c.DocsSize(docs)
			wantEncodeError(t, name+", size", err, at, v)
			docs[at] = old
		}
		freqs[at] = 0
		_, err := c.AppendFreqs(nil, make([]uint32, codec.Blocks(n, c.BlockLen())+1), freqs)
		wantEncodeError(t, "zero frequency", err, at, 0)
		_, err = c.FreqsSize(freqs)
		wantEncodeError(t, "zero frequency, size", err, at, 0)
		freqs[at] = 1
	}
	if b, ok := c.(codec.BlockCodec); ok {
		_, err := b.AppendDocsBlock(nil, []uint32{7, 8, 8}, 6)
		wantEncodeError(t, "same in a block", err, 2, 8)
		_, err = b.AppendDocsBlock(nil, []uint32{7, 8, 9}, 7)
		wantEncodeError(t, "not above the block before", err, 0, 7)
		_, err = b.AppendFreqsBlock(nil, []uint32{1, 0})
		wantEncodeError(t, "zero frequency in a block", err, 1, 0)
	}
}

func wantEncodeError(t *testing.T, name string, err error, at int, v uint32) {
	t.Helper()
	var e *codec.EncodeError
	if !errors.As(err, &e) || e.Index != at || e.Value != v || e.Reason == "" {
		t.Errorf("%s at %d: error is %v", name, at, err)
	}
}

func testAllocations(t *testing.T, c codec.Codec) {
	n := 3*c.BlockLen() - 1
	l := encode(t, c, wide(n, 9), wideFreqs(n, 5))
	dst, row := make([]uint32, c.BlockLen()), make([]uint32, 3*c.BlockLen())
	allocs := testing.AllocsPerRun(20, func() {
		for i := range l.DocSeq.Last {
			_, err1 := c.DecodeDocs(dst, &l.DocSeq, i, 1)
			_, err2 := c.DecodeFreqs(dst, &l.TFSeq, i, 1)
			if err1 != nil || err2 != nil {
				t.Error(err1, err2)
			}
		}
		_, err1 := c.DecodeDocs(row, &l.DocSeq, 0, len(l.DocSeq.Last))
		_, err2 := c.DecodeFreqs(row, &l.TFSeq, 0, len(l.DocSeq.Last))
		if err1 != nil || err2 != nil {
			t.Error(err1, err2)
		}
	})
	if allocs != 0 {
		t.Errorf("decoding %d blocks allocates %v times", len(l.DocSeq.Last), allocs)
	}
}
