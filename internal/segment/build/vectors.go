package build

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/segment"
)

// MinCentre is how many vectors a segment has at least that gives an index the centre of a field: their mean. Segments before it have the
// origin for a centre, and get the other when they are merged.
const MinCentre = 1024

// vectorsBuilder makes what VECTORS and VECTORFLOATS have of a field.
type vectorsBuilder struct {
	segment.FieldVectors
	coder                          *vector.Coder
	last                           uint32 // document that the last vector is of
	docs, metas, high, low, floats stream
	room                           struct{ high, low []byte }
}

// BeginVectors begins the vectors of field f of Options.Fields, which is one of vectors. centre has a value for each dimension, of which
// the lower 16 bits are zeros; nil is the origin. Fields come in any order, and may be left out.
func (b *Builder) BeginVectors(f int, centre []float32) error {
	x := &b.fields[f]
	if x.Vectors == nil || x.vectors != nil {
		return fmt.Errorf("segment: vectors of field %q, of kind %v, begun", x.Name, x.Kind)
	}
	if centre == nil {
		centre = make([]float32, x.Dims)
	}
	v := &vectorsBuilder{coder: vector.NewCoder(vector.RotationOf(x.Dims), centre)}
	v.Centre = centre
	for _, s := range []*stream{&v.docs, &v.metas, &v.high, &v.low, &v.floats} {
		*s = b.newStream()
	}
	x.vectors = v
	return nil
}

// AddVectors adds vectors of a document, in ascending order, to those of field f: their values, one after the other.
func (b *Builder) AddVectors(f int, doc uint32, values []float32) error {
	x := &b.fields[f]
	for at := 0; at < len(values); at += x.Dims {
		if err := x.CheckVector(values[at:min(at+x.Dims, len(values))]); err != nil {
			return fmt.Errorf("segment: %w", err)
		}
		v, one := x.vectors, values[at:at+x.Dims]
		var m vector.Meta
		v.room.high, v.room.low, m = v.coder.Encode(v.room.high[:0], v.room.low[:0], one)
		if err := b.addCodes(x, func(int) uint32 { return doc }, vectors.MetaBytes(&m), v.room.high, v.room.low, one); err != nil {
			return err
		}
	}
	return nil
}

// addCodes adds vectors that are coded. doc returns the document of each, by its number among these.
func (b *Builder) addCodes(x *field, doc func(i int) uint32, metas, high, low []byte, floats []float32) error {
	v := x.vectors
	var number [4]byte
	for i := range len(metas) / layout.VectorMetaSize {
		of := doc(i)
		if of >= b.o.Docs || v.Count > 0 && of < v.last || v.Count == math.MaxInt32 {
			return fmt.Errorf("segment: field %q: vector %d of document %d, after one of %d, of %d documents", x.Name, v.Count, of, v.last, b.o.Docs)
		}
		if v.Count == 0 || of != v.last {
			v.Docs++
		}
		v.Count, v.last = v.Count+1, of
		binary.LittleEndian.PutUint32(number[:], of)
		v.docs.add(number[:])
	}
	v.metas.add(metas)
	v.high.add(high)
	v.low.add(low)
	v.floats.add(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(floats))), 4*len(floats)))
	return nil
}

// endVectors writes the sections of vectors, if there are any.
func (b ending) endVectors() error {
	var codes, floats []*stream
	for i := range b.fields {
		x := &b.fields[i]
		v := x.vectors
		if v == nil || v.Count == 0 {
			continue
		}
		x.Vectors = &segment.FieldVectors{Docs: v.Docs, Count: v.Count, Centre: slices.Clone(v.Centre)}
		parts := []*stream{&v.metas, &v.high, &v.low}
		if !layout.OneVectorEach(v.Count, v.Docs, b.o.Docs) {
			parts = append([]*stream{&v.docs}, parts...)
		}
		for _, s := range append(parts, &v.floats) {
			s.add(make([]byte, -s.n&(layout.VectorsAlign-1)))
			if s.err != nil {
				return s.err
			}
		}
		codes, floats = append(codes, parts...), append(floats, &v.floats)
	}
	if codes == nil {
		return nil
	}
	return b.sections([]part{{format.SectionVectorFloats, b.copies(floats...)}, {format.SectionVectors, b.copies(codes...)}})
}

// encodeAtOnce is how many vectors each thread of EncodeVectors encodes at a time.
const encodeAtOnce = 64

// EncodeVectors adds n vectors, of documents in ascending order, as those of field f, on several threads. at returns a vector and its document.
// centre is that of the field in other segments of the index; without one it is the mean of the vectors if these are MinCentre or more, or
// the origin.
func (b *Builder) EncodeVectors(ctx context.Context, f int, centre []float32, threads, n int, at func(i int) (doc uint32, values []float32)) error {
	if centre == nil && n >= MinCentre {
		centre = vector.Mean(b.fields[f].Dims, func(yield func([]float32) bool) {
			for i := range n {
				if _, values := at(i); !yield(values) {
					return
				}
			}
		})
	}
	if err := b.BeginVectors(f, centre); err != nil {
		return err
	}
	type coded struct {
		metas, high, low []byte
		docs             []uint32
		floats           []float32
	}
	x := &b.fields[f]
	encode := func(lo, hi int) coded {
		var c coded
		coder := vector.NewCoder(x.vectors.coder.Turn, x.vectors.coder.Centre)
		for i := lo; i < hi; i++ {
			doc, values := at(i)
			var m vector.Meta
			c.high, c.low, m = coder.Encode(c.high, c.low, values)
			c.metas = append(c.metas, vectors.MetaBytes(&m)...)
			c.docs, c.floats = append(c.docs, doc), append(c.floats, values...)
		}
		return c
	}
	parts := make([]coded, max(threads, 1))
	for lo := 0; lo < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var wait sync.WaitGroup
		used := 0
		for ; used < len(parts) && lo < n; used++ {
			from, to, part := lo, min(lo+encodeAtOnce, n), used
			wait.Go(func() { parts[part] = encode(from, to) })
			lo = to
		}
		wait.Wait()
		for _, c := range parts[:used] {
			if err := b.addCodes(x, func(i int) uint32 { return c.docs[i] }, c.metas, c.high, c.low, c.floats); err != nil {
				return err
			}
		}
	}
	return nil
}
