package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// The first byte of a cursor is its version: the second has After.Order, too, and the third is an offset alone.
const (
	cursorVersion = 1
	cursorOrdered = 2
	cursorOffset  = 3
)

// FormatAfter returns the cursor that stands for the last hit of a page, "" for nil. Clients hand it back as
// Request.After and do not look into it.
func FormatAfter(a *pinion.After) string {
	if a == nil {
		return ""
	}
	version := byte(cursorVersion)
	if len(a.Order) > 0 {
		version = cursorOrdered
	}
	b := binary.BigEndian.AppendUint32([]byte{version}, math.Float32bits(a.Score))
	b = appendBytes(b, []byte(a.ID))
	b = append(b, byte(len(a.Sort)))
	for _, v := range a.Sort {
		b = appendValue(b, v)
	}
	if len(a.Order) > 0 {
		b = appendValue(b, a.Order[0])
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func appendValue(b []byte, v schema.Value) []byte {
	b = append(b, byte(v.Kind))
	switch {
	case v.Kind == schema.Keyword:
		b = appendBytes(b, v.Bytes())
	case v.Kind != 0:
		b = binary.BigEndian.AppendUint64(b, v.Bits())
	}
	return b
}

func appendBytes(b, x []byte) []byte { return append(binary.AppendUvarint(b, uint64(len(x))), x...) }

var errCursor = errors.New("it is not the next of an answer")

// ParseAfter is the inverse of FormatAfter. Fields of values are 0.
func ParseAfter(text string) (*pinion.After, error) {
	if text == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errCursor
	}
	c := cursor{rest: b}
	v := c.take(1)
	if c.bad || v[0] != cursorVersion && v[0] != cursorOrdered {
		return nil, errCursor
	}
	a := new(pinion.After)
	if score := c.take(4); !c.bad {
		a.Score = math.Float32frombits(binary.BigEndian.Uint32(score))
	}
	a.ID = string(c.bytes())
	if n := c.take(1); !c.bad && n[0] <= query.MaxSort {
		for range n[0] {
			a.Sort = append(a.Sort, c.value())
		}
	}
	if v[0] == cursorOrdered {
		a.Order = []schema.Value{c.value()}
	}
	if c.bad || len(c.rest) > 0 || math.IsNaN(float64(a.Score)) || FormatAfter(a) != text {
		return nil, errCursor
	}
	return a, nil
}

// formatOffset returns the cursor of a page that is n hits behind the first: that of shards that collapse, which cannot tell from a hit
// which values were there before.
func formatOffset(n int) string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint([]byte{cursorOffset}, uint64(n)))
}

// parseCursor is the inverse of FormatAfter and formatOffset: one of the two is returned, or none for "".
func parseCursor(text string) (a *pinion.After, offset int, err error) {
	if b, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(b) > 1 && b[0] == cursorOffset {
		if n, size := binary.Uvarint(b[1:]); size > 0 && n > 0 && n <= math.MaxInt32 && formatOffset(int(n)) == text {
			return nil, int(n), nil
		}
	}
	a, err = ParseAfter(text)
	return a, 0, err
}

// cursor reads the bytes of a cursor.
type cursor struct {
	rest []byte
	bad  bool // they ended early, or what they say is not possible
}

// take returns the next n bytes, or notes that there are fewer.
func (c *cursor) take(n uint64) []byte {
	if c.bad = c.bad || n > uint64(len(c.rest)); c.bad {
		return nil
	}
	x := c.rest[:n:n]
	c.rest = c.rest[n:]
	return x
}

func (c *cursor) bytes() []byte {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.bad = true
	}
	c.take(uint64(max(size, 0)))
	return c.take(n)
}

func (c *cursor) value() (v schema.Value) {
	first := c.take(1)
	if c.bad || first[0] == 0 {
		return v
	}
	k := schema.Kind(first[0])
	if k == schema.Keyword {
		return schema.KeywordValue(0, c.bytes())
	}
	if kind.Of(first[0]) == nil {
		c.bad = true
	}
	if x := c.take(8); !c.bad {
		return schema.BitsValue(0, k, binary.BigEndian.Uint64(x))
	}
	return v
}
