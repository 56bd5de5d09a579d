package format

import (
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"
)

func TestBuffer(t *testing.T) {
	b := []byte{1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}
	b = binary.AppendUvarint(b, 300)
	b = append(b, "\x03abc\x02"...)
	d := NewBuffer(b, 1000)
	if d.Bytes(1)[0] != 1 || d.Uint16() != 2 || d.Uint32() != 3 || d.Uint64() != 4 || d.Uvarint() != 300 || d.String(3) != "abc" || d.Count(2, 0) != 2 {
		t.Fatal("values differ")
	}
	if err := d.Done(); err != nil || d.Pos() != len(b) || d.Len() != 0 {
		t.Fatal(err)
	}
}

func TestBufferFailures(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		read func(*Buffer)
		at   int64
	}{
		"short":            {[]byte{1, 2}, func(d *Buffer) { d.Bytes(1); d.Uint32() }, 1},
		"no varint":        {[]byte{0x80}, func(d *Buffer) { d.Uvarint() }, 0},
		"long varint":      {[]byte{0x80, 0}, func(d *Buffer) { d.Uvarint() }, 0},
		"overlong varint":  {[]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, func(d *Buffer) { d.Uvarint() }, 0},
		"count over limit": {[]byte{9}, func(d *Buffer) { d.Count(8, 0) }, 0},
		"count over bytes": {[]byte{2, 0, 0, 0}, func(d *Buffer) { d.Count(8, 2) }, 0},
		"string":           {[]byte{0, 4, 'a'}, func(d *Buffer) { d.Bytes(1); d.String(10) }, 1},
		"left over":        {[]byte{1, 2}, func(d *Buffer) { d.Bytes(1); d.Done() }, 1},
		"negative":         {[]byte{1, 2}, func(d *Buffer) { d.Bytes(-1) }, 0},
	} {
		d := NewBuffer(c.b, 100)
		c.read(d)
		var e *Error
		if !errors.As(d.Err(), &e) || !errors.Is(e, ErrCorrupt) || e.Offset != 100+c.at {
			t.Errorf("%s: %v", name, d.Err())
		}
		first := d.Err()
		if d.Uint64() != 0 || d.Uvarint() != 0 || d.Bytes(0) != nil || d.Count(5, 0) != 0 || d.Err() != first || d.Done() != first {
			t.Errorf("%s: the failure did not stick", name)
		}
	}
}

func TestNonZero(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 1024, 1500} {
		b := make([]byte, n)
		if i := NonZero(b); i != -1 {
			t.Errorf("%d zeros: %d", n, i)
		}
		for i := n - 1; i >= 0; i-- {
			if b[i] = 1; NonZero(b) != i {
				t.Fatalf("of %d bytes, the first one that is not zero is %d, not %d", n, i, NonZero(b))
			}
		}
	}
}

func TestWordViews(t *testing.T) {
	b := AlignedBytes(24)
	if len(b) != 24 || cap(b) < 24+ReadablePadding || uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
		t.Fatal("not aligned or without padding")
	}
	for i := range b {
		b[i] = byte(i)
	}
	for i, v := range Uint32s(b) {
		if v != binary.LittleEndian.Uint32(b[4*i:]) {
			t.Fatal("32-bit words")
		}
	}
	for i, v := range Uint64s(b) {
		if v != binary.LittleEndian.Uint64(b[8*i:]) {
			t.Fatal("64-bit words")
		}
	}
	if string(BytesOf(Uint64s(b))) != string(b) || string(BytesOf(Quads(b))) != string(b) || string(BytesOf(Uint32s(b))) != string(b) {
		t.Fatal("bytes of words")
	}
	if Uint32s(nil) != nil || Uint64s(nil) != nil || BytesOf([]uint32(nil)) != nil || len(Quads(nil)) != 0 {
		t.Fatal("views of nothing")
	}
}
