package exchange

import (
	"strconv"

	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// denseWriter writes the vectors of a segment in one field, document by document, in ascending order.
type denseWriter struct {
	of   *vectors.Field // nil: there are none
	next int            // vector: none before it is of a later document
}

// denseWriters returns what writes the vectors of each field of s that has some in g; others have none.
func denseWriters(dst []denseWriter, s *schema.Schema, g *segment.Segment) ([]denseWriter, error) {
	dst = append(dst[:0], make([]denseWriter, len(s.Fields))...)
	for i := range s.Fields {
		f := &s.Fields[i]
		n, ok := g.FieldByID(f.ID)
		if f.Kind != schema.Vector || f.Name == "" || !ok {
			continue
		}
		var err error
		if dst[i].of, err = vectors.Open(g, n); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// seek returns how many vectors doc has, which append then writes.
func (d *denseWriter) seek(doc uint32) (n int) {
	if d.of == nil {
		return 0
	}
	for d.next < d.of.Len() && d.of.Doc(d.next) < doc {
		d.next++
	}
	for d.next+n < d.of.Len() && d.of.Doc(d.next+n) == doc {
		n++
	}
	return n
}

// append writes the next n vectors as JSON: one as an array of numbers, several as an array of these.
func (d *denseWriter) append(dst []byte, n int) ([]byte, error) {
	floats, err := d.of.Floats(nil, d.next, n)
	if err != nil {
		return dst, err
	}
	dims := d.of.Info.Dims
	if n > 1 {
		dst = append(dst, '[')
	}
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDenseJSON(dst, floats[i*dims:(i+1)*dims])
	}
	if n > 1 {
		dst = append(dst, ']')
	}
	return dst, nil
}

// appendDenseJSON appends v as an array of the shortest decimals that give the same float32.
func appendDenseJSON(dst []byte, v []float32) []byte {
	open := byte('[')
	for _, x := range v {
		dst = append(dst, open)
		dst = strconv.AppendFloat(dst, float64(x), 'g', -1, 32)
		open = ','
	}
	return append(dst, ']')
}
