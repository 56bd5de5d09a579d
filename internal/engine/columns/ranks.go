package columns

import (
	"math"
	"sync"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Ranks are what is kept in memory of a column of floats, none below 0, that says static scores: bounds of the values of
// each document, in 2 bytes, and the documents with the greatest values.
type Ranks struct {
	codes []uint16 // the first half of a float32, rounded up; 0 without a value
	most  []uint16 // the greatest of each block
	tops  []Top    // the greatest values first
}

// Top are the documents of a segment whose values are above a bound, but for those of the tops before it.
type Top struct {
	Docs *docset.Set
	code uint16 // of the bound
}

// shares are how many documents of a segment there are for each in a top or one before it.
var shares = [...]uint32{4096, 1024, 256, 64}

// keptRanks are the Ranks of a segment, made when they are asked for a second time.
type keptRanks struct {
	mu    sync.Mutex
	asked int
	ranks *Ranks
}

// ranksOf is the key of the Ranks of a field with an id.
type ranksOf uint32

// RanksOf returns the Ranks of a field with an id in a segment of so many documents, whose column is c. It returns nil the
// first time, since a single query gains nothing, and after it has returned an error.
func RanksOf(s *segment.Segment, id uint32, c Column, docs uint32) (*Ranks, error) {
	k := s.Attached(ranksOf(id), func() any { return new(keptRanks) }).(*keptRanks)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked = min(k.asked+1, 3); k.asked != 2 {
		return k.ranks, nil
	}
	var err error
	k.ranks, err = newRanks(c, docs)
	return k.ranks, err
}

func newRanks(c Column, docs uint32) (*Ranks, error) {
	r := &Ranks{codes: make([]uint16, docs), most: make([]uint16, c.Blocks())}
	counts := make([]uint32, 1<<16)
	var v view
	v.set(c)
	for b := range c.Blocks() {
		if err := v.load(b); err != nil {
			return nil, err
		}
		for doc := uint32(b) * segment.ColumnBlock; doc < min(docs, uint32(b+1)*segment.ColumnBlock); doc++ {
			values, err := v.of(doc)
			if err != nil {
				return nil, err
			}
			if len(values) > 0 {
				r.codes[doc] = code(schema.KeyFloat(values[len(values)-1]))
			}
			counts[r.codes[doc]]++
			r.most[b] = max(r.most[b], r.codes[doc])
		}
	}
	n, from := uint32(0), len(counts)
	for _, share := range shares {
		x := from - 1
		for ; x > 0 && n+counts[x] <= docs/share; x-- {
			n += counts[x]
		}
		var in []uint32
		for doc, y := range r.codes {
			if int(y) > x && int(y) < from {
				in = append(in, uint32(doc))
			}
		}
		if len(in) > 0 {
			r.tops = append(r.tops, Top{docset.FromDocs(in), uint16(x)})
			from = x + 1
		}
	}
	return r, nil
}

// code returns the least code that bounds a value.
func code(x float64) uint16 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	bits := math.Float32bits(f)
	if bits&0xffff != 0 {
		bits += 1 << 16
	}
	return uint16(bits >> 16)
}

// value returns a bound of the values with a code.
func value(code uint16) float64 { return float64(math.Float32frombits(uint32(code) << 16)) }
