package columns

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// grain is how many blocks a goroutine checks at a time.
const grain = 8

// check decodes all columns.
func check(v section.Verifier) error {
	s := v.Segment()
	for i := range s.Fields() {
		if !s.Fields()[i].Column {
			continue
		}
		c, err := open(s, i)
		if err == nil {
			err = checkColumn(v, c)
		} else {
			err = v.Report(err, 0, [2]uint32{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkColumn(v section.Verifier, c *column) error {
	s := v.Segment()
	if err := v.Report(c.checkWords(), 0, [2]uint32{}); err != nil {
		return err
	}
	used := make([]atomic.Uint64, (uint64(c.head.Keywords)+63)/64)
	var failed atomic.Bool
	err := v.Each(c.Blocks(), grain, func(lo, hi int) error {
		var enc colblock.Encoder
		var values colblock.Values
		for b := lo; b < hi; b++ {
			err := c.checkBlock(b, &enc, &values)
			if err == nil && len(used) > 0 && c.Bounds(b).Docs > 0 {
				mark(used, &values)
			}
			if err != nil {
				failed.Store(true)
			}
			first := uint32(b) * segment.ColumnBlock
			docs := [2]uint32{first, first + uint32(c.docsIn(b))}
			size := c.Bounds(b).Bytes
			if err := v.Report(err, size, docs); err != nil {
				return err
			}
			if err := v.Step(work * size); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || failed.Load() {
		return err
	}
	for i := range used {
		w := ^used[i].Load()
		if at := i*64 + bits.TrailingZeros64(w); w != 0 && at < int(c.head.Keywords) {
			return v.Report(s.Raw().Corrupt(format.SectionColumns, int64(c.head.Begin), "column %q: no document has keyword %d", c.name, at), 0, [2]uint32{})
		}
	}
	return nil
}

// checkBlock checks that block b is the only one that its values can have in its form.
func (c *column) checkBlock(b int, enc *colblock.Encoder, values *colblock.Values) error {
	e, bytes, err := c.block(b)
	if err != nil {
		return err
	}
	var x colblock.Block
	if !x.Open(bytes, &e, c.docsIn(b)) || !x.Check(bytes, enc, values) {
		return c.Corrupt(b, "not the bytes that the block's %d values have as %v", e.Values, segment.ColumnForm(e.Form))
	}
	return nil
}

// mark sets the bits of the ordinals in values.
func mark(used []atomic.Uint64, values *colblock.Values) {
	for i, k := range values.Numbers {
		if values.Ends == nil && values.Present[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if w := &used[k/64]; w.Load()>>(k%64)&1 == 0 {
			w.Or(1 << (k % 64))
		}
	}
}

// checkWords checks the dictionary of a column.
func (c *column) checkWords() error {
	s, h := c.s, &c.head
	if err := c.checkIndex(); err != nil {
		return err
	}
	var w colblock.WordWriter
	var buf []byte
	size := uint64(0)
	for word, err := range c.Keywords(0) {
		if err != nil {
			return err
		}
		if v := s.Header().Version; len(word) == 0 && !v.EmptyKeywords() {
			return s.Raw().Corrupt(format.SectionColumns, int64(h.Begin), "column %q: the empty keyword in a file of version %v", c.name, v)
		}
		var ok bool
		if buf, ok = w.Append(buf[:0], word); !ok {
			return s.Raw().Corrupt(format.SectionColumns, int64(h.Begin), "column %q: keyword %d, %.80q, is out of order", c.name, w.Count(), word)
		}
		is, err := s.Raw().SectionBytes(format.SectionColumns, int64(h.Begin+size), int64(len(buf)))
		if err != nil {
			return err
		}
		if string(is) != string(buf) {
			return s.Raw().Corrupt(format.SectionColumns, int64(h.Begin+size), "column %q: keyword %d, %.80q, is coded in another way", c.name, w.Count()-1, word)
		}
		size += uint64(len(buf))
	}
	return nil
}

// checkIndex checks that the blocks of the dictionary cover it.
func (c *column) checkIndex() error {
	h := &c.head
	b, err := c.s.Raw().SectionBytes(format.SectionColumns, int64(h.Index), int64(h.Blocks-h.Index))
	if err != nil || len(b) == 0 {
		return err
	}
	first, last := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[len(b)-8:])
	if first != 0 || last != h.Index-h.Begin {
		return c.s.Raw().Corrupt(format.SectionColumns, int64(h.Index), "column %q: keywords span %d to %d of %d bytes", c.name, first, last, h.Index-h.Begin)
	}
	return nil
}
