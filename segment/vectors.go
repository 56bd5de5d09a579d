package segment

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
)

// FieldVectors is what FIELDS has of the vectors of a field of kind vector.
type FieldVectors struct {
	Docs   uint32    // documents with a vector
	Count  uint32    // vectors
	Centre []float32 // what codes are distances from, a value for each dimension; nil without vectors. It must not be modified
	// Clusters, 0 without any, and the groups of these.
	Clusters, Groups uint32
	// CodesAt and FloatsAt are where those of the field begin in VECTORS and in VECTORFLOATS.
	CodesAt, FloatsAt int64
}

// parseVectors decodes what FIELDS has of the vectors of f.
func (f *Field) parseVectors(d *format.Buffer, m *Meta) {
	record.ParseVectors(d, &f.Field)
	x := &FieldVectors{Docs: uint32(d.Count(uint64(m.Docs), 0)), Count: uint32(d.Count(math.MaxInt32, 0))}
	if x.Count > 0 {
		x.Centre = make([]float32, f.Dims)
		for i := range x.Centre {
			x.Centre[i] = math.Float32frombits(uint32(d.Uint16()) << 16)
			if c := float64(x.Centre[i]); d.Err() == nil && !(math.Abs(c) <= schema.MaxNorm) {
				d.Fail("field %q: the centre has the value %v", f.Name, c)
			}
		}
	}
	if f.Clusters {
		x.Clusters, x.Groups = uint32(d.Count(layout.MaxClusters, 0)), uint32(d.Count(layout.MaxClusters, 0))
		if d.Err() == nil && (x.Count == 0 || x.Groups == 0 || x.Groups > x.Clusters) {
			d.Fail("field %q: %d clusters in %d groups, of %d vectors", f.Name, x.Clusters, x.Groups, x.Count)
		}
	}
	if d.Err() == nil && (x.Count < x.Docs || x.Docs == 0 && x.Count > 0) {
		d.Fail("field %q: %d vectors of %d documents", f.Name, x.Count, x.Docs)
	}
	f.Vectors = x
}

// appendVectors appends what FIELDS has of the vectors of f to dst.
func appendVectors(dst []byte, f *Field) []byte {
	x := f.Vectors
	if x == nil {
		x = &FieldVectors{}
	}
	dst = record.AppendVectors(dst, &f.Field)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(x.Docs)), uint64(x.Count))
	if x.Count > 0 {
		for _, c := range x.Centre {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Float32bits(c)>>16))
		}
	}
	if x.Clusters > 0 {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(x.Clusters)), uint64(x.Groups))
	}
	return dst
}

// VectorsEnd returns where the vectors of f, a field of kind vector, end in VECTORS and in VECTORFLOATS of a segment of so many documents.
func (f *Field) VectorsEnd(docs uint32) (codes, floats int64) {
	x := f.Vectors
	if x.Count == 0 {
		return x.CodesAt, x.FloatsAt
	}
	return layout.PlaceVectors(x.CodesAt, layout.Vectors{Dims: f.Dims, N: x.Count, Docs: x.Docs, Of: docs, Clusters: x.Clusters, Groups: x.Groups}).End,
		x.FloatsAt + layout.VectorFloats(f.Dims*record.FloatBytes(&f.Field), x.Count)
}

// findVectors checks that the sections of vectors are there, and as long as FIELDS implies, if a field has vectors, and only then.
func (o opening) findVectors() error {
	ends := map[format.SectionID]int64{format.SectionVectors: 0, format.SectionVectorFloats: 0}
	for i := range o.fields {
		f := &o.fields[i]
		if f.Vectors != nil {
			ends[format.SectionVectors], ends[format.SectionVectorFloats] = f.VectorsEnd(o.meta.Docs)
		}
	}
	for _, id := range []format.SectionID{format.SectionVectors, format.SectionVectorFloats} {
		switch sec, want := o.section(id), ends[id]; {
		case sec == nil && want > 0:
			return o.corrupt(&section{Section: format.Section{ID: id}}, 0, "section is missing")
		case sec != nil && want == 0:
			return o.corrupt(sec, 0, "no field has vectors")
		case sec != nil && sec.Length != want:
			return o.corrupt(sec, 0, "section has %d bytes, the vectors of FIELDS imply %d", sec.Length, want)
		}
	}
	return nil
}
