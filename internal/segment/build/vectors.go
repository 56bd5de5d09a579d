package build

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
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
	docs, metas, high, low, floats vectorPart
	room                           struct{ high, low []byte }
	kept                           kept

	clusters *vector.Clusters // nil: none
	finder   *vector.Finder
	of       []uint32 // the cluster of each vector
	far      float64  // the sum of their distances from the points
}

// SetClusters makes c the clusters of field f, behind BeginVectors and before vectors are added. nil is none.
func (b *Builder) SetClusters(f int, c *vector.Clusters) {
	if v := b.fields[f].vectors; c != nil {
		v.clusters, v.finder = c, c.Finder()
	}
}

// findCluster finds the cluster of the next vector, if there are any.
func (v *vectorsBuilder) findCluster(values []float32) {
	if v.clusters != nil {
		cluster, far := v.finder.Find(values)
		v.of, v.far = append(v.of, cluster), v.far+far
	}
}

// vectorPart is a part of a field in VECTORS or VECTORFLOATS.
type vectorPart struct {
	stream
	each int                     // bytes a vector
	from func(w io.Writer) error // writes the part from where it is; nil: stream has it
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
	if x.Values == schema.Int8 && !atOrigin(centre) {
		return fmt.Errorf("segment: codes of field %q, which are all that is kept, from another centre than the origin", x.Name)
	}
	v := &vectorsBuilder{coder: vectors.CoderOf(&x.Field.Field, centre), kept: newKept(&x.Field.Field)}
	v.Centre = centre
	plane := vector.PlaneSize(x.Dims)
	for p, each := range map[*vectorPart]int{&v.docs: 4, &v.metas: layout.VectorMetaSize, &v.high: plane, &v.low: plane, &v.floats: x.Dims * record.FloatBytes(&x.Field.Field)} {
		*p = vectorPart{stream: b.newStream(), each: each}
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
		one, bytes := x.vectors.kept.of(values[at : at+x.Dims])
		x.vectors.findCluster(one)
		if err := b.addVector(x, doc, one); err != nil {
			return err
		}
		x.vectors.floats.add(bytes)
	}
	return nil
}

// kept makes what segments keep of the values of vectors. It is for one goroutine.
type kept struct {
	halves []uint16 // nil: values are kept as they are, or
	none   bool     // not at all
	floats []float32
}

func newKept(f *schema.Field) (k kept) {
	if f.Values == schema.Float16 {
		k.halves, k.floats = make([]uint16, f.Dims), make([]float32, f.Dims)
	}
	k.none = f.Values == schema.Int8
	return k
}

// of returns the values that are kept of a vector, or are coded, and the bytes of those that are kept, until the next call.
func (k *kept) of(v []float32) (values []float32, bytes []byte) {
	if k.none {
		return v, nil
	}
	if k.halves == nil {
		return v, bytesOf(v)
	}
	vector.Narrow(k.halves, v)
	vector.Widen(k.floats, k.halves)
	return k.floats, bytesOf(k.halves)
}

func bytesOf[T uint16 | float32](v []T) []byte {
	var of T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), int(unsafe.Sizeof(of))*len(v))
}

// addVector adds the code of a vector.
func (b *Builder) addVector(x *field, doc uint32, values []float32) error {
	v := x.vectors
	var m vector.Meta
	v.room.high, v.room.low, m = v.coder.Encode(v.room.high[:0], v.room.low[:0], values)
	return b.addCodes(x, func(int) uint32 { return doc }, vectors.MetaBytes(&m), v.room.high, v.room.low)
}

// addCodes adds the codes of vectors. doc returns the document of each, by its number among these.
func (b *Builder) addCodes(x *field, doc func(i int) uint32, metas, high, low []byte) error {
	v := x.vectors
	if err := b.addDocs(x, doc, len(metas)/layout.VectorMetaSize); err != nil {
		return err
	}
	v.metas.add(metas)
	v.high.add(high)
	v.low.add(low)
	return nil
}

