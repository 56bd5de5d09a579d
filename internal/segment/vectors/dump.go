package vectors

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

func dump(c section.Cursor, s *segment.Segment, id format.SectionID) {
	for i := range s.Fields() {
		x, err := Open(s, i)
		if err != nil || !c.More() {
			return
		}
		switch {
		case x == nil:
		case id == format.SectionVectorFloats:
			x.dumpFloats(c)
		default:
			x.dumpCodes(c)
		}
	}
}

// dumpCodes shows what VECTORS has of a field.
func (x *Field) dumpCodes(c section.Cursor) {
	f, n := x.Info, x.Info.Vectors.Count
	plane := uint64(vector.PlaneSize(f.Dims))
	name := fmt.Sprintf("vectors %q: ", f.Name)
	if x.docs != nil {
		for i := range n {
			if !c.More() {
				return
			}
			c.Fixed(4, fmt.Sprintf("%sdocument of vector %d", name, i), "")
		}
	}
	p := partsOf(x.Segment, f)
	if x.docs != nil {
		pad(c, p.Metas-p.Docs-4*int64(n))
	}
	for i := range n {
		if !c.More() {
			return
		}
		m := x.metas[i]
		c.Field(layout.VectorMetaSize, fmt.Sprintf("%svector %d", name, i), func([]byte) string {
			if f.Values == schema.Int8 {
				return fmt.Sprintf("step %g, length %g, up to %g left out by the upper plane, up to %g from the vector as it was added", m.Step, m.Norm, m.R4.Value(), m.R8.Value())
			}
			return fmt.Sprintf("step %g, %g from the centre, length %g, up to %g left out by the upper plane, %g by both", m.Step, m.Far, m.Norm, m.R4.Value(), m.R8.Value())
		})
	}
	pad(c, p.High-p.Metas-layout.VectorMetaSize*int64(n))
	for _, side := range []struct {
		what string
		rest int64
	}{{"upper", p.Low - p.High}, {"lower", p.CodesEnd - p.Low}} {
		for i := range n {
			if !c.More() {
				return
			}
			c.Field(plane, fmt.Sprintf("%s%s plane of vector %d", name, side.what, i), nibbles)
		}
		pad(c, side.rest-int64(n)*int64(plane))
	}
	if x.Clusters != nil {
		x.dumpClusters(c, name, &p)
	}
}

// dumpClusters shows what follows the codes of a field with clusters.
func (x *Field) dumpClusters(c section.Cursor, name string, p *layout.VectorParts) {
	v := x.Info.Vectors
	plane, gaps := uint64(vector.PlaneSize(x.Info.Dims)), clusterGaps(p, x.Info)
	float := func(b []byte) string { return fmt.Sprint(words[float32](b)[0]) }
	c.Fixed(8, name+"version of clusters", "%#x")
	c.Fixed(8, name+"vectors at training", "")
	c.Field(4, name+"mean distance from points at training", float)
	c.Field(4, name+"mean distance from points", float)
	end := func() {
		pad(c, gaps[0][1]-gaps[0][0])
		gaps = gaps[1:]
	}
	end()
	c.Field(4*uint64(x.Info.Dims), name+"base of points", func(b []byte) string { return first(words[float32](b), "%g") })
	end()
	points := v.Clusters + v.Groups
	of := func(i uint32) string {
		if i < v.Clusters {
			return fmt.Sprintf("%spoint %d", name, i)
		}
		return fmt.Sprintf("%spoint of group %d", name, i-v.Clusters)
	}
	for i := uint32(0); i < points && c.More(); i++ {
		m := x.Clusters.Metas[i]
		c.Field(layout.VectorMetaSize, of(i), func([]byte) string { return fmt.Sprintf("step %g, %g from the base", m.Step, m.Far) })
	}
	end()
	for i := uint32(0); i < points && c.More(); i++ {
		c.Field(plane, "upper plane of "+of(i), nibbles)
	}
	end()
	for i := uint32(0); i < v.Groups && c.More(); i++ {
		c.Fixed(4, fmt.Sprintf("%send of group %d", name, i), "")
	}
	end()
	for i := uint32(0); i < v.Clusters && c.More(); i++ {
		c.Fixed(4, fmt.Sprintf("%send of cluster %d", name, i), "")
	}
	end()
	for i := uint32(0); i < v.Clusters && c.More(); i++ {
		if list := x.Clusters.List(i); len(list) > 0 {
			c.Field(4*uint64(len(list)), fmt.Sprintf("%svectors of cluster %d", name, i), func([]byte) string { return first(list, "%d") })
		}
	}
	end()
}

// dumpFloats shows what VECTORFLOATS has of a field.
func (x *Field) dumpFloats(c section.Cursor) {
	f, n := x.Info, x.Info.Vectors.Count
	for i := range n {
		if !c.More() {
			return
		}
		c.Field(uint64(x.size), fmt.Sprintf("vectors %q: vector %d of document %d", f.Name, i, x.Doc(int(i))), func([]byte) string {
			v, err := x.Floats(nil, int(i), 1)
			if err != nil {
				return "MALFORMED"
			}
			return first(v, "%g")
		})
	}
	pad(c, layout.VectorFloats(x.size, n)-int64(x.size)*int64(n))
}

func pad(c section.Cursor, n int64) {
	if n > 0 {
		c.Field(uint64(n), "padding", func([]byte) string { return "" })
	}
}

// nibbles shows the beginning of a plane.
func nibbles(b []byte) string {
	codes := make([]byte, 0, 4)
	for _, x := range b[:min(4, len(b))] {
		codes = append(codes, x&15)
	}
	return first(codes, "%d") + ", of dimensions 0 to " + fmt.Sprint(len(codes)-1)
}

// first shows the first values of v.
func first[T any](v []T, verb string) string {
	var shown []string
	for _, x := range v[:min(4, len(v))] {
		shown = append(shown, fmt.Sprintf(verb, x))
	}
	if len(v) > 4 {
		shown = append(shown, "...")
	}
	return strings.Join(shown, " ")
}
