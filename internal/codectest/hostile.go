package codectest

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/simd"
)

// testHostile corrupts encoded lists and decodes them at every tier.
func testHostile(t *testing.T, c codec.Codec) {
	rapid.Check(t, func(t *rapid.T) {
		docs := Docs(t, 3*c.BlockLen())
		if len(docs) == 0 {
			return
		}
		l := encode(t, c, docs, Freqs(t, len(docs)))
		for range rapid.IntRange(1, 4).Draw(t, "damages") {
			damage(t, &l.DocSeq)
			damage(t, &l.TFSeq)
		}
		if rapid.Bool().Draw(t, "mend") {
			(&hostile{c: c}).mend(&l.DocSeq)
		}
		Hostile(t, c, &l.DocSeq)
		Hostile(t, c, &l.TFSeq)
	})
}

// testCorrupt makes skip headers wrong and blocks a word shorter or longer than they
// are, at every tier. The first must be errors. So must the second, or the values are
// those that they were: some codecs do not ask that a block is as short as can be.
func testCorrupt(t *testing.T, c codec.Codec) {
	size := c.BlockLen()
	for _, width := range []uint{0, 1, 5, 13, 20} {
		for _, n := range []int{1, size - 3, size, 2*size + 50} {
			l := encode(t, c, wide(n, width), wideFreqs(n, width))
			blocks := len(l.DocSeq.Last)
			for i := range blocks {
				if c.ID() == codec.SegLRC {
					break // its lines end on the docID in the skip header
				}
				last := l.DocSeq.Last[i]
				for _, wrong := range []uint32{last - 1, last + 1, last ^ 1<<30, codec.MaxDoc + 1, codec.NoDoc} {
					l.DocSeq.Last[i] = wrong
					wantCorrupt(t, c, &l.DocSeq, i, "last docID", nil)
				}
				l.DocSeq.Last[i] = last
			}
			at := (blocks - 1) * size
			for _, x := range []struct {
				s      *format.Sequence
				values []uint32
			}{{&l.DocSeq, l.Docs[at:]}, {&l.TFSeq, l.Freqs[at:]}} {
				end := x.s.Ends[blocks]
				x.s.Payload = padded(append(slices.Clone(x.s.Payload), 0, 0, 0, 0))
				x.s.Ends[blocks]++
				wantCorrupt(t, c, x.s, blocks-1, "a word too many", x.values)
				x.s.Ends[blocks]++
				wantCorrupt(t, c, x.s, blocks-1, "endpoint behind the payload", nil)
				x.s.Ends[blocks] = end - 1
				if x.s.Last != nil || end-1 != x.s.Ends[blocks-1] { // an empty block is one of frequencies of one
					wantCorrupt(t, c, x.s, blocks-1, "a word too few", x.values)
				}
			}
		}
	}
}

// wantCorrupt decodes a block that must be an error or, if there are any, have the
// values.
func wantCorrupt(t *testing.T, c codec.Codec, s *format.Sequence, block int, what string, values []uint32) {
	t.Helper()
	for _, tier := range simd.Tiers() {
		got, err := (&hostile{c: c}).block(t, s, block, tier)
		if err == nil && (values == nil || !slices.Equal(got, values)) {
			t.Errorf("%s in block %d of a list of %d: %v and no error at %v", what, block, s.N, got[:min(4, len(got))], tier)
		}
	}
}

// damage makes one change to s.
func damage(t *rapid.T, s *format.Sequence) {
	word := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(0, 600),
		rapid.SampledFrom([]uint32{0, 1, 1 << 30, 1<<31 - 1, 1 << 31, 1<<32 - 1})).Draw(t, "word")
	switch what := rapid.IntRange(0, 6).Draw(t, "damage"); {
	case what == 0:
		s.Ends[rapid.IntRange(0, len(s.Ends)-1).Draw(t, "end")] = word
	case what == 1:
		i := rapid.IntRange(0, len(s.Ends)-1).Draw(t, "end")
		s.Ends[i] += uint32(rapid.IntRange(-5, 5).Draw(t, "by"))
	case what == 2 && len(s.Last) > 0:
		s.Last[rapid.IntRange(0, len(s.Last)-1).Draw(t, "last")] = word
	case what == 3 && len(s.Payload) > 4:
		n := rapid.IntRange(1, len(s.Payload)/4).Draw(t, "cut") * 4
		s.Payload = padded(s.Payload[:n])
	case what == 4 && len(s.Payload) >= 4:
		at := rapid.IntRange(0, len(s.Payload)/4-1).Draw(t, "at") * 4
		binary.LittleEndian.PutUint32(s.Payload[at:], word)
	case len(s.Payload) > 0:
		at := rapid.IntRange(0, len(s.Payload)-1).Draw(t, "at")
		s.Payload[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
	}
}

// Hostile decodes every block and every row of blocks of s, with arbitrary contents, at
// every tier. It fails t unless each result is an error of kind ErrCorrupt or a valid
// one, the same at all tiers. s contains docIDs if it has a skip header, and otherwise
// frequencies.
func Hostile(t fataler, c codec.Codec, s *format.Sequence) {
	(&hostile{c: c}).run(t, s, simd.Tiers()...)
}

// hostile decodes sequences with arbitrary contents. It has buffers for that.
type hostile struct {
	c      codec.Codec
	dst    canary
	values []uint32 // of all blocks, as decoded by portable code
	failed []bool   // those that cannot be decoded
}

