package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"github.com/pinion-index/pinion/schema"
)

// MaxSort is the greatest number of keys that hits are sorted by.
const MaxSort = 8

// Key is what a document has in a field, in a form that compares across segments.
type Key struct {
	Number  int64  // unless it is a keyword
	Bytes   []byte // of a keyword
	Missing bool
	First   bool // of a place in the order, before all documents
}

// SortBy says how hits are sorted by a field: those without a value come last. Of several values the least counts, or
// the greatest if they descend.
type SortBy struct{ Keyword, Desc bool }

// Compare compares keys as hits are ordered.
func (s SortBy) Compare(a, b Key) int {
	switch {
	case a.First || b.First:
		return cmp.Compare(truth(b.First), truth(a.First))
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

// Clone returns a copy of k that shares no memory with it.
func (k *Key) Clone() Key {
	own := *k
	own.Bytes = bytes.Clone(k.Bytes)
	return own
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// KeyIn returns a value of a field as a key, the zero Value as a missing one.
func KeyIn(f *schema.Field, v schema.Value) (k Key, err error) {
	if v.Kind == 0 {
		return Key{Missing: true}, nil
	}
	v.Field = 0
	if err := (&schema.Schema{Fields: []schema.Field{*f}}).CheckValue(v); err != nil {
		return k, err
	}
	if f.Kind == schema.Keyword {
		return Key{Bytes: v.Bytes()}, nil
	}
	return Key{Number: v.Key(f.Unit)}, nil
}

// KeyOf sets key, whose memory it uses, to that of a document of a segment, which is sorted by it.
func (s SortBy) KeyOf(key *Key, c Column, doc uint32) error {
	own := key.Bytes[:0]
	*key = Key{Missing: true, Bytes: own}
	if c == nil {
		return nil
	}
	var room [8]int64
	values, err := c.Append(room[:0], doc)
	if err != nil || len(values) == 0 {
		return err
	}
	if !s.Keyword {
		*key = Key{Number: s.best(values), Bytes: own}
		return nil
	}
	if own, err = c.Keyword(own, s.best(values)); err == nil {
		*key = Key{Bytes: own}
	}
	return err
}

// Hit is a document with the keys that it is sorted by.
type Hit struct {
	Doc   int64 // global docID; of a place in the order it may be -1
	Keys  []Key
	Score float32 // if it is one of the keys

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
