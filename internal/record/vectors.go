package record

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
)

// FloatBytes returns what a value of the vectors of f takes in segments beside its code, which files say for each field.
func FloatBytes(f *schema.Field) int {
	switch f.Values {
	case schema.Float16:
		return 2
	case schema.Int8:
		return 0
	}
	return 4
}

// AppendVectors appends what manifests and segments have of a field of vectors (format/FORMAT.md, section 4.10).
func AppendVectors(dst []byte, f *schema.Field) []byte {
	for _, n := range [...]uint64{uint64(f.Dims), uint64(f.Similarity), uint64(FloatBytes(f)), uint64(len(f.Model))} {
		dst = binary.AppendUvarint(dst, n)
	}
	return append(dst, f.Model...)
}

// ParseVectors decodes what AppendVectors has appended. What it decodes schema.Field.Check has to check.
func ParseVectors(d *format.Buffer, f *schema.Field) {
	f.Dims = d.Count(schema.MaxDims, 0)
	f.Similarity = schema.Similarity(d.Count(math.MaxUint8, 0))
	f.Values = schema.Float32
	switch n := d.Uvarint(); {
	case d.Err() != nil || n == 4:
	case n == 2:
		f.Values = schema.Float16
	case n == 0:
		f.Values = schema.Int8
	default:
		d.Fail("field %q has vectors of %d bytes a value, which this build does not know", f.Name, n)
	}
	f.Model = d.String(schema.MaxName)
}