// run decodes every block of s with portable code, which must give an error of kind
// ErrCorrupt or valid values. At each of the tiers, every block and every row of blocks must
// give the same.
func (h *hostile) run(t fataler, s *format.Sequence, tiers ...simd.Tier) {
	size := h.c.BlockLen()
	blocks := codec.Blocks(s.N, size)
	h.values, h.failed = slices.Grow(h.values[:0], blocks*size)[:blocks*size], h.failed[:0]
	for i := range blocks {
		got, err := h.block(t, s, i, simd.Portable)
		copy(h.values[i*size:], got)
		h.failed = append(h.failed, err != nil)
	}
	for _, tier := range tiers {
		defer simd.SetLevel(tier)()
		for from := range blocks {
			for to := from + 1; to <= blocks; to++ {
				h.row(t, s, from, to, tier)
			}
		}
	}
}

// strict reports whether every block can be decoded and passes codec.Strict, if the codec has
// that. Other errors than ErrCorrupt fail t.
func (h *hostile) strict(t fataler, s *format.Sequence, values []uint32) bool {
	c, ok := h.c.(codec.Strict)
	for i := 0; ok && i < len(h.failed); i++ {
		size := h.c.BlockLen()
		block := values[i*size : min((i+1)*size, s.N)]
		err := error(nil)
		if s.Last == nil {
			err = c.StrictFreqs(s, i, block)
		} else {
			err = c.StrictDocs(s, i, block)
		}
		if err != nil {
			checkCorrupt(t, err)
			return false
		}
	}
	return true
}

// flip changes a bit of the payload of s, which run has decoded. If the list was sound, it
// must be refused now, or have other values: no bit is without meaning. Only the slopes of
// regression lines have some that rounding hides.
func (h *hostile) flip(t fataler, s *format.Sequence, bit uint32) {
	switch h.c.ID() {
	case codec.LRC, codec.LRCSeg, codec.SegLRC, codec.HSLRC:
		return
	}
	from, to := 32*s.Ends[0], 32*s.Ends[len(s.Ends)-1]
	if slices.Contains(h.failed, true) || from >= to || !h.strict(t, s, h.values) {
		return
	}
	bit = from + bit%(to-from)
	s.Payload[bit/8] ^= 1 << (bit % 8)
	defer func() { s.Payload[bit/8] ^= 1 << (bit % 8) }()
	defer simd.SetLevel(simd.Portable)()
	blocks := len(h.failed)
	n, err := h.decode(t, s, 0, blocks)
	if got := h.dst.values[:n]; err == nil && equal(got, h.values[:s.N]) && h.strict(t, s, got) {
		t.Fatalf("bit %d of a payload of %d bytes has no meaning", bit, len(s.Payload))
	}
}

// row decodes blocks in a row, which must give what decoding block by block gave: as many
// values, the same, and an error where that had one.
func (h *hostile) row(t fataler, s *format.Sequence, from, to int, tier simd.Tier) {
	size := h.c.BlockLen()
	good := to
	if i := slices.Index(h.failed[from:to], true); i >= 0 {
		good = from + i
	}
	want := h.values[from*size : max(from*size, min(good*size, s.N))]
	n, err := h.decode(t, s, from, to-from)
	if got := h.dst.values[:n]; (err == nil) != (good == to) || !equal(got, want) {
		t.Fatalf("blocks %d to %d at %v: %d values in a row and error %v, %d one by one at %v, %s",
			from, to, tier, n, err, len(want), simd.Portable, difference(got, want[:min(n, len(want))]))
	}
}

// decode decodes blocks into h.dst and returns how many values there are.
func (h *hostile) decode(t fataler, s *format.Sequence, block, count int) (n int, err error) {
	n, err = decodeRow(h.c, h.dst.reset(count*h.c.BlockLen()), s, block, count)
	h.dst.check(t)
	if err != nil {
		checkCorrupt(t, err)
	}
	return n, err
}

// block decodes a block. If there is no error, its values are valid.
func (h *hostile) block(t fataler, s *format.Sequence, i int, tier simd.Tier) ([]uint32, error) {
	defer simd.SetLevel(tier)()
	n, err := h.decode(t, s, i, 1)
	if err != nil {
		return nil, err
	}
	if want := min(s.N-i*h.c.BlockLen(), h.c.BlockLen()); n != want {
		t.Fatalf("block %d at %v: %d values instead of %d, and no error", i, tier, n, want)
	}
	got := h.dst.values[:n]
	if s.Last == nil {
		if slices.Contains(got, 0) {
			t.Fatalf("block %d at %v: a frequency is zero, and no error", i, tier)
		}
		return got, nil
	}
	next := codec.Prev(s, i) + 1
	for k, d := range got {
		if d < next || d > codec.MaxDoc {
			t.Fatalf("block %d at %v: docID %d is %d after %d, and no error", i, tier, k, d, next-1)
		}
		next = d + 1
	}
	if next-1 != s.Last[i] {
		t.Fatalf("block %d at %v: ends on %d, not %d, and no error", i, tier, next-1, s.Last[i])
	}
	return got, nil
}

func checkCorrupt(t fataler, err error) {
	if !errors.Is(err, format.ErrCorrupt) {
		t.Fatalf("error of another kind: %v", err)
	}
}
