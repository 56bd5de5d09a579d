// Package vectors reads, checks and shows sections VECTORS and VECTORFLOATS: the vectors of documents in fields of kind vector. Package
// build writes them, field by field, and package vector has the codes and their bounds.
package vectors

import (
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Section is the row of VECTORS and VECTORFLOATS.
var Section = section.Section{
	IDs:   []format.SectionID{format.SectionVectorFloats, format.SectionVectors},
	Check: check,
	Work:  work,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
}

// Field is what a segment has of the vectors of a field, by their numbers: they ascend with the documents. A Field is safe for
// concurrent use, but for what Set returns.
type Field struct {
	Segment *segment.Segment
	Info    *segment.Field
	docs    []uint32 // nil: each document has one
	metas   []vector.Meta
	high    []byte
	low     []byte
}

// Open returns what s has of field f of its fields, or nil if that has no vectors. On mapped data it copies nothing. All pages of codes
// have been compared with their checksums, and documents of vectors ascend.
func Open(s *segment.Segment, f int) (*Field, error) {
	info := s.Field(f).Info()
	if info.Vectors == nil || info.Vectors.Count == 0 {
		return nil, nil
	}
	x := &Field{Segment: s, Info: info}
	v := info.Vectors
	parts := layout.PlaceVectors(v.CodesAt, info.Dims, v.Count, v.Docs, s.Meta().Docs)
	n, plane := int64(v.Count), int64(v.Count)*int64(vector.PlaneSize(info.Dims))
	all, err := s.Raw().SectionBytes(format.SectionVectors, parts.Docs, parts.End-parts.Docs)
	if err != nil {
		return nil, err
	}
	part := func(at, size int64) []byte { return all[at-parts.Docs:][:size] }
	if parts.Metas > parts.Docs {
		x.docs = words[uint32](part(parts.Docs, 4*n))
		if last := x.docs[n-1]; last >= s.Meta().Docs {
			return nil, x.corrupt(parts.Docs+4*(n-1), "a vector of document %d of %d", last, s.Meta().Docs)
		}
	}
	if err := x.checkDocsOnce(f); err != nil {
		return nil, err
	}
	x.metas = words[vector.Meta](part(parts.Metas, layout.VectorMetaSize*n))
	x.high, x.low = part(parts.High, plane), part(parts.Low, plane)
	return x, nil
}

// checkedDocs is the key under which a segment keeps whether the documents of vectors of a field were found to be right.
type checkedDocs struct{ field int }

// checkDocsOnce is checkDocs of field f, until it has found nothing wrong: queries rely on it, as a sum may match bytes that are wrong.
func (x *Field) checkDocsOnce(f int) error {
	if x.docs == nil {
		return nil
	}
	checked := x.Segment.Attached(checkedDocs{f}, func() any { return new(atomic.Bool) }).(*atomic.Bool)
	if checked.Load() {
		return nil
	}
	err := x.checkDocs()
	checked.Store(err == nil)
	return err
}

// words returns b, which is aligned, as values of a type of fixed size.
func words[T uint32 | float32 | vector.Meta](b []byte) []T {
	var of T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(of)))
}

// Len returns how many vectors there are.
func (x *Field) Len() int { return len(x.metas) }

// Doc returns the document of vector i.
func (x *Field) Doc(i int) uint32 {
	if x.docs == nil {
		return uint32(i)
	}
	return x.docs[i]
}

// Docs returns the document of each vector, in ascending order, or nil if vector i is that of document i. It must not be modified.
func (x *Field) Docs() []uint32 { return x.docs }

// Of returns the vectors of documents from doc on: the number of the first, which may be Len.
func (x *Field) Of(doc uint32) int {
	if x.docs == nil {
		return min(int(doc), len(x.metas))
	}
	return sort.Search(len(x.docs), func(i int) bool { return x.docs[i] >= doc })
}

// Floats returns the values of n vectors from vector i on. They must not be modified.
func (x *Field) Floats(i, n int) ([]float32, error) {
	size := 4 * int64(x.Info.Dims)
	b, err := x.Segment.Raw().SectionBytes(format.SectionVectorFloats, x.Info.Vectors.FloatsAt+int64(i)*size, int64(n)*size)
	if err != nil {
		return nil, err
	}
	return words[float32](b), nil
}

// Bytes returns what the segment has of n vectors from vector i on: their metas, both planes and floats. They must not be modified.
func (x *Field) Bytes(i, n int) (metas, high, low []byte, floats []float32, err error) {
	plane := vector.PlaneSize(x.Info.Dims)
	of := x.metas[i : i+n]
	metas = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), layout.VectorMetaSize*n)
	floats, err = x.Floats(i, n)
	return metas, x.high[i*plane : (i+n)*plane], x.low[i*plane : (i+n)*plane], floats, err
}

// Set returns the vectors as vector.Scan takes them. An error of reading floats goes to fail, which is called at most once, and the vector is
// then taken for one of zeros.
func (x *Field) Set(fail func(error)) *vector.Set {
	dims := x.Info.Dims
	room := make([]float32, vector.Padded(dims))
	failed := false
	return &vector.Set{Dims: dims, Metas: x.metas, High: x.high, Low: x.low, Floats: func(i int) []float32 {
		floats, err := x.Floats(i, 1)
		switch {
		case err == nil:
			if len(floats) == len(room) && cap(floats) >= len(room) {
				return floats
			}
			copy(room, floats)
		case !failed:
			failed = true
			fail(err)
			fallthrough
		default:
			clear(room)
		}
		return room
	}}
}

// Coder returns what made the codes.
func (x *Field) Coder() *vector.Coder {
	return vector.NewCoder(vector.RotationOf(x.Info.Dims), x.Info.Vectors.Centre)
}

// SimilarityOf returns how package vector compares the vectors of a field.
func SimilarityOf(f *schema.Field) vector.Similarity {
	switch f.Similarity {
	case schema.SimilarityDot:
		return vector.Product
	case schema.SimilarityL2:
		return vector.Euclidean
	}
	return vector.Cosine
}

// corrupt returns an error about VECTORS.
func (x *Field) corrupt(at int64, msg string, args ...any) error {
	return x.Segment.Raw().Corrupt(format.SectionVectors, at, "field %q: "+msg, append([]any{x.Info.Name}, args...)...)
}

// MetaBytes returns m as VECTORS has it.
func MetaBytes(m *vector.Meta) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m)), layout.VectorMetaSize)
}