// addDocs adds the documents of n vectors.
func (b *Builder) addDocs(x *field, doc func(i int) uint32, n int) error {
	v := x.vectors
	var number [4]byte
	for i := range n {
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
	return nil
}

// endVectors writes the sections of vectors, if there are any.
func (b ending) endVectors() error {
	var codes, floats []func() error
	for i := range b.fields {
		x := &b.fields[i]
		v := x.vectors
		if v == nil || v.Count == 0 {
			continue
		}
		x.Vectors = &segment.FieldVectors{Docs: v.Docs, Count: v.Count, Centre: slices.Clone(v.Centre)}
		part := func(p *vectorPart) func() error {
			return func() error { return b.writeVectors(p, int64(p.each)*int64(v.Count)) }
		}
		if !layout.OneVectorEach(v.Count, v.Docs, b.o.Docs) {
			codes = append(codes, part(&v.docs))
		}
		codes = append(codes, part(&v.metas), part(&v.high), part(&v.low))
		if c := v.clusters; c != nil {
			x.Vectors.Clusters, x.Vectors.Groups = uint32(c.Len()), uint32(len(c.Ends))
			codes = append(codes, func() error {
				_, err := b.w.Write(vectors.AppendClusters(nil, c, float32(v.far/float64(v.Count)), v.of))
				return err
			})
		}
		if v.floats.each > 0 {
			floats = append(floats, part(&v.floats))
		}
	}
	if codes == nil {
		return nil
	}
	all := func(parts []func() error) func() error {
		return func() error {
			for _, write := range parts {
				if err := write(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	parts := []part{{format.SectionVectorFloats, all(floats)}, {format.SectionVectors, all(codes)}}
	if floats == nil {
		parts = parts[1:]
	}
	return b.sections(parts)
}

// writeVectors writes p, which has size bytes, and zeros behind it to the open section.
func (b ending) writeVectors(p *vectorPart, size int64) error {
	c := counted{w: b.w}
	write := p.from
	if write == nil {
		write = p.copyTo
	}
	if err := write(&c); err != nil {
		return err
	}
	if c.n != size {
		return fmt.Errorf("segment: a part of vectors has %d bytes, not %d", c.n, size)
	}
	_, err := b.w.Write(make([]byte, -size&(layout.VectorsAlign-1)))
	return err
}

// counted counts what is written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// encodeAtOnce is how many vectors each thread of EncodeVectors encodes at a time.
const encodeAtOnce = 64

// EncodeVectors adds n vectors, of documents in ascending order, as those of field f, on several threads. at returns a vector and its document,
// until Finish returns. Without a centre in the space it is the mean of the vectors if these are MinCentre or more, or the origin, as where codes are all that is kept.
func (b *Builder) EncodeVectors(ctx context.Context, f int, space *Space, threads, n int, at func(i int) (doc uint32, values []float32)) error {
	x, centre := &b.fields[f], space.Centre
	if centre == nil && n >= MinCentre && x.Values != schema.Int8 {
		centre = vector.Mean(x.Dims, func(yield func([]float32) bool) {
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
	if x.Clusters && n > 0 {
		c, err := space.clusters(&x.Field.Field, threads, n, func(i int) []float32 { _, values := at(i); return values })
		if err != nil {
			return err
		}
		b.SetClusters(f, c)
	}
	type coded struct {
		coder            *vector.Coder
		kept             kept
		finder           *vector.Finder
		metas, high, low []byte
		clusters         []uint32
		far              float64
		lo, hi           int
	}
	parts := make([]coded, max(threads, 1))
	for i := range parts {
		parts[i].coder, parts[i].kept = vectors.CoderOf(&x.Field.Field, x.vectors.coder.Centre), newKept(&x.Field.Field)
		if x.vectors.clusters != nil {
			parts[i].finder = x.vectors.clusters.Finder()
		}
	}
	encode := func(c *coded) {
		c.metas, c.high, c.low, c.clusters, c.far = c.metas[:0], c.high[:0], c.low[:0], c.clusters[:0], 0
		for i := c.lo; i < c.hi; i++ {
			_, values := at(i)
			values, _ = c.kept.of(values)
			var m vector.Meta
			c.high, c.low, m = c.coder.Encode(c.high, c.low, values)
			c.metas = append(c.metas, vectors.MetaBytes(&m)...)
			if c.finder != nil {
				cluster, far := c.finder.Find(values)
				c.clusters, c.far = append(c.clusters, cluster), c.far+far
			}
		}
	}
	for lo := 0; lo < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var wait sync.WaitGroup
		used := 0
		for ; used < len(parts) && lo < n; used++ {
			c := &parts[used]
			c.lo, c.hi = lo, min(lo+encodeAtOnce, n)
			wait.Go(func() { encode(c) })
			lo = c.hi
		}
		wait.Wait()
		for _, c := range parts[:used] {
			doc := func(i int) uint32 {
				doc, _ := at(c.lo + i)
				return doc
			}
			if err := b.addCodes(x, doc, c.metas, c.high, c.low); err != nil {
				return err
			}
			x.vectors.of, x.vectors.far = append(x.vectors.of, c.clusters...), x.vectors.far+c.far
		}
	}
	x.vectors.floats.from = func(w io.Writer) error {
		for i := range n {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			_, values := at(i)
			_, bytes := x.vectors.kept.of(values)
			if _, err := w.Write(bytes); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}
