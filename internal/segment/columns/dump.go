package columns

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

func dump(c section.Cursor, s *segment.Segment, id format.SectionID) {
	for i := range s.Fields() {
		if f := &s.Fields()[i]; !f.Column || !c.More() && s.Meta().Docs > 0 {
			continue
		}
		if id == format.SectionColumnBounds {
			dumpBounds(c, s, i)
			continue
		}
		col, err := open(s, i)
		if err != nil {
			return
		}
		dumpWords(c, col)
		for b := range col.Blocks() {
			dumpBlock(c, col, b)
		}
	}
}

func dumpBounds(c section.Cursor, s *segment.Segment, field int) {
	name := fmt.Sprintf("column %q", s.Fields()[field].Name)
	signed := func(b []byte) string { return section.Count(int64(binary.LittleEndian.Uint64(b))) }
	c.Fixed(8, name+": values", "")
	c.Field(8, "  least", signed)
	c.Field(8, "  greatest", signed)
	c.Fixed(4, "  documents", "")
	c.Fixed(4, "  keywords", "")
	c.Fixed(8, "  dictionary", "")
	c.Fixed(8, "  its index", "")
	c.Fixed(8, "  blocks", "")
	c.Fixed(8, "  end", "")
	for b := range colblock.Blocks(s.Meta().Docs) {
		if !c.More() {
			return
		}
		c.Field(8, fmt.Sprintf("block %d: least", b), signed)
		c.Field(8, "  greatest", signed)
		c.Fixed(8, "  gcd", "")
		c.Fixed(8, "  offset", "")
		c.Fixed(4, "  values", "")
		c.Fixed(2, "  documents", "")
		c.Field(1, "  form", func(b []byte) string { return fmt.Sprintf("%d: %v", b[0], segment.ColumnForm(b[0])) })
		c.Fixed(1, "  width", "")
	}
}

// dumpWords shows the dictionary of a column.
func dumpWords(c section.Cursor, col *column) {
	n := col.head.Keywords
	if n == 0 {
		return
	}
	from := uint64(0)
	for i := 0; i < colblock.WordBlocks(n) && c.More(); i++ {
		end, err := col.wordOffset(i + 1)
		if err != nil || end < from {
			return
		}
		ordinal := i * colblock.WordsPerBlock
		first, err := col.Keyword(nil, int64(ordinal))
		c.Field(end-from, fmt.Sprintf("keywords from %d", ordinal), func([]byte) string {
			if err != nil {
				return "MALFORMED"
			}
			return fmt.Sprintf("%d, the first is %.80q", colblock.WordsIn(n, i), first)
		})
		from = end
	}
	for i := 0; i <= colblock.WordBlocks(n) && c.More(); i++ {
		c.Fixed(8, fmt.Sprintf("offset of keyword %d", min(i*colblock.WordsPerBlock, int(n))), "")
	}
}

// dumpBlock shows block b of a column.
func dumpBlock(c section.Cursor, col *column, b int) {
	if !c.More() {
		return
	}
	e, bytes, err := col.block(b)
	if err != nil || len(bytes) == 0 {
		return
	}
	name, n := fmt.Sprintf("column %q, block %d: ", col.name, b), col.docsIn(b)
	var x colblock.Block
	if !x.Open(bytes, &e, n) {
		c.Field(uint64(len(bytes)), name, func([]byte) string { return "MALFORMED" })
		return
	}
	for _, p := range x.Parts() {
		c.Field(uint64(p.Size), name+p.Name, func([]byte) string {
			if p.Name == "values" {
				return fmt.Sprintf("%s in %d bits each: %s", section.Count(e.Values), e.Width, numbers(col, b))
			}
			return p.Value
		})
		name = "  "
	}
}

// numbers shows the first values of a block.
func numbers(col *column, b int) string {
	var values segment.ColumnValues
	if err := col.Read(b, &values); err != nil {
		return "MALFORMED"
	}
	f := &col.s.Fields()[col.Field()]
	var shown []string
	for _, n := range values.Numbers[:min(4, len(values.Numbers))] {
		if f.Kind == schema.Keyword {
			shown = append(shown, fmt.Sprint(n))
		} else {
			shown = append(shown, schema.KeyValue(0, f.Kind, f.Unit, n).String())
		}
	}
	if len(values.Numbers) > 4 {
		shown = append(shown, "...")
	}
	return strings.Join(shown, " ")
}
