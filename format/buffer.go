package format

import "encoding/binary"

// Buffer decodes a byte slice field by field. After a failure all reads return zero
// values, and Err returns the first failure. Offsets in errors are relative to the file.
type Buffer struct {
	Base int64 // file offset of the slice's first byte
	b    []byte
	pos  int
	err  error
}

// NewBuffer returns a Buffer that reads b, whose first byte is at file offset base.
func NewBuffer(b []byte, base int64) *Buffer { return &Buffer{Base: base, b: b} }

// Err returns the first failure, an *Error of kind ErrCorrupt, or nil if there was none.
func (d *Buffer) Err() error { return d.err }

// Len returns the number of unread bytes.
func (d *Buffer) Len() int { return len(d.b) - d.pos }

// Pos returns the number of bytes read.
func (d *Buffer) Pos() int { return d.pos }

// Fail records a failure at the current position, unless there was one before.
func (d *Buffer) Fail(msg string, args ...any) {
	if d.err == nil {
		e := Corrupt(msg, args...)
		e.Offset = d.Base + int64(d.pos)
		d.err = e
	}
}

// Bytes reads n bytes. The result shares memory with the slice being decoded; it is nil
// on failure.
func (d *Buffer) Bytes(n int) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > d.Len() {
		d.Fail("%d bytes wanted, %d left", n, d.Len())
		return nil
	}
	p := d.b[d.pos : d.pos+n : d.pos+n]
	d.pos += n
	return p
}

// Uint16 reads a little-endian 16-bit value.
func (d *Buffer) Uint16() uint16 {
	if p := d.Bytes(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

// Uint32 reads a little-endian 32-bit value.
func (d *Buffer) Uint32() uint32 {
	if p := d.Bytes(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

// Uint64 reads a little-endian 64-bit value.
func (d *Buffer) Uint64() uint64 {
	if p := d.Bytes(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// Uvarint reads an unsigned LEB128 value of at most 64 bits in its shortest form.
func (d *Buffer) Uvarint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.b[d.pos:])
	if n <= 0 || n > 1 && d.b[d.pos+n-1] == 0 {
		d.Fail("malformed varint")
		return 0
	}
	d.pos += n
	return v
}

// Count reads a varint of at most max that counts items in the rest of the buffer. Each
// item takes at least size bytes, which bounds the count too; size 0 means no such bound.
func (d *Buffer) Count(max uint64, size int) int {
	at := d.pos
	v := d.Uvarint()
	if d.err == nil && (v > max || size > 0 && v > uint64(d.Len()/size)) {
		d.pos = at
		d.Fail("count %d exceeds its limit", v)
		return 0
	}
	return int(v)
}

// String reads a varint length, at most max, and that many bytes.
func (d *Buffer) String(max int) string {
	return string(d.Bytes(d.Count(uint64(max), 1)))
}

// Done fails if there are unread bytes, and returns Err.
func (d *Buffer) Done() error {
	if d.err == nil && d.Len() != 0 {
		d.Fail("%d bytes left over", d.Len())
	}
	return d.err
}
