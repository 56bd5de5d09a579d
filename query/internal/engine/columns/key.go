package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// MaxSort is the greatest number of keys that hits are sorted by.
const MaxSort = 8

// Key is what a document has in a field, in a form that compares across segments.
type Key struct {
	Number  int64  // unless it is a keyword
	Bytes   []byte // of a keyword
	Missing bool
}

// SortBy says how hits are sorted by a field: those without a value come last. Of several values the least counts, or
// the greatest if they descend.
type SortBy struct{ Keyword, Desc bool }

// compare compares keys as hits are ordered.
func (s SortBy) compare(a, b Key) int {
	switch {
	case a.Missing && b.Missing:
		return 0
	case a.Missing:
		return 1
	case b.Missing:
		return -1
	}
	c := cmp.Compare(a.Number, b.Number)
	if s.Keyword {
		c = bytes.Compare(a.Bytes, b.Bytes)
	}
	if s.Desc {
		return -c
	}
	return c
}

// Hit is a document with the keys that it is sorted by.
type Hit struct {
	Doc  int64 // global docID; of a place in the order it may be -1
	Keys []Key

	group   string // of hits of which only the best is wanted
	grouped bool
}

// groupOf returns a key as the name of a group.
func groupOf(k Key, keyword bool) string {
	if keyword {
		return string(k.Bytes)
	}
	return string(binary.LittleEndian.AppendUint64(nil, uint64(k.Number)))
}

// Group returns the name of the group of a document of a segment, by the least of its values. ok is false if it has none.
func Group(c Column, doc uint32, keyword bool) (group string, ok bool, err error) {
	values, err := c.Append(nil, doc)
	if err != nil || len(values) == 0 {
		return "", false, err
	}
	k, err := keyOf(c, values[0], keyword)
	return groupOf(k, keyword), err == nil, err
}

// keyOf returns a number of a column as a key.
func keyOf(c Column, number int64, keyword bool) (k Key, err error) {
	if !keyword {
		return Key{Number: number}, nil
	}
	k.Bytes, err = c.Keyword(nil, number)
	return k, err
}

// Best returns the best key of the documents of a segment whose column is c, nil if it has none.
func (s SortBy) Best(c Column) (Key, error) {
	if c == nil {
		return Key{Missing: true}, nil
	}
	switch info := c.Info(); {
	case info.Docs == 0:
		return Key{Missing: true}, nil
	case s.Desc:
		return keyOf(c, info.Max, s.Keyword)
	default:
		return keyOf(c, info.Min, s.Keyword)
	}
}
