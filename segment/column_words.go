package segment

import (
	"encoding/binary"
	"iter"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Keyword appends the keyword with an ordinal to dst. On an error it returns dst unchanged. Ordinals come from the
// blocks of the column: one beyond its keywords is damage, and the error matches format.ErrCorrupt.
func (c *Column) Keyword(dst []byte, ordinal int64) ([]byte, error) {
	if ordinal < 0 || ordinal >= int64(c.t.head.Keywords) {
		return dst, c.corrupt(format.NoBlock, c.t.head.Begin, "keyword %d of %d", ordinal, c.t.head.Keywords)
	}
	b, off, err := c.words(int(ordinal / colblock.WordsPerBlock))
	if err != nil {
		return dst, err
	}
	start, pos := len(dst), 0
	for range ordinal%colblock.WordsPerBlock + 1 {
		lcp, suffix, next := colblock.WordHead(b, int(ordinal/colblock.WordsPerBlock), pos, len(dst)-start)
		if next < 0 {
			return dst[:start], c.badWord(off, pos)
		}
		dst = append(dst[:start+lcp], suffix...)
		pos = next
	}
	return dst, nil
}

// Keywords yields the keywords from an ordinal on, in their order. Each is valid until the next
// one. After an error it ends.
func (c *Column) Keywords(from int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		word := layout.NewFrontCoded(nil)
		ordinal := from &^ (colblock.WordsPerBlock - 1)
		for i := int(from / colblock.WordsPerBlock); from >= 0 && i < colblock.WordBlocks(c.t.head.Keywords); i++ {
			b, off, err := c.words(i)
			if err != nil {
				yield(nil, err)
				return
			}
			pos := 0
			for j := range colblock.WordsIn(c.t.head.Keywords, i) {
				lcp, suffix, next := word.Head(b, pos)
				if j == 0 {
					lcp, suffix, next = colblock.WordHead(b, i, pos, word.Len())
				}
				if next < 0 || j == 0 && lcp > 0 {
					yield(nil, c.badWord(off, pos))
					return
				}
				word.Set(lcp, suffix)
				if pos = next; ordinal >= from && !yield(word.Bytes(), nil) {
					return
				}
				ordinal++
			}
		}
	}
}

// Ordinal returns the ordinal of the first keyword that is not below keyword, or the number of
// keywords if there is none, and whether it is keyword itself.
func (c *Column) Ordinal(keyword []byte) (ordinal int64, found bool, err error) {
	blocks := colblock.WordBlocks(c.t.head.Keywords)
	i := sort.Search(blocks, func(i int) bool { // the first block whose first keyword is above
		b, off, e := c.words(i)
		if e == nil {
			lcp, first, next := colblock.WordHead(b, i, 0, 0)
			if next >= 0 && lcp == 0 {
				return string(first) > string(keyword)
			}
			e = c.badWord(off, 0)
		}
		err = e
		return true
	})
	if err != nil || i == 0 {
		return 0, false, err
	}
	ordinal = int64(i-1) * colblock.WordsPerBlock
	left := colblock.WordsIn(c.t.head.Keywords, i-1)
	for word, err := range c.Keywords(ordinal) {
		if err != nil {
			return 0, false, err
		}
		if left == 0 || string(word) >= string(keyword) {
			return ordinal, left > 0 && string(word) == string(keyword), nil
		}
		ordinal++
		left--
	}
	return ordinal, false, nil
}

// words returns the bytes of block i of the dictionary, and their offset in COLUMNS.
func (c *Column) words(i int) ([]byte, uint64, error) {
	h := &c.t.head
	at := h.Index + 8*uint64(i)
	b, err := c.bytes(-1, at, 16)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if lo > hi || hi > h.Index-h.Begin {
		return nil, 0, c.corrupt(-1, at, "keywords %d to %d span %d to %d", i*colblock.WordsPerBlock, i*colblock.WordsPerBlock+colblock.WordsIn(h.Keywords, i)-1, lo, hi)
	}
	b, err = c.bytes(-1, h.Begin+lo, int64(hi-lo))
	return b, h.Begin + lo, err
}

func (c *Column) badWord(off uint64, pos int) error {
	return c.corrupt(-1, off+uint64(pos), "malformed keyword")
}
