package posting

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// RangeShift is the logarithm of how many documents a range of Maxima has.
const RangeShift = 10

// Ranges returns how many ranges a segment of docs documents has.
func Ranges(docs uint32) int { return int((uint64(docs) + 1<<RangeShift - 1) >> RangeShift) }

// Maxima bounds the scores of a list by range of documents: docID-oriented block maxima (Chakrabarti,
// Chaudhuri and Ganti 2011). Under a weight w no posting in range i scores more than w * Unit * Of[i].
type Maxima struct {
	Of   []uint8
	Unit float32
}

// margin is more than what rounding adds to a score under weight w, beyond w times the score under 1, in parts of w.
const margin = 0x1p-20

// NewMaxima returns those of the list at e in field f, or an error if some of the list is damaged.
func NewMaxima(s *reader.Segment, e segment.Entry, f *Field) (*Maxima, error) {
	c := reader.NewCursor()
	defer c.Close()
	c.SetArmed(trusted.Caller{}, true)
	if err := c.Init(s, e); err != nil {
		return nil, err
	}
	if err := c.List(trusted.Caller{}).VerifyBytes(); err != nil {
		return nil, err // else a damaged block could hide documents
	}
	most := make([]float32, Ranges(s.Docs()))
	scores := make([]float32, 0, 1024)
	for ; c.Doc() != End; c.NextBlock() {
		freqs := c.Freqs()
		docs := c.Docs()[:len(freqs)]
		if len(docs) > cap(scores) {
			scores = make([]float32, len(docs))
		}
		scores = scores[:len(docs)]
		f.Norms(scores, docs)
		for i, doc := range docs {
			if int(doc>>RangeShift) >= len(most) {
				return nil, format.Corrupt("docID beyond the segment")
			}
			m := &most[doc>>RangeShift]
			*m = max(*m, f.Scorer.Score(1, float32(freqs[i]), scores[i]))
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return quantize(most), nil
}

// quantize rounds maxima up to multiples of a 255th of the greatest.
func quantize(most []float32) *Maxima {
	m := &Maxima{Of: make([]uint8, len(most))}
	greatest := float32(0)
	for _, v := range most {
		greatest = max(greatest, v)
	}
	m.Unit = math.Nextafter32((greatest+margin)/255, 1)
	for i, v := range most {
		if v > 0 {
			m.Of[i] = uint8(min(math.Ceil(float64(v+margin)/float64(m.Unit)), 255))
		}
	}
	return m
}
