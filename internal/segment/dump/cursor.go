package dump

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/segment/section"
)

// cursor walks a part of the file. It stops at malformed bytes.
type cursor struct {
	d        *dumper
	pos, end int64
	bad      bool
}

// More reports whether another field is wanted and present.
func (c *cursor) More() bool { return !c.bad && c.pos < c.end && !c.d.full() }

// fail shows the bytes at the cursor as malformed.
func (c *cursor) fail() {
	if !c.bad {
		c.bad = true
		c.d.put(c.pos, min(8, c.end-c.pos), "MALFORMED", "")
	}
}

// Uvarint consumes a varint and shows it in the format value, which may hold one verb.
func (c *cursor) Uvarint(name, value string) uint64 {
	v, n := c.peekUvarint()
	if n == 0 {
		c.fail()
		return 0
	}
	if value == "" {
		value = section.Count(v)
	} else {
		value = fmt.Sprintf(value, v)
	}
	c.d.put(c.pos, n, name, "%s", value)
	c.pos += n
	return v
}

// peekUvarint returns the varint at the cursor and its length, or 0 if it is malformed.
func (c *cursor) peekUvarint() (uint64, int64) {
	if c.bad || c.pos >= c.end {
		return 0, 0
	}
	v, n := binary.Uvarint(c.d.b[c.pos:c.end])
	return v, int64(max(n, 0))
}

// bytes consumes n bytes.
func (c *cursor) bytes(n uint64) []byte {
	if c.bad || n > uint64(c.end-c.pos) {
		c.fail()
		return nil
	}
	b := c.d.b[c.pos : c.pos+int64(n)]
	c.pos += int64(n)
	return b
}

// Field consumes n bytes and shows them.
func (c *cursor) Field(n uint64, name string, value func(b []byte) string) []byte {
	at := c.pos
	b := c.bytes(n)
	if !c.bad && n > 0 {
		c.d.put(at, int64(n), name, "%s", value(b))
	}
	return b
}

// Fixed consumes an n-byte number.
func (c *cursor) Fixed(n int64, name, value string) uint64 {
	at := c.pos
	if c.bytes(uint64(n)) == nil {
		return 0
	}
	v := c.d.le(at, n)
	if value == "" {
		value = section.Count(v)
	} else {
		value = fmt.Sprintf(value, v)
	}
	c.d.put(at, n, name, "%s", value)
	return v
}

// text consumes a varint length and that many bytes of text.
func (c *cursor) text(name string) string {
	n := c.Uvarint(name+" length", "")
	return string(c.Field(n, name, func(b []byte) string { return fmt.Sprintf("%q", b) }))
}

// words consumes 64-bit numbers up to the end.
func (c *cursor) words(name string) {
	for i := 0; c.More(); i++ {
		c.Fixed(8, fmt.Sprintf("%s %d", name, i), "")
	}
}

// quote formats an id or term, unquoted if that is unambiguous.
func quote(s string) string {
	if s == "" || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '"' {
			return strconv.Quote(s)
		}
	}
	return s
}

// numbers formats the first few values.
func numbers(v []uint32) string {
	s := fmt.Sprint(v[:min(len(v), 6)])
	s = s[1 : len(s)-1]
	if len(v) > 6 {
		s += " ..."
	}
	return s
}
