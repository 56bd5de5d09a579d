package segtest

import (
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// RandomVectors draws a field of vectors: of no, some or all documents, one or several each.
func RandomVectors(r *rand.Rand, id uint32, name string, docs int) FieldModel {
	f := FieldModel{Field: schema.Field{ID: id, Name: name, Kind: schema.Vector, Index: schema.IndexNone, Dims: 1 + r.IntN(80),
		Similarity: schema.Similarity(r.IntN(3)), Values: schema.VectorValues(r.IntN(3)), Model: []string{"", "model"}[r.IntN(2)]}, Lens: make([]uint32, docs), Vectors: make([][][]float32, docs)}
	f.Clusters = r.IntN(2) == 0
	least, most := r.IntN(2), 1+r.IntN(3)
	if r.IntN(6) == 0 {
		least, most = 0, 0
	}
	shift := float32(r.IntN(3))
	for doc := range f.Vectors {
		for range max(least, r.IntN(most+1)) {
			v := make([]float32, f.Dims)
			for i := range v {
				v[i] = float32(r.NormFloat64()) + shift
				if f.Field.Values == schema.Float16 {
					v[i] = float32(int(v[i]*64)) / 64 // which float16 has
				}
			}
			if f.Field.Values == schema.Int8 {
				v = coded(&f.Field, v)
			}
			f.Vectors[doc] = append(f.Vectors[doc], v)
		}
	}
	return f
}

// coded returns what codes of f, which keeps nothing else, stand for: the same vector again, when it is coded.
func coded(f *schema.Field, v []float32) []float32 {
	c, turned := vectors.CoderOf(f, nil), make([]float32, f.Dims)
	high, low, m := c.Encode(nil, nil, v)
	vector.Stands(turned, high, low, m.Step)
	c.Turn.Undo(v, turned)
	return v
}

// addVectors adds the vectors to b, where f is field i.
func (f *FieldModel) addVectors(t TB, b *build.Builder, i int) {
	t.Helper()
	var centre []float32
	if f.Dims%2 == 0 && f.Field.Values != schema.Int8 {
		centre = slices.Repeat([]float32{1}, f.Dims)
	}
	if err := b.BeginVectors(i, centre); err != nil {
		t.Fatal(err)
	}
	if all := slices.Concat(f.Vectors...); f.Clusters && len(all) > 0 {
		c := vector.Train(f.Dims, vectors.SimilarityOf(&f.Field), 1+len(all)/4, len(all), 1, func(i int) []float32 { return all[i] })
		c.Trained = uint64(len(all))
		c.Version = vectors.VersionOf(c)
		b.SetClusters(i, c)
	}
	for doc, all := range f.Vectors {
		if err := b.AddVectors(i, uint32(doc), slices.Concat(all...)); err != nil {
			t.Fatal(err)
		}
	}
}

// checkVectors compares the vectors of a view of f with f.
func (f *FieldModel) checkVectors(t TB, v segment.FieldView) {
	t.Helper()
	x, err := vectors.Open(v.Segment(), v.Number())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for doc, all := range f.Vectors {
		for _, want := range all {
			got, err := x.Floats(nil, n, 1)
			if err != nil || !slices.Equal(got, want) || int(x.Doc(n)) != doc {
				t.Fatalf("field %q: vector %d, of document %d, is %v, want %v of document %d, %v", f.Name, n, x.Doc(n), got, want, doc, err)
			}
			n++
		}
	}
	if has := x != nil && x.Clusters != nil; has != (f.Clusters && n > 0) {
		t.Fatalf("field %q has clusters: %t", f.Name, has)
	}
	if x == nil && n > 0 || x != nil && x.Len() != n {
		t.Fatalf("field %q has other than %d vectors", f.Name, n)
	}
}
