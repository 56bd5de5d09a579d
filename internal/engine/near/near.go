// Package near compares the vectors of documents with those of queries: it finds the nearest over several segments, and says what a
// document scores.
package near

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Query is a vector that those of a field are compared with.
type Query struct {
	Field  string
	ID     uint32 // of the field, in segments
	By     vector.Similarity
	Vector []float32 // one that the field may have
	Factor float32   // what scores are multiplied by, at least 0
	Values schema.VectorValues
}

// QueryOf returns a Query of vectors of a field, whose scores are multiplied by factor.
func QueryOf(f *schema.Field, v []float32, factor float32) Query {
	return Query{Field: f.Name, ID: f.ID, By: vectors.SimilarityOf(f), Vector: v, Factor: factor, Values: f.Values}
}

// Rounded reports whether what is compared are codes, since nothing else is kept: scores are near those of the vectors as they were added.
func (q *Query) Rounded() bool { return q.Values == schema.Int8 }

// In returns what a segment has to compare with q, nil if it has no vectors in the field.
func (q *Query) In(s *segment.Segment) (*Part, error) {
	i, ok := s.FieldByID(q.ID)
	if !ok {
		return nil, nil
	}
	f, err := vectors.Open(s, i)
	switch {
	case err != nil:
		return nil, q.in(err)
	case f == nil:
		return nil, nil
	case f.Info.Dims != len(q.Vector):
		return nil, s.Raw().Corrupt(format.SectionFields, 0, "field %q: vectors have %d dimensions, by the schema of the index %d", q.Field, f.Info.Dims, len(q.Vector))
	case f.Info.Values != q.Values:
		return nil, s.Raw().Corrupt(format.SectionFields, 0, "field %q: values of vectors are %v, by the schema of the index %v", q.Field, f.Info.Values, q.Values)
	}
	return &Part{f, q}, nil
}

// in returns an error of reading vectors, with the field.
func (q *Query) in(err error) error { return fmt.Errorf("field %q: %w", q.Field, err) }

// Part is the vectors of a segment that are compared with a Query. It is safe for concurrent use.
type Part struct {
	*vectors.Field
	query *Query
}

// Most returns what no document of p scores more than. By product it takes the greatest length of all vectors.
func (p *Part) Most() float32 {
	if p.query.By != vector.Product {
		return p.query.Factor
	}
	own := make([]float32, vector.Padded(len(p.query.Vector)))
	copy(own, p.query.Vector)
	most := float64(p.Longest()) * float64(vector.Norm(own)) * (1 + slack)
	return p.query.Score(float32(most))
}

// slack is more than sums and lengths of package vector are off together, relative to the product of the lengths.
const slack = 0x1p-10

// mostProduct is the greatest product that a score tells from others: with it no sum of scores overflows.
const mostProduct = 0x1p90

// Score returns the score of a document, as format/FORMAT.md, section 8.4, has it, given what package vector says of its vector.
func (q *Query) Score(s float32) float32 {
	switch {
	case q.By == vector.Cosine:
		s = float32(1+max(min(s, 1), -1)) / 2
	case s >= 0:
		s = 1 + min(s, mostProduct) // of Euclidean s is 0 then
	default:
		s = 1 / (1 - s)
	}
	return float32(s * q.Factor)
}

// Scorer says what documents of a Part score. It is for one goroutine.
type Scorer struct {
	part  *Part
	query *vector.Query
	set   *vector.Set
	Err   error // the first of reading vectors
}

// Scorer returns a new Scorer.
func (p *Part) Scorer() *Scorer {
	s := &Scorer{part: p, query: p.vectorQuery()}
	s.set = p.set(func(err error) { s.Err = p.query.in(err) })
	return s
}

// ahead is how many bytes of floats are read at a time of a segment that is read on demand, where a read takes long.
const ahead = 1 << 18

// set is Field.Set, which of a segment that is read on demand reads floats in blocks.
func (p *Part) set(fail func(error)) *vector.Set {
	s, dims := p.Set(fail), len(p.query.Vector)
	if !p.Segment.OnDemand() || p.query.Rounded() {
		return s
	}
	one, room := s.Floats, make([]float32, vector.Padded(dims))
	size, from, block := max(ahead/(4*dims), 1), 0, []float32(nil)
	s.Floats = func(i int) []float32 {
		if at := i - i%size; block == nil || at != from {
			own, err := p.Floats(nil, at, min(size, p.Len()-at))
			if err != nil {
				return one(i)
			}
			from, block = at, own
		}
		copy(room, block[(i-from)*dims:][:dims])
		return room
	}
	return s
}

func (p *Part) vectorQuery() *vector.Query {
	return vector.NewQuery(p.Coder(), p.query.By, p.query.Vector)
}

// Of returns the score of a document. It is false for one without a vector.
func (s *Scorer) Of(doc uint32) (score float32, ok bool) {
	_, score, ok = s.Nearest(doc)
	return score, ok
}

// Nearest returns the score of a document, and which of its vectors gives it, the first one of equal ones. It is false for one without a vector.
func (s *Scorer) Nearest(doc uint32) (nearest int, score float32, ok bool) {
	best, from := float32(math.Inf(-1)), s.part.Of(doc)
	i := from
	for ; i < s.part.Len() && s.part.Doc(i) == doc; i++ {
		if x := number(s.query.Score(s.set.Floats(i), &s.set.Metas[i])); x > best {
			best, nearest = x, i-from
		}
	}
	return nearest, s.part.query.Score(best), i > from
}

// Off returns what the score of a document may be off from that of its vector as it was added, given the number of the nearest: nothing, unless codes
// are all that is kept.
func (s *Scorer) Off(doc uint32, nearest int) float32 {
	if !s.part.query.Rounded() {
		return 0
	}
	i, q := s.part.Of(doc)+nearest, s.part.query
	near := number(s.query.Score(s.set.Floats(i), &s.set.Metas[i]))
	least, most := s.query.Range(&s.set.Metas[i], near)
	score := q.Score(near)
	return math.Nextafter32(max(q.Score(most)-score, score-q.Score(least)), float32(math.Inf(1)))
}

// number returns a score, or what is below all others in place of what is no number, as damaged vectors may give.
func number(s float32) float32 {
	if s != s {
		return float32(math.Inf(-1))
	}
	return s
}
