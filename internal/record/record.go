// Package record has the form in which a segment stores the values
// of a document (format/FORMAT.md, section 4.8): for each value its field's id and a form, and
// the value. Records say how long their values are, so those of fields that the schema has
// dropped are passed over. In the implicit schema the text is stored as it is.
package record

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/schema"
)

// Forms of a value, the low bits of the varint before it.
const (
	formVarint = iota // zig-zag: integers, times and what else is not kind.Number.Fixed
	formFixed         // 8 bytes, little-endian: floats
	formBytes         // varint length, bytes: texts, keywords

	formBits = 2
)

// ErrMalformed is matched by the errors for bytes that are no record. It matches format.ErrCorrupt.
var ErrMalformed = fmt.Errorf("malformed record: %w", format.ErrCorrupt)

// Append appends a value of the field with an id to a record.
func Append(dst []byte, id uint32, v schema.Value) []byte {
	head := uint64(id) << formBits
	if n := kind.Of(uint8(v.Kind)); n != nil {
		if n.Fixed {
			return binary.LittleEndian.AppendUint64(binary.AppendUvarint(dst, head+formFixed), v.Bits())
		}
		return binary.AppendVarint(binary.AppendUvarint(dst, head+formVarint), int64(v.Bits()))
	}
	b := v.Bytes()
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, head+formBytes), uint64(len(b)))
	return append(dst, b...)
}

// Size returns the number of bytes that Append appends.
func Size(id uint32, v schema.Value) int {
	if v.Kind != schema.Text && v.Kind != schema.Keyword {
		return len(Append(make([]byte, 0, MaxHead), id, v))
	}
	var head [MaxHead]byte
	n := len(v.Bytes())
	return len(binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(id)<<formBits), uint64(n))) + n
}

// Stored is a value as a record has it: its kind and field are up to the schema.
type Stored struct {
	ID    uint32 // of the field
	form  uint64
	num   uint64
	bytes []byte
}

// Next decodes the first value of a record that is not empty, and returns what follows it. The
// value refers to the bytes of the record.
func Next(b []byte) (v Stored, rest []byte, err error) {
	head, n := uvarint(b)
	if n == 0 || head>>formBits > math.MaxUint32 {
		return v, nil, fmt.Errorf("%w: no field", ErrMalformed)
	}
	v.ID, v.form = uint32(head>>formBits), head&(1<<formBits-1)
	b = b[n:]
	switch v.form {
	case formVarint:
		if v.num, n = uvarint(b); n == 0 {
			return v, nil, v.malformed()
		}
	case formFixed:
		if n = 8; len(b) < n {
			return v, nil, v.malformed()
		}
		v.num = binary.LittleEndian.Uint64(b)
	case formBytes:
		size, k := uvarint(b)
		if k == 0 || size > uint64(len(b)-k) {
			return v, nil, v.malformed()
		}
		n = k + int(size)
		v.bytes = b[k:n:n]
	default:
		return v, nil, v.malformed()
	}
	return v, b[n:], nil
}

// Values yields the values of a stored document of an index with a schema, which refer to its bytes. An error comes last.
func Values(s *schema.Schema, stored []byte) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if s.IsImplicit() {
			yield(Stored{form: formBytes, bytes: stored}, nil)
			return
		}
		for len(stored) > 0 {
			v, rest, err := Next(stored)
			if stored = rest; !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// MaxHead is the greatest number of bytes that Head needs.
const MaxHead = 2 * binary.MaxVarintLen64

// Head reads the beginning of a record: the id of its first value's field, and how many bytes the
// value takes with its head. b need not have more of the record than MaxHead bytes.
func Head(b []byte) (id uint32, size uint64, err error) {
	head, n := uvarint(b)
	if n == 0 || head>>formBits > math.MaxUint32 {
		return 0, 0, fmt.Errorf("%w: no field", ErrMalformed)
	}
	v := Stored{ID: uint32(head >> formBits), form: head & (1<<formBits - 1)}
	if v.form == formFixed {
		return v.ID, uint64(n) + 8, nil
	}
	bytes, k := uvarint(b[n:])
	if k == 0 || v.form > formBytes {
		return 0, 0, v.malformed()
	}
	if v.form == formVarint {
		bytes = 0
	}
	size = uint64(n+k) + bytes
	if size < bytes {
		return 0, 0, v.malformed()
	}
	return v.ID, size, nil
}

// uvarint decodes a varint in its shortest form, and returns its length, or 0.
func uvarint(b []byte) (uint64, int) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 {
		return 0, 0
	}
	return v, n
}

func (v *Stored) malformed() error {
	return fmt.Errorf("%w: value of field %d in form %d", ErrMalformed, v.ID, v.form)
}

// Value returns v as a value of a field, given by its number in the schema and its kind.
func (v *Stored) Value(field int, k schema.Kind) (schema.Value, error) {
	n := kind.Of(uint8(k))
	switch {
	case v.form == formBytes && k == schema.Text:
		return schema.TextValue(field, v.bytes), nil
	case v.form == formBytes && k == schema.Keyword:
		return schema.KeywordValue(field, v.bytes), nil
	case v.form == formVarint && n != nil && !n.Fixed:
		return schema.BitsValue(field, k, v.num>>1^-(v.num&1)), nil
	case v.form == formFixed && n != nil && n.Fixed:
		return schema.BitsValue(field, k, v.num), nil
	}
	return schema.Value{}, fmt.Errorf("%w: value of field %d in form %d is none of kind %v", ErrMalformed, v.ID, v.form, k)
}
