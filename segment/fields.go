package segment

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
)

// Field is what a segment has of a field: the description that it was written with, where its
// part of the dictionary is, and statistics of the documents, deleted ones included.
type Field struct {
	// Field describes the field, with defaults resolved. The name is that of the time when
	// the segment was written. K1, B and Weight are 0: only the manifest has them.
	schema.Field
	Terms      uint64
	FirstBlock int    // of the dictionary
	Blocks     int    // of the dictionary
	Docs       uint32 // documents with a length above 0; all without lengths, or in the implicit schema

	// Of fields with lengths, else 0.
	Tokens         uint64 // sum of the frequencies
	LengthSum      uint64 // sum of the lengths, which may be rounded down
	MinLen, MaxLen uint32 // least and greatest length
	LenWidth       int    // bytes of a length: 1, 2 or 4
	LengthsAt      int64  // offset of the lengths in DOCLENGTHS

	// Vectors is what a field of kind vector has, else nil.
	Vectors *FieldVectors
}

// Coded reports whether lengths are stored as length codes.
func (f *Field) Coded() bool { return f.Lengths == schema.LengthsByte }

// ParseFields decodes section FIELDS of the segment that m describes, and checks it against m.
func ParseFields(d *format.Buffer, m *Meta) ([]Field, error) {
	n := d.Count(schema.MaxFields, 8)
	if d.Err() == nil && n != int(m.Fields) {
		d.Fail("%d fields, META says %d", n, m.Fields)
	}
	fields := make([]Field, 0, n)
	sum := Field{Vectors: new(FieldVectors)} // of all
	for i := 0; i < n && d.Err() == nil; i++ {
		f := parseField(d, m)
		if d.Err() != nil {
			break
		}
		if i > 0 && f.Name <= fields[i-1].Name {
			d.Fail("field %q follows %q", f.Name, fields[i-1].Name)
			break
		}
		if slices.ContainsFunc(fields, func(x Field) bool { return x.ID == f.ID }) {
			d.Fail("field %q has the id of another", f.Name)
			break
		}
		sum.follow(&f, m)
		fields = append(fields, f)
	}
	if d.Err() == nil && (sum.Terms != m.Terms || uint64(sum.Blocks) != m.TermBlocks || sum.Tokens > m.Tokens || uint64(sum.LengthsAt) != m.LengthBytes) {
		d.Fail("%d terms in %d blocks, %d tokens, %d bytes of lengths; META says %d, %d, %d, %d",
			sum.Terms, sum.Blocks, sum.Tokens, sum.LengthsAt, m.Terms, m.TermBlocks, m.Tokens, m.LengthBytes)
	}
	return fields, d.Done()
}

// follow adds f to the sum of the fields before it, and sets where its parts begin.
func (sum *Field) follow(f *Field, m *Meta) {
	if f.FirstBlock = sum.Blocks; f.HasLengths() {
		f.LengthsAt = alignLengths(sum.LengthsAt)
		sum.LengthsAt = f.LengthsAt + int64(m.Docs)*int64(f.LenWidth)
	}
	if f.Vectors != nil {
		f.Vectors.CodesAt, f.Vectors.FloatsAt = sum.Vectors.CodesAt, sum.Vectors.FloatsAt
		sum.Vectors.CodesAt, sum.Vectors.FloatsAt = f.VectorsEnd(m.Docs)
	}
	sum.Terms, sum.Blocks, sum.Tokens = sum.Terms+f.Terms, sum.Blocks+f.Blocks, sum.Tokens+f.Tokens
}

// alignLengths returns where lengths that follow off bytes of DOCLENGTHS begin.
func alignLengths(off int64) int64 {
	return (off + layout.LengthsAlign - 1) &^ (layout.LengthsAlign - 1)
}

