package vectors

import (
	"bytes"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// grain is how many vectors a goroutine checks at a time.
const grain = 256

// work is what a byte of VECTORS costs to check, in units of a byte's checksum: a code is made again.
const work = 50

// check compares codes with what the floats become.
func check(v section.Verifier) error {
	s := v.Segment()
	for i := range s.Fields() {
		x, err := Open(s, i)
		if err := v.Report(err, 0, [2]uint32{}); err != nil {
			return err
		}
		if x == nil || err != nil {
			continue
		}
		if err := v.Report(x.checkPadding(), 0, [2]uint32{}); err != nil {
			return err
		}
		if v.Postings() {
			if err := v.Each(x.Len(), grain, func(lo, hi int) error { return x.checkCodes(v, lo, hi) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDocs checks that the documents of vectors ascend, and how many they are.
func (x *Field) checkDocs() error {
	if x.docs == nil {
		return nil
	}
	at, docs := x.Info.Vectors.CodesAt, uint32(1)
	for i, doc := range x.docs[1:] {
		if doc < x.docs[i] {
			return x.corrupt(at+4*int64(i+1), "a vector of document %d follows one of %d", doc, x.docs[i])
		}
		if doc > x.docs[i] {
			docs++
		}
	}
	if docs != x.Info.Vectors.Docs {
		return x.corrupt(at, "vectors of %d documents, FIELDS says %d", docs, x.Info.Vectors.Docs)
	}
	return nil
}

// vectorGap is padding in a section.
type vectorGap struct {
	id       format.SectionID
	from, to int64
}

// checkPadding checks that there is nothing between the parts.
func (x *Field) checkPadding() error {
	f, v := x.Info, x.Info.Vectors
	n, plane := int64(v.Count), int64(v.Count)*int64(vector.PlaneSize(f.Dims))
	p := partsOf(x.Segment, f)
	docsEnd := p.Docs
	if x.docs != nil {
		docsEnd += 4 * n
	}
	gaps := []vectorGap{
		{format.SectionVectors, docsEnd, p.Metas}, {format.SectionVectors, p.Metas + layout.VectorMetaSize*n, p.High},
		{format.SectionVectors, p.High + plane, p.Low}, {format.SectionVectors, p.Low + plane, p.CodesEnd},
		{format.SectionVectorFloats, v.FloatsAt + int64(x.size)*n, v.FloatsAt + layout.VectorFloats(x.size, v.Count)},
	}
	if x.Clusters != nil {
		for _, gap := range clusterGaps(&p, x.Info) {
			gaps = append(gaps, vectorGap{format.SectionVectors, gap[0], gap[1]})
		}
	}
	for _, gap := range gaps {
		if gap.from == gap.to {
			continue
		}
		b, err := x.Segment.Raw().SectionBytes(gap.id, gap.from, gap.to-gap.from)
		if err != nil {
			return err
		}
		if i := format.NonZero(b); i >= 0 {
			return x.Segment.Raw().Corrupt(gap.id, gap.from+int64(i), "padding is not zero")
		}
	}
	return nil
}

// checkCodes compares the codes of vectors from lo up to hi with what their floats become.
func (x *Field) checkCodes(v section.Verifier, lo, hi int) error {
	coder := x.Coder()
	room := codes{floats: make([]float32, x.Info.Dims)}
	for i := lo; i < hi; i++ {
		if err := v.Report(x.checkCode(coder, &room, i), layout.VectorMetaSize+int64(len(room.high)+len(room.low)), [2]uint32{x.Doc(i), x.Doc(i) + 1}); err != nil {
			return err
		}
	}
	return v.Step(work * int64(hi-lo) * int64(layout.VectorMetaSize+2*vector.PlaneSize(x.Info.Dims)))
}

// codes is room for those of a vector.
type codes struct {
	high, low []byte
	floats    []float32
}

// checkCode compares the code of vector i.
func (x *Field) checkCode(coder *vector.Coder, room *codes, i int) error {
	metas, high, low := x.Codes(i, 1)
	if coder.Alone {
		return x.checkAlone(coder, i)
	}
	floats, err := x.Floats(room.floats, i, 1)
	if err != nil {
		return err
	}
	if err := x.Info.CheckVector(floats); err != nil {
		return x.corruptFloats(i, err)
	}
	var m vector.Meta
	room.high, room.low, m = coder.Encode(room.high[:0], room.low[:0], floats)
	if bytes.Equal(high, room.high) && bytes.Equal(low, room.low) && bytes.Equal(metas, MetaBytes(&m)) {
		return nil
	}
	return x.corrupt(x.Info.Vectors.CodesAt, "vector %d, of document %d, is coded in another way", i, x.Doc(i))
}

// CheckAlone returns what checks the code of a vector, with what is beside it, for one goroutine: nil unless codes are all that is kept.
func (x *Field) CheckAlone() func(i int) error {
	coder := x.Coder()
	if !coder.Alone {
		return nil
	}
	return func(i int) error { return x.checkAlone(coder, i) }
}

// checkAlone is checkCode where there are no floats.
func (x *Field) checkAlone(coder *vector.Coder, i int) error {
	_, high, low := x.Codes(i, 1)
	wrong := coder.CheckAlone(high, low, &x.metas[i])
	if norm := x.metas[i].Norm; wrong == "" && (norm > schema.MaxNorm || norm < schema.MinNorm && x.Info.Similarity == schema.SimilarityCosine) {
		wrong = "has a length that cannot be compared"
	}
	if wrong == "" {
		return nil
	}
	return x.corrupt(x.Info.Vectors.CodesAt, "vector %d, of document %d, %s", i, x.Doc(i), wrong)
}

func (x *Field) corruptFloats(i int, err error) error {
	return x.Segment.Raw().Corrupt(format.SectionVectorFloats, x.Info.Vectors.FloatsAt+int64(x.size)*int64(i), "vector %d: %s", i, err)
}
