package vectors

import (
	"bytes"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/vector"
)

// grain is how many vectors a goroutine checks at a time.
const grain = 256

// work is what a byte of VECTORS costs to check, in units of a byte's checksum: a code is made again.
const work = 200

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

// checkPadding checks that there is nothing between the parts.
func (x *Field) checkPadding() error {
	f, v := x.Info, x.Info.Vectors
	n, plane := int64(v.Count), int64(v.Count)*int64(vector.PlaneSize(f.Dims))
	p := layout.PlaceVectors(v.CodesAt, f.Dims, v.Count, v.Docs, x.Segment.Meta().Docs)
	docsEnd := p.Docs
	if x.docs != nil {
		docsEnd += 4 * n
	}
	for _, gap := range []struct {
		id       format.SectionID
		from, to int64
	}{
		{format.SectionVectors, docsEnd, p.Metas}, {format.SectionVectors, p.Metas + layout.VectorMetaSize*n, p.High},
		{format.SectionVectors, p.High + plane, p.Low}, {format.SectionVectors, p.Low + plane, p.End},
		{format.SectionVectorFloats, v.FloatsAt + 4*int64(f.Dims)*n, v.FloatsAt + layout.VectorFloats(f.Dims, v.Count)},
	} {
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
	var room codes
	for i := lo; i < hi; i++ {
		if err := v.Report(x.checkCode(coder, &room, i), layout.VectorMetaSize+int64(len(room.high)+len(room.low)), [2]uint32{x.Doc(i), x.Doc(i) + 1}); err != nil {
			return err
		}
	}
	return v.Step(work * int64(hi-lo) * int64(layout.VectorMetaSize+2*vector.PlaneSize(x.Info.Dims)))
}

// codes is room for those of a vector.
type codes struct{ high, low []byte }

// checkCode compares the code of vector i.
func (x *Field) checkCode(coder *vector.Coder, room *codes, i int) error {
	metas, high, low, floats, err := x.Bytes(i, 1)
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

func (x *Field) corruptFloats(i int, err error) error {
	return x.Segment.Raw().Corrupt(format.SectionVectorFloats, x.Info.Vectors.FloatsAt+4*int64(x.Info.Dims)*int64(i), "vector %d: %s", i, err)
}
