package record

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

func value(t *rapid.T, field int) schema.Value {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return schema.TextValue(field, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "text"))
	case 1:
		return schema.KeywordValue(field, rapid.SliceOf(rapid.Byte()).Draw(t, "keyword"))
	case 2:
		return schema.IntegerValue(field, rapid.Int64().Draw(t, "integer"))
	case 3:
		return schema.NanosValue(field, rapid.Int64().Draw(t, "time"))
	}
	return schema.FloatValue(field, rapid.Float64().Draw(t, "float"))
}

func equal(a, b schema.Value) bool {
	return a.Field == b.Field && a.Kind == b.Kind && bytes.Equal(a.Bytes(), b.Bytes()) && a.Int() == b.Int() &&
		math.Float64bits(a.Float()) == math.Float64bits(b.Float())
}

// Values come back in order, each with the id of its field, and a part of a record is none.
func TestRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		var want []schema.Value
		var ids []uint32
		ends := map[int]bool{0: true}
		for i := range rapid.IntRange(0, 10).Draw(t, "values") {
			v, id := value(t, i), rapid.Uint32().Draw(t, "id")
			before := len(b)
			if b = Append(b, id, v); len(b)-before != Size(id, v) {
				t.Fatalf("%v of field %d takes %d bytes, Size %d", v, id, len(b)-before, Size(id, v))
			}
			want, ids = append(want, v), append(ids, id)
			ends[len(b)] = true
		}
		cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
		for rest, i := b[:cut], 0; len(rest) > 0; i++ {
			var s Stored
			var err error
			if s, rest, err = Next(rest); err != nil {
				if ends[cut] || !errors.Is(err, ErrMalformed) || !errors.Is(err, format.ErrCorrupt) {
					t.Fatalf("value %d: %v", i, err)
				}
				return
			}
			v, err := s.Value(want[i].Field, want[i].Kind)
			if err != nil || s.ID != ids[i] || !equal(v, want[i]) {
				t.Fatalf("value %d of field %d: %v, %v; want %v of %d", i, s.ID, v, err, want[i], ids[i])
			}
			for k := schema.Text; k <= schema.Time; k++ {
				forms := map[schema.Kind]int{schema.Text: 1, schema.Keyword: 1, schema.Integer: 2, schema.Time: 2, schema.Float: 3}
				if _, err := s.Value(0, k); (err == nil) != (forms[k] == forms[v.Kind]) {
					t.Fatalf("%v as %v: %v", v.Kind, k, err)
				}
			}
		}
		if !ends[cut] {
			t.Fatalf("%d of %d bytes are a record", cut, len(b))
		}
	})
}

// Worked bytes, as FORMAT.md has them.
func TestBytes(t *testing.T) {
	b := Append(nil, 1, schema.TextValue(0, []byte("ab")))
	b = Append(b, 2, schema.IntegerValue(1, -3))
	b = Append(b, 3, schema.FloatValue(2, 1.5))
	want := []byte{1<<2 + 2, 2, 'a', 'b', 2 << 2, 5, 3<<2 + 1, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}
	if !bytes.Equal(b, want) {
		t.Fatalf("% x, want % x", b, want)
	}
}

// Whatever the bytes, decoding ends, and what it gives encodes to what it came from.
func FuzzRecord(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte{6, 2, 'a', 'b', 8, 5, 13, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f})
	f.Add([]byte{7, 0})
	f.Add([]byte{6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	kinds := [...]schema.Kind{formVarint: schema.Integer, formFixed: schema.Float, formBytes: schema.Text}
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			s, rest, err := Next(b)
			id, size, headErr := Head(b[:min(len(b), MaxHead)])
			if err == nil && (headErr != nil || id != s.ID || size != uint64(len(b)-len(rest))) {
				t.Fatalf("field %d, %d bytes, %v; want field %d and %d", id, size, headErr, s.ID, len(b)-len(rest))
			}
			if err != nil && headErr == nil && size <= uint64(len(b)) || headErr != nil && !errors.Is(headErr, ErrMalformed) {
				t.Fatalf("%d of %d bytes, %v; want %v", size, len(b), headErr, err)
			}
			if err != nil {
				if !errors.Is(err, ErrMalformed) {
					t.Fatal(err)
				}
				return
			}
			v, err := s.Value(0, kinds[s.form])
			if err != nil {
				t.Fatal(err)
			}
			if again := Append(nil, s.ID, v); !bytes.Equal(again, b[:len(b)-len(rest)]) {
				t.Fatalf("% x encodes to % x", b[:len(b)-len(rest)], again)
			}
			b = rest
		}
	})
}
