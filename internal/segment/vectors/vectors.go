// Package vectors reads, checks and shows sections VECTORS and VECTORFLOATS: the vectors of documents in fields of kind vector. Package
// build writes them, field by field, and package vector has the codes and their bounds.
package vectors

import (
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
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
	size    int      // bytes of a vector's values
	docs    []uint32 // nil: each document has one
	metas   []vector.Meta
	high    []byte
	low     []byte
	// Clusters are those of the vectors, nil without any.
	Clusters *Clusters
}

// Open returns what s has of field f of its fields, or nil if that has no vectors. On mapped data it copies nothing. All pages of codes
// have been compared with their checksums, and documents of vectors ascend.
func Open(s *segment.Segment, f int) (*Field, error) {
	info := s.Field(f).Info()
	if info.Vectors == nil || info.Vectors.Count == 0 {
		return nil, nil
	}
	x := &Field{Segment: s, Info: info, size: info.Dims * record.FloatBytes(&info.Field)}
	v := info.Vectors
	parts := partsOf(s, info)
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
	if err := x.openClusters(f, &parts, part); err != nil {
		return nil, err
	}
	return x, nil
}

// partsOf returns where the parts of a field with vectors are in VECTORS.
func partsOf(s *segment.Segment, f *segment.Field) layout.VectorParts {
	v := f.Vectors
	return layout.PlaceVectors(v.CodesAt, layout.Vectors{Dims: f.Dims, N: v.Count, Docs: v.Docs, Of: s.Meta().Docs, Clusters: v.Clusters, Groups: v.Groups})
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
func words[T uint16 | uint32 | float32 | vector.Meta](b []byte) []T {
	var of T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(of)))
}

// bytesOf is the opposite of words.
func bytesOf[T uint32 | float32 | vector.Meta](w []T) []byte {
	var of T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*int(unsafe.Sizeof(of)))
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

// FloatBytes returns what VECTORFLOATS has of n vectors from vector i on. It must not be modified.
func (x *Field) FloatBytes(i, n int) ([]byte, error) {
	size := int64(x.size)
	return x.Segment.Raw().SectionBytes(format.SectionVectorFloats, x.Info.Vectors.FloatsAt+int64(i)*size, int64(n)*size)
}

// Floats returns the values of n vectors from vector i on. They must not be modified, and are in room, which has room for them, if the
// segment does not have them as float32; room may be nil. Where codes are alone, they are those that the codes stand for.
func (x *Field) Floats(room []float32, i, n int) ([]float32, error) {
	if x.Info.Values == schema.Int8 {
		return x.decoded(room, i, n), nil
	}
	b, err := x.FloatBytes(i, n)
	if err != nil {
		return nil, err
	}
	if x.Info.Values == schema.Float16 {
		if room == nil {
			room = make([]float32, n*x.Info.Dims)
		}
		room = room[:n*x.Info.Dims]
		vector.Widen(room, words[uint16](b))
		return room, nil
	}
	return words[float32](b), nil
}

// decoded is Floats where codes are alone.
func (x *Field) decoded(room []float32, i, n int) []float32 {
	dims, turn := x.Info.Dims, vector.RotationOf(x.Info.Dims)
	if room == nil {
		room = make([]float32, n*dims)
	}
	turned := make([]float32, dims)
	for j := range n {
		x.stands(turned, i+j)
		turn.Undo(room[j*dims:(j+1)*dims], turned)
	}
	return room[:n*dims]
}

// stands sets dst, of the dimensions of x, to what the code of vector i stands for, turned.
func (x *Field) stands(dst []float32, i int) {
	_, high, low := x.Codes(i, 1)
	vector.Stands(dst, high, low, x.metas[i].Step)
}

// Codes returns what VECTORS has of n vectors from vector i on: their metas and both planes. They must not be modified.
func (x *Field) Codes(i, n int) (metas, high, low []byte) {
	plane := vector.PlaneSize(x.Info.Dims)
	of := x.metas[i : i+n]
	metas = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), layout.VectorMetaSize*n)
	return metas, x.high[i*plane : (i+n)*plane], x.low[i*plane : (i+n)*plane]
}

// longest is the key under which a segment keeps the greatest length of the vectors of a field.
type longest struct{ id uint32 }

// Longest returns the greatest length of all vectors. It looks at all of them once.
func (x *Field) Longest() float32 {
	kept := x.Segment.Attached(longest{x.Info.ID}, func() any { return new(atomic.Pointer[float32]) }).(*atomic.Pointer[float32])
	if most := kept.Load(); most != nil {
		return *most
	}
	most := float32(0)
	for i := range x.metas {
		if n := x.metas[i].Norm; n > most { // of what is damaged it may be no number
			most = n
		}
	}
	kept.Store(&most)
	return most
}

// Set returns the vectors as vector.Scan takes them. An error of reading floats goes to fail, which is called at most once, and the vector is
// then taken for one of zeros.
func (x *Field) Set(fail func(error)) *vector.Set {
	dims := x.Info.Dims
	room := make([]float32, vector.Padded(dims))
	if x.Info.Values == schema.Int8 {
		return &vector.Set{Dims: dims, Metas: x.metas, High: x.high, Low: x.low, Floats: func(i int) []float32 {
			x.stands(room[:dims], i)
			return room
		}}
	}
	failed := false
	return &vector.Set{Dims: dims, Metas: x.metas, High: x.high, Low: x.low, Floats: func(i int) []float32 {
		floats, err := x.Floats(room, i, 1)
		switch {
		case err == nil:
			if len(floats) == len(room) {
				return floats
			}
			if x.Info.Values == schema.Float32 {
				copy(room, floats)
			}
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
	return CoderOf(&x.Info.Field, x.Info.Vectors.Centre)
}

// CoderOf returns what makes the codes of a field with a centre.
func CoderOf(f *schema.Field, centre []float32) *vector.Coder {
	c := vector.NewCoder(vector.RotationOf(f.Dims), centre)
	c.Alone = f.Values == schema.Int8
	return c
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
