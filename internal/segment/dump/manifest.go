package dump

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/schema"
)

// first reports whether the file is of version 0.2, whose manifests and deletes say less.
func (d *dumper) first() bool { return d.le(8, 2) == 0 && d.le(10, 2) < 3 }

// manifest shows section MANIFEST, in the form of version 0.2 if first is set.
func (c *cursor) manifest(first bool) {
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
		c.member(first, fields)
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
func (c *cursor) member(first, fields bool) {
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
		c.Uvarint("flags", "%#x: bit 0 stored, bit 1 lengths of a byte, bit 2 column, bits 3 and 4 unit")
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