// parseField decodes one field.
func parseField(d *format.Buffer, m *Meta) (f Field) {
	f.ID = uint32(d.Count(math.MaxUint32, 0))
	f.Name = d.String(schema.MaxName)
	f.Kind = schema.Kind(d.Count(math.MaxUint8, 0))
	record.SetIndexed(&f.Field, uint8(d.Count(math.MaxUint8, 0)))
	flags := d.Uvarint()
	f.Stored = flags&layout.FieldStored != 0
	if flags&layout.FieldByteLengths != 0 {
		f.Lengths = schema.LengthsByte
	}
	f.Column = flags&layout.FieldColumn != 0
	f.Unit = schema.Unit(flags / layout.FieldUnit % 4)
	f.Clusters = flags&layout.FieldClusters != 0
	f.Analyzer = d.String(schema.MaxName)
	f.Options = d.String(schema.MaxOptions)
	f.Terms = uint64(d.Count(m.Terms, 0))
	f.Blocks = int(layout.TermBlocks(f.Terms))
	if f.Kind == schema.Vector && d.Err() == nil {
		f.parseVectors(d, m)
	}
	if d.Err() != nil {
		return f
	}
	if err := f.Field.Check(); err != nil {
		d.Fail("%s", err)
	}
	switch {
	case f.ID == 0:
		d.Fail("field %q has no id", f.Name)
	case f.Index == schema.IndexDefault || flags&^layout.FieldFlags != 0:
		d.Fail("field %q: unknown flags %#x or index %d", f.Name, flags, f.Index)
	case f.Index == schema.IndexNone && f.Terms > 0:
		d.Fail("field %q is not indexed and has %d terms", f.Name, f.Terms)
	}
	if f.Docs = m.Docs; f.HasLengths() && d.Err() == nil {
		f.parseLengths(d, m)
	}
	return f
}

// parseLengths decodes what FIELDS has of a field with lengths.
func (f *Field) parseLengths(d *format.Buffer, m *Meta) {
	f.Docs = uint32(d.Count(uint64(m.Docs), 0))
	f.Tokens = uint64(d.Count(m.Tokens, 0))
	f.LengthSum = uint64(d.Count(f.Tokens, 0))
	f.MinLen = uint32(d.Count(math.MaxUint32, 0))
	f.MaxLen = uint32(d.Count(math.MaxUint32, 0))
	f.LenWidth = d.Count(4, 0)
	if d.Err() != nil {
		return
	}
	width := layout.LengthWidth(f.MaxLen)
	if f.Coded() {
		width = 1
	}
	switch {
	case f.LenWidth != width || f.MinLen > f.MaxLen:
		d.Fail("field %q: lengths %d to %d in %d bytes", f.Name, f.MinLen, f.MaxLen, f.LenWidth)
	case !f.Coded() && f.LengthSum != f.Tokens:
		d.Fail("field %q: lengths of %d tokens, and %d tokens", f.Name, f.LengthSum, f.Tokens)
	case f.LengthSum < uint64(f.Docs) || f.Docs > 0 && f.MaxLen == 0 || f.MinLen > 0 && f.Docs != m.Docs:
		d.Fail("field %q: %d documents with %d tokens, lengths %d to %d", f.Name, f.Docs, f.LengthSum, f.MinLen, f.MaxLen)
	}
}

// AppendFields appends section FIELDS to dst.
func AppendFields(dst []byte, fields []Field) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(fields)))
	for i := range fields {
		dst = appendField(dst, &fields[i])
	}
	return dst
}

func appendField(dst []byte, f *Field) []byte {
	var flags uint64
	if f.Stored {
		flags |= layout.FieldStored
	}
	if f.Coded() {
		flags |= layout.FieldByteLengths
	}
	if f.Column {
		flags |= layout.FieldColumn
	}
	flags |= layout.FieldUnit * uint64(f.Unit)
	if f.Vectors != nil && f.Vectors.Clusters > 0 {
		flags |= layout.FieldClusters
	}
	dst = binary.AppendUvarint(dst, uint64(f.ID))
	dst = appendString(dst, f.Name)
	for _, v := range []uint64{uint64(f.Kind), record.Indexed(&f.Field), flags} {
		dst = binary.AppendUvarint(dst, v)
	}
	dst = appendString(appendString(dst, f.Analyzer), f.Options)
	dst = binary.AppendUvarint(dst, f.Terms)
	if f.Kind == schema.Vector {
		dst = appendVectors(dst, f)
	}
	if f.HasLengths() {
		for _, v := range []uint64{uint64(f.Docs), f.Tokens, f.LengthSum, uint64(f.MinLen), uint64(f.MaxLen), uint64(f.LenWidth)} {
			dst = binary.AppendUvarint(dst, v)
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// termsOf returns how many terms block i of the dictionary has, 0 if it is not f's.
func (f *Field) termsOf(i int) int {
	if i -= f.FirstBlock; uint(i) >= uint(f.Blocks) {
		return 0
	}
	return int(min(f.Terms-uint64(i)*layout.TermsPerBlock, layout.TermsPerBlock))
}
