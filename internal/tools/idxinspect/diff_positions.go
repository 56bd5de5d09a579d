package idxinspect

import (
	"fmt"

	"github.com/pinion-index/pinion/segment"
)

// placeReader reads the positions of a list, posting by posting.
type placeReader struct {
	r      *segment.PositionReader // nil without positions
	block  int
	before uint32 // positions of the block so far
}

// placesOf returns a reader of l's positions, of nothing if its field has none.
func (v *liveView) placesOf(l *segment.List) (*placeReader, error) {
	if !v.placed {
		return &placeReader{}, nil
	}
	p, err := l.Positions()
	if err != nil {
		return nil, err
	}
	return &placeReader{r: p.Reader()}, nil
}

// append appends the positions of the next posting, which is in a block and has frequency tf.
func (p *placeReader) append(dst []uint32, block int, tf uint32) ([]uint32, error) {
	if p.r == nil {
		return dst, nil
	}
	if block != p.block {
		p.block, p.before = block, 0
	}
	dst, err := p.r.Append(dst, block, p.before, tf)
	p.before += tf
	return dst, err
}

// otherPlace returns which position of posting i differs between a and b, whose postings i are the same
// otherwise, or -1.
func otherPlace(a, b *liveView, i int) int {
	if !a.placed || !b.placed {
		return -1
	}
	x, y := a.postings[i], b.postings[i]
	for k := range int(x.tf) {
		if a.places[x.at+k] != b.places[y.at+k] {
			return k
		}
	}
	return -1
}

// placeOf describes position k of posting i, of a document of that name.
func (v *liveView) placeOf(name string, i, k int) string {
	p := v.postings[i]
	return fmt.Sprintf("%s, tf %d, position %d", name, p.tf, v.places[p.at+k])
}
