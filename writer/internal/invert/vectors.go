package invert

import (
	"context"
	"unsafe"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
)

// Spaces are what the vectors of fields have in common with those in other segments of the index, by the fields' ids.
type Spaces map[uint32]*build.Space

// Of returns that of the field with an id.
func (s Spaces) Of(id uint32) *build.Space {
	if own := s[id]; own != nil {
		return own
	}
	return &build.Space{}
}

// batchVectors has the vectors that the documents of a batch have in a field, in the order of the documents.
type batchVectors struct {
	docs   []uint32 // of each vector
	values [][]byte // of each, in the text of the batch
}

func (c *batchVectors) add(doc uint32, content []byte) {
	c.docs, c.values = append(c.docs, doc), append(c.values, content)
}

// cut drops the vectors of document doc, the last one.
func (c *batchVectors) cut(doc uint32) {
	n := len(c.docs)
	for n > 0 && c.docs[n-1] == doc {
		n--
	}
	c.docs, c.values = c.docs[:n], c.values[:n]
}

func (c *batchVectors) reset() {
	clear(c.values)
	c.docs, c.values = c.docs[:0], c.values[:0]
}

// vectors is batchVectors of all documents of an Accumulator.
type vectors struct {
	dims   int
	docs   chunks[uint32]
	blocks [][]float32 // of vectorsPerBlock vectors each
}

const vectorsPerBlock = 64

func (c *vectors) add(doc uint32, floats []byte) {
	at := c.docs.n % vectorsPerBlock * c.dims
	if at == 0 && c.docs.n/vectorsPerBlock == len(c.blocks) {
		c.blocks = append(c.blocks, make([]float32, vectorsPerBlock*c.dims))
	}
	block := c.blocks[c.docs.n/vectorsPerBlock][at : at+c.dims]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), len(floats)), floats)
	c.docs.append(doc)
}

// at returns vector i.
func (c *vectors) at(i int) []float32 {
	at := i % vectorsPerBlock * c.dims
	return c.blocks[i/vectorsPerBlock][at : at+c.dims]
}

// bytes returns the memory that c holds.
func (c *vectors) bytes() int { return 4*c.docs.n + len(c.blocks)*vectorsPerBlock*4*c.dims }

func (c *vectors) reset() {
	c.docs.reset()
	c.blocks = nil
}

// newVectors returns what an Accumulator has of the fields of vectors.
func (x *Fields) newVectors() []vectors {
	all := make([]vectors, x.vectors)
	for i := range x.fields {
		if f := &x.fields[i]; f.vector >= 0 {
			all[f.vector].dims = f.Dims
		}
	}
	return all
}

// absorbVectors adds the vectors of b, whose first document is base.
func (a *Accumulator) absorbVectors(b *Batch, base uint32) {
	for i := range b.vectors {
		from, to := &b.vectors[i], &a.vectors[i]
		for j, doc := range from.docs {
			to.add(base+doc, from.values[j])
		}
	}
}

// vectorBytes returns what the vectors take.
func (a *Accumulator) vectorBytes() (n int) {
	for i := range a.vectors {
		n += a.vectors[i].bytes()
	}
	return n
}

// writeVectors adds the vectors of the live documents to b.
func (a *Accumulator) writeVectors(ctx context.Context, b *build.Builder, spaces Spaces, threads int) error {
	if len(a.vectors) == 0 {
		return nil
	}
	to := make([]uint32, a.docs.n) // documents without the dead ones
	live := uint32(0)
	for doc := range to {
		if to[doc] = live; !a.docs.at(doc).isDead {
			live++
		}
	}
	for rank, number := range a.fields.order {
		f := &a.fields.fields[number]
		if f.vector < 0 {
			continue
		}
		c := &a.vectors[f.vector]
		var kept []int
		for i := range c.docs.n {
			if !a.docs.at(int(*c.docs.at(i))).isDead {
				kept = append(kept, i)
			}
		}
		err := b.EncodeVectors(ctx, rank, spaces.Of(f.ID), threads, len(kept), func(i int) (uint32, []float32) { return to[*c.docs.at(kept[i])], c.at(kept[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeVectors adds the vectors of the document to b.
func (l *Large) writeVectors(b *build.Builder, x *Fields, spaces Spaces) error {
	for rank, number := range x.order {
		f := &x.fields[number]
		if f.vector < 0 {
			continue
		}
		if err := b.BeginVectors(rank, spaces.Of(f.ID).Centre); err != nil {
			return err
		}
		for i := range l.values {
			if v := &l.values[i]; v.Field == number && v.Kind == schema.Vector {
				if err := b.AddVectors(rank, 0, v.Vector()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
