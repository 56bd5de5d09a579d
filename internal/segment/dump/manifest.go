package dump

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/schema"
)

// first reports whether the file is of version 0.2, whose manifests and deletes say less.
func (d *dumper) first() bool { return d.le(8, 2) == 0 && d.le(10, 2) < 3 }

// version returns that of the file.
func (d *dumper) version() format.Version {
	return format.Version{Major: uint16(d.le(8, 2)), Minor: uint16(d.le(10, 2))}
}

// manifest shows section MANIFEST, in the form of version v, and in that of 0.2 if first is set.
func (c *cursor) manifest(first bool, v format.Version) {
	c.Uvarint("generation", "")
	c.Uvarint("next file number", "")
	c.text("analyzer")
	c.text("options")
	fields := false
	if !first {
		flags := c.Uvarint("flags", "%#x: bit 0 schema, bits 1 and 2 whether texts are stored")
		fields = flags&1 != 0
		c.Uvarint("commits to keep", "")
		c.Uvarint("reserved", "")
	}
	if fields {
		c.schema()
	}
	n := c.Uvarint("segments", "")
	for i := uint64(0); i < n && c.More(); i++ {
		c.member(first, fields, v)
	}
}

// ancestry shows section ANCESTRY.
func (c *cursor) ancestry() {
	c.Uvarint("since commit", "")
	n := c.Uvarint("sessions", "")
	for i := uint64(0); i < n && c.More(); i++ {
		c.Fixed(8, "session", "%#x")
		c.Uvarint("commits", "")
	}
}

// commitMeta shows section COMMITMETA.
func (c *cursor) commitMeta() {
	n := c.Uvarint("keys", "")
	for i := uint64(0); i < n && c.More(); i++ {
		c.text("key")
		c.text("value")
	}
}

// member shows what a manifest says of a segment.
func (c *cursor) member(first, fields bool, v format.Version) {
	c.Uvarint("file number", "")
	c.id("file id")
	deletes := uint64(0)
	for _, name := range []string{"documents", "postings", "tokens", "deletes file number", "deleted", "deleted tokens"} {
		if v := c.Uvarint(name, ""); name == "deletes file number" {
			deletes = v
		}
	}
	if first {
		return
	}
	if deletes != 0 {
		c.id("deletes file id")
	}
	if v.ChangedValues() {
		if c.Uvarint("values file number", "") != 0 {
			c.id("values file id")
		}
	}
	c.Uvarint("file length", "")
	c.Uvarint("tail offset", "")
	if !fields {
		return
	}
	n := c.Uvarint("fields", "")
	for i := uint64(0); i < n && c.More(); i++ {
		for _, name := range []string{"field id", "documents", "lengths", "deleted", "deleted lengths"} {
			c.Uvarint(name, "")
		}
	}
}

// schema shows the schema of a manifest.
func (c *cursor) schema() {
	c.Uvarint("next field id", "")
	n := c.Uvarint("fields", "")
	for i := uint64(0); i < n && c.More(); i++ {
		c.Uvarint("field id", "")
		c.text("name")
		kind := c.named("kind", func(v uint64) string { return schema.Kind(min(v, 255)).String() })
		c.named("index", func(v uint64) string { return schema.Index(min(v, 255)).String() })
		c.Uvarint("flags", "%#x: bit 0 stored, bit 1 lengths of a byte, bit 2 column, bits 3 and 4 unit, bit 5 clusters")
		c.text("analyzer")
		c.text("options")
		for _, name := range []string{"k1", "b", "weight"} {
			c.double(name)
		}
		if kind == uint64(schema.Vector) {
			c.vectorSchema()
		}
	}
}

// double shows a float64.
func (c *cursor) double(name string) {
	c.Field(8, name, func(b []byte) string {
		v := uint64(0)
		for i := range b {
			v |= uint64(b[i]) << (8 * i)
		}
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	})
}

// id shows the id of a file.
func (c *cursor) id(name string) {
	c.Field(16, name, func(b []byte) string { return fmt.Sprintf("%x", b) })
}

// deletes shows section DELETES, in the form of version 0.2 if first is set.
func (c *cursor) deletes(first bool) {
	if !first {
		c.id("id of this file")
	}
	c.Fixed(4, "roaring cookie", "%#x")
	c.Field(uint64(c.end-c.pos), "roaring containers", func(b []byte) string { return section.Count(len(b)) + " bytes" })
}

// values shows section VALUES.
func (c *cursor) values() {
	c.id("id of this file")
	n := c.Uvarint("columns", "")
	type block struct{ field, number, at uint64 }
	var blocks []block
	for i := uint64(0); i < n && c.More(); i++ {
		field := c.Uvarint("field id", "")
		size := c.Uvarint("bytes of changed documents", "")
		c.Field(size, "roaring bitmap", func(b []byte) string { return section.Count(len(b)) + " bytes" })
		next := uint64(0)
		for j, k := uint64(0), c.Uvarint("blocks", ""); j < k && c.More(); j++ {
			next += c.Uvarint("block, less the one before and 1", "")
			var e colblock.Entry
			c.Field(colblock.EntrySize, fmt.Sprintf("  bounds of block %d", next), func(b []byte) string {
				e = colblock.ParseEntry(b)
				return fmt.Sprintf("%d to %d, %d values of %d documents, at %d", e.Min, e.Max, e.Values, e.Docs, e.Offset)
			})
			blocks = append(blocks, block{field, next, e.Offset})
			next++
		}
	}
	begin := c.pos
	for i, b := range blocks {
		end := uint64(c.end - begin)
		if i+1 < len(blocks) {
			end = blocks[i+1].at
		}
		if end < b.at || begin+int64(b.at) != c.pos {
			return
		}
		c.Field(end-b.at, fmt.Sprintf("block %d of field %d", b.number, b.field), func(b []byte) string { return section.Count(len(b)) + " bytes" })
	}
}
