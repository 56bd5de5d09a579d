package record

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
)

// floatBytes is what a value of a vector takes in segments, which files say for each field.
const floatBytes = 4

// AppendVectors appends what manifests and segments have of a field of vectors (format/FORMAT.md, section 4.10).
func AppendVectors(dst []byte, f *schema.Field) []byte {
	for _, n := range [...]uint64{uint64(f.Dims), uint64(f.Similarity), floatBytes, uint64(len(f.Model))} {
		dst = binary.AppendUvarint(dst, n)
	}
	return append(dst, f.Model...)
}

// ParseVectors decodes what AppendVectors has appended. What it decodes schema.Field.Check has to check.
func ParseVectors(d *format.Buffer, f *schema.Field) {
	f.Dims = d.Count(schema.MaxDims, 0)
	f.Similarity = schema.Similarity(d.Count(math.MaxUint8, 0))
	if n := d.Uvarint(); d.Err() == nil && n != floatBytes {
		d.Fail("field %q has vectors of %d bytes a value, which this build does not know", f.Name, n)
	}
	f.Model = d.String(schema.MaxName)
}
