package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// dense is a value of kind vector as the model keeps it: the bytes of its values, so that zeros of both signs differ.
type dense string

// denseOf returns the vector of these values.
func denseOf(values []float32) dense {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return dense(b)
}

// floats returns the vector's values.
func (d dense) floats() []float32 {
	v := make([]float32, len(d)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(d[4*i:])))
	}
	return v
}

// String returns the values to read.
func (d dense) String() string { return fmt.Sprint(d.floats()) }

// drawDenseField draws a field of vectors.
func drawDenseField(r *rand.Rand, name string) schema.Field {
	f := schema.Field{Name: name, Kind: schema.Vector, Dims: 1 + r.IntN(20), Similarity: schema.Similarity(r.IntN(3)), Values: schema.VectorValues(r.IntN(3)),
		Model: []string{"", "", "encoder-1", "modèle"}[r.IntN(4)]}
	if r.IntN(8) == 0 { // of several groups in a code
		f.Dims += 60 * (1 + r.IntN(2))
	}
	return f
}

// drawDense draws a vector: often one of small integers, so that documents are equally near. Those of half of the fields are around
// a place that is not the origin; few are as long or as short as vectors may be.
func drawDense(r *rand.Rand, f *schema.Field) []float32 {
	v := make([]float32, f.Dims)
	whole, scale := r.IntN(2) == 0, []float64{1, 1, 1e-3, 30}[r.IntN(4)]
	for i := range v {
		if x := r.NormFloat64(); whole {
			v[i] = float32(int(x))
		} else {
			v[i] = float32(x*scale + 3*float64(f.ID%2))
		}
	}
	switch one := &v[r.IntN(len(v))]; r.IntN(24) {
	case 0:
		clear(v)
		switch *one = []float32{schema.MaxNorm, -schema.MaxNorm}[r.IntN(2)]; f.Values {
		case schema.Float16:
			*one = []float32{65519, -65504}[r.IntN(2)]
		case schema.Int8: // what codes stand for may be longer, and is added again
			*one /= 4
		}
	case 1:
		clear(v)
		switch *one = schema.MinNorm; f.Values {
		case schema.Float16:
			*one = 0x1.1p-25
		case schema.Int8:
			*one *= 4
		}
	default:
		if f.Similarity == schema.SimilarityCosine && *one == 0 {
			*one = 1
		}
	}
	return v
}

// wrongDense draws a vector that a field cannot have.
func wrongDense(r *rand.Rand, f *schema.Field) []float32 {
	v := drawDense(r, f)
	one := &v[r.IntN(len(v))]
	switch n := r.IntN(6); {
	case n == 0:
		return v[:len(v)-1]
	case n == 1:
		return append(v, 1)
	case n == 2:
		*one = 2 * schema.MaxNorm
	case n == 3 && f.Similarity == schema.SimilarityCosine:
		clear(v)
		*one = []float32{0, schema.MinNorm / 2}[r.IntN(2)]
	case n == 4 && f.Values == schema.Float16:
		*one = []float32{65520, -70000}[r.IntN(2)]
	case n == 4 && f.Values == schema.Int8:
		*one = 0.6 * schema.MaxNorm
	default:
		*one = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(3)]
	}
	return v
}

// otherDense makes f, a field of vectors, one that contradicts it.
func otherDense(r *rand.Rand, f *schema.Field) {
	switch r.IntN(4) {
	case 0:
		f.Dims++
	case 3:
		f.Values = (f.Values + 1) % 3
	case 1:
		f.Similarity = (f.Similarity + 1) % 3
	default:
		f.Model += "b"
	}
}

// vectorsOf returns all vectors of documents, deleted ones too, by the field's id and the document.
func vectorsOf(s *reader.Snapshot) (map[uint32]map[uint32][]any, error) {
	all := map[uint32]map[uint32][]any{}
	for _, seg := range s.Segments() {
		for i, f := range seg.Views().Fields() {
			if f.Kind != schema.Vector {
				continue
			}
			x, err := vectors.Open(seg.Views(), i)
			if err != nil {
				return nil, err
			}
			if x == nil {
				continue
			}
			if all[f.ID] == nil {
				all[f.ID] = map[uint32][]any{}
			}
			for n := range x.Len() {
				values, err := x.Floats(nil, n, 1)
				if err != nil {
					return nil, err
				}
				doc := seg.Base() + x.Doc(n)
				all[f.ID][doc] = append(all[f.ID][doc], denseOf(values))
			}
		}
	}
	return all, nil
}

// checkDense checks the vectors of document d, given those of all by field: they are in the order in which they were added.
func (w *world) checkDense(is *schema.Schema, all map[uint32]map[uint32][]any, doc uint32, d *document, rebuilt bool) error {
	for i := range is.Fields {
		f := &is.Fields[i]
		if f.Kind != schema.Vector {
			continue
		}
		got, want := all[f.ID][doc], d.values[f.ID]
		if _, kept := w.schema.ByID(f.ID); rebuilt && !kept && len(got) == 0 {
			continue // a segment may have lost it
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("version %v: the vectors of field %+v are %v, not %v", d.values, f, got, want)
		}
		w.vectors.Add(int64(len(got)))
	}
	return nil
}

// addVectors adds to r, a document, its vectors in a field.
func addVectors(r *oracle.Record, f *schema.Field, values []any) {
	if len(values) == 0 {
		return
	}
	if r.Vectors == nil {
		r.Vectors = map[string][][]float32{}
	}
	for _, v := range values {
		r.Vectors[f.Name] = append(r.Vectors[f.Name], v.(dense).floats())
	}
}

// nearest draws a Nearest. There must be a field of vectors.
func (d *treeDrawer) nearest() (query.Node, *oracle.Node) {
	f, v := d.compared()
	n := query.Nearest{Field: f.Name, Vector: v, K: []int{1, 3, 10, 1 + d.IntN(1<<d.IntN(9)), query.MaxNearest}[d.IntN(5)], Boost: d.boost(),
		Probe: float64(d.IntN(2))} // exact both: TestNearestProbe of internal/search draws others
	return n, &oracle.Node{Kind: oracle.Nearest, Field: n.Field, Vector: n.Vector, K: n.K, Boost: n.Boost}
}

// similarity adds a Similarity to the nodes that must match or that may, or none.
func (d *treeDrawer) similarity(b *query.Bool, o *oracle.Node) {
	if len(d.dense) == 0 || d.quiet > 0 || d.IntN(3) > 0 {
		return
	}
	f, v := d.compared()
	n := query.Similarity{Field: f.Name, Vector: v, Boost: d.boost()}
	own := &oracle.Node{Kind: oracle.Similarity, Field: n.Field, Vector: n.Vector, Boost: n.Boost}
	if d.IntN(2) == 0 {
		b.Must, o.Must = append(b.Must, n), append(o.Must, own)
	} else {
		b.Should, o.Should = append(b.Should, n), append(o.Should, own)
	}
}

// compared draws a field of vectors and what its vectors are compared with, often a vector that a document has.
func (d *treeDrawer) compared() (*schema.Field, []float32) {
	f := &d.dense[d.IntN(len(d.dense))]
	if len(d.docs) > 0 && d.IntN(2) == 0 {
		if own := d.docs[d.IntN(len(d.docs))].Vectors[f.Name]; len(own) > 0 {
			return f, own[d.IntN(len(own))]
		}
	}
	return f, drawDense(d.Rand, f)
}
