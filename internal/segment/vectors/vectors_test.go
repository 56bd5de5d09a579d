package vectors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Documents that do not ascend, are too few or are not there are damage when a field is opened, also where all sums match.
func TestWrongDocs(t *testing.T) {
	const docs = 50
	m, r := &segtest.Fields{}, rand.New(rand.NewPCG(5, 3))
	f := segtest.RandomVectors(r, 1, "a", docs)
	for doc := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(doc))
		f.Vectors[doc] = nil
		for range doc % 3 {
			v := make([]float32, f.Dims)
			v[0] = 1
			f.Vectors[doc] = append(f.Vectors[doc], v)
		}
	}
	m.Fields = append(m.Fields, f)
	good := m.Build(t, segtest.Default())
	sec, _ := segtest.Open(t, good).Header().Section(format.SectionVectors)
	for what, change := range map[string]func(b []byte){
		"":               func([]byte) {},
		"out of order":   func(b []byte) { binary.LittleEndian.PutUint32(b[4*5:], 30) },
		"beyond the end": func(b []byte) { binary.LittleEndian.PutUint32(b[4*5:], docs) },
		"too few":        func(b []byte) { copy(b[12:16], b[8:12]) },
	} {
		b := segment.Aligned(bytes.Clone(good))
		change(b[sec.Offset:])
		segtest.Repair(b)
		s, err := segment.Open("x", b)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if x, err := vectors.Open(s, 0); (what == "") != (err == nil) || err != nil && !errors.Is(err, format.ErrCorrupt) || err == nil && x.Len() != 49 {
				t.Errorf("%q: %v", what, err)
			}
		}
	}
}

// Longest is the greatest length of all vectors, however often it is asked for.
func TestLongest(t *testing.T) {
	const docs = 60
	m, r := &segtest.Fields{}, rand.New(rand.NewPCG(5, 4))
	f, want := segtest.RandomVectors(r, 1, "a", docs), 0.0
	f.Field.Values = schema.Float32
	for doc := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(doc))
		f.Vectors[doc] = nil
		for range doc % 3 {
			v, sum := make([]float32, f.Dims), 0.0
			for i := range v {
				v[i] = float32(r.NormFloat64())
				sum += float64(v[i]) * float64(v[i])
			}
			f.Vectors[doc], want = append(f.Vectors[doc], v), max(want, math.Sqrt(sum))
		}
	}
	m.Fields = append(m.Fields, f)
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	for range 3 {
		x, err := vectors.Open(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(x.Longest()); math.Abs(got-want) > 1e-5*want {
			t.Errorf("the longest has %v, want %v", got, want)
		}
		x.Set(nil).Metas[0].Norm = 1e9 // which is not looked at again
	}
}
