package salvage

import (
	"errors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/schema"
)

// vectorReader reads the vectors of documents in one field, in docID order.
type vectorReader struct {
	x     *Source
	field int
	v     *vectors.Field
	check func(i int) error // of a code, where that is all that is kept; else nil
}

var errVectors = errors.New("which fields have vectors, and how many, is lost")

// vectors returns a reader for each field whose vectors can be read. Of damaged codes only
// which documents have a vector is read, unless they are all that is kept.
func (x *Source) vectors() (all []*vectorReader) {
	told := false
	for i := range x.s.Fields() {
		told = told || x.s.Fields()[i].Vectors != nil
		v, err := vectors.Open(x.s, i)
		if err != nil {
			x.loseOf(i, "vectors", "all", uint64(x.s.Fields()[i].Vectors.Docs), err)
		} else if v != nil {
			all = append(all, &vectorReader{x: x, field: i, v: v, check: v.CheckAlone()})
		}
	}
	if _, ok := x.s.Header().Section(format.SectionVectors); ok && !told {
		x.lose("vectors", "all", uint64(x.s.Meta().Docs), errVectors)
	}
	return all
}

// append appends the vectors of a document, but for those that are damaged.
func (r *vectorReader) append(dst []schema.Value, doc uint32) []schema.Value {
	for i := r.v.Of(doc); i < r.v.Len() && r.v.Doc(i) == doc; i++ {
		floats, err := r.v.Floats(nil, i, 1)
		if err == nil && r.check != nil {
			err = r.check(i)
		}
		if err == nil {
			err = r.v.Info.CheckVector(floats)
		}
		if err != nil {
			r.x.loseOf(r.field, "vectors", docsOf(doc, doc+1), 1, err)
			continue
		}
		dst = append(dst, schema.VectorValue(r.field, floats))
	}
	return dst
}
