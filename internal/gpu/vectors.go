package gpu

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/search"
)

// vectorField is a field of dense vectors.
type vectorField = wholeField[*residency.Vectors, vectorSet, *vectorSet]

// vectorSet is a field of vectors in all segments of a snapshot that have some.
type vectorSet struct {
	parts   []*residency.Vectors
	bases   []uint32 // docIDs of the first documents of their segments
	several bool     // some document has several
	coded   bool     // of some segment there are no floats
	n       int64
	deleted uint64 // documents of the vectors
}

// gone reports whether a segment has been evicted.
func (s *vectorSet) gone() bool { return slices.ContainsFunc(s.parts, (*residency.Vectors).Gone) }

// reader returns a reader of floats, for one goroutine.
func (s *vectorSet) reader() *residency.VectorReader {
	return residency.NewVectorReader(s.parts, s.bases)
}

// add adds a segment.
func (s *vectorSet) add(v *residency.Vectors, of *residency.Segment) {
	if v.N == 0 {
		return
	}
	s.parts, s.bases = append(s.parts, v), append(s.bases, of.Base)
	s.several, s.coded = s.several || v.Several, s.coded || v.Coded
	s.n += int64(v.N)
	s.deleted += v.Deleted(of)
}

// vectorFields are the fields of vectors by their numbers in segments. The zero value has none.
type vectorFields struct{ all sync.Map }

// of returns the state of a field.
func (v *vectorFields) of(field uint32) *vectorField {
	f, ok := v.all.Load(field)
	if !ok {
		f, _ = v.all.LoadOrStore(field, newVectorField(field))
	}
	return f.(*vectorField)
}

// newVectorField returns the state of a field. Floats are on the device if there is room for those of all segments.
func newVectorField(field uint32) *vectorField {
	coded := func(x *Executor, d *docs.Docs) bool {
		return x.options.nearCoded || residency.VectorBytesOf(d.Segments, field) > x.lists.Arena.Size()
	}
	return &vectorField{
		loadPart: func(ctx context.Context, x *Executor, d *docs.Docs, s *residency.Segment, oldest uint64) (*residency.Vectors, error) {
			if !x.multipliesBytes() {
				return nil, errOlder
			}
			return x.lists.LoadVectors(ctx, *s, field, !coded(x, d), oldest)
		},
		stale: func(x *Executor, d *docs.Docs, v *residency.Vectors) bool { return !v.Coded && coded(x, d) },
	}
}

// follow goes on to x.docs, when no call runs.
func (v *vectorFields) follow(x *Executor) {
	v.all.Range(func(_, f any) bool {
		f.(*vectorField).follow(x)
		return true
	})
}

// vectorsOf returns a field of vectors, as wholeField.of does.
func (x *Executor) vectorsOf(ctx context.Context, field uint32) (*vectorSet, error) {
	return x.vectors.of(field).of(ctx, x)
}

// loadVectors makes all fields of vectors resident that fit.
func (x *Executor) loadVectors(ctx context.Context) error {
	if !x.comparesVectors() {
		return nil
	}
	done := map[uint32]bool{}
	for i := range x.docs.Segments {
		for _, f := range x.docs.Segments[i].Seg.Fields() {
			if f.Vectors == nil || f.Vectors.Count == 0 || done[f.ID] {
				continue
			}
			done[f.ID] = true
			if _, err := x.vectors.of(f.ID).load(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadVectorsFor makes the fields of vectors resident that queries compare.
func (x *Executor) loadVectorsFor(ctx context.Context, queries []search.Query) error {
	done := map[uint32]bool{}
	for i := range queries {
		if !search.NearestAlone(queries[i].Node) || !x.comparesVectors() {
			continue
		}
		n, err := x.parser.NearestOf(&queries[i])
		if err != nil {
			return &search.NumberError{Number: i, Err: err}
		}
		if n == nil || n.Codes() || done[n.Field()] {
			continue
		}
		done[n.Field()] = true
		if _, err := x.vectors.of(n.Field()).load(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// errOlder is why vectors stay away from a device that does not multiply tiles of bytes (kernels/mma.h).
var errOlder = errors.New("gpuload: the device has a compute capability of less than 8.0")

// multipliesBytes reports whether the device, if it is known, has what kernels for vectors need.
func (x *Executor) multipliesBytes() bool {
	if x.dev == nil {
		return true
	}
	info := x.dev.Info()
	return info.Major >= 8 || info.Major == 0 // an emulator
}

// comparesVectors reports whether the index has fields of vectors, and the device kernels for them.
func (x *Executor) comparesVectors() bool {
	return x.multipliesBytes() && residency.VectorBytes(x.docs.Segments) > 0
}
